//! The recursive node of the principal variation search.

use super::history::{HISTORY_MAX, corrected};
use super::picker::{Hints, Picker};
use super::pruning::{NodeState, Skip, is_urgent, unproven};
use super::tt::{Bound, Entry, NO_EVAL};
use super::worker::Worker;
use crate::base::{INFINITE, MATE_BOUND, MAX_PLY, Score, Side, is_loss, is_mate, loss_in, win_in};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveFacts, MoveList, Tactics};
use arrayvec::ArrayVec;

/// The indices of the moves that did not cut off. Those that no longer fit are
/// dropped: they came late.
#[derive(Default)]
struct Tried {
    quiets: ArrayVec<u16, 32>,
    captures: ArrayVec<u16, 32>,
}

impl Tried {
    #[inline]
    fn push(&mut self, facts: MoveFacts) {
        let list = if facts.is_capture {
            &mut self.captures
        } else {
            &mut self.quiets
        };
        let _ = list.try_push(facts.index as u16);
    }
}

/// The result of searching without the table move.
enum Singular {
    /// The node fails high.
    Cut(Score),
    /// The table move is searched this many plies deeper.
    Extend(i32),
}

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// The score of a position within `(alpha, beta)`, fail-soft, searched
    /// `depth` plies deep. `cut_node` says that a cut-off is expected.
    pub(super) fn search_node<const PV: bool>(
        &mut self,
        position: &G,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiescence::<PV>(position, alpha, beta, ply);
        }
        if PV {
            self.begin_line(ply);
        }
        if self.enter_node() {
            return 0;
        }
        let is_root = ply == 0;
        let excluded = self.frame(ply).excluded;
        // The moves to look at, if the others lose, and whether they lose at once.
        let mut replies = None;
        let mut has_only_replies = false;
        // If moves are left out as losing, the best that they can score.
        let mut best_score = -INFINITE;
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
            match self.tactics_here(position) {
                Tactics::Open => {}
                Tactics::OthersLose {
                    replies: found,
                    plies,
                } => {
                    best_score = loss_in(ply + usize::from(plies));
                    replies = Some(found);
                }
                Tactics::Win { plies, first } => {
                    if PV && first.is_some() {
                        self.pv[ply].push(first);
                    }
                    return win_in(ply + usize::from(plies));
                }
                Tactics::Loss { plies } => return loss_in(ply + usize::from(plies)),
                Tactics::Only(found) => {
                    has_only_replies = true;
                    replies = Some(found);
                }
            }
            if excluded.is_none()
                && let Some(probed) = &self.probed
                && let Some(score) = probed.score(position, ply)
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
            && (entry.depth >= depth && entry.bound.cuts_off(entry.score, beta)
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

        // The static evaluation means nothing if the enemy would win if it could move
        // now, as with a check in chess.
        let is_threatened = replies.is_some();
        let (mut raw_eval, mut eval) = (NO_EVAL, NO_EVAL);
        let mut is_improving = false;
        if !is_threatened {
            (raw_eval, eval) = self.static_eval(position, entry);
            if ply >= 2 {
                let earlier = self.frame(ply - 2).eval;
                is_improving = earlier == NO_EVAL || eval > earlier;
            }
        }
        self.frame_mut(ply).eval = eval;
        // The grandchildren's killers are shared only below this node.
        self.frame_mut(ply + 2).killers = [Move::NONE; 2];

        let mut node = NodeState {
            eval,
            depth,
            ply,
            cut_node,
            was_pv,
            is_threatened,
            is_improving,
        };
        if !is_threatened && !PV && excluded.is_none() {
            // The table may know the position better than the evaluation.
            let table_eval = entry
                .filter(|entry| !is_mate(entry.score) && entry.bound.improves_on(entry.score, eval))
                .map_or(eval, |entry| entry.score);
            let node = NodeState {
                eval: table_eval,
                ..node
            };
            if let Some(score) = self.prune_node(position, beta, node) {
                return score;
            }
            if self.is_aborted {
                return 0;
            }
        }

        let params = &self.shared.params;
        // Internal iterative reduction: without a table move the order is a
        // guess, and a shallower search will store one.
        if depth >= params.iir_depth
            && (PV || cut_node)
            && table_move.is_none()
            && !has_only_replies
        {
            node.depth -= 1;
        }
        let depth = node.depth;

        let hints = Hints {
            table: table_move,
            killers: self.frame(ply).killers,
            before: self.before(ply),
        };
        let side = position.side_to_move();
        let start_alpha = alpha;
        let mut best_move = Move::NONE;
        let mut tried = Tried::default();
        let mut count = 0;
        let among = replies.as_deref().unwrap_or_default();
        let mut picker = Picker::new(among, hints);
        while let Some((mv, facts)) = picker.next(position, self.histories, params) {
            if mv == excluded || (is_root && !self.is_root_candidate(mv)) {
                continue;
            }
            count += 1;
            let history = self
                .histories
                .score::<G>(side, facts, hints.before, params.main_weight);
            let reduction = params.reduction(depth, count);
            // Moves can be skipped once one is known not to lose.
            if !is_root && !has_only_replies && best_score > -MATE_BOUND {
                match node.skip(facts, history, count, reduction, alpha, params) {
                    Skip::Nothing => {}
                    Skip::Move => continue,
                    Skip::QuietMoves => {
                        picker.retain(|facts| facts.is_capture || is_urgent(facts));
                        continue;
                    }
                }
            }

            let mut extension = 0;
            if let Some(entry) = entry
                && mv == table_move
                && !has_only_replies
                && self.is_singular_candidate(&entry, &node)
            {
                match self.singular::<PV>(position, mv, entry, beta, &node) {
                    _ if self.is_aborted => return 0,
                    Singular::Cut(score) => return score,
                    Singular::Extend(plies) => extension = plies,
                }
            } else if has_only_replies && among.len() == 1 {
                extension = 1;
            }

            if is_root {
                self.report_current(mv, count);
            }
            let child = position.play(mv);
            self.descend(position, mv, &child, ply);
            let nodes_before = self.nodes;
            let new_depth = depth - 1 + extension;
            let is_late =
                depth >= 2 && count > 1 + usize::from(PV) && (!facts.is_capture || cut_node);
            let reduced =
                is_late.then(|| node.reduced::<PV>(new_depth, reduction, facts, history, params));
            let window = [alpha, beta];
            let score =
                self.search_child::<PV>(&child, window, new_depth, reduced, count == 1, &node);
            self.ascend();
            if self.is_aborted {
                return 0;
            }
            if is_root {
                let nodes = self.nodes - nodes_before;
                self.record_root_move(mv, score, count == 1 || score > alpha, nodes);
            }

            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = mv;
                    if PV {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        self.learn_cutoff(side, mv, facts, &tried, depth, ply);
                        break;
                    }
                    alpha = score;
                }
            }
            if mv != best_move {
                tried.push(facts);
            }
        }

        if count == 0 {
            // The excluded move was the only one.
            return alpha;
        }
        if excluded.is_none() && !(is_root && self.is_partial_root()) {
            let bound = if best_score >= beta {
                Bound::Lower
            } else if PV && best_score > start_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let entry = Entry {
                best: best_move,
                score: best_score,
                eval: raw_eval,
                depth,
                bound,
                was_pv,
            };
            self.store(position, key, entry, &node);
        }
        debug_assert!(best_score > -INFINITE, "a move was tried, or known to lose");
        best_score
    }

    /// The static evaluation, as it is (the table may have it) and corrected.
    #[inline]
    fn static_eval(&mut self, position: &G, entry: Option<Entry>) -> (Score, Score) {
        let correction = self.histories.correction(position);
        let raw = match entry {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluator.evaluate(position),
        };
        (raw, corrected(raw, correction))
    }

    /// Stores what a node has found, and how far from it the evaluation was.
    #[inline]
    fn store(&mut self, position: &G, key: u64, entry: Entry, node: &NodeState) {
        self.shared.table.store(key, node.ply, entry);
        let is_quiet = entry.best.is_none() || !position.is_capture(entry.best);
        // A lower bound says something only above the evaluation, an upper one below.
        let says_something = match entry.bound {
            Bound::Lower => entry.score > node.eval,
            Bound::Upper => entry.score < node.eval,
            Bound::Exact => true,
        };
        if !node.is_threatened && is_quiet && !is_mate(entry.score) && says_something {
            self.histories
                .update_correction(position, entry.score - entry.eval, node.depth);
        }
    }

    /// Searches a child: late moves to a `reduced` depth first, all but the first with a
    /// null window, and with the whole one those that are better than expected.
    #[inline]
    fn search_child<const PV: bool>(
        &mut self,
        child: &G,
        [alpha, beta]: [Score; 2],
        depth: i32,
        reduced: Option<i32>,
        is_first: bool,
        node: &NodeState,
    ) -> Score {
        let (ply, cut_node) = (node.ply + 1, node.cut_node);
        let mut score = -INFINITE;
        if let Some(reduced) = reduced {
            score = self.scout(child, alpha, reduced, ply, true);
            if score > alpha && reduced < depth {
                score = self.scout(child, alpha, depth, ply, !cut_node);
            }
        } else if !PV || !is_first {
            score = self.scout(child, alpha, depth, ply, !cut_node);
        }
        if PV && (is_first || score > alpha) {
            score = -self.search_node::<true>(child, -beta, -alpha, depth, ply, false);
        }
        score
    }

    /// Searches a child with a null window, to learn only whether it scores more than
    /// `alpha` for this node.
    #[inline]
    fn scout(&mut self, child: &G, alpha: Score, depth: i32, ply: usize, cut_node: bool) -> Score {
        -self.search_node::<false>(child, -alpha - 1, -alpha, depth, ply, cut_node)
    }

    /// Whether the table's move may be so much better than all others that it is worth
    /// a search to find out.
    #[inline]
    fn is_singular_candidate(&self, entry: &Entry, node: &NodeState) -> bool {
        node.ply > 0
            && node.depth >= self.shared.params.singular_depth
            && entry.depth >= node.depth - 3
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && !is_mate(entry.score)
            && node.ply < 2 * self.root_depth as usize
    }

    /// Singular extension: if every other move falls far short of the table move's
    /// score, the table move is extended.
    fn singular<const PV: bool>(
        &mut self,
        position: &G,
        mv: Move,
        entry: Entry,
        beta: Score,
        node: &NodeState,
    ) -> Singular {
        let (params, ply) = (&self.shared.params, node.ply);
        let target = entry.score - params.singular_margin * node.depth / 10;
        let depth = (node.depth - 1) / 2;
        self.frame_mut(ply).excluded = mv;
        let score =
            self.search_node::<false>(position, target - 1, target, depth, ply, node.cut_node);
        self.frame_mut(ply).excluded = Move::NONE;
        if score < target {
            let is_far = score < target - params.double_margin;
            Singular::Extend(1 + i32::from(!PV && is_far))
        } else if target >= beta && !is_mate(beta) {
            // Several moves reach beta, so this node fails high.
            Singular::Cut(unproven(target))
        } else if entry.score >= beta || node.cut_node {
            Singular::Extend(-1)
        } else {
            Singular::Extend(0)
        }
    }

    /// Updates the histories: `mv` cut off and the moves before it did not.
    fn learn_cutoff(
        &mut self,
        side: Side,
        mv: Move,
        facts: MoveFacts,
        tried: &Tried,
        depth: i32,
        ply: usize,
    ) {
        let params = &self.shared.params;
        let bonus = (params.history_bonus * depth)
            .min(params.history_bonus_max)
            .min(HISTORY_MAX);
        let before = self.before(ply);
        if facts.is_capture {
            self.histories.update_capture::<G>(side, facts.index, bonus);
        } else {
            let killers = &mut self.frame_mut(ply).killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
            let histories = &mut self.histories;
            histories.update_quiet::<G>(side, facts.index, before, bonus);
            for &index in &tried.quiets {
                histories.update_quiet::<G>(side, index.into(), before, -bonus);
            }
        }
        for &index in &tried.captures {
            self.histories
                .update_capture::<G>(side, index.into(), -bonus);
        }
    }
}

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
        let mut replies = None;
        let mut best_score = loss_in(ply);
        match self.tactics_here(position) {
            Tactics::Open => {}
            Tactics::Win { plies, first } => {
                if PV && first.is_some() {
                    self.pv[ply].push(first);
                }
                return win_in(ply + usize::from(plies));
            }
            Tactics::Loss { plies } => return loss_in(ply + usize::from(plies)),
            Tactics::Only(found) => replies = Some(found),
            // Standing pat loses here, so try the replies if they are few.
            Tactics::OthersLose {
                replies: found,
                plies,
            } if found.len() <= self.shared.params.quiet_replies as usize => {
                best_score = loss_in(ply + usize::from(plies));
                replies = Some(found);
            }
            Tactics::OthersLose { .. } => {}
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
        let is_replying = replies.is_some();
        if let Some(replies) = replies {
            list.extend(replies);
        } else {
            (eval, best_score) = self.static_eval(position, entry);
            if let Some(entry) = entry
                && entry.bound.improves_on(entry.score, best_score)
                && !is_loss(entry.score)
            {
                best_score = entry.score;
            }
            if best_score >= beta {
                return best_score;
            }
            alpha = alpha.max(best_score);
            position.noisy_moves(&mut list);
        }

        let stand_pat = best_score;
        let margin = self.shared.params.delta_margin;
        let table_move = entry.map_or(Move::NONE, |entry| entry.best);
        let mut best_move = Move::NONE;
        let mut picker = Picker::rough(position, &list, table_move);
        if !is_replying {
            picker.retain(|facts| facts.exchange > 0);
        }
        while let Some((mv, _)) = picker.next_ranked() {
            if !is_replying && stand_pat + margin <= alpha {
                break;
            }
            let child = position.play(mv);
            self.descend(position, mv, &child, ply);
            let score = -self.quiescence::<PV>(&child, -beta, -alpha, ply + 1);
            self.ascend();
            if self.is_aborted {
                return 0;
            }
            if score > best_score {
                best_score = score;
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
        let bound = if best_score >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.shared.table.store(
            key,
            ply,
            Entry {
                best: best_move,
                score: best_score,
                eval,
                depth: 0,
                bound,
                was_pv: PV,
            },
        );
        best_score
    }
}
