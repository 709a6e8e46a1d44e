//! Sets of squares of boards that are longer or wider than eight but have at
//! most 64 squares, in one word with as many squares per row as the board has
//! files. Squares are numbered as in a `u128`.

use super::bits::{Bits, FIRST_FILES};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Packed(u64);

impl Bits for Packed {
    const CAPACITY: usize = 64;
    const EMPTY: Self = Self(0);

    #[inline]
    fn bit(square: u8) -> Self {
        Self(u64::bit(square))
    }
    #[inline]
    fn count(self) -> u32 {
        self.0.count()
    }
    #[inline]
    fn lowest(self) -> u8 {
        self.0.lowest()
    }
    #[inline]
    fn without_lowest(self) -> Self {
        Self(self.0.without_lowest())
    }
    #[inline]
    fn up(self, n: u32) -> Self {
        Self(self.0.up(n))
    }
    #[inline]
    fn down(self, n: u32) -> Self {
        Self(self.0.down(n))
    }
    #[inline]
    fn highest(self) -> u8 {
        self.0.highest()
    }
    #[inline]
    fn turned(self, files: u8, ranks: u8) -> Self {
        Self(self.0.reverse_bits() >> (64 - u32::from(files) * u32::from(ranks)))
    }
    #[inline]
    fn first_file(files: u8) -> Self {
        Self(FIRST_FILES[usize::from(files)] as u64)
    }
    #[inline]
    fn first_rank(files: u8) -> Self {
        Self((1 << files) - 1)
    }
    #[inline]
    fn fold(self) -> u64 {
        self.0
    }
    #[inline]
    fn number(self) -> u128 {
        self.0.number()
    }
    #[inline]
    fn from_number(number: u128) -> Self {
        Self(number as u64)
    }
}

impl BitAnd for Packed {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for Packed {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOr for Packed {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Packed {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXor for Packed {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Packed {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl Not for Packed {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}
