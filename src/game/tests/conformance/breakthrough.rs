//! Breakthrough joins the suite, on boards of every kind.

use super::Conforms;
use crate::common::reference::Board;
use crate::common::{below, moves, random_position};
use crate::game::Side;
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Game, Move, Notation};
use rand_mt::Mt64;

/// Square, wide, tall, the extremes, and both set types.
const SIZES: [(usize, usize); 16] = [
    (2, 4),
    (2, 5),
    (3, 4),
    (5, 5),
    (6, 6),
    (8, 8),
    (7, 8),
    (8, 5),
    (4, 8),
    (9, 8),
    (8, 9),
    (10, 10),
    (16, 8),
    (32, 4),
    (2, 64),
    (12, 10),
];

/// Boards for the random positions.
const RANDOM_SIZES: [(usize, usize); 10] = [
    (2, 5),
    (3, 5),
    (4, 4),
    (5, 5),
    (6, 6),
    (7, 7),
    (8, 8),
    (4, 8),
    (9, 6),
    (10, 5),
];

/// The most that the side to move can win by captures on the square, which it may
/// stop at any time.
fn swap<B: Bits>(position: &Position<B>, square: u8) -> i32 {
    moves(position)
        .iter()
        .filter(|mv| mv.to() == square)
        .map(|&mv| 1 - swap(&position.play(mv), square))
        .fold(0, i32::max)
}

impl<B: Bits> Conforms for Position<B> {
    const LONGEST_CLAIM: u8 = 5;
    const CLAIMS: usize = 50_000;
    const GAMES: usize = 4;
    const REFERENCE: usize = 1;

    fn starts() -> Vec<Self> {
        let start = |(files, ranks)| Self::start(files, ranks).ok();
        SIZES.into_iter().filter_map(start).collect()
    }

    fn random(random: &mut Mt64) -> Self {
        loop {
            let (files, ranks) = RANDOM_SIZES[below(random, RANDOM_SIZES.len())];
            if Self::start(files, ranks).is_ok() {
                let most = 1 + below(random, 2 * files);
                let position: Self = random_position(files, ranks, most, random);
                // As in its text: Black to move after one ply.
                return Self::from_fen(&position.fen()).unwrap();
            }
        }
    }

    fn reference_moves(fen: &str) -> Vec<(String, String)> {
        let board = Board::parse(fen);
        let successors = board.successors().into_iter();
        successors.map(|(mv, next)| (mv, next.text())).collect()
    }

    fn reference_winner(fen: &str) -> Option<Side> {
        Board::parse(fen).winner()
    }

    fn reference_exchange(&self, mv: Move) -> i32 {
        i32::from(self.is_capture(mv)) - swap(&self.play(mv), mv.to())
    }
}
