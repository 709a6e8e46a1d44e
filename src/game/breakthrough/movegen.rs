//! Move generation: three shifts of a set, one for each direction.

use super::bits::Bits;
use super::position::Position;
use crate::base::Side;
use crate::game::{Game as _, Move, MoveList};

/// The squares that the mover's pieces can reach, by direction of the step.
pub(super) struct Targets<B> {
    pub(super) left: B,
    pub(super) ahead: B,
    pub(super) right: B,
}

/// The steps in one direction.
#[derive(Clone, Copy)]
pub(super) struct Step<B> {
    /// Where they end.
    pub(super) targets: B,
    /// The offset from there back to where they start, modulo 256.
    pub(super) back: u8,
    /// What [`move_index`](crate::game::Game::move_index) adds to three times the
    /// square that a step starts from.
    pub(super) direction: usize,
    pub(super) is_straight: bool,
}

impl<B: Bits> Position<B> {
    #[inline]
    pub(super) fn targets(&self) -> Targets<B> {
        let (own, geometry) = (self.pieces(self.side_to_move()), self.geometry());
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
            .any(|side| self.has_arrived(side) || self.pieces(side).is_empty())
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
        for step in self.steps_to(targets) {
            for to in step.targets.squares() {
                list.push(Move::new(to.wrapping_add(step.back), to));
            }
        }
    }

    /// All steps of the side to move, in the order in which moves are generated.
    #[inline]
    pub(super) fn steps(&self) -> [Step<B>; 3] {
        self.steps_to(self.targets())
    }

    #[inline]
    fn steps_to(&self, targets: Targets<B>) -> [Step<B>; 3] {
        let stride = self.geometry().stride() as u8;
        let side = self.side_to_move();
        let step = |targets, length: u8, is_straight| Step {
            targets,
            back: match side {
                Side::White => length.wrapping_neg(),
                Side::Black => length,
            },
            // The step's length tells its direction: ahead is the stride.
            direction: usize::from(length + 1 - stride),
            is_straight,
        };
        let (left, right) = match side {
            Side::White => (stride - 1, stride + 1),
            Side::Black => (stride + 1, stride - 1),
        };
        [
            step(targets.ahead, stride, true),
            step(targets.left, left, false),
            step(targets.right, right, false),
        ]
    }
}
