//! The solver's static facts against exhaustive search on small boards.

use crate::common::{cases, moves, moves_outside, random_game, random_position};
use crate::game::Side;
use crate::game::breakthrough::{Bits, Packed, Position, Proven, StaticSolver};
use crate::game::{Game, Notation, Outcome};
use rand_mt::Mt64;
use std::collections::HashMap;

/// Plies to the end under best play, by exhaustive search: positive if the side to
/// move wins, negative or zero if it has lost.
struct Truth<B>(HashMap<([B; 2], Side), i32>);

impl<B: Bits> Truth<B> {
    fn plies(&mut self, position: &Position<B>) -> i32 {
        match position.outcome() {
            Outcome::Ongoing => {}
            Outcome::Win(side) => {
                assert_ne!(side, position.side_to_move());
                return 0;
            }
            Outcome::Draw => unreachable!("there are no draws"),
        }
        let key = (
            Side::BOTH.map(|side| position.pieces(side)),
            position.side_to_move(),
        );
        if let Some(&plies) = self.0.get(&key) {
            return plies;
        }
        let replies: Vec<i32> = moves(position)
            .iter()
            .map(|&mv| self.plies(&position.play(mv)))
            .collect();
        // The reply that loses in the fewest plies, or else the win in the most.
        let plies = match replies.iter().filter(|&&plies| plies <= 0).max() {
            Some(lost) => 1 - lost,
            None => -1 - replies.iter().max().expect("a game that goes on has moves"),
        };
        self.0.insert(key, plies);
        plies
    }
}

#[derive(Debug, Default)]
struct Seen {
    positions: usize,
    wins: [usize; 3],
    losses: [usize; 2],
    zones: usize,
    sacrifices: usize,
}

fn check<B: Bits>(position: &Position<B>, truth: &mut Truth<B>, seen: &mut Seen) {
    let plies = truth.plies(position);
    let statics = StaticSolver::new(position.geometry());
    let (view, fen) = (position.perspective(), position.fen());
    seen.positions += 1;
    match position.statics() {
        Proven::Open => {}
        Proven::Win(claim) => {
            assert!(
                plies > 0 && plies <= i32::from(claim),
                "{fen} {claim} {plies}"
            );
            assert_eq!(claim % 2, 1, "{fen}");
            seen.wins[usize::from(claim / 2).min(2)] += 1;
        }
        Proven::Loss(claim) => {
            assert!(
                plies <= 0 && -plies <= i32::from(claim),
                "{fen} {claim} {plies}"
            );
            assert_eq!(claim % 2, 0, "{fen}");
            seen.losses[usize::from(claim > 2)] += 1;
        }
    }
    // A win in one is never missed, except by capturing the last piece.
    if plies == 1 && position.pieces(!position.side_to_move()).count() > 1 {
        assert_eq!(position.statics(), Proven::Win(1), "{fen}");
    }
    // Every step that ends outside a zone loses, and so does passing.
    let zones = [
        statics.threat(view),
        statics.zone(view).map(|zone| (zone, u8::MAX)),
    ];
    for (zone, plies) in zones.into_iter().flatten() {
        for mv in moves_outside(position, zone) {
            let reply = truth.plies(&position.play(mv));
            assert!(
                reply > 0 && reply < i32::from(plies),
                "{fen} {} should lose within {plies}",
                position.move_text(mv)
            );
        }
    }
    let [run, any] = zones.map(|zone| zone.is_some());
    seen.zones += usize::from(run);
    let passed = position.pass();
    if any && passed.outcome() == Outcome::Ongoing {
        assert!(truth.plies(&passed) > 0, "{fen} passed");
        seen.sacrifices += usize::from(!run);
    }
}

fn check_size<B: Bits>(
    (files, ranks): (usize, usize),
    max_pieces: usize,
    count: usize,
    random: &mut Mt64,
) -> Seen {
    let mut truth = Truth::<B>(HashMap::new());
    let mut seen = Seen::default();
    for _ in 0..cases(count) {
        check(
            &random_position::<B>(files, ranks, max_pieces, random),
            &mut truth,
            &mut seen,
        );
    }
    println!(
        "{files}x{ranks}: {seen:?}, {} positions in all",
        truth.0.len()
    );
    assert!(seen.wins.iter().all(|&count| count > 0));
    assert!(seen.losses.iter().all(|&count| count > 0));
    assert!(seen.zones > 0);
    seen
}

#[test]
fn facts_hold_on_random_positions() {
    let mut random = Mt64::new(7);
    let (mut positions, mut sacrifices) = (0, 0);
    for (size, pieces, count) in [
        ((3, 5), 5, 4_000),
        ((4, 5), 4, 4_000),
        ((5, 5), 3, 3_000),
        ((4, 6), 3, 4_000),
        ((3, 7), 3, 3_000),
        ((2, 8), 4, 2_000),
        ((8, 4), 3, 2_000),
    ] {
        let seen = check_size::<u64>(size, pieces, count, &mut random);
        positions += seen.positions;
        sacrifices += seen.sacrifices;
        // The same with the wide sets, which turn the board the other way.
        check_size::<u128>(size, pieces, count / 10, &mut random);
        check_size::<Packed>(size, pieces, count / 10, &mut random);
    }
    check_size::<u128>((9, 4), 3, 400, &mut random);
    check_size::<Packed>((9, 4), 3, 400, &mut random);
    check_size::<u128>((3, 9), 2, 1_000, &mut random);
    check_size::<Packed>((3, 9), 2, 1_000, &mut random);
    assert!(positions >= cases(20_000) && sacrifices >= cases(10));
}

#[test]
fn facts_hold_in_random_games() {
    let mut random = Mt64::new(8);
    for size in [(3, 5), (4, 4), (2, 7)] {
        let (mut truth, mut seen) = (Truth(HashMap::new()), Seen::default());
        let start = Position::<u64>::start(size.0, size.1).unwrap();
        for _ in 0..cases(400) {
            for position in random_game(&start, &mut random) {
                if position.outcome() == Outcome::Ongoing {
                    check(&position, &mut truth, &mut seen);
                }
            }
        }
        println!("{size:?}: {seen:?}, {} positions in all", truth.0.len());
    }
}
