//! What a cut-off teaches.

use super::history::{HISTORY_MAX, Played};
use super::params::Param;
use super::worker::{LOOK_BACK, Worker};
use crate::eval::Evaluator;
use crate::game::{Game, Move};
use arrayvec::ArrayVec;

/// Quiet moves and captures remembered at a node for learning.
pub(super) type Tried = ArrayVec<Move, 32>;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// Teaches the histories that `mv` cut off and the moves before it did not.
    pub(super) fn learn_cutoff(
        &mut self,
        position: &G,
        mv: Move,
        quiets: &Tried,
        captures: &Tried,
        depth: i32,
        ply: usize,
    ) {
        let params = &self.shared.params;
        let bonus = (params.get(Param::HistoryBonus) * depth)
            .min(params.get(Param::HistoryBonusMax))
            .min(HISTORY_MAX);
        let before: [Played; 2] = self.before(ply);
        if position.is_capture(mv) {
            self.histories.teach_capture(position, mv, bonus);
        } else {
            let killers = &mut self.frames[ply + LOOK_BACK].killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
            self.histories.teach_quiet(position, mv, before, bonus);
            for &other in quiets {
                self.histories.teach_quiet(position, other, before, -bonus);
            }
        }
        for &other in captures {
            self.histories.teach_capture(position, other, -bonus);
        }
    }
}
