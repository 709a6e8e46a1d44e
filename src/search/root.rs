//! Iterative deepening: aspiration windows, several best lines, reports, and
//! when to stop.

use super::tt::Bound;
use super::worker::{LineReport, Report, RootMove, Verdict, Worker};
use crate::base::{
    INFINITE, MATE, MATE_BOUND, MAX_PLY, PvLine, Score, is_loss, is_mate, is_win, loss_in,
    mate_plies,
};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveList, Tactics};
use std::time::Duration;

/// Current moves are reported after this time.
const LONG_SEARCH: Duration = Duration::from_secs(3);

/// All moves of a window after this time; before it, only the first.
const LONG_WINDOW: Duration = Duration::from_millis(100);

/// A proven loss is searched this many plies beyond its length.
pub(super) const LOSS_EXTRA_DEPTH: u32 = 6;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// Searches until a limit is reached. The game must not be over. `None` if
    /// there is no root move to search.
    pub(super) fn deepen(&mut self) -> Option<Verdict> {
        self.set_root_moves();
        let wanted = self.shared.options.multi_pv;
        let lines = wanted.clamp(1, self.root_moves.len().max(1));
        if self.root_moves.is_empty() {
            return None;
        }
        let last_depth = self.shared.options.limits.greatest_depth() as i32;
        let mut stability = 0u32;
        // The scores of the last finished iteration.
        let mut finished = Vec::new();
        for depth in 1..=last_depth {
            self.root_depth = depth;
            let previous_best = self.root_moves[0].mv;
            for index in 0..lines {
                self.pv_index = index;
                self.selective_depth = 0;
                self.aspirate(depth);
                if self.is_aborted {
                    break;
                }
                self.root_moves[..=index].sort_by_key(|m| -m.score);
            }
            self.publish_nodes();
            if self.is_aborted {
                self.conclude(lines, &finished);
                break;
            }
            self.completed_depth = depth;
            self.node_limit = self.shared.node_limit(depth);
            self.resolve_distances(lines);
            let scores = self.root_moves[..lines].iter().map(|m| m.score);
            finished = scores.collect();
            self.report_lines(lines);
            if self.is_aborted {
                break;
            }
            stability = if self.root_moves[0].mv == previous_best {
                stability + 1
            } else {
                0
            };
            if self.should_stop(depth, stability) {
                break;
            }
        }
        // An unfinished iteration may have changed the engine's mind.
        if !self.is_reported(lines) {
            self.report_lines(lines);
        }
        // Distances have been searched for since the last iteration.
        self.publish_nodes();
        let best = &self.root_moves[0];
        let (score, bound) = self.claim(0, INFINITE).unwrap_or((0, Bound::Exact));
        Some(Verdict {
            score,
            bound,
            depth: self.completed_depth,
            line: shortened(&best.line, score),
            nodes: self.nodes,
            reported: std::mem::take(&mut self.reported),
        })
    }

    /// Ranks the moves after an unfinished iteration: the lines that it has finished
    /// stay, and those after them are ordered by what is known of each.
    fn conclude(&mut self, lines: usize, finished: &[Score]) {
        let first = self.pv_index;
        self.avoid_proven_loss(first, finished.get(first).copied());
        self.root_moves[first..lines].sort_by_key(|root_move| {
            let score = root_move.last_score().unwrap_or(-INFINITE);
            let lost = loss_in(root_move.lost.min(MAX_PLY as u32) as usize);
            let is_lost = root_move.is_lost();
            (is_lost, -if is_lost { lost } else { score })
        });
    }

    /// If an unfinished iteration has found no more than that the move at `index`
    /// loses: puts before it the one that was hardest to refute among those after it
    /// that are not known to lose. The last finished iteration's score is a bound for
    /// it; if there is none, such a move has no score. If they all lose, the one that
    /// may last longest comes first.
    pub(super) fn avoid_proven_loss(&mut self, index: usize, finished: Option<Score>) {
        let depth = self.completed_depth;
        let below = &mut self.root_moves[index..];
        if !below[0].is_lost() {
            return;
        }
        // Of those with equal nodes, the last one here is the best ranked.
        let others = below.iter().enumerate().rev();
        let others = others.filter(|(_, root_move)| !root_move.is_lost());
        let Some((at, _)) = others.max_by_key(|(_, root_move)| root_move.nodes) else {
            below.sort_by_key(|root_move| std::cmp::Reverse(root_move.lost));
            return;
        };
        below[..=at].rotate_right(1);
        if let Some(finished) = finished.filter(|&score| !is_loss(score)) {
            let best = &mut below[0];
            best.score = best
                .last_score()
                .map_or(finished, |score| score.min(finished));
            best.bound = Bound::Upper;
            best.depth = depth;
        }
    }

    fn set_root_moves(&mut self) {
        let mut list = MoveList::new();
        self.root.moves(&mut list);
        let wanted = &self.shared.options.limits.search_moves;
        if !wanted.is_empty() {
            list.retain(|mv| wanted.contains(mv));
        }
        // Proven facts put the right moves first but exclude none here, as the
        // user may want to see every line.
        let first: Vec<Move> = match self.root.tactics() {
            Tactics::Win { first, .. } => vec![first],
            Tactics::Only(replies) | Tactics::OthersLose { replies, .. } => replies.to_vec(),
            Tactics::Open | Tactics::Loss { .. } => Vec::new(),
        };
        list.sort_by_key(|mv| !first.contains(mv));
        self.root_moves = list.into_iter().map(RootMove::new).collect();
    }

    /// Whether some root moves are left out: the result is then not the
    /// position's score, and must not be stored as such.
    pub(super) fn is_partial_root(&self) -> bool {
        self.pv_index > 0 || !self.shared.options.limits.search_moves.is_empty()
    }

    /// Whether the move is still to be ranked in this iteration.
    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..]
            .iter()
            .any(|root| root.mv == mv)
    }

    /// Begins a window for the moves still to be ranked: none has a score yet.
    pub(super) fn begin_window(&mut self, window: [Score; 2]) {
        for root_move in &mut self.root_moves[self.pv_index..] {
            root_move.forget_score();
        }
        self.root_window = window;
        self.window_begin = self.shared.control.elapsed();
    }

    /// Puts the best of the moves still to be ranked first. Those without a
    /// score keep their order, as the sort is stable.
    pub(super) fn rank_root_moves(&mut self) {
        self.root_moves[self.pv_index..].sort_by_key(|root_move| -root_move.score);
    }

    /// Records the result of a root move's search.
    pub(super) fn record_root_move(&mut self, mv: Move, score: Score, is_line: bool, nodes: u64) {
        let (selective_depth, depth) = (self.selective_depth, self.root_depth);
        let [alpha, beta] = self.root_window;
        let Some(root_move) = self.root_moves.iter_mut().find(|root| root.mv == mv) else {
            return;
        };
        root_move.nodes += nodes;
        if let Some(plies) = mate_plies(score)
            && is_loss(score)
            && score < beta
        {
            root_move.lost = root_move.lost.min(plies.unsigned_abs());
        }
        if root_move.exact {
            // The search knows no better.
            root_move.score = root_move.last_score().unwrap_or(score);
            root_move.depth = depth;
        } else if is_line {
            root_move.score = score;
            root_move.depth = depth;
            root_move.bound = if score >= beta {
                Bound::Lower
            } else if score <= alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            root_move.selective_depth = selective_depth;
            root_move.line.clear();
            root_move.line.push(mv);
            for &next in &self.pv[1] {
                if root_move.line.try_push(next).is_err() {
                    break;
                }
            }
        } else {
            root_move.score = -INFINITE;
        }
    }

    /// Searches the root with a window around the last score, widened until
    /// the score is inside.
    fn aspirate(&mut self, depth: i32) {
        let params = &self.shared.params;
        let previous = self.root_moves[self.pv_index]
            .last_score()
            .unwrap_or(-INFINITE);
        let mut delta = params.aspiration_window;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= params.aspiration_depth && previous.abs() < MATE_BOUND {
            alpha = (previous - delta).max(-INFINITE);
            beta = (previous + delta).min(INFINITE);
        }
        let root = self.root.clone();
        let mut fail_highs = 0;
        loop {
            let searched = (depth - fail_highs).max(1);
            self.begin_window([alpha, beta]);
            let score = self.search_node::<true>(&root, alpha, beta, searched, 0, false);
            self.rank_root_moves();
            if self.is_aborted {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                fail_highs = 0;
                self.report_bound(score, Bound::Upper);
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                fail_highs = (fail_highs + 1).min(3);
                self.report_bound(score, Bound::Lower);
            } else {
                return;
            }
            delta += delta / 2;
            // A proven score, or too wide a window: stop guessing.
            if delta > 400 || score.abs() >= MATE_BOUND {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// In a long search, reports that the score is not within the window. It is that
    /// of all moves still to be ranked: one that fails low does not stand for them.
    fn report_bound(&mut self, score: Score, bound: Bound) {
        if self.shared.control.elapsed() < LONG_SEARCH {
            return;
        }
        let index = self.pv_index;
        if index > 0 && !self.is_reported(index) {
            self.report_lines(index);
        }
        // Of a line above nothing may be known: what was reported there is then an old one,
        // perhaps of the move that this is about.
        let is_as_reported = |index: usize| {
            let line = self.reported.get(index);
            line.is_some_and(|line| line.moves.first() == Some(&self.root_moves[index].mv))
        };
        if !(0..index).all(is_as_reported) {
            return;
        }
        let above = match index.checked_sub(1) {
            None => INFINITE,
            Some(above) => self.reported[above].score,
        };
        let loss = self.claim_of_loss(index).filter(|_| bound == Bound::Upper);
        let score = loss.unwrap_or(score).min(above);
        let is_proven = match bound {
            Bound::Upper => !is_win(score) && (loss.is_some() || !is_loss(score)),
            _ => !is_loss(score),
        };
        if is_proven {
            self.report_line(index, score, bound, self.root_depth);
        }
    }

    /// In a long search, reports the move that is searched now, by its number in
    /// this window.
    pub(super) fn report_current(&mut self, mv: Move, number: usize) {
        let now = self.shared.control.elapsed();
        if let Some(report) = &mut self.report
            && now >= LONG_SEARCH
            && (number == 1 || now >= self.window_begin + LONG_WINDOW)
        {
            report(Report::Current {
                depth: self.root_depth as u32,
                mv,
                number: (self.pv_index + number) as u32,
            });
        }
    }

    /// Reports the lines, the best first, up to one of which nothing is known.
    fn report_lines(&mut self, lines: usize) {
        let mut above = INFINITE;
        for index in 0..lines {
            let Some((score, bound)) = self.claim(index, above) else {
                return;
            };
            // A move that never had a line may still be the last one to lose.
            let depth = match self.root_moves[index].depth {
                0 => self.root_depth,
                depth => depth,
            };
            self.report_line(index, score, bound, depth);
            above = score;
        }
    }

    /// Whether the lines have been reported as they are now.
    fn is_reported(&self, lines: usize) -> bool {
        let mut above = INFINITE;
        for index in 0..lines {
            let Some((score, bound)) = self.claim(index, above) else {
                return true;
            };
            let line = &self.root_moves[index].line;
            let is_same = |report: &LineReport| {
                (report.score, report.bound) == (score, bound)
                    && report.moves == shortened(line, score)
            };
            if !self.reported.get(index).is_some_and(is_same) {
                return false;
            }
            above = score;
        }
        true
    }

    /// What is known of the line at `index`, below one of the score `above`: a win is
    /// its move's own, a loss that of all moves from it on.
    fn claim(&self, index: usize, above: Score) -> Option<(Score, Bound)> {
        let root_move = &self.root_moves[index];
        let (score, bound) = match (self.claim_of_loss(index), root_move.last_score()) {
            (Some(score), _) => (score, Bound::Exact),
            (None, Some(score)) if !is_loss(score) => (score, root_move.bound),
            _ => return None,
        };
        if score > above {
            // A win that is proven is worth at least as much as the line above, which may be a
            // slower one. Of an estimate, that line has been searched deeper: it is a bound.
            let is_proven = is_win(score) && bound != Bound::Upper;
            let bound = if is_proven {
                Bound::Lower
            } else {
                Bound::Upper
            };
            return Some((above, bound));
        }
        Some((score, bound))
    }

    /// The score of the moves from `index` on if they are all proven to lose: that of
    /// the one that may last longest.
    pub(super) fn claim_of_loss(&self, index: usize) -> Option<Score> {
        let longest = self.root_moves[index..].iter().map(|m| m.lost).max();
        let longest = longest.filter(|&plies| plies != u32::MAX)?;
        Some(loss_in(longest as usize))
    }

    fn report_line(&mut self, index: usize, score: Score, bound: Bound, depth: i32) {
        let Some(report) = &mut self.report else {
            return;
        };
        let root_move = &self.root_moves[index];
        let moves = shortened(&root_move.line, score);
        let line = LineReport {
            depth: depth as u32,
            selective_depth: root_move.selective_depth.max(moves.len()) as u32,
            rank: index as u32 + 1,
            score,
            bound,
            nodes: self.shared.total_nodes().max(self.nodes),
            hashfull: self.shared.table.hashfull() as u32,
            time: self.shared.control.elapsed(),
            moves,
        };
        self.reported.truncate(index);
        self.reported.push(line.clone());
        report(Report::Line(line));
    }

    /// Whether another iteration is not worth its time. Without a proof only
    /// thread 0 decides; the others go on until they are stopped.
    fn should_stop(&self, depth: i32, stability: u32) -> bool {
        let (shared, options) = (self.shared, &self.shared.options);
        let limits = &options.limits;
        let lines = options.multi_pv.min(self.root_moves.len());
        if self.root_moves[..lines].iter().all(|line| line.exact) {
            return true;
        }
        if limits.infinite || shared.control.is_pondering() {
            return false;
        }
        let best = &self.root_moves[0];
        if let Some(moves) = limits.mate
            && mate_plies(best.score)
                .is_some_and(|plies| plies.unsigned_abs() <= moves.saturating_mul(2))
        {
            return true;
        }
        // On the clock, a proven win is good enough; a proven loss gets some
        // more plies to find longer resistance.
        let proven = mate_plies(best.score).is_some_and(|plies| {
            let extra = if plies > 0 { 0 } else { LOSS_EXTRA_DEPTH };
            plies.unsigned_abs() + extra <= depth.unsigned_abs()
        });
        if proven && limits.clock.is_some() && options.multi_pv == 1 && limits.depth.is_none() {
            return true;
        }
        if !self.is_main() {
            return false;
        }
        if self.has_nothing_to_choose() {
            return true;
        }
        let Some(soft) = options.deadlines.soft else {
            return false;
        };
        // Less time when one move takes nearly all nodes and stays the best.
        let share = best.nodes as f64 / self.nodes.max(1) as f64;
        let scale = (1.6 - share) * (1.3 - 0.06 * f64::from(stability.min(8)));
        shared.control.thinking_time() >= soft.mul_f64(scale)
    }
}

/// The line, no longer than a proven result allows.
fn shortened(line: &PvLine<Move>, score: Score) -> PvLine<Move> {
    let mut line = line.clone();
    if is_mate(score) {
        line.truncate((MATE - score.abs()) as usize);
    }
    line
}
