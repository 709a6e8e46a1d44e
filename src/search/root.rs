//! Iterative deepening: aspiration windows, several best lines, reports, and
//! when to stop.

use super::report::{LineReport, Report, Verdict};
use super::root_move::RootMove;
use super::tt::Bound;
use super::worker::Worker;
use crate::base::{INFINITE, MATE_BOUND, Score, is_loss, mate_plies};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveList, Tactics};
use std::time::Duration;

/// Current moves are reported after this time.
const LONG_SEARCH: Duration = Duration::from_secs(3);

/// All moves of a pass after this time; before it, only the first.
const LONG_PASS: Duration = Duration::from_millis(100);

/// A single reply is played after this depth, in plies: enough for a score.
const REPLY_DEPTH: i32 = 5;

/// A proven loss is searched this many plies beyond its length.
pub(super) const LOSS_PATIENCE: u32 = 6;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// Searches until a limit is reached. The game must not be over. `None` if
    /// there is no root move to search.
    pub fn run(&mut self) -> Option<Verdict> {
        self.set_root_moves();
        let lines = self.shared.multi_pv.clamp(1, self.root_moves.len().max(1));
        if self.root_moves.is_empty() {
            return None;
        }
        let most = self.shared.limits.greatest_depth() as i32;
        let mut stability = 0u32;
        let mut finished = None;
        for depth in 1..=most {
            self.root_depth = depth;
            let favourite = self.root_moves[0].mv;
            for index in 0..lines {
                self.pv_index = index;
                self.select_depth = 0;
                self.aspirate(depth);
                self.root_moves[..=index].sort_by_key(|m| -m.score);
                if self.is_aborted {
                    break;
                }
            }
            self.publish_nodes();
            if self.is_aborted {
                break;
            }
            self.completed_depth = depth;
            finished = Some(self.root_moves[0].score);
            self.node_limit = self.shared.node_limit(depth);
            self.settle(lines);
            self.tell_lines(lines);
            if self.is_aborted {
                break;
            }
            stability = if self.root_moves[0].mv == favourite {
                stability + 1
            } else {
                0
            };
            if self.is_content(depth, stability) {
                break;
            }
        }
        self.avoid_proven_loss(finished);
        // An unfinished iteration may have changed the engine's mind.
        let is_reported = |line: &LineReport| line.moves == self.root_moves[0].line;
        if !self.reported.first().is_some_and(is_reported) {
            self.tell_lines(lines);
        }
        // Distances have been searched for since the last iteration.
        self.publish_nodes();
        let best = &self.root_moves[0];
        Some(Verdict {
            best: best.mv,
            score: best.known().unwrap_or(0),
            bound: best.bound,
            depth: self.completed_depth,
            line: best.line.clone(),
            nodes: self.nodes,
            reported: std::mem::take(&mut self.reported),
        })
    }

    /// If an unfinished iteration has found no more than that its first move
    /// loses: prefers the move that was hardest to refute among those not known
    /// to lose. The last finished iteration's score is a bound for it; if there
    /// is none, such a move has no score.
    pub(super) fn avoid_proven_loss(&mut self, finished: Option<Score>) {
        if !self.root_moves[0].loses || finished.is_some_and(is_loss) {
            return;
        }
        // Of those with equal nodes, the last one here is the best ranked.
        let others = self.root_moves.iter().enumerate().rev();
        let others = others.filter(|(_, root_move)| !root_move.loses);
        let Some((index, _)) = others.max_by_key(|(_, root_move)| root_move.nodes) else {
            return;
        };
        let Some(finished) = finished else {
            self.root_moves[..=index].rotate_right(1);
            return;
        };
        let root_move = &mut self.root_moves[index];
        root_move.score = root_move
            .known()
            .map_or(finished, |known| known.min(finished));
        root_move.bound = Bound::Upper;
        root_move.depth = self.completed_depth;
        self.root_moves[..=index].rotate_right(1);
    }

    fn set_root_moves(&mut self) {
        let mut list = MoveList::new();
        self.root.moves(&mut list);
        let wanted = &self.shared.limits.search_moves;
        if !wanted.is_empty() {
            list.retain(|mv| wanted.contains(mv));
        }
        // Proven facts put the right moves first but exclude none here, as the
        // user may want to see every line.
        let first: Vec<Move> = match self.root.tactics() {
            Tactics::Win { best, .. } => vec![best],
            Tactics::Only(reply) | Tactics::Within { reply, .. } => reply.to_vec(),
            Tactics::Open | Tactics::Loss { .. } => Vec::new(),
        };
        list.sort_by_key(|mv| !first.contains(mv));
        self.root_moves = list.into_iter().map(RootMove::new).collect();
    }

    /// Whether some root moves are left out: the result is then not the
    /// position's score, and must not be stored as such.
    pub(super) fn is_partial_root(&self) -> bool {
        self.pv_index > 0 || !self.shared.limits.search_moves.is_empty()
    }

    /// Whether the move is still to be ranked in this iteration.
    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..]
            .iter()
            .any(|root| root.mv == mv)
    }

    /// Begins a search of the moves still to be ranked: none has a score yet.
    pub(super) fn begin_pass(&mut self, window: [Score; 2]) {
        for root_move in &mut self.root_moves[self.pv_index..] {
            root_move.forget_score();
        }
        self.root_window = window;
        self.pass_begin = self.shared.control.elapsed();
    }

    /// Puts the best of the moves still to be ranked first. Those without a
    /// score keep their order, as the sort is stable.
    pub(super) fn rank_root_moves(&mut self) {
        self.root_moves[self.pv_index..].sort_by_key(|root_move| -root_move.score);
    }

    /// Records the result of a root move's search.
    pub(super) fn note_root_move(&mut self, mv: Move, score: Score, is_line: bool, nodes: u64) {
        let (select_depth, depth) = (self.select_depth, self.root_depth);
        let [alpha, beta] = self.root_window;
        let Some(root_move) = self.root_moves.iter_mut().find(|root| root.mv == mv) else {
            return;
        };
        root_move.nodes += nodes;
        root_move.loses |= is_loss(score);
        if root_move.exact {
            // The search knows no better.
            root_move.score = root_move.known().unwrap_or(score);
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
            root_move.select_depth = select_depth;
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
        let previous = self.root_moves[self.pv_index].known().unwrap_or(-INFINITE);
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
            self.begin_pass([alpha, beta]);
            let score = self.search::<true>(&root, alpha, beta, searched, 0, false);
            self.rank_root_moves();
            if self.is_aborted {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                fail_highs = 0;
                self.tell_late_line();
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                fail_highs = (fail_highs + 1).min(3);
                self.tell_late_line();
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

    fn tell_late_line(&mut self) {
        if self.shared.control.elapsed() >= LONG_SEARCH {
            self.tell_line(self.pv_index + 1);
        }
    }

    /// In a long search, reports the move that is searched now, by its number in
    /// this pass.
    pub(super) fn report_current(&mut self, mv: Move, number: usize) {
        let now = self.shared.control.elapsed();
        if let Some(report) = &mut self.report
            && now >= LONG_SEARCH
            && (number == 1 || now >= self.pass_begin + LONG_PASS)
        {
            report(Report::Current {
                depth: self.root_depth as u32,
                mv,
                number: (self.pv_index + number) as u32,
            });
        }
    }

    /// Reports the lines, the best first, up to one of which nothing is known.
    fn tell_lines(&mut self, lines: usize) {
        let mut known = self.root_moves[..lines].iter().map(RootMove::known);
        let known = known.position(|score| score.is_none()).unwrap_or(lines);
        for rank in 1..=known {
            self.tell_line(rank);
        }
    }

    /// Reports what is known of the line, if anything.
    fn tell_line(&mut self, rank: usize) {
        let Some(report) = &mut self.report else {
            return;
        };
        let root_move = &self.root_moves[rank - 1];
        let Some(score) = root_move.known() else {
            return;
        };
        let line = LineReport {
            depth: root_move.depth as u32,
            select_depth: root_move.select_depth.max(root_move.line.len()) as u32,
            rank: rank as u32,
            score,
            bound: root_move.bound,
            nodes: self.shared.total_nodes().max(self.nodes),
            hash_full: self.shared.table.permille_full() as u32,
            time: self.shared.control.elapsed(),
            moves: root_move.line.clone(),
        };
        self.reported.truncate(rank - 1);
        self.reported.push(line.clone());
        report(Report::Line(line));
    }

    /// Whether there is no choice: only one move, or only one that does not
    /// lose at once.
    fn has_single_reply(&self) -> bool {
        self.root_moves.len() == 1
            || matches!(self.root.tactics(), Tactics::Only(reply) if reply.len() == 1)
    }

    /// Whether the clock need not run any longer: there is nothing to choose.
    pub(super) fn is_forced(&self, depth: i32) -> bool {
        self.shared.limits.clock.is_some() && depth >= REPLY_DEPTH && self.has_single_reply()
    }

    /// Whether another iteration is not worth its time. Without a proof only
    /// thread 0 decides; the others go on until they are stopped.
    fn is_content(&self, depth: i32, stability: u32) -> bool {
        let shared = self.shared;
        let limits = &shared.limits;
        let lines = shared.multi_pv.min(self.root_moves.len());
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
            let patience = if plies > 0 { 0 } else { LOSS_PATIENCE };
            plies.unsigned_abs() + patience <= depth.unsigned_abs()
        });
        if proven && limits.clock.is_some() && shared.multi_pv == 1 && limits.depth.is_none() {
            return true;
        }
        if !self.is_main() {
            return false;
        }
        if self.is_forced(depth) {
            return true;
        }
        let Some(soft) = shared.deadlines.soft else {
            return false;
        };
        // Less time when one move takes nearly all nodes and stays the best.
        let share = best.nodes as f64 / self.nodes.max(1) as f64;
        let scale = (1.6 - share) * (1.3 - 0.06 * f64::from(stability.min(8)));
        shared.control.thinking_time() >= soft.mul_f64(scale)
    }
}
