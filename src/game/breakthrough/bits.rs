//! Sets of squares. Boards of up to 8x8 live in a `u64` with eight squares per
//! row, so that every shift is a constant; others in a `u128` with as many
//! squares per row as the board has files. The solver keeps those of up to 64
//! squares in one word too ([`Packed`]).

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares, square `rank * stride + file`, both counted from 0.
pub trait Bits:
    Copy
    + Eq
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + 'static
{
    /// How many squares a set can hold.
    const CAPACITY: usize;
    /// No square.
    const EMPTY: Self;

    /// Whether a board of this size fits.
    #[inline]
    fn fits(files: usize, ranks: usize) -> bool {
        files * ranks <= Self::CAPACITY
    }
    /// Squares per row on a board with this many files.
    #[inline]
    fn stride(files: u8) -> u32 {
        u32::from(files)
    }
    /// The row of a square, by the reciprocal of the squares per row: dividing
    /// by a number unknown at compile time is slow.
    #[inline]
    fn row(square: u8, reciprocal: u16) -> u8 {
        ((u32::from(square) * u32::from(reciprocal)) >> RECIPROCAL_BITS) as u8
    }
    /// The set of one square. Squares are below the capacity.
    fn bit(square: u8) -> Self;
    /// How many squares are in the set.
    fn count(self) -> u32;
    /// The lowest square of a set that is not empty.
    fn lowest(self) -> u8;
    /// The set without its lowest square.
    fn without_lowest(self) -> Self;
    /// Every square's number raised by `n`; those past the end are dropped.
    fn up(self, n: u32) -> Self;
    /// Every square's number lowered by `n`; those below zero are dropped.
    fn down(self, n: u32) -> Self;
    /// The same as [`up`](Bits::up) by less than 64, which is cheaper where a set
    /// is two words.
    #[inline]
    fn step_up(self, n: u32) -> Self {
        self.up(n)
    }
    /// The same as [`down`](Bits::down) by less than 64.
    #[inline]
    fn step_down(self, n: u32) -> Self {
        self.down(n)
    }
    /// The highest square of a set that is not empty.
    fn highest(self) -> u8;
    /// The set seen from the other end of the board: its ranks in reverse
    /// order, and its files too except for `u64`.
    fn turned(self, files: u8, ranks: u8) -> Self;
    /// All squares of the first file, on every row of the set.
    fn first_file(files: u8) -> Self;
    /// All squares of the first row of the set.
    fn first_rank(files: u8) -> Self;

    /// The set as one word, for hashing; larger sets are folded.
    fn fold(self) -> u64;
    /// The set as a number.
    fn number(self) -> u128;
    /// The set with this number, truncated to its capacity.
    fn from_number(number: u128) -> Self;

    /// Whether no square is in the set.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the square is in the set.
    #[inline]
    fn has(self, square: u8) -> bool {
        !(self & Self::bit(square)).is_empty()
    }

    /// The squares of the set, lowest first.
    #[inline]
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// Iterator over the squares of a set.
#[derive(Clone, Copy, Debug)]
pub struct Squares<B>(B);

impl<B: Bits> Iterator for Squares<B> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(square)
    }
}

/// The binary places of [`reciprocal`].
const RECIPROCAL_BITS: u32 = 12;

/// What a square's number is multiplied by to find its row: exact for squares
/// below 128 and up to 32 per row, because the product is too large by less
/// than one part in 128.
pub(crate) const fn reciprocal(stride: u32) -> u16 {
    (1u32 << RECIPROCAL_BITS).div_ceil(stride) as u16
}

/// The first files of boards with as many squares per row as files, by files.
const FIRST_FILES: [u128; 33] = {
    let mut table = [0; 33];
    let mut files = 1;
    while files <= 32 {
        let mut square = 0;
        while square < 128 {
            table[files] |= 1 << square;
            square += files;
        }
        files += 1;
    }
    table
};

impl Bits for u64 {
    const CAPACITY: usize = 64;
    const EMPTY: Self = 0;

    #[inline]
    fn fits(files: usize, ranks: usize) -> bool {
        files <= 8 && ranks <= 8
    }
    #[inline]
    fn stride(_files: u8) -> u32 {
        8
    }
    #[inline]
    fn row(square: u8, _reciprocal: u16) -> u8 {
        square / 8
    }
    #[inline]
    fn bit(square: u8) -> Self {
        1 << (square & 63)
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn lowest(self) -> u8 {
        self.trailing_zeros() as u8
    }
    #[inline]
    fn without_lowest(self) -> Self {
        self & self.wrapping_sub(1)
    }
    #[inline]
    fn up(self, n: u32) -> Self {
        self << n
    }
    #[inline]
    fn down(self, n: u32) -> Self {
        self >> n
    }
    #[inline]
    fn highest(self) -> u8 {
        63 - self.leading_zeros() as u8
    }
    #[inline]
    fn turned(self, _files: u8, ranks: u8) -> Self {
        self.swap_bytes() >> (8 * (8 - u32::from(ranks)))
    }
    #[inline]
    fn first_file(_files: u8) -> Self {
        0x0101_0101_0101_0101
    }
    #[inline]
    fn first_rank(_files: u8) -> Self {
        0xff
    }
    #[inline]
    fn fold(self) -> u64 {
        self
    }
    #[inline]
    fn number(self) -> u128 {
        u128::from(self)
    }
    #[inline]
    fn from_number(number: u128) -> Self {
        number as Self
    }
}

impl Bits for u128 {
    const CAPACITY: usize = 128;
    const EMPTY: Self = 0;

    #[inline]
    fn bit(square: u8) -> Self {
        1 << (square & 127)
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn lowest(self) -> u8 {
        self.trailing_zeros() as u8
    }
    #[inline]
    fn without_lowest(self) -> Self {
        self & self.wrapping_sub(1)
    }
    #[inline]
    fn up(self, n: u32) -> Self {
        self << n
    }
    #[inline]
    fn down(self, n: u32) -> Self {
        self >> n
    }
    // The mask tells the compiler that nothing is shifted by a whole word.
    #[inline]
    fn step_up(self, n: u32) -> Self {
        debug_assert!(n < 64);
        self << (n & 63)
    }
    #[inline]
    fn step_down(self, n: u32) -> Self {
        debug_assert!(n < 64);
        self >> (n & 63)
    }
    #[inline]
    fn has(self, square: u8) -> bool {
        let word = if square < 64 {
            self as u64
        } else {
            (self >> 64) as u64
        };
        word.has(square)
    }
    #[inline]
    fn highest(self) -> u8 {
        127 - self.leading_zeros() as u8
    }
    #[inline]
    fn turned(self, files: u8, ranks: u8) -> Self {
        self.reverse_bits() >> (128 - u32::from(files) * u32::from(ranks))
    }
    #[inline]
    fn first_file(files: u8) -> Self {
        FIRST_FILES[usize::from(files)]
    }
    #[inline]
    fn first_rank(files: u8) -> Self {
        (1 << files) - 1
    }
    #[inline]
    fn fold(self) -> u64 {
        self as u64 ^ ((self >> 64) as u64).rotate_left(17)
    }
    #[inline]
    fn number(self) -> u128 {
        self
    }
    #[inline]
    fn from_number(number: u128) -> Self {
        number
    }
}

/// A set of squares of a board that is longer or wider than eight but has at
/// most 64 squares, in one word with as many squares per row as the board has
/// files. Squares are numbered as in a `u128`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Packed(u64);

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
