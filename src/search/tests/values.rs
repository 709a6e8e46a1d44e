//! The search against known values: those of plain minimax on random trees,
//! and what null move pruning makes of zugzwang.

use super::tree::{Node, Tree, node, to};
use super::{ALL, params, with_params};
use crate::base::Score;
use crate::eval::Tuning;
use crate::game::{Game, Move};
use crate::search::Limits;
use crate::search::params::{ParamSets, Params};
use crate::search::tt::{Bound, Entry};
use rand_mt::Mt64;

/// Plies of a random tree, and moves at each node.
const PLIES: usize = 3;
const MOVES: usize = 3;

/// Adds a random tree of this many plies; returns its root and its value.
fn grow(nodes: &mut Vec<Node>, plies: usize, random: &mut Mt64) -> (usize, Score) {
    let at = nodes.len();
    let leaf = (random.next_u64() % 201) as Score - 100;
    nodes.push(node(leaf, &[]));
    if plies == 0 {
        return (at, leaf);
    }
    let mut best = Score::MIN;
    for _ in 0..MOVES {
        let (child, score) = grow(nodes, plies - 1, random);
        nodes[at].children.push(child);
        best = best.max(-score);
    }
    (at, best)
}

/// Makes every node's evaluation its true value, so that it never errs.
fn tell_values(nodes: &mut [Node], at: usize) -> Score {
    let children = nodes[at].children.clone();
    let values = children.into_iter().map(|child| -tell_values(nodes, child));
    if let Some(best) = values.max() {
        nodes[at].eval = best;
    }
    nodes[at].eval
}

/// The value where the line ends, from the view of the side that began it.
fn end_of(tree: &Tree, line: &[Move]) -> Score {
    let end = line
        .iter()
        .fold(tree.clone(), |position, &mv| position.play(mv));
    if line.len().is_multiple_of(2) {
        end.eval()
    } else {
        -end.eval()
    }
}

/// Parameters with which next to nothing is skipped or reduced.
fn patient() -> Params {
    let mut params = ParamSets::default();
    for (name, value) in [
        ("reverse_futility_margin", 250),
        ("reverse_futility_improving", 0),
        ("razor_depth", 0),
        ("null_depth", 99),
        ("iir_depth", 8),
        ("futility_base", 300),
        ("late_move_base", 12),
        ("history_prune_margin", 8_000),
        ("reduction_base", 0),
        ("reduction_divisor", 300),
        ("singular_depth", 99),
    ] {
        assert!(params.set(name, value), "{name}");
    }
    params.for_tuning(Tuning::Standard).clone()
}

#[test]
fn the_line_leads_to_the_value_that_minimax_gives() {
    let mut random = Mt64::new(61);
    for _ in 0..100 {
        let mut nodes = Vec::new();
        let (_, value) = grow(&mut nodes, PLIES, &mut random);
        let tree = Tree::new(nodes);
        for depth in [PLIES as i32, PLIES as i32 + 2] {
            let (score, line) = with_params(&tree, Limits::default(), patient(), |worker| {
                let score = worker.search_node::<true>(&tree, ALL.0, ALL.1, depth, 1, false);
                (score, worker.pv[1].clone())
            });
            assert_eq!(score, value, "depth {depth}: {tree:?}");
            assert!(line.len() >= PLIES, "{line:?}");
            assert_eq!(end_of(&tree, &line), value, "depth {depth}: {line:?}");
        }
    }
}

/// Parameters that prune as usual, but trust only an evaluation on the right
/// side of beta, guess nothing from histories, and skip no move for coming late.
fn fair() -> Params {
    let mut params = params();
    params.reverse_futility_improving = 0;
    params.futility_history = 0;
    params.late_move_base = 12;
    params
}

/// A search with these parameters, and what it left in the table.
fn fair_search<const PV: bool>(
    tree: &Tree,
    [alpha, beta]: [Score; 2],
    depth: i32,
) -> (Score, Option<Entry>) {
    with_params(tree, Limits::default(), fair(), |worker| {
        let score = worker.search_node::<PV>(tree, alpha, beta, depth, 1, false);
        (score, worker.shared.table.probe(tree.key(), 1))
    })
}

#[test]
fn pruning_costs_nothing_where_the_evaluation_is_right() {
    let mut random = Mt64::new(62);
    for _ in 0..100 {
        let mut nodes = Vec::new();
        let (_, value) = grow(&mut nodes, PLIES, &mut random);
        assert_eq!(tell_values(&mut nodes, 0), value);
        let tree = Tree::new(nodes);
        for depth in 1..=12 {
            assert_eq!(
                fair_search::<true>(&tree, [ALL.0, ALL.1], depth).0,
                value,
                "{tree:?}"
            );
        }
    }
}

#[test]
fn a_narrow_search_tells_the_side_and_keeps_the_bound() {
    let mut random = Mt64::new(63);
    // Closer than any futility margin: a quiet move left out at a greater distance
    // may be a little better than the bound that is kept.
    let far = fair().futility_base - 1;
    for _ in 0..100 {
        let mut nodes = Vec::new();
        let (_, value) = grow(&mut nodes, PLIES, &mut random);
        tell_values(&mut nodes, 0);
        let tree = Tree::new(nodes);
        for beta in [
            value - far,
            value - 1,
            value,
            value + 1,
            value + 2,
            value + far,
        ] {
            for depth in 1..=12 {
                let (score, entry) = fair_search::<false>(&tree, [beta - 1, beta], depth);
                assert_eq!(score >= beta, value >= beta, "{value} {beta} {depth}");
                // Nodes that are pruned as a whole store nothing.
                if let Some(Entry { score, bound, .. }) = entry {
                    let says = match bound {
                        Bound::Lower => score >= beta && score <= value,
                        Bound::Upper => score < beta && score >= value,
                        Bound::Exact => false,
                    };
                    assert!(says, "{value} {beta} {depth}: {bound:?} {score}");
                }
            }
        }
    }
}

/// A node that looks good, where every move loses and passing does not: what a
/// narrow search around 0 makes of it.
fn zugzwang(depth: i32, passed: Score) -> Score {
    let mut root = node(20, &[1, 2]);
    root.passed = Some(3);
    let tree = Tree::new(vec![
        root,
        node(300, &[]),
        node(200, &[]),
        node(-passed, &[]),
    ]);
    assert!(tree.is_legal(to(1)));
    fair_search::<false>(&tree, [-1, 0], depth).0
}

#[test]
fn passing_cuts_off_and_deep_cut_offs_are_verified() {
    let params = fair();
    let (least, verified) = (params.null_depth, params.null_verify_depth);
    // Reverse futility needs a better evaluation than this, or less depth.
    assert!(params.reverse_futility_margin > 20);
    assert!(zugzwang(least - 1, 50) < 0);
    assert!(zugzwang(least, 50) >= 0);
    assert!(zugzwang(verified - 1, 50) >= 0);
    assert!(zugzwang(verified, 50) < 0);
    assert!(zugzwang(verified + 3, 50) < 0);
    // Where the pass fails too, nothing is cut off.
    for depth in 1..=verified {
        assert!(zugzwang(depth, -50) < 0, "depth {depth}");
    }
}

#[test]
fn nobody_passes_twice_in_a_row() {
    // After the pass the enemy, too, does better by passing: only its moves
    // count, and they fail.
    let mut root = node(40, &[1]);
    root.passed = Some(2);
    let mut enemy = node(60, &[3]);
    enemy.passed = Some(4);
    let tree = Tree::new(vec![
        root,
        node(300, &[]),
        enemy,
        node(90, &[]),
        node(-500, &[]),
    ]);
    let depth = fair().null_verify_depth - 1;
    let passes = with_params(&tree, Limits::default(), fair(), |worker| {
        worker.search_node::<false>(&tree, -1, 0, depth, 1, false)
    });
    assert!(passes >= 0, "{passes}");
}
