//! A position: the stacks of both sides, whose turn it is, and its key.

use super::board::{BOARD, EDGES, FILES, RANKS, goal, rank_before_goal, square_name, squares};
use crate::base::Side;
use crate::game::FenError;
use crate::game::zobrist::keys;

/// A position. A small value: playing a move copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Squares with at least one piece, by side.
    pub(super) pieces: [u64; 2],
    /// Squares with a pair, by side.
    pub(super) pairs: [u64; 2],
    pub(super) key: u64,
    pub(super) side: Side,
    pub(super) clock: u16,
    pub(super) ply: u16,
}

impl Position {
    /// The start position: ten single pieces a side on the two home ranks.
    pub fn start() -> Self {
        let home = |side| rank_before_goal(side, 8) | rank_before_goal(side, 7);
        let mut position = Self {
            pieces: [home(Side::White), home(Side::Black)],
            pairs: [0; 2],
            key: 0,
            side: Side::White,
            clock: 0,
            ply: 0,
        };
        position.key = position.computed_key();
        position
    }

    /// A position from the squares of its stacks and, among them, its pairs.
    /// `clock` counts the plies since a piece last left the board, `ply` all
    /// plies before the position; both matter for its text only.
    ///
    /// # Errors
    /// If there are no pieces, a square holds more than it can, or both sides
    /// have a piece on their goal. Squares outside the board, pairs without pieces
    /// and two sides on one square are the caller's fault; they are dropped,
    /// the last in favour of White.
    pub fn new(
        pieces: [u64; 2],
        pairs: [u64; 2],
        side: Side,
        clock: u16,
        ply: u16,
    ) -> Result<Self, FenError> {
        let pieces = [pieces[0] & BOARD, pieces[1] & BOARD & !pieces[0]];
        let mut position = Self {
            pieces,
            pairs: [pairs[0] & pieces[0], pairs[1] & pieces[1]],
            key: 0,
            side,
            clock,
            ply,
        };
        position.key = position.computed_key();
        if let Some(square) = squares((position.pairs[0] | position.pairs[1]) & EDGES).next() {
            return Err(FenError::OverCapacity(square_name(square)));
        }
        if position.occupied() == 0 {
            return Err(FenError::NoPieces);
        }
        if Side::BOTH.into_iter().all(|s| position.has_arrived(s)) {
            return Err(FenError::BothArrived);
        }
        Ok(position)
    }

    /// The key computed from scratch; equals the incremental one.
    pub(crate) fn computed_key(&self) -> u64 {
        let keys = keys();
        let mut key = keys.board(FILES, RANKS) ^ keys.freeling();
        if self.side == Side::Black {
            key ^= keys.side();
        }
        for side in Side::BOTH {
            key ^= stack_keys(side, self.pieces(side), self.pairs(side));
        }
        key
    }

    /// The squares of a side's stacks, single pieces and pairs.
    #[inline]
    pub const fn pieces(&self, side: Side) -> u64 {
        self.pieces[side.index()]
    }

    /// The squares of a side's pairs.
    #[inline]
    pub const fn pairs(&self, side: Side) -> u64 {
        self.pairs[side.index()]
    }

    /// The number of a side's pieces.
    #[inline]
    pub(crate) const fn count(&self, side: Side) -> u32 {
        self.pieces(side).count_ones() + self.pairs(side).count_ones()
    }

    /// All squares that are not empty.
    #[inline]
    pub(crate) const fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// Plies since a piece last left the board, as far as known: no earlier
    /// position can recur.
    #[inline]
    pub const fn clock(&self) -> u16 {
        self.clock
    }

    /// Plies played before this position, as far as its text says.
    pub const fn plies_played(&self) -> u16 {
        self.ply
    }

    /// Whether the side has a piece on its goal.
    #[inline]
    pub(crate) const fn has_arrived(&self, side: Side) -> bool {
        self.pieces(side) & goal(side) != 0
    }

    /// Whether either side has a piece on its goal.
    #[inline]
    pub(crate) const fn is_decided(&self) -> bool {
        self.has_arrived(Side::White) || self.has_arrived(Side::Black)
    }

    /// How a side's stacks change the key from this position to `next`.
    #[inline]
    pub(super) fn key_change(&self, next: &Self, side: Side) -> u64 {
        let changed =
            (self.pieces(side) ^ next.pieces(side)) | (self.pairs(side) ^ next.pairs(side));
        stack_keys(
            side,
            self.pieces(side) & changed,
            self.pairs(side) & changed,
        ) ^ stack_keys(
            side,
            next.pieces(side) & changed,
            next.pairs(side) & changed,
        )
    }
}

/// The numbers of a side's stacks, combined by XOR.
#[inline]
fn stack_keys(side: Side, pieces: u64, pairs: u64) -> u64 {
    let keys = keys();
    let singles = squares(pieces & !pairs).fold(0, |key, square| key ^ keys.piece(side, square));
    squares(pairs).fold(singles, |key, square| key ^ keys.pair(side, square))
}
