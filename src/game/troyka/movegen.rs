//! Move generation: three shifts of a set, as every direction has its own.

use super::bits::Bits;
use super::position::Position;
use crate::base::Side;
use crate::game::{Game as _, Move, MoveList};

/// The squares that the mover's men can reach, by direction of the step.
pub(super) struct Targets<B> {
    pub(super) left: B,
    pub(super) ahead: B,
    pub(super) right: B,
}

impl<B: Bits> Position<B> {
    #[inline]
    pub(super) fn targets(&self) -> Targets<B> {
        let (own, geometry) = (self.men(self.side_to_move()), self.geometry());
        let diagonal = geometry.board() & !own;
        Targets {
            left: geometry.ahead_left(self.side_to_move(), own) & diagonal,
            ahead: geometry.ahead(self.side_to_move(), own) & self.empty(),
            right: geometry.ahead_right(self.side_to_move(), own) & diagonal,
        }
    }

    /// Whether the game has been decided by arrival or by an empty army.
    #[inline]
    pub(super) fn is_decided(&self) -> bool {
        Side::BOTH
            .into_iter()
            .any(|side| self.has_arrived(side) || self.men(side).is_empty())
    }

    /// Whether the side to move has a step; the game must not be decided.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        let targets = self.targets();
        !(targets.left | targets.ahead | targets.right).is_empty()
    }

    /// Appends the legal moves that end on one of `squares`. The game must not
    /// be decided.
    #[inline]
    pub(super) fn generate_to(&self, squares: B, list: &mut MoveList) {
        let targets = self.targets();
        let targets = Targets {
            left: targets.left & squares,
            ahead: targets.ahead & squares,
            right: targets.right & squares,
        };
        self.push_moves(targets, list);
    }

    #[inline]
    pub(super) fn push_moves(&self, targets: Targets<B>, list: &mut MoveList) {
        let stride = self.geometry().stride() as u8;
        // From the target back to where the step came from, by side.
        let (left, ahead, right): (u8, u8, u8) = match self.side_to_move() {
            Side::White => (
                (stride - 1).wrapping_neg(),
                stride.wrapping_neg(),
                (stride + 1).wrapping_neg(),
            ),
            Side::Black => (stride + 1, stride, stride - 1),
        };
        for (set, back) in [
            (targets.ahead, ahead),
            (targets.left, left),
            (targets.right, right),
        ] {
            for to in set.squares() {
                list.push(Move::new(to.wrapping_add(back), to));
            }
        }
    }
}
