//! A position: the pieces of both sides, whose turn it is, and its key.

use super::bits::Bits;
use super::geometry::Geometry;
use crate::base::Side;
use crate::game::FenError;
use crate::game::zobrist::keys;

/// A position on a board that `B` holds. A small value: playing a move copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position<B> {
    pub(super) pieces: [B; 2],
    pub(super) key: u64,
    pub(super) geometry: Geometry<B>,
    pub(super) side: Side,
    pub(super) ply: u16,
}

impl<B: Bits> Position<B> {
    /// The start position: both sides fill their two nearest ranks.
    ///
    /// # Errors
    /// If no game can be played on a board of this size, or `B` cannot hold it.
    pub fn start(files: usize, ranks: usize) -> Result<Self, FenError> {
        let geometry = Geometry::new(files, ranks)?;
        let home = |side| {
            let last = geometry.ranks() - 1;
            geometry.rank_before_goal(side, last) | geometry.rank_before_goal(side, last - 1)
        };
        let pieces = [home(Side::White), home(Side::Black)];
        Self::new(geometry, pieces, Side::White, 0)
    }

    /// A position from the squares of its pieces. `ply` counts the plies played
    /// before it and matters for its text only.
    ///
    /// # Errors
    /// If there are no pieces, or both sides have one on their goal. Pieces outside
    /// the board and two on one square are the caller's fault; they are
    /// dropped, the latter in favour of White.
    pub fn new(
        geometry: Geometry<B>,
        pieces: [B; 2],
        side: Side,
        ply: u16,
    ) -> Result<Self, FenError> {
        let white = pieces[0] & geometry.board();
        let black = pieces[1] & geometry.board() & !white;
        let mut position = Self {
            pieces: [white, black],
            key: 0,
            geometry,
            side,
            ply,
        };
        position.key = position.computed_key();
        if (white | black).is_empty() {
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
        let mut key = keys.board(self.geometry.files(), self.geometry.ranks());
        if self.side == Side::Black {
            key ^= keys.side();
        }
        for side in Side::BOTH {
            for square in self.pieces(side).squares() {
                key ^= keys.piece(side, square);
            }
        }
        key
    }

    /// The squares of a side's pieces.
    #[inline]
    pub const fn pieces(&self, side: Side) -> B {
        match side {
            Side::White => self.pieces[0],
            Side::Black => self.pieces[1],
        }
    }

    /// All squares that hold a piece.
    #[inline]
    pub(crate) fn occupied(&self) -> B {
        self.pieces[0] | self.pieces[1]
    }

    /// All squares of the board that are empty.
    #[inline]
    pub(crate) fn empty(&self) -> B {
        self.geometry.board() & !self.occupied()
    }

    /// The board's shape.
    #[inline]
    pub const fn geometry(&self) -> &Geometry<B> {
        &self.geometry
    }

    /// Plies played before this position, as far as its text says.
    pub const fn plies_played(&self) -> u16 {
        self.ply
    }

    /// Whether the side has a piece on the far rank.
    #[inline]
    pub(crate) fn has_arrived(&self, side: Side) -> bool {
        !(self.pieces(side) & self.geometry.rank_before_goal(side, 0)).is_empty()
    }
}
