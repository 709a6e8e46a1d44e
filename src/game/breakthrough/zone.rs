//! Where a step must end if the enemy would otherwise win by force.

use super::bits::Bits;
use super::statics::{Perspective, StaticSolver, Verdict};
use crate::base::Side;
use arrayvec::ArrayVec;

/// The longest run that [`StaticSolver::zone`] follows, in steps.
const LONGEST_RUN: usize = 16;

impl<B: Bits> StaticSolver<B> {
    /// If the enemy would win by a run or a forcing sacrifice if it could move
    /// now: the squares that a step of the side to move must end on. Every other
    /// step loses. `None` if nothing of the kind is known, or if the side to
    /// move has pieces one step from the goal.
    #[inline]
    #[must_use]
    pub fn zone(&self, view: Perspective<B>) -> Option<B> {
        if !(view.own & self.before_top).is_empty() {
            return None;
        }
        let board = self.geometry.board();
        if let Some((zone, _)) = self.threat(view)
            && zone != board
        {
            return Some(zone);
        }
        if (view.enemy & self.third_bottom).is_empty() {
            return None;
        }
        let turned = self.other_side(view);
        if self.sacrifice_and_step(turned) {
            // All this happens on the ranks next to the goal: a step must take
            // one of the pieces, come into their way, move a guard, or threaten
            // to win.
            let captures = view.enemy & self.third_bottom;
            return Some(self.before_top | self.before_bottom | captures);
        }
        let can_run = (view.own & self.third_top).is_empty();
        (can_run && matches!(self.sacrifice_and_run(turned), Verdict::Win(_))).then_some(board)
    }

    /// The same for runs alone, with the plies within which every other step
    /// loses.
    ///
    /// The step must take the runner, end where a piece can still stop it in time,
    /// or bring a piece to its own goal first.
    #[inline]
    #[must_use]
    pub fn threat(&self, view: Perspective<B>) -> Option<(B, u8)> {
        let board = self.geometry.board();
        let threats = view.enemy & self.before_bottom;
        if !(view.own & self.before_top).is_empty() {
            return None;
        }
        if !threats.is_empty() {
            return Some((threats, 2));
        }
        // The view in which the enemy goes up and is to move.
        let run = self.other_side(view);
        let limit = self.geometry.rank(run.enemy.lowest());
        if self.geometry.ranks() - 1 - self.geometry.rank(run.own.highest()) > limit {
            return None;
        }
        self.stoppers(run, limit)
            .map(|(squares, moves)| (self.turned(squares & board), 2 * moves))
    }

    /// If some piece of `view.own` wins by running: the squares where a piece of
    /// the other side, put there before the run starts, may interfere, and the
    /// run's length in moves.
    #[inline]
    fn stoppers(&self, view: Perspective<B>, limit: u8) -> Option<(B, u8)> {
        let Perspective { own, enemy } = view;
        let (geometry, board) = (&self.geometry, self.geometry.board());
        let free = board & !own;
        let mut reach = enemy;
        let mut attacked = self.attacks_down(reach);
        let mut stages: ArrayVec<B, LONGEST_RUN> = ArrayVec::new();
        let mut runners = own;
        for _ in 1..limit.min(LONGEST_RUN as u8) {
            let ahead = geometry.ahead(Side::White, runners) & !reach;
            stages.push(runners);
            runners = (ahead | self.attacks_up(runners)) & free & !attacked;
            if runners.is_empty() {
                return None;
            }
            if !(runners & self.before_top).is_empty() {
                let squares = self.interference(&stages, runners & self.before_top);
                return Some((squares, stages.len() as u8 + 1));
            }
            reach |= (geometry.ahead(Side::Black, reach) & free) | (attacked & board);
            attacked = self.attacks_down(reach);
        }
        None
    }

    /// The interfering squares of one run, traced back from one of its end
    /// squares, one step from the goal, through its stages. The last step is a
    /// diagonal one, which nothing can stop.
    #[inline]
    fn interference(&self, stages: &[B], ends: B) -> B {
        let geometry = &self.geometry;
        let mut square = B::bit(ends.lowest());
        let mut squares = B::EMPTY;
        let mut home = self.bottom | self.before_bottom;
        for &runners in stages.iter().rev() {
            let guards = self.attacks_up(square);
            squares |= geometry.ahead(Side::White, squares) | self.attacks_up(squares) | guards;
            let diagonal = self.attacks_down(square) & runners;
            if diagonal.is_empty() {
                // A straight step can be blocked too.
                squares |= square;
                square = geometry.ahead(Side::Black, square);
            } else {
                square = B::bit(diagonal.lowest());
            }
        }
        for _ in 1..stages.len() {
            home |= geometry.ahead(Side::White, home);
        }
        squares | square | home
    }
}
