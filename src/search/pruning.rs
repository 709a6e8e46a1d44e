//! Forward pruning of whole nodes, before the move loop.
//!
//! Nothing here claims a result: the scores returned are never proven.

use super::history::Played;
use super::worker::Worker;
use crate::base::{MATE_BOUND, Score, is_loss, is_mate, is_win};
use crate::eval::Evaluator;
use crate::game::Game;

/// What a node knows about itself when pruning is considered.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeContext {
    pub eval: Score,
    pub depth: i32,
    pub ply: usize,
    pub is_improving: bool,
}

/// Clamps a score to the range of estimates.
#[inline]
pub(super) const fn unproven(score: Score) -> Score {
    if is_win(score) {
        MATE_BOUND - 1
    } else if is_loss(score) {
        1 - MATE_BOUND
    } else {
        score
    }
}

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// Tries to settle a node outside the principal variation; the window is
    /// `(beta - 1, beta)`.
    #[inline]
    pub(super) fn prune_node(
        &mut self,
        position: &G,
        beta: Score,
        context: NodeContext,
    ) -> Option<Score> {
        if is_mate(beta) {
            return None;
        }
        let NodeContext {
            eval, depth, ply, ..
        } = context;
        let params = &self.shared.params;

        // Reverse futility (static null move): far above beta near the leaves.
        let improving = i32::from(context.is_improving);
        let margin =
            params.reverse_futility_margin * depth - params.reverse_futility_improving * improving;
        // Never below beta: a node that looks worse is searched.
        let margin = margin.max(0);
        if depth <= params.reverse_futility_depth && eval - margin >= beta {
            return Some((eval + beta) / 2);
        }

        // Razoring (Birmingham and Kent 1977): far below beta, only captures can help.
        let margin = params.razor_margin * depth;
        if depth <= params.razor_depth && eval + margin < beta {
            let score = self.quiescence::<false>(position, beta - 1, beta, ply);
            if score < beta {
                return Some(score);
            }
        }
        self.null_move(position, beta, context)
    }

    /// Null move pruning (Goetsch and Campbell 1990). Zugzwang is common in
    /// this game, so deep cut-offs are verified by a search that may not pass.
    #[inline]
    fn null_move(&mut self, position: &G, beta: Score, context: NodeContext) -> Option<Score> {
        let NodeContext {
            eval, depth, ply, ..
        } = context;
        let params = &self.shared.params;
        if !G::NULL_MOVE
            || depth < params.null_depth
            || eval < beta
            || ply < self.no_null_until
            || (ply > 0 && self.frame(ply - 1).is_null)
        {
            return None;
        }
        let verify = depth >= params.null_verify_depth;
        let reduction = params.null_reduction + depth / params.null_divisor;
        let reduced = (depth - 1 - reduction).max(0);

        let child = position.pass();
        self.shared.table.prefetch(self.table_key(&child));
        let frame = self.frame_mut(ply);
        frame.is_null = true;
        frame.played = Played::NONE;
        self.evaluator.push_pass();
        let score = -self.search::<false>(&child, -beta, 1 - beta, reduced, ply + 1, false);
        self.evaluator.pop();
        if self.is_aborted || score < beta {
            return None;
        }
        let score = unproven(score);
        if !verify || self.no_null_until > 0 {
            return Some(score);
        }
        self.no_null_until = ply + (3 * reduced / 4) as usize + 1;
        let verified = self.search::<false>(position, beta - 1, beta, reduced, ply, false);
        self.no_null_until = 0;
        (!self.is_aborted && verified >= beta).then_some(score)
    }
}
