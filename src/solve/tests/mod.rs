//! The solver's parts together: each word that a board may be kept in, and what their
//! proofs, certificates and books have in common.

#[cfg(feature = "cli")]
mod book;
#[cfg(feature = "cli")]
mod certificates;
#[cfg(feature = "cli")]
mod shared_leaves;
#[cfg(feature = "cli")]
mod short;
mod signature;
mod solve;
#[cfg(feature = "cli")]
mod together;

use super::keys::Key;
use super::leaf_prover::LeafProver;
use super::learner::BoardParams;
use super::saved::Assumptions;
use super::solver::{Search, Solver, new_search};
use super::types::{LeafError, ProofLimits, SolveError};
use crate::base::Side;
use crate::common::{below, cases, exhaustive, moves, random_position};
use crate::game::breakthrough::{Bits, Geometry, Packed, Position};
use crate::game::{Game as _, Notation as _, Outcome};
use rand_mt::Mt64;
use std::collections::HashMap;

/// The word that a board is kept in. Small ones fit into all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// The one that the solver chooses.
    Own,
    Packed,
    Large,
}

impl Solver {
    /// A solver whose board is kept in this word.
    fn in_word(board: (u8, u8), bytes: usize, word: Word) -> Result<Self, SolveError> {
        let params = BoardParams::new(board.0, board.1);
        let (files, ranks) = (usize::from(board.0), usize::from(board.1));
        let search = match word {
            Word::Own => return Self::with_params(board, bytes, params),
            Word::Packed if files * ranks <= u64::SQUARES => {
                let geometry = Geometry::<Packed>::new(files, ranks).unwrap();
                Search::Packed(new_search(&geometry, bytes, params)?)
            }
            Word::Packed => {
                let geometry = Geometry::<Packed>::new(files, ranks).unwrap();
                Search::PackedLong(new_search(&geometry, bytes, params)?)
            }
            Word::Large => {
                let geometry = Geometry::<u128>::new(files, ranks).unwrap();
                Search::Large(new_search(&geometry, bytes, params)?)
            }
        };
        Ok(Self {
            search,
            board,
            assumptions: Assumptions::None,
        })
    }
}

/// Solves random positions and compares with exhaustive search, the line included.
fn check_random<B: Bits>(board: (u8, u8), pieces: usize, seed: u64) {
    let (count, mut random) = (cases(100), Mt64::new(seed));
    let mut values = HashMap::new();
    let words = [Word::Own, Word::Packed, Word::Large];
    let solvers = words.map(|word| Solver::in_word(board, 1 << 20, word).unwrap());
    let mut wins = [0; 2];
    for _ in 0..count {
        let (files, ranks) = (board.0.into(), board.1.into());
        let start = random_position::<B>(files, ranks, pieces, &mut random);
        let expected = exhaustive(&start, &mut values);
        wins[usize::from(expected)] += 1;
        let limits = ProofLimits {
            threads: 1 + below(&mut random, 2),
            ..ProofLimits::default()
        };
        for (solver, word) in solvers.iter().zip(words) {
            let solution = solver.solve(&start, &limits, &|| false, &mut |_| {});
            let (fen, mut position) = (start.fen(), start);
            assert_eq!(solution.side_to_move_wins, Some(expected), "{fen} {word:?}");
            let is_winner = |side: Side| (side == start.side_to_move()) == expected;
            for &mv in &solution.line {
                assert!(position.is_legal(mv), "{fen} {word:?}");
                let side = position.side_to_move();
                assert_eq!(exhaustive(&position, &mut values), is_winner(side));
                position = position.play(mv);
            }
            let winner = Side::BOTH.into_iter().find(|&side| is_winner(side));
            assert_eq!(position.outcome(), Outcome::Win(winner.unwrap()), "{fen}");
        }
    }
    assert!(wins.iter().all(|&count| count > 10), "{wins:?}");
}

#[test]
fn every_word_tells_the_truth_about_positions_of_any_type() {
    check_random::<u64>((4, 5), 4, 1);
    check_random::<u128>((4, 5), 4, 2);
    check_random::<u64>((3, 6), 4, 3);
    check_random::<u128>((3, 6), 4, 4);
    // Long keys.
    check_random::<u64>((6, 7), 2, 5);
    check_random::<u128>((5, 9), 2, 6);
}

/// A win that takes two nodes to find takes 820,000 to write down for a checker that
/// looks one ply ahead.
#[test]
fn the_node_limit_holds_for_the_whole_proof_of_a_leaf() {
    let fen = "1p/2/2/P1/1P/2/2/2/2/1p/2/2/1p/2/2/1P/p1/2/2/2/2/2/2/2/2/2/P1/2/2/2/2/2 b 0 1";
    let position = Position::<u128>::from_fen(fen).unwrap();
    let prover = LeafProver::new(position.geometry(), 2).unwrap();
    let prover = prover.with_node_limit(32);
    let leaves = moves(&position);
    let leaves = leaves.iter().map(|&mv| position.play(mv));
    let mut refused = 0;
    for leaf in leaves.filter(|leaf| prover.decide(leaf) == Some(true)) {
        let before = prover.nodes();
        let made = prover.certificate(&leaf, 1, &mut |_| 0);
        let taken = prover.nodes() - before;
        assert!(taken <= 33, "{taken}");
        refused += usize::from(made == Err(LeafError::Open(32)));
    }
    assert!(refused > 0, "{refused}");
}

#[test]
fn a_prover_decides_nothing_on_another_board() {
    let start = |ranks| Position::<u64>::start(4, ranks).unwrap();
    let prover = LeafProver::new(start(4).geometry(), 1000).unwrap();
    assert_eq!(prover.decide(&start(4)), Some(false));
    assert_eq!(prover.decide(&start(5)), None);
}
