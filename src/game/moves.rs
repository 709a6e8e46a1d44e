//! Moves, the same small value for every game.

use crate::base::MAX_MOVES;
use arrayvec::ArrayVec;

/// A move from one square to another, in 16 bits. Squares are below 128; each
/// game numbers them its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Move(u16);

/// Moves of one position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// The moves that answer a threat.
pub(crate) type Replies = ArrayVec<Move, 64>;

impl Move {
    /// No move. Never legal.
    pub const NONE: Self = Self(0);

    /// The move between two squares below 128.
    #[inline]
    pub const fn new(from: u8, to: u8) -> Self {
        debug_assert!(from < 128 && to < 128);
        Self(((from as u16) << 7) | to as u16)
    }

    /// The square the move starts from.
    #[inline]
    pub const fn from(self) -> u8 {
        ((self.0 >> 7) & 127) as u8
    }

    /// The square the move ends on.
    #[inline]
    pub const fn to(self) -> u8 {
        (self.0 & 127) as u8
    }

    /// The move as stored in tables.
    #[inline]
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// The inverse of [`Move::raw`]. Any value gives a move, which need not be
    /// legal anywhere.
    #[inline]
    pub const fn from_raw(raw: u16) -> Self {
        Self(raw & 0x3fff)
    }

    /// Whether this is a move at all.
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Whether this is [`Move::NONE`].
    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }
}
