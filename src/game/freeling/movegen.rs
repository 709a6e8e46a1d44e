//! Move generation.

use super::board::{EDGES, capacity, goal, slides, squares};
use super::position::Position;
use crate::game::{Game as _, Move};

/// Passing, the one move not named by two squares.
pub const PASS: Move = Move::new(127, 127);

impl Position {
    /// Where the mover's stack on `square` can go.
    #[inline]
    pub(super) fn targets(&self, square: u8) -> u64 {
        slides(self.side_to_move(), square, self.occupied()) & !self.pieces(!self.side_to_move())
    }

    /// Whether a stack of the side to move can move; the game must not be
    /// decided.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        squares(self.pieces(self.side_to_move())).any(|square| self.targets(square) != 0)
    }

    /// The squares where the mover's stack on `from` would explode.
    #[inline]
    pub(super) fn explosive_targets(&self, from: u8) -> u64 {
        let own = self.side_to_move();
        let full = if self.pairs(own) >> from & 1 == 0 {
            self.pieces(own) & (EDGES | self.pairs(own))
        } else {
            self.pieces(own) | EDGES
        };
        full & self.targets(from) & !goal(own)
    }

    /// Whether the legal move makes a square explode.
    #[inline]
    #[must_use]
    pub fn explodes(&self, mv: Move) -> bool {
        if mv == PASS || goal(self.side_to_move()) >> mv.to() & 1 != 0 {
            return false;
        }
        let pieces = |square| {
            let (pieces, pairs) = (
                self.pieces(self.side_to_move()),
                self.pairs(self.side_to_move()),
            );
            (pieces >> square & 1) + (pairs >> square & 1)
        };
        pieces(mv.from()) + pieces(mv.to()) > u64::from(capacity(mv.to()))
    }
}
