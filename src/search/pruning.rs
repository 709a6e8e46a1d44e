//! What the search leaves out: whole nodes before their moves are tried, single
//! moves, and plies of late moves.
//!
//! Nothing here claims a result: no score returned is a proven one. The null move's
//! passes through `unproven`; the others are estimates, as nothing is pruned where
//! `beta` is proven. (What razoring returns from quiescence is at least the evaluation,
//! or from an entry of the table; one that proves a loss has cut the node off before.)

use super::history::{HISTORY_MAX, Played};
use super::params::Params;
use super::worker::Worker;
use crate::base::{MATE_BOUND, Score, is_loss, is_mate, is_win};
use crate::eval::Evaluator;
use crate::game::{Game, MoveFacts};

/// What a node knows about itself before it tries its moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeState {
    pub(super) eval: Score,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// Whether a cut-off is expected.
    pub(super) cut_node: bool,
    pub(super) was_pv: bool,
    pub(super) is_threatened: bool,
    pub(super) is_improving: bool,
}

/// Which moves of a node need not be searched.
pub(super) enum Skip {
    Nothing,
    Move,
    /// This one and all quiet moves after it.
    QuietMoves,
}

/// Whether a move is too urgent to be left out.
#[inline]
pub(super) const fn is_urgent(facts: MoveFacts) -> bool {
    facts.urgency >= 2
}

impl NodeState {
    /// Whether the `count`-th move need not be searched, given that an earlier one
    /// does not lose; `reduction` is that of its number.
    #[inline]
    pub(super) fn skip(
        &self,
        facts: MoveFacts,
        history: i32,
        count: usize,
        reduction: i32,
        alpha: Score,
        params: &Params,
    ) -> Skip {
        if is_urgent(facts) {
            return Skip::Nothing;
        }
        let depth = self.depth;
        let reduced = (depth - reduction / 100).max(0);
        if !facts.is_capture {
            let max_moves = params.late_move_base + params.late_move_slope * depth * depth / 100;
            let max_moves = if self.is_improving {
                max_moves
            } else {
                max_moves / 2
            };
            let is_late = depth <= params.late_move_depth && count as i32 > max_moves;
            let margin = params.futility_base
                + params.futility_margin * reduced
                + 2 * params.futility_history * history / HISTORY_MAX;
            let is_futile = reduced <= params.futility_depth
                && !is_mate(alpha)
                && !self.is_threatened
                && self.eval + margin <= alpha;
            if is_late || is_futile {
                // The same holds for nearly all later quiet moves, whose histories
                // are worse.
                return Skip::QuietMoves;
            }
            if reduced <= params.history_prune_depth
                && history < -params.history_prune_margin * depth
            {
                return Skip::Move;
            }
        }
        if depth <= params.exchange_depth && facts.exchange < 0 {
            return Skip::Move;
        }
        Skip::Nothing
    }

    /// The depth to which a late move is searched first; `reduction` is that of its
    /// number, in hundredths of a ply.
    #[inline]
    pub(super) fn reduced<const PV: bool>(
        &self,
        depth: i32,
        mut reduction: i32,
        facts: MoveFacts,
        history: i32,
        params: &Params,
    ) -> i32 {
        if !self.was_pv {
            reduction += params.reduction_not_pv;
        }
        if self.cut_node {
            reduction += params.reduction_cut_node;
        }
        if PV {
            reduction -= params.reduction_pv;
        }
        if is_urgent(facts) {
            reduction -= params.reduction_urgent;
        }
        if !self.is_improving {
            reduction += params.reduction_not_improving;
        }
        reduction -= 100 * history / params.reduction_history;
        (depth - reduction.max(0) / 100).clamp(1.min(depth), depth)
    }
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
    /// Tries to cut off a node outside the principal variation; the window is
    /// `(beta - 1, beta)`.
    #[inline]
    pub(super) fn prune_node(
        &mut self,
        position: &G,
        beta: Score,
        node: NodeState,
    ) -> Option<Score> {
        if is_mate(beta) {
            return None;
        }
        let NodeState {
            eval, depth, ply, ..
        } = node;
        let params = &self.shared.params;

        // Reverse futility (static null move): far above beta near the leaves.
        let improving = i32::from(node.is_improving);
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
        self.null_move(position, beta, node)
    }

    /// Null move pruning (Goetsch and Campbell 1990). Zugzwang is common in
    /// this game, so deep cut-offs are verified by a search that may not pass.
    #[inline]
    fn null_move(&mut self, position: &G, beta: Score, node: NodeState) -> Option<Score> {
        let NodeState {
            eval, depth, ply, ..
        } = node;
        let params = &self.shared.params;
        if !G::NULL_MOVE
            || depth < params.null_depth
            || eval < beta
            || ply < self.no_null_until
            || self.before(ply)[0] == Played::NONE
        {
            return None;
        }
        let verify = depth >= params.null_verify_depth;
        let reduction = params.null_reduction + depth / params.null_divisor;
        let reduced = (depth - 1 - reduction).max(0);

        let child = position.pass();
        self.shared.table.prefetch(self.table_key(&child));
        self.frame_mut(ply).played = Played::NONE;
        self.evaluator.push_pass();
        let score = -self.search_node::<false>(&child, -beta, 1 - beta, reduced, ply + 1, false);
        self.evaluator.pop();
        if self.is_aborted || score < beta {
            return None;
        }
        let score = unproven(score);
        if !verify || self.no_null_until > 0 {
            return Some(score);
        }
        self.no_null_until = ply + (3 * reduced / 4) as usize + 1;
        let verified = self.search_node::<false>(position, beta - 1, beta, reduced, ply, false);
        self.no_null_until = 0;
        (!self.is_aborted && verified >= beta).then_some(score)
    }
}
