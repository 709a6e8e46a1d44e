//! Forcing sacrifices of pieces two steps from the goal, all found together by bit
//! operations, against the rules: move by move, on positions too large to search.

use crate::common::{cases, moves, moves_outside, random_game, random_position};
use crate::game::Side;
use crate::game::breakthrough::{Bits, Packed, Position, Proven, StaticSolver};
use crate::game::{Game, Move, Notation, Outcome};
use rand_mt::Mt64;

/// Whether a side has a piece this many steps from its goal.
fn has_piece<B: Bits>(position: &Position<B>, side: Side, steps: u8) -> bool {
    let rank = position.geometry().rank_before_goal(side, steps);
    !(position.pieces(side) & rank).is_empty()
}

/// The moves to the rank before the goal.
fn steps<B: Bits>(position: &Position<B>) -> Vec<Move> {
    let side = position.side_to_move();
    let rank = position.geometry().rank_before_goal(side, 1);
    let mut steps = moves(position).to_vec();
    steps.retain(|mv| rank.has(mv.to()));
    steps
}

/// The moves that take the piece on a square.
fn takers<B: Bits>(position: &Position<B>, square: u8) -> Vec<Move> {
    let mut takers = moves(position).to_vec();
    takers.retain(|mv| mv.to() == square);
    takers
}

fn can_step_safely<B: Bits>(position: &Position<B>) -> bool {
    position.outcome() == Outcome::Ongoing
        && steps(position)
            .iter()
            .any(|mv| takers(&position.play(*mv), mv.to()).is_empty())
}

fn can_sacrifice<B: Bits>(position: &Position<B>) -> bool {
    steps(position).iter().any(|mv| {
        let next = position.play(*mv);
        let takers = takers(&next, mv.to());
        !takers.is_empty() && takers.iter().all(|&mv| can_step_safely(&next.play(mv)))
    })
}

#[derive(Debug, Default)]
struct Seen {
    won: usize,
    open: usize,
    zones: usize,
}

fn check<B: Bits>(position: &Position<B>, seen: &mut Seen) {
    let sides = Side::BOTH;
    if position.outcome() != Outcome::Ongoing
        || sides.iter().any(|&side| has_piece(position, side, 1))
        || !sides.iter().all(|&side| has_piece(position, side, 2))
        || can_step_safely(position)
    {
        return;
    }
    let fen = position.fen();
    let wins = can_sacrifice(position);
    let verdict = if wins { Proven::Win(5) } else { Proven::Open };
    assert_eq!(position.statics(), verdict, "{fen}");
    *if wins { &mut seen.won } else { &mut seen.open } += 1;

    let passed = position.pass();
    if passed.outcome() != Outcome::Ongoing || can_step_safely(&passed) {
        return;
    }
    let statics = StaticSolver::new(position.geometry());
    let zone = statics.zone(position.perspective());
    assert_eq!(zone.is_some(), can_sacrifice(&passed), "{fen} passed");
    let Some(zone) = zone else { return };
    seen.zones += 1;
    for mv in moves_outside(position, zone) {
        let next = position.play(mv);
        let loses = can_step_safely(&next) || can_sacrifice(&next);
        assert!(loses, "{fen} {}", position.move_text(mv));
    }
}

fn check_size<B: Bits>(files: usize, ranks: usize, random: &mut Mt64) {
    let mut seen = Seen::default();
    let start = Position::<B>::start(files, ranks).unwrap();
    for _ in 0..cases(300) {
        for position in random_game(&start, random) {
            check(&position, &mut seen);
        }
    }
    for _ in 0..cases(1_000) {
        check(
            &random_position::<B>(files, ranks, 2 * files, random),
            &mut seen,
        );
    }
    println!("{files}x{ranks}: {seen:?}");
    assert!(seen.won > 0 && seen.open > 0 && seen.zones > 0, "{seen:?}");
}

#[test]
fn sacrifices_are_found_as_by_the_rules() {
    let mut random = Mt64::new(9);
    for (files, ranks) in [(3, 5), (5, 5), (7, 5), (4, 6), (6, 6), (5, 7), (8, 8)] {
        check_size::<u64>(files, ranks, &mut random);
        check_size::<Packed>(files, ranks, &mut random);
    }
    for (files, ranks) in [(9, 5), (12, 5), (10, 6)] {
        check_size::<u128>(files, ranks, &mut random);
        check_size::<Packed>(files, ranks, &mut random);
    }
}
