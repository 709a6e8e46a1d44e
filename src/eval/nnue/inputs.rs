//! What networks see of positions: the stacks on the squares.

use crate::base::Side;
use crate::game::breakthrough::Bits;
use crate::game::{Notation, breakthrough, freeling};
use std::fmt::Debug;

/// Positions that networks can evaluate.
pub(crate) trait Inputs: Notation {
    /// Sets of squares.
    type Set: Bits;
    /// A side's pieces: the squares with at least one of them, those with at least
    /// two, and so on up to the most that a square holds.
    type Pieces: AsRef<[Self::Set]> + AsMut<[Self::Set]> + Copy + PartialEq + Debug + Send;

    /// The most pieces that a square holds.
    const HEIGHT: u8;

    /// The pieces of a side.
    fn pieces_of(&self, side: Side) -> Self::Pieces;

    /// The name of a square.
    fn square_name(&self, square: u8) -> String;
}

/// How many pieces there are.
#[inline]
pub(super) fn count<B: Bits>(pieces: &impl AsRef<[B]>) -> u32 {
    pieces.as_ref().iter().map(|set| set.count()).sum()
}

impl<B: Bits> Inputs for breakthrough::Position<B> {
    type Set = B;
    type Pieces = [B; 1];

    const HEIGHT: u8 = 1;

    #[inline]
    fn pieces_of(&self, side: Side) -> [B; 1] {
        [self.pieces(side)]
    }

    fn square_name(&self, square: u8) -> String {
        let geometry = self.geometry();
        breakthrough::square_name(geometry.file(square), geometry.rank(square))
    }
}

impl Inputs for freeling::Position {
    // These have as many squares per row as the board has files, like the
    // position's own sets.
    type Set = u128;
    type Pieces = [u128; 2];

    const HEIGHT: u8 = 2;

    #[inline]
    fn pieces_of(&self, side: Side) -> [u128; 2] {
        [self.pieces(side).into(), self.pairs(side).into()]
    }

    fn square_name(&self, square: u8) -> String {
        freeling::square_name(square)
    }
}
