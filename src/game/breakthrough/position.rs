//! A position: the pieces of both sides, whose turn it is, and its key.

use super::bits::{Bits, reciprocal};
use crate::base::Side;
use crate::game::FenError;
use crate::game::zobrist::keys;

/// The shape of a board: its files, its ranks and the set of its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry<B> {
    board: B,
    files: u8,
    ranks: u8,
    /// Of the squares per row.
    reciprocal: u16,
}

/// Whether a board of this size can be played on at all.
pub(crate) const fn is_playable(files: usize, ranks: usize) -> bool {
    files >= 2 && ranks >= 4 && files <= 128 && ranks <= 128 && files * ranks <= 128
}

impl<B: Bits> Geometry<B> {
    /// The geometry of a board.
    ///
    /// # Errors
    /// If no game can be played on it, or `B` cannot hold it.
    pub fn new(files: usize, ranks: usize) -> Result<Self, FenError> {
        if !is_playable(files, ranks) {
            return Err(FenError::Size { files, ranks });
        }
        if !B::fits(files, ranks) {
            return Err(FenError::TooLarge(files, ranks));
        }
        let (files, ranks) = (files as u8, ranks as u8);
        let mut board = B::EMPTY;
        for rank in 0..ranks {
            for file in 0..files {
                board |= B::bit(rank * B::stride(files) as u8 + file);
            }
        }
        Ok(Self {
            board,
            files,
            ranks,
            reciprocal: reciprocal(B::stride(files)),
        })
    }

    /// All squares of the board.
    #[inline]
    pub(crate) const fn board(&self) -> B {
        self.board
    }

    /// Number of files.
    #[inline]
    pub(crate) const fn files(&self) -> u8 {
        self.files
    }

    /// Number of ranks.
    #[inline]
    pub(crate) const fn ranks(&self) -> u8 {
        self.ranks
    }

    /// Squares per row in the set.
    #[inline]
    pub fn stride(&self) -> u32 {
        B::stride(self.files)
    }

    /// The square on this file and rank, both counted from 0.
    #[inline]
    pub fn square(&self, file: u8, rank: u8) -> u8 {
        rank * self.stride() as u8 + file
    }

    /// The file of a square, counted from 0.
    #[inline]
    pub(crate) fn file(&self, square: u8) -> u8 {
        square - self.rank(square) * self.stride() as u8
    }

    /// The rank of a square, counted from 0.
    #[inline]
    pub(crate) fn rank(&self, square: u8) -> u8 {
        B::row(square, self.reciprocal)
    }

    /// The squares of a rank, counted from 0.
    #[inline]
    pub(crate) fn rank_set(&self, rank: u8) -> B {
        B::first_rank(self.files).up(u32::from(rank) * self.stride()) & self.board
    }

    /// The same squares of the same board as a set of this type.
    #[inline]
    pub(crate) fn converted<C: Bits>(&self, set: C) -> B {
        let (from, to) = (C::stride(self.files), self.stride());
        if from == to {
            return B::from_number(set.number());
        }
        let row = |rank: u32| {
            B::from_number((set.down(rank * from) & C::first_rank(self.files)).number())
        };
        (0..u32::from(self.ranks)).fold(B::EMPTY, |all, rank| all | row(rank).up(rank * to))
    }

    /// The rank `steps` before the side's goal: 0 is the goal itself.
    #[inline]
    pub(crate) fn rank_before_goal(&self, side: Side, steps: u8) -> B {
        self.rank_set(match side {
            Side::White => self.ranks - 1 - steps,
            Side::Black => steps,
        })
    }

    /// How many steps a square is from the side's goal.
    #[inline]
    pub(crate) fn steps_to_goal(&self, side: Side, square: u8) -> u8 {
        match side {
            Side::White => self.ranks - 1 - self.rank(square),
            Side::Black => self.rank(square),
        }
    }

    /// One step straight ahead. May leave the board: mask the result.
    #[inline]
    pub(crate) fn ahead(&self, side: Side, set: B) -> B {
        match side {
            Side::White => set.step_up(self.stride()),
            Side::Black => set.step_down(self.stride()),
        }
    }

    /// One step ahead and towards file a. May leave the board by rank only.
    #[inline]
    pub(crate) fn ahead_left(&self, side: Side, set: B) -> B {
        let inner = set & !B::first_file(self.files);
        match side {
            Side::White => inner.step_up(self.stride() - 1),
            Side::Black => inner.step_down(self.stride() + 1),
        }
    }

    /// One step ahead and away from file a. May leave the board: mask the
    /// result.
    #[inline]
    pub(crate) fn ahead_right(&self, side: Side, set: B) -> B {
        let first = B::first_file(self.files);
        // What wraps around the edge lands on the first file.
        match side {
            Side::White => set.step_up(self.stride() + 1) & !first,
            Side::Black => set.step_down(self.stride() - 1) & !first,
        }
    }

    /// The squares that pieces of the side on `set` attack. May leave the board:
    /// mask the result.
    #[inline]
    pub(crate) fn attacks(&self, side: Side, set: B) -> B {
        self.ahead_left(side, set) | self.ahead_right(side, set)
    }
}

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
