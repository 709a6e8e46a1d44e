//! What networks see of positions: the stacks on the squares.

use crate::base::Side;
use crate::game::troyka::Bits;
use crate::game::{Notation, freeling, troyka};
use std::fmt::Debug;

/// Positions that networks can evaluate.
pub trait Inputs: Notation {
    /// Sets of squares.
    type Set: Bits;
    /// A side's men: the squares with at least one of them, those with at least
    /// two, and so on up to the most that a square holds.
    type Men: AsRef<[Self::Set]> + AsMut<[Self::Set]> + Copy + PartialEq + Debug + Send;

    /// The most men that a square holds.
    const HEIGHT: u8;

    /// The men of a side.
    fn men_of(&self, side: Side) -> Self::Men;

    /// The name of a square.
    fn square_name(&self, square: u8) -> String;
}

/// How many men there are.
#[inline]
pub(in crate::eval) fn count<B: Bits>(men: &impl AsRef<[B]>) -> u32 {
    men.as_ref().iter().map(|set| set.count()).sum()
}

impl<B: Bits> Inputs for troyka::Position<B> {
    type Set = B;
    type Men = [B; 1];

    const HEIGHT: u8 = 1;

    #[inline]
    fn men_of(&self, side: Side) -> [B; 1] {
        [self.men(side)]
    }

    fn square_name(&self, square: u8) -> String {
        let geometry = self.geometry();
        troyka::square_name(geometry.file(square), geometry.rank(square))
    }
}

impl Inputs for freeling::Position {
    // These have as many squares per row as the board has files, like the
    // position's own sets.
    type Set = u128;
    type Men = [u128; 2];

    const HEIGHT: u8 = 2;

    #[inline]
    fn men_of(&self, side: Side) -> [u128; 2] {
        [self.men(side).into(), self.pairs(side).into()]
    }

    fn square_name(&self, square: u8) -> String {
        freeling::square_name(square)
    }
}
