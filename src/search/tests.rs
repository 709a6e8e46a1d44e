//! The parts of the search on small trees made for the purpose, where every
//! value is known.

mod claims;
mod tree;
mod values;

use self::tree::{Node, Tree, Written, node, to};
use super::history::{Histories, Played};
use super::params::{ParamSets, Params};
use super::picker::{Hints, Picker};
use super::pruning::{NodeState, unproven};
use super::time::SearchOptions;
use super::tt::{Bound, Entry, NO_EVAL, Table};
use super::worker::{RootMove, Shared, Worker};
use super::{Control, Limits, SearchInput, Searcher};
use crate::base::{INFINITE, MATE_BOUND, Score, Side, is_loss, is_win, loss_in, win_in};
use crate::eval::{EvalSource, Tuning};
use crate::game::breakthrough::Position;
use crate::game::{Game, Move, MoveFacts, MoveList, Notation, Outcome, Tactics};
use std::sync::Arc;
use std::time::Duration;

fn params() -> Params {
    ParamSets::default().for_tuning(Tuning::Standard).clone()
}

/// Calls `act` with a worker on the tree.
fn with<R>(tree: &Tree, limits: Limits, act: impl FnOnce(&mut Worker<Tree, Written>) -> R) -> R {
    with_params(tree, limits, params(), act)
}

/// The same with other search parameters.
fn with_params<R>(
    tree: &Tree,
    limits: Limits,
    params: Params,
    act: impl FnOnce(&mut Worker<Tree, Written>) -> R,
) -> R {
    let shared = Shared {
        table: Arc::new(Table::new(1).unwrap()),
        control: Arc::new(Control::new(false)),
        params,
        options: SearchOptions::new(limits, Duration::ZERO),
        nodes: Box::new([0.into()]),
        next_checks: Box::new([0.into()]),
    };
    let mut histories = Histories::new(Tree::MOVE_INDICES);
    let mut worker = Worker::new(0, &shared, &mut histories, Written, tree, &[]);
    // What is searched below the root is reached by a move.
    worker.frame_mut(0).played = Played::new(tree, to(0));
    act(&mut worker)
}

const ALL: (Score, Score) = (-INFINITE, INFINITE);

/// Quiescence of the tree, and what it left in the table.
fn quiescence(tree: &Tree, (alpha, beta): (Score, Score)) -> (Score, Option<Entry>) {
    with(tree, Limits::default(), |worker| {
        let score = worker.quiescence::<true>(tree, alpha, beta, 1);
        (score, worker.shared.table.probe(tree.key(), 1))
    })
}

/// A search away from the root, and what it left in the table.
fn search<const PV: bool>(
    tree: &Tree,
    (alpha, beta): (Score, Score),
    depth: i32,
) -> (Score, Option<Entry>) {
    with(tree, Limits::default(), |worker| {
        let score = worker.search_node::<PV>(tree, alpha, beta, depth, 1, false);
        (score, worker.shared.table.probe(tree.key(), 1))
    })
}

fn captured(eval: Score, exchange: i32) -> Node {
    Node {
        capture: Some(exchange),
        ..node(eval, &[])
    }
}

#[test]
fn a_quiet_leaf_is_worth_its_evaluation() {
    let tree = Tree::new(vec![node(37, &[1]), node(-900, &[])]);
    assert_eq!(quiescence(&tree, ALL).0, 37);
}

#[test]
fn captures_count_from_the_movers_view() {
    let tree = Tree::new(vec![node(37, &[1, 2]), captured(-250, 1), captured(120, 1)]);
    assert_eq!(quiescence(&tree, ALL).0, 250);
    // A capture that wins nothing is left out, however good it looks.
    let tree = Tree::new(vec![node(37, &[1]), captured(-250, 0)]);
    assert_eq!(quiescence(&tree, ALL).0, 37);
}

#[test]
fn nobody_stands_pat_under_a_threat() {
    let nodes = |tactics| {
        vec![
            Node {
                tactics,
                ..node(500, &[1, 2, 3])
            },
            node(-800, &[]),
            node(300, &[]),
            node(400, &[]),
        ]
    };
    // Only the second and the third move hold.
    let replies = || [to(1), to(2)].into_iter().collect();
    let tree = Tree::new(nodes(Tactics::Only(replies())));
    assert_eq!(quiescence(&tree, ALL).0, -300);
    assert_eq!(search::<true>(&tree, ALL, 1).0, -300);
    let others_lose = Tactics::OthersLose {
        replies: replies(),
        plies: 8,
    };
    let tree = Tree::new(nodes(others_lose));
    assert_eq!(quiescence(&tree, ALL).0, -300);
    assert_eq!(search::<true>(&tree, ALL, 1).0, -300);
}

#[test]
fn moves_left_out_as_lost_lose_as_late_as_they_are_said_to() {
    let lost = Node {
        tactics: Tactics::Win {
            plies: 3,
            first: Move::NONE,
        },
        ..node(0, &[])
    };
    let root = Node {
        tactics: Tactics::OthersLose {
            replies: [to(0)].into_iter().collect(),
            plies: 8,
        },
        ..node(0, &[1, 2])
    };
    let tree = Tree::new(vec![root, lost, node(0, &[])]);
    // The reply loses in 4 plies, the moves that are left out in 8.
    assert_eq!(quiescence(&tree, ALL).0, loss_in(1 + 8));
    assert_eq!(search::<true>(&tree, ALL, 3).0, loss_in(1 + 8));
}

#[test]
fn facts_are_counted_from_the_root() {
    let facts = [
        (
            Tactics::Win {
                plies: 3,
                first: Move::NONE,
            },
            win_in(1 + 3),
        ),
        (Tactics::Loss { plies: 4 }, loss_in(1 + 4)),
    ];
    for (tactics, score) in facts {
        let tree = Tree::new(vec![Node {
            tactics,
            ..node(0, &[])
        }]);
        assert_eq!(quiescence(&tree, ALL).0, score);
        assert_eq!(search::<true>(&tree, ALL, 2).0, score);
    }
    for (side, score) in [(Side::White, win_in(1)), (Side::Black, loss_in(1))] {
        let tree = Tree::new(vec![Node {
            outcome: Outcome::Win(side),
            ..node(0, &[])
        }]);
        assert_eq!(quiescence(&tree, ALL).0, score);
        assert_eq!(search::<true>(&tree, ALL, 2).0, score);
    }
}

#[test]
fn leaves_are_kept_with_the_bound_that_holds() {
    let tree = Tree::new(vec![node(37, &[1]), captured(-250, 1)]);
    for (window, bound) in [
        ((100, 200), Bound::Lower),
        ((300, 400), Bound::Upper),
        (ALL, Bound::Upper),
    ] {
        let (score, entry) = quiescence(&tree, window);
        let entry = entry.unwrap();
        assert_eq!((score, entry.score, entry.bound), (250, 250, bound));
    }
}

/// Searches a quiet node for which the table already holds this entry.
fn search_known(score: Score, bound: Bound, depth: i32, beta: Score) -> Score {
    let tree = Tree::new(vec![node(5, &[1]), node(-5, &[])]);
    with(&tree, Limits::default(), |worker| {
        let entry = Entry {
            best: to(0),
            score,
            eval: NO_EVAL,
            depth,
            bound,
            was_pv: false,
        };
        worker.shared.table.store(tree.key(), 1, entry);
        worker.search_node::<false>(&tree, beta - 1, beta, 1, 1, false)
    })
}

#[test]
fn the_table_is_believed_as_far_as_it_knows() {
    assert_eq!(search_known(300, Bound::Lower, 1, 200), 300);
    assert_eq!(search_known(100, Bound::Upper, 1, 200), 100);
    assert_ne!(search_known(300, Bound::Lower, 0, 200), 300);
    assert_ne!(search_known(300, Bound::Lower, 1, 400), 300);
    // What is proven holds at any depth.
    assert_eq!(search_known(win_in(9), Bound::Lower, 0, 200), win_in(9));
    assert_eq!(search_known(loss_in(8), Bound::Upper, 0, 200), loss_in(8));
    assert_eq!(
        search_known(win_in(9), Bound::Exact, 0, win_in(11)),
        win_in(9)
    );
    // That there is nothing better, or nothing worse, is not proven.
    assert_eq!(search_known(win_in(9), Bound::Upper, 0, win_in(7)), 5);
    assert_eq!(search_known(win_in(9), Bound::Exact, 0, win_in(7)), 5);
    assert_eq!(search_known(loss_in(8), Bound::Lower, 0, loss_in(10)), 5);
}

#[test]
fn no_score_is_worse_than_losing_here_or_better_than_winning_next() {
    let tree = Tree::new(vec![node(0, &[1]), node(0, &[])]);
    assert_eq!(
        search::<false>(&tree, (win_in(2), win_in(1)), 3).0,
        win_in(2)
    );
    assert_eq!(
        search::<false>(&tree, (loss_in(0), loss_in(1)), 3).0,
        loss_in(1)
    );
}

/// What pruning says of the tree's root, and the nodes it took.
fn prune(tree: &Tree, beta: Score, depth: i32) -> (Option<Score>, u64) {
    with(tree, Limits::default(), |worker| {
        let node = NodeState {
            eval: tree.eval(),
            depth,
            ply: 1,
            cut_node: false,
            was_pv: false,
            is_threatened: false,
            is_improving: false,
        };
        (worker.prune_node(tree, beta, node), worker.nodes)
    })
}

#[test]
fn a_node_far_above_beta_is_not_searched() {
    let margin = params().reverse_futility_margin;
    let tree = |eval| Tree::new(vec![node(eval, &[])]);
    let (score, nodes) = prune(&tree(10 + margin), 10, 1);
    assert!(score.is_some_and(|score| (10..=10 + margin).contains(&score)));
    assert_eq!(nodes, 0);
    assert_eq!(prune(&tree(9 + margin), 10, 1).0, None);
    // Not even the best evaluation is a proof.
    assert_eq!(prune(&tree(MATE_BOUND - 1), win_in(5), 1).0, None);
    assert_eq!(prune(&tree(MATE_BOUND - 1), loss_in(5), 1).0, None);
}

#[test]
fn a_node_far_below_beta_is_saved_by_captures_only() {
    let quiet = Tree::new(vec![node(-1_500, &[1]), node(-900, &[])]);
    assert_eq!(prune(&quiet, 0, 1).0, Some(-1_500));
    let saved = Tree::new(vec![node(-1_500, &[1]), captured(-900, 1)]);
    let margin = params().delta_margin;
    assert_eq!(prune(&saved, margin - 1_500, 1).0, None);
}

#[test]
fn guesses_are_kept_apart_from_proofs() {
    assert_eq!(unproven(win_in(3)), MATE_BOUND - 1);
    assert_eq!(unproven(loss_in(3)), 1 - MATE_BOUND);
    assert_eq!(unproven(-77), -77);
}

#[test]
fn moves_come_in_order_and_each_once() {
    let mut nodes = vec![node(0, &[1, 2, 3, 4, 5, 6, 7])];
    nodes.extend((0..7).map(|_| node(0, &[])));
    nodes[2].capture = Some(1);
    nodes[6].capture = Some(-1);
    let tree = Tree::new(nodes);
    let mut histories = Histories::new(Tree::MOVE_INDICES);
    let hints = Hints {
        table: to(4),
        killers: [to(3), to(0)],
        ..Hints::default()
    };
    histories.update_quiet::<Tree>(tree.side_to_move(), 6, hints.before, 900);
    let mut list = MoveList::new();
    tree.moves(&mut list);
    for among in [&list[..], &[]] {
        let mut picker = Picker::new(among, hints);
        let mut order = Vec::new();
        while let Some((mv, facts)) = picker.next(&tree, &histories, &params()) {
            assert_eq!(facts, MoveFacts::new(&tree, mv));
            order.push(mv.to());
        }
        // Table, good capture, killers, history; ties by encoding.
        assert_eq!(order, [4, 1, 3, 0, 6, 5, 2]);
    }
}

/// Acts on a worker at a root with three moves.
fn with_three_root_moves(act: impl FnOnce(&mut Worker<Tree, Written>)) {
    let mut nodes = vec![node(0, &[1, 2, 3])];
    nodes.extend((0..3).map(|_| node(0, &[])));
    with(&Tree::new(nodes), Limits::default(), |worker| {
        worker.root_moves = (0..3).map(|child| RootMove::new(to(child))).collect();
        act(worker);
    });
}

#[test]
fn a_root_move_that_was_not_searched_does_not_outrank_the_previous_best() {
    with_three_root_moves(|worker| {
        // The previous iteration: the second move was better than the first.
        worker.begin_window([-INFINITE, INFINITE]);
        worker.record_root_move(to(0), 10, true, 1);
        worker.record_root_move(to(1), 20, true, 1);
        worker.record_root_move(to(2), 20, false, 1);
        worker.rank_root_moves();
        assert_eq!(worker.root_moves[0].mv, to(1));
        // This one is aborted after its first move, which has got worse.
        worker.begin_window([-INFINITE, INFINITE]);
        worker.rank_root_moves();
        assert_eq!(worker.root_moves[0].mv, to(1));
        assert_eq!(worker.root_moves[0].last_score(), Some(20));
        worker.record_root_move(to(1), 5, true, 1);
        worker.rank_root_moves();
        assert_eq!(worker.root_moves[0].mv, to(1));
        assert_eq!(worker.root_moves[0].last_score(), Some(5));
    });
}

#[test]
fn an_unfinished_iteration_does_not_stay_with_a_move_that_loses() {
    with_three_root_moves(|worker| {
        worker.begin_window([-INFINITE, INFINITE]);
        worker.record_root_move(to(0), 20, true, 5);
        worker.record_root_move(to(1), 20, false, 1);
        worker.record_root_move(to(2), 20, false, 2);
        worker.rank_root_moves();
        worker.completed_depth = 3;
        // In the next iteration, the previous best move loses, and no other has
        // a score yet.
        worker.begin_window([-INFINITE, INFINITE]);
        worker.record_root_move(to(0), loss_in(6), true, 5);
        worker.rank_root_moves();
        worker.avoid_proven_loss(0, Some(20));
        let best = &worker.root_moves[0];
        assert_eq!((best.mv, best.score, best.depth), (to(2), 20, 3));
        assert_eq!(best.bound, Bound::Upper);
        // In the first iteration, there is nothing to hold on to.
        worker.record_root_move(to(0), loss_in(6), true, 5);
        worker.rank_root_moves();
        worker.avoid_proven_loss(0, None);
        assert_ne!(worker.root_moves[0].mv, to(0));
        // Unless they all lose.
        worker.record_root_move(to(1), loss_in(4), false, 1);
        worker.record_root_move(to(2), loss_in(8), true, 1);
        worker.rank_root_moves();
        worker.avoid_proven_loss(0, Some(20));
        assert_eq!(worker.root_moves[0].mv, to(2));
        assert_eq!(worker.root_moves[0].last_score(), Some(loss_in(8)));
    });
}

#[test]
fn a_search_of_some_moves_leaves_no_score_of_the_position_behind() {
    // White wins the race, but loses it after a2a3.
    let position = Position::<u64>::from_fen("8/8/8/3P4/2p5/8/P7/8 w 0 1").unwrap();
    let search = |moves: Vec<Move>| {
        let limits = Limits {
            depth: Some(8),
            search_moves: moves,
            ..Limits::default()
        };
        let mut searcher = Searcher::new(1).unwrap();
        let verdict = searcher.search(
            SearchInput::new(&position, &[], limits),
            || EvalSource::default().breakthrough(&position),
            &Arc::new(Control::new(false)),
            &mut |_| {},
        );
        let kept = searcher.table().probe(position.key(), 0);
        (verdict.unwrap().score, kept.map(|entry| entry.score))
    };
    let (score, kept) = search(vec![position.parse_move("a2a3").unwrap()]);
    assert!(is_loss(score));
    assert_eq!(kept, None);
    let (score, kept) = search(Vec::new());
    assert!(is_win(score));
    assert_eq!(kept, Some(score));
}
