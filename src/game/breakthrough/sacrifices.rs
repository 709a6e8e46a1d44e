//! Steps to the rank before the goal that must be taken, and what they win.

use super::bits::Bits;
use super::statics::{Perspective, StaticSolver, Verdict};
use crate::base::Side;

impl<B: Bits> StaticSolver<B> {
    /// Whether a step to the rank before the goal wins although it can be taken:
    /// whoever takes unguards a square that another piece can step to. All such
    /// steps are tried together, because one after another they took a third of
    /// the solver's time on wide boards. Neither side has a piece one step from its
    /// goal, and the side to move none that can get there untaken.
    pub(super) fn sacrifice_and_step(&self, view: Perspective<B>) -> bool {
        let Perspective { own, enemy } = view;
        let geometry = &self.geometry;
        let guards = enemy & self.top;
        let from_right = geometry.ahead_left(Side::Black, guards) & self.before_top;
        let from_left = geometry.ahead_right(Side::Black, guards) & self.before_top;
        let left = geometry.ahead_left(Side::White, own);
        let right = geometry.ahead_right(Side::White, own);
        let ahead = geometry.ahead(Side::White, own) & !enemy;
        let wins = |moved: B, again: B, frees_right: B, frees_left: B| {
            // The only guard takes and can be taken in turn, or unguards a square
            // two files on; of two guards, both must do that.
            moved
                & ((from_right & !from_left & (again | frees_right))
                    | (from_left & !from_right & (again | frees_left))
                    | (from_right & from_left & frees_right & frees_left))
        };
        // The squares that one guard unguards, by the steps that reach them. A piece
        // that steps left to be taken cannot also step right.
        let freed = from_right ^ from_left;
        let (by_left, by_right) = ((left | ahead) & freed, (right | ahead) & freed);
        let by_any = by_left | by_right;
        let (frees_right, frees_left) = (by_any.step_down(2), by_any.step_up(2));
        !(wins(left, right, by_left.step_down(2), frees_left)
            | wins(ahead, left | right, frees_right, frees_left)
            | wins(right, left, frees_right, by_right.step_up(2)))
        .is_empty()
    }

    /// Tries the same steps one by one, each followed by a run of any length, but
    /// not by another sacrifice.
    pub(super) fn sacrifice_and_run(&self, view: Perspective<B>) -> Verdict {
        let Perspective { own, enemy } = view;
        let targets = self.targets(view, self.before_top);
        for (direction, squares) in targets.into_iter().enumerate() {
            for square in squares.squares() {
                let to = B::bit(square);
                let enemy = enemy & !to;
                if enemy.is_empty() {
                    return Verdict::Win(1);
                }
                let own = own ^ self.origin(to, direction);
                if own.is_empty() {
                    continue;
                }
                let takers = self.attacks_up(to) & enemy & self.top;
                let longest = takers.squares().try_fold(0, |longest, taker| {
                    let enemy = enemy ^ (B::bit(taker) | to);
                    let run = self.run_of(Perspective { own, enemy })?;
                    Some(run.max(longest))
                });
                match longest {
                    // Some taker has an answer, or there is none.
                    None | Some(0) => {}
                    Some(plies) => return Verdict::Win(plies + 2),
                }
            }
        }
        Verdict::Open
    }
}
