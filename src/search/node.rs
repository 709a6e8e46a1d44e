//! The recursive node of the principal variation search.

use super::history::{HISTORY_MAX, Played, corrected};
use super::picker::{Hints, Picker};
use super::pruning::{NodeContext, unproven};
use super::tt::{Bound, Entry, NO_EVAL};
use super::worker::Worker;
use crate::base::{INFINITE, MATE_BOUND, MAX_PLY, Score, is_mate, loss_in, win_in};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveList, Tactics};
use arrayvec::ArrayVec;

/// Quiet moves and captures remembered at a node for learning.
type Tried = ArrayVec<Move, 32>;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// The score of a position within `(alpha, beta)`, fail-soft, searched
    /// `depth` plies deep. `cut_node` says that a cut-off is expected.
    pub(super) fn search<const PV: bool>(
        &mut self,
        position: &G,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiescence::<PV>(position, alpha, beta, ply);
        }
        if PV {
            self.pv[ply].clear();
            self.select_depth = self.select_depth.max(ply);
        }
        if self.enter_node() {
            return 0;
        }
        let is_root = ply == 0;
        let excluded = self.frame(ply).excluded;
        let mut list = MoveList::new();
        let mut is_forced = false;
        // The enemy would win if it could move now: as with a check in chess,
        // a static evaluation means nothing here.
        let mut is_threatened = false;
        // If moves are left out as losing, the best that they can score.
        let mut best = -INFINITE;
        if !is_root {
            if let Some(score) = self.score_by_rules(position, ply) {
                return score;
            }
            if ply >= MAX_PLY - 1 {
                return self.evaluator.evaluate(position);
            }
            // Mate distance pruning: nothing here beats what is already proven.
            alpha = alpha.max(loss_in(ply));
            beta = beta.min(win_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
            match self.facts(position) {
                Tactics::Open => {}
                Tactics::Within { reply, plies } => {
                    is_threatened = true;
                    best = loss_in(ply + usize::from(plies));
                    list.extend(reply);
                }
                Tactics::Win { plies, best } => {
                    if PV && best.is_some() {
                        self.pv[ply].push(best);
                    }
                    return win_in(ply + usize::from(plies));
                }
                Tactics::Loss { plies } => return loss_in(ply + usize::from(plies)),
                Tactics::Only(reply) => {
                    is_threatened = true;
                    is_forced = true;
                    list.extend(reply);
                }
            }
            if excluded.is_none()
                && let Some(proofs) = &self.proofs
                && let Some(score) = proofs.score(position, ply)
            {
                return score;
            }
        }

        let key = self.table_key(position);
        let entry = if excluded.is_some() {
            None
        } else {
            self.shared.table.probe(key, ply)
        };
        if let Some(entry) = entry
            && !PV
            && (entry.depth >= depth && entry.bound.settles(entry.score, beta)
                || entry.proves(beta))
        {
            return entry.score;
        }
        let mut table_move = entry.map_or(Move::NONE, |entry| entry.best);
        if is_root {
            table_move = self.root_moves[self.pv_index].mv;
        } else if table_move.is_some() && !position.is_legal(table_move) {
            table_move = Move::NONE;
        }
        let was_pv = PV || entry.is_some_and(|entry| entry.was_pv);

        // The static evaluation.
        let mut raw_eval = NO_EVAL;
        let mut eval = NO_EVAL;
        let mut is_improving = false;
        if !is_threatened {
            let correction = self.histories.correction(position);
            raw_eval = match entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluator.evaluate(position),
            };
            eval = corrected(raw_eval, correction);
            if ply >= 2 {
                let earlier = self.frame(ply - 2).eval;
                is_improving = earlier == NO_EVAL || eval > earlier;
            }
        }
        self.frame_mut(ply).eval = eval;
        // The grandchildren's killers are shared only below this node.
        self.frame_mut(ply + 2).killers = [Move::NONE; 2];

        if !is_threatened && !PV && excluded.is_none() {
            // The table may know the position better than the evaluation.
            let better = entry
                .filter(|entry| !is_mate(entry.score) && entry.bound.settles(entry.score, eval + 1))
                .map_or(eval, |entry| entry.score);
            let context = NodeContext {
                eval: better,
                depth,
                ply,
                is_improving,
            };
            if let Some(score) = self.prune_node(position, beta, context) {
                return score;
            }
            if self.is_aborted {
                return 0;
            }
        }

        let params = &self.shared.params;
        // Internal iterative reduction: without a table move the order is a
        // guess, and a shallower search will store one.
        if depth >= params.iir_depth && (PV || cut_node) && table_move.is_none() && !is_forced {
            depth -= 1;
        }

        let hints = Hints {
            table: table_move,
            killers: self.frame(ply).killers,
            before: self.before(ply),
        };
        let weight = params.main_weight;
        let start_alpha = alpha;
        let mut best_move = Move::NONE;
        let mut quiets = Tried::new();
        let mut captures = Tried::new();
        let mut count = 0;

        // The table move is tried before the others are generated: most nodes
        // that have one cut off on it.
        let mut first = if list.is_empty() && table_move.is_some() {
            Some(table_move)
        } else {
            None
        };
        let mut is_filled = false;
        let mut picker = Picker::default();
        loop {
            let mv = if let Some(mv) = first.take() {
                mv
            } else {
                if !is_filled {
                    is_filled = true;
                    if list.is_empty() {
                        picker.fill_all(position, &hints, self.histories, params);
                        if table_move.is_some() {
                            picker.next();
                        }
                    } else {
                        picker.fill(position, &list, &hints, self.histories, params);
                    }
                }
                let Some(mv) = picker.next() else { break };
                mv
            };
            if mv == excluded || (is_root && !self.is_root_candidate(mv)) {
                continue;
            }
            count += 1;
            let is_capture = position.is_capture(mv);
            let is_urgent = position.urgency(mv) >= 2;
            let history = if is_capture {
                self.histories.capture(position, mv)
            } else {
                self.histories.quiet(position, mv, hints.before, weight)
            };
            let mut reduction = params.reduction(depth, count);

            // Moves that can be skipped, once one is known not to lose.
            if !is_root && !is_forced && best > -MATE_BOUND {
                let reduced = (depth - reduction / 100).max(0);
                if !is_capture && !is_urgent {
                    let most = params.late_move_base + params.late_move_slope * depth * depth / 100;
                    let most = if is_improving { most } else { most / 2 };
                    let is_late = depth <= params.late_move_depth && count as i32 > most;
                    let margin = params.futility_base
                        + params.futility_margin * reduced
                        + 2 * params.futility_history * history / HISTORY_MAX;
                    let is_futile = reduced <= params.futility_depth
                        && !is_mate(alpha)
                        && !is_threatened
                        && eval + margin <= alpha;
                    if is_late || is_futile {
                        // The same holds for nearly all later quiet moves, whose
                        // histories are worse.
                        picker.retain(|mv| position.is_capture(mv) || position.urgency(mv) >= 2);
                        continue;
                    }
                    if reduced <= params.history_prune_depth
                        && history < -params.history_prune_margin * depth
                    {
                        continue;
                    }
                }
                if depth <= params.exchange_depth && !is_urgent && position.exchange(mv) < 0 {
                    continue;
                }
            }

            // Singular extension: if every other move falls far short of the
            // table move's score, the table move is extended.
            let mut extension = 0;
            if let Some(entry) = entry
                && mv == table_move
                && !is_root
                && depth >= params.singular_depth
                && entry.depth >= depth - 3
                && matches!(entry.bound, Bound::Lower | Bound::Exact)
                && !is_mate(entry.score)
                && !is_forced
                && ply < 2 * self.root_depth as usize
            {
                let margin = params.singular_margin * depth / 10;
                let target = entry.score - margin;
                self.frame_mut(ply).excluded = mv;
                let score = self.search::<false>(
                    position,
                    target - 1,
                    target,
                    (depth - 1) / 2,
                    ply,
                    cut_node,
                );
                self.frame_mut(ply).excluded = Move::NONE;
                if self.is_aborted {
                    return 0;
                }
                if score < target {
                    let is_far = score < target - params.double_margin;
                    extension = 1 + i32::from(!PV && is_far);
                } else if target >= beta && !is_mate(beta) {
                    // Several moves reach beta, so this node fails high.
                    return unproven(target);
                } else if entry.score >= beta || cut_node {
                    extension = -1;
                }
            } else if is_forced && list.len() == 1 {
                extension = 1;
            }

            if is_root {
                self.tell_current(mv, count);
            }
            let child = position.play(mv);
            self.descend(position, mv, &child, ply);
            let nodes_before = self.nodes;
            let new_depth = depth - 1 + extension;
            let mut score = -INFINITE;

            if depth >= 2 && count > 1 + usize::from(PV) && (!is_capture || cut_node) {
                if !was_pv {
                    reduction += params.reduction_not_pv;
                }
                if cut_node {
                    reduction += params.reduction_cut_node;
                }
                if PV {
                    reduction -= params.reduction_pv;
                }
                if is_urgent {
                    reduction -= params.reduction_urgent;
                }
                if !is_improving {
                    reduction += params.reduction_not_improving;
                }
                reduction -= 100 * history / params.reduction_history;
                let reduced =
                    (new_depth - reduction.max(0) / 100).clamp(1.min(new_depth), new_depth);
                score = -self.search::<false>(&child, -alpha - 1, -alpha, reduced, ply + 1, true);
                if score > alpha && reduced < new_depth {
                    score = -self.search::<false>(
                        &child,
                        -alpha - 1,
                        -alpha,
                        new_depth,
                        ply + 1,
                        !cut_node,
                    );
                }
            } else if !PV || count > 1 {
                score = -self.search::<false>(
                    &child,
                    -alpha - 1,
                    -alpha,
                    new_depth,
                    ply + 1,
                    !cut_node,
                );
            }
            if PV && (count == 1 || score > alpha) {
                score = -self.search::<true>(&child, -beta, -alpha, new_depth, ply + 1, false);
            }
            self.ascend();
            if self.is_aborted {
                return 0;
            }
            if is_root {
                let nodes = self.nodes - nodes_before;
                self.note_root_move(mv, score, count == 1 || score > alpha, nodes);
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = mv;
                    if PV {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        self.learn_cutoff(position, mv, &quiets, &captures, depth, ply);
                        break;
                    }
                    alpha = score;
                }
            }
            if mv != best_move {
                // Moves that no longer fit are dropped: they came late.
                let _ = if is_capture {
                    &mut captures
                } else {
                    &mut quiets
                }
                .try_push(mv);
            }
        }

        if count == 0 {
            // The excluded move was the only one.
            return alpha;
        }
        if excluded.is_none() && !(is_root && self.is_partial_root()) {
            let bound = if best >= beta {
                Bound::Lower
            } else if PV && best > start_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.shared.table.store(
                key,
                ply,
                Entry {
                    best: best_move,
                    score: best,
                    eval: raw_eval,
                    depth,
                    bound,
                    was_pv,
                },
            );
            let is_quiet = best_move.is_none() || !position.is_capture(best_move);
            // A lower bound says something only above the evaluation, an upper one below.
            let says_something = match bound {
                Bound::Lower => best > eval,
                Bound::Upper => best < eval,
                _ => true,
            };
            if !is_threatened && is_quiet && !is_mate(best) && says_something {
                self.histories
                    .teach_correction(position, best - raw_eval, depth);
            }
        }
        debug_assert!(best > -INFINITE, "a move was tried, or known to lose");
        best
    }

    /// Teaches the histories that `mv` cut off and the moves before it did not.
    fn learn_cutoff(
        &mut self,
        position: &G,
        mv: Move,
        quiets: &Tried,
        captures: &Tried,
        depth: i32,
        ply: usize,
    ) {
        let params = &self.shared.params;
        let bonus = (params.history_bonus * depth)
            .min(params.history_bonus_max)
            .min(HISTORY_MAX);
        let before: [Played; 2] = self.before(ply);
        if position.is_capture(mv) {
            self.histories.teach_capture(position, mv, bonus);
        } else {
            let killers = &mut self.frames[ply + super::worker::LOOK_BACK].killers;
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
