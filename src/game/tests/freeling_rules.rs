//! The rules of Freeling's game against the slow reference, which runs every
//! chain of explosions in every order.

use super::freeling_examples::{START, read, text};
use crate::common::freeling_reference::{AfterArrival, Grid, random_grid};
use crate::common::{below, cases, moves};
use crate::game::Side;
use crate::game::freeling::{EDGES, PASS, Position};
use crate::game::perft;
use crate::game::{Game, Move, Notation, Outcome, Tactics};
use rand_mt::Mt64;

/// A random game, at most `plies` long, in which wins are never missed.
fn random_game(random: &mut Mt64, plies: usize) -> Vec<Position> {
    let mut line = vec![Position::start()];
    while line.len() <= plies {
        let position = line[line.len() - 1];
        if position.outcome() != Outcome::Ongoing {
            break;
        }
        let list = moves(&position);
        line.push(position.play(list[below(random, list.len())]));
    }
    line
}

#[derive(Default, Debug)]
struct Seen {
    positions: usize,
    moves: usize,
    explosions: usize,
    branching: usize,
    captures: usize,
    wins_by_explosion: usize,
    wins_claimed: usize,
    wins_missed: usize,
    losses_claimed: usize,
    replies_claimed: usize,
}

/// The moves after which the enemy has no win in one, according to the reference.
fn safe_moves(position: &Position) -> Vec<Move> {
    let colour = if position.side_to_move() == Side::White {
        -1
    } else {
        1
    };
    let mut list = moves(position);
    list.retain(|mv| {
        let next = Grid::parse(&position.play(*mv).fen());
        !next.successors().iter().any(|(_, end)| end.arrived(colour))
    });
    list.to_vec()
}

/// Checks the moves, results and explosions of a position against the reference.
fn check(position: &Position, random: &mut Mt64, seen: &mut Seen) {
    let fen = position.fen();
    let grid = Grid::parse(&fen);
    let mut expected: Vec<(String, String)> = Vec::new();
    let mut win_in_one = false;
    for mv in grid.stack_moves() {
        let ends = grid.results(mv, AfterArrival::RunOut);
        assert_eq!(
            ends.len(),
            1,
            "the order of explosions matters: {fen} {mv:?}"
        );
        let end = ends.into_iter().next().unwrap();
        let colour = if grid.white_to_move { 1 } else { -1 };
        if end.arrived(colour) {
            win_in_one = true;
            // If the first arrival stops the chain, no order prevents the win.
            let stopped = grid.results(mv, AfterArrival::Stop);
            assert!(
                stopped.iter().all(|end| end.arrived(colour)),
                "{fen} {mv:?}"
            );
            seen.branching += usize::from(stopped.len() > 1);
        }
        assert!(
            end.count(colour) <= grid.count(colour),
            "pieces appear: {fen}"
        );
        assert!(
            end.count(-colour) <= grid.count(-colour),
            "pieces appear: {fen}"
        );
        let names = [[mv[0], mv[1]], [mv[2], mv[3]]]
            .map(|[rank, file]| crate::common::freeling_reference::name(rank, file));
        expected.push((names.concat(), end.text()));
    }
    if !expected.is_empty() {
        let mut passed = grid.clone();
        passed.white_to_move = !grid.white_to_move;
        expected.push(("pass".to_owned(), passed.text()));
    }
    let list = moves(position);
    let mut found: Vec<(String, String)> = Vec::new();
    for &mv in &list {
        let next = position.play(mv);
        check_invariants(position, mv, &next, seen);
        found.push((position.move_text(mv), text(&next)));
    }
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected, "{fen}");
    let winner = grid
        .winner()
        .map(|w| if w > 0 { Side::White } else { Side::Black });
    assert_eq!(
        position.outcome(),
        winner.map_or(Outcome::Ongoing, Outcome::Win),
        "{fen}"
    );
    assert_eq!(position.count_moves(), list.len() as u64);
    for _ in 0..10 {
        let any = Move::from_raw(random.next_u64() as u16);
        assert_eq!(position.is_legal(any), list.contains(&any), "{fen} {any:?}");
    }
    assert_eq!(position.is_legal(PASS), list.contains(&PASS));
    assert_eq!(Position::from_fen(&fen).as_ref(), Ok(position));
    if position.outcome() == Outcome::Ongoing {
        check_facts(position, win_in_one, seen);
    }
    seen.positions += 1;
    seen.moves += list.len();
}

fn check_invariants(position: &Position, mv: Move, next: &Position, seen: &mut Seen) {
    let fen = position.fen();
    assert_eq!(next.key(), next.computed_key(), "{fen} {mv:?}");
    assert!(position.is_legal(mv));
    assert_eq!(position.parse_move(&position.move_text(mv)), Ok(mv));
    assert!(position.move_index(mv) < Position::MOVE_INDICES);
    assert_eq!(next.pieces(Side::White) & next.pieces(Side::Black), 0);
    for side in Side::BOTH {
        assert_eq!(next.pairs(side) & !next.pieces(side), 0);
        assert_eq!(next.pairs(side) & EDGES, 0, "over capacity: {fen} {mv:?}");
    }
    let (own, enemy) = (position.side_to_move(), !position.side_to_move());
    let gone = next.count(enemy) < position.count(enemy);
    assert_eq!(position.is_capture(mv), gone, "{fen} {mv:?}");
    let moved = position.move_text(mv);
    if position.explodes(mv) {
        seen.explosions += 1;
        seen.captures += usize::from(gone);
        seen.wins_by_explosion += usize::from(next.has_arrived(own));
    } else {
        assert!(!gone, "{fen} {moved}");
    }
    let lost = gone || next.count(own) < position.count(own);
    assert_eq!(next.clock(), if lost { 0 } else { position.clock() + 1 });
}

/// Checks the claims of `tactics`, and counts the wins they leave to the search.
fn check_facts(position: &Position, win_in_one: bool, seen: &mut Seen) {
    match position.tactics() {
        Tactics::Win { plies: 1, first } => {
            assert!(position.is_legal(first));
            let next = Grid::parse(&position.play(first).fen());
            let mover = if position.side_to_move() == Side::White {
                1
            } else {
                -1
            };
            assert_eq!(next.winner(), Some(mover), "{}", position.fen());
            seen.wins_claimed += 1;
        }
        Tactics::Open => seen.wins_missed += usize::from(win_in_one),
        Tactics::Loss { plies: 2 } => {
            assert!(
                !win_in_one && safe_moves(position).is_empty(),
                "{}",
                position.fen()
            );
            seen.losses_claimed += 1;
        }
        Tactics::Only(reply) => {
            assert!(!reply.is_empty());
            let safe = safe_moves(position);
            assert!(
                safe.iter().all(|mv| reply.contains(mv)),
                "{}",
                position.fen()
            );
            seen.replies_claimed += 1;
        }
        other => panic!("{other:?} is not claimed in this game"),
    }
    let mut noisy = crate::game::MoveList::new();
    position.noisy_moves(&mut noisy);
    for mv in moves(position) {
        let captures = position.is_capture(mv);
        assert!(!captures || noisy.contains(&mv), "{}", position.fen());
    }
    assert!(
        noisy
            .iter()
            .all(|&mv| position.is_legal(mv) && position.explodes(mv))
    );
}

#[test]
fn random_positions_agree_with_the_reference_in_every_order_of_explosions() {
    let mut random = Mt64::new(11);
    let mut seen = Seen::default();
    while seen.positions < cases(12_000) {
        let grid = random_grid(&mut random);
        check(&read(&(grid.text() + " 0 1")), &mut random, &mut seen);
    }
    while seen.positions < cases(21_000) {
        for position in random_game(&mut random, 200) {
            check(&position, &mut random, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.explosions > cases(40_000) && seen.captures > cases(10_000));
    assert!(seen.wins_by_explosion > cases(1_000) && seen.branching > cases(20));
    assert!(seen.losses_claimed > cases(200) && seen.replies_claimed > cases(200));
    assert!(seen.wins_missed * 100 < seen.wins_claimed, "{seen:?}");
}

#[test]
fn perft_agrees_with_the_reference() {
    for (fen, counts) in PERFT {
        let grid = Grid::parse(fen);
        for (depth, &nodes) in (0..=4).zip(counts) {
            assert_eq!(grid.perft(depth), nodes, "{fen} depth {depth}");
        }
    }
    let mut random = Mt64::new(12);
    for _ in 0..cases(60) {
        let grid = random_grid(&mut random);
        let position = read(&(grid.text() + " 0 1"));
        assert_eq!(perft(&position, 2), grid.perft(2), "{}", grid.text());
    }
}

/// Perft counts by depth from the start and from positions full of pairs, pieces on
/// and near walls, and chains.
const PERFT: [(&str, &[u64]); 3] = [
    (
        START,
        &[1, 25, 625, 14_925, 356_409, 8_207_651, 188_972_401],
    ),
    (
        "pp1pp/1d1p1/P1PD1/1p1P1/p1d1p/1P1DP/p1d1p/1P1D1/2P2 b 3 17",
        &[1, 17, 352, 6_678, 141_952, 3_090_432],
    ),
    (
        "1pdd1/P1DPp/P1DDP/1D1D1/5/1d1d1/p1ddp/p1dpP/1PDD1 w 0 1",
        &[1, 30, 666, 15_695, 376_557, 9_416_901],
    ),
];

#[test]
fn perft_values_are_the_pinned_ones() {
    for (fen, counts) in PERFT {
        for (depth, &nodes) in (0..).zip(counts) {
            assert_eq!(perft(&read(fen), depth), nodes, "{fen} depth {depth}");
        }
    }
}

#[test]
fn the_key_of_the_start_is_the_pinned_one() {
    assert_eq!(Position::start().key(), 952_086_458_051_790_897);
}

/// A piece shot at the goal wins from anywhere, so nothing larger would be true;
/// nothing smaller would help a search for a win.
#[test]
fn no_win_comes_before_the_first_move() {
    for side in Side::BOTH {
        assert_eq!(Position::start().least_moves_to_win(side), 1);
    }
}

#[test]
fn the_other_game_on_the_same_squares_has_other_keys() {
    let pieces = "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1";
    let other = crate::game::breakthrough::Position::<u128>::from_fen(pieces).unwrap();
    assert_ne!(Position::from_fen(pieces).unwrap().key(), other.key());
}
