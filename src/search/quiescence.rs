//! The leaves: captures until the position is quiet, and forced replies.

use super::history::corrected;
use super::picker::Picker;
use super::tt::{Bound, Entry, NO_EVAL};
use super::worker::Worker;
use crate::base::{MAX_PLY, Score, is_loss, loss_in, win_in};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveList, Tactics};

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// The score of a leaf: the best of standing pat and of captures that win
    /// something or, if the enemy threatens to win, of the replies to that.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        position: &G,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        if PV {
            self.begin_line(ply);
        }
        if self.enter_node() {
            return 0;
        }
        if let Some(score) = self.score_by_rules(position, ply) {
            return score;
        }
        if ply >= MAX_PLY - 1 {
            return self.evaluator.evaluate(position);
        }
        let mut forced = None;
        let mut best = loss_in(ply);
        match self.facts(position) {
            Tactics::Open => {}
            Tactics::Win { plies, best } => {
                if PV && best.is_some() {
                    self.pv[ply].push(best);
                }
                return win_in(ply + usize::from(plies));
            }
            Tactics::Loss { plies } => return loss_in(ply + usize::from(plies)),
            Tactics::Only(reply) => forced = Some(reply),
            // Standing pat loses here, so try the replies if they are few.
            Tactics::Within { reply, plies }
                if reply.len() <= self.shared.params.quiet_replies as usize =>
            {
                best = loss_in(ply + usize::from(plies));
                forced = Some(reply);
            }
            Tactics::Within { .. } => {}
        }

        let key = self.table_key(position);
        let entry = self.shared.table.probe(key, ply);
        if let Some(entry) = entry
            && !PV
            && entry.bound.cuts_off(entry.score, beta)
        {
            return entry.score;
        }

        let mut list = MoveList::new();
        let mut eval = NO_EVAL;
        let is_forced = forced.is_some();
        if let Some(reply) = forced {
            list.extend(reply);
        } else {
            let correction = self.histories.correction(position);
            eval = match entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluator.evaluate(position),
            };
            best = corrected(eval, correction);
            if let Some(entry) = entry
                && entry.bound.cuts_off(entry.score, best + 1)
                && !is_loss(entry.score)
            {
                best = entry.score;
            }
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
            position.noisy_moves(&mut list);
        }

        let stand_pat = best;
        let margin = self.shared.params.delta_margin;
        let table_move = entry.map_or(Move::NONE, |entry| entry.best);
        let mut best_move = Move::NONE;
        let mut picker = Picker::rough(position, &list, table_move);
        while let Some((mv, facts)) = picker.next_ranked() {
            if !is_forced && (facts.exchange <= 0 || stand_pat + margin <= alpha) {
                continue;
            }
            let child = position.play(mv);
            self.descend(position, mv, &child, ply);
            let score = -self.quiescence::<PV>(&child, -beta, -alpha, ply + 1);
            self.ascend();
            if self.is_aborted {
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = mv;
                    if PV {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.shared.table.store(
            key,
            ply,
            Entry {
                best: best_move,
                score: best,
                eval,
                depth: 0,
                bound,
                was_pv: PV,
            },
        );
        best
    }
}
