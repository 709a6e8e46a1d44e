//! The shape of a board and the steps on it.

use super::bits::{Bits, reciprocal};
use crate::base::Side;
use crate::game::FenError;

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
