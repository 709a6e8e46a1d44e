//! Exact distances. The wins and losses of the playing search are real, but it
//! skips moves that might end the game sooner. Here all moves are searched
//! ([`exact`](super::exact)) for a decision within so many plies, one ply count
//! after another, so the first one found is the shortest.
//!
//! Used where only the distance is left to find (a proven root score), and by
//! `go mate`. The shortest win never reaches a position twice, so the only
//! repetitions that matter are those prepared by the game: a position that has
//! occurred twice before is a draw.

use super::root::LOSS_PATIENCE;
use super::tt::Bound;
use super::worker::Worker;
use crate::base::{MATE, Score, loss_in, mate_plies, win_in};
use crate::eval::Evaluator;
use crate::game::Game;

/// Nodes that the distance may always cost, however few the search took.
const LEAST_ALLOWANCE: u64 = 1 << 18;

/// With a depth limit, the distance may cost this many times the search's nodes.
const DEPTH_ALLOWANCE: u64 = 4;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// After an iteration: makes the distances of the proven root scores exact
    /// as far as the allowance goes, and under `go mate` looks for what the
    /// iteration missed.
    pub(super) fn settle(&mut self, lines: usize) {
        if !self.is_main() {
            return;
        }
        let before = self.nodes;
        if let Some(moves) = self.shared.limits.mate {
            self.exact_limit = u64::MAX;
            let last = moves.saturating_mul(2).min(self.root_depth as u32);
            self.look_for_mate(last);
        }
        self.exact_limit = self.nodes.saturating_add(self.allowance());
        for index in 0..lines {
            let root_move = &self.root_moves[index];
            if root_move.exact || self.is_aborted {
                continue;
            }
            match mate_plies(root_move.score) {
                Some(plies) if plies > 0 => self.settle_win(index, plies as u32),
                Some(plies) if plies < 0 && !self.may_last_longer(plies) => {
                    self.settle_loss(index, plies.unsigned_abs());
                }
                _ => {}
            }
        }
        self.exact_nodes += self.nodes - before;
    }

    /// Whether the search should go on looking for longer resistance to a loss,
    /// as its nodes or time are limited.
    fn may_last_longer(&self, plies: i32) -> bool {
        let limits = &self.shared.limits;
        (limits.nodes.is_some() || limits.move_time.is_some())
            && plies.unsigned_abs() + LOSS_PATIENCE > self.root_depth.unsigned_abs()
    }

    /// How many nodes exact distances may cost now. None in a game on the
    /// clock, where any win will do.
    fn allowance(&self) -> u64 {
        let (limits, control) = (&self.shared.limits, &self.shared.control);
        let searched = self.nodes - self.exact_nodes;
        if limits.infinite || control.is_pondering() {
            self.nodes.max(LEAST_ALLOWANCE)
        } else if limits.clock.is_some() {
            0
        } else if limits.depth.is_some() {
            let all = searched.saturating_mul(DEPTH_ALLOWANCE);
            all.max(LEAST_ALLOWANCE).saturating_sub(self.exact_nodes)
        } else {
            self.nodes.max(LEAST_ALLOWANCE)
        }
    }

    /// The move at `index` wins within `plies`: does it, or one ranked below it,
    /// win sooner?
    fn settle_win(&mut self, index: usize, plies: u32) {
        for within in (1..plies.saturating_sub(1)).step_by(2) {
            match self.find_win(index, within) {
                Some(false) => {}
                Some(true) | None => return,
            }
        }
        self.root_moves[index].exact = true;
    }

    /// Looks for a root move from `index` on that wins within `plies`, sooner
    /// being ruled out, and moves it to `index`. `None` if left undecided.
    fn find_win(&mut self, index: usize, plies: u32) -> Option<bool> {
        for at in index..self.root_moves.len() {
            let root_move = &self.root_moves[at];
            if root_move.exact || root_move.not_won >= plies {
                continue;
            }
            let mv = root_move.mv;
            if self.wins_by(&self.root.clone(), mv, plies)? {
                self.root_moves[index..=at].rotate_right(1);
                self.set_exact(index, win_in(plies as usize));
                return Some(true);
            }
            self.root_moves[at].not_won = plies;
        }
        Some(false)
    }

    /// All moves from `index` on lose within `plies`: which of them lasts
    /// longest, and how long?
    fn settle_loss(&mut self, index: usize, plies: u32) {
        for at in index..self.root_moves.len() {
            let Some(length) = self.length_of_loss(at, plies) else {
                return;
            };
            if length == plies {
                self.root_moves[index..=at].rotate_right(1);
                self.set_exact(index, loss_in(plies as usize));
                return;
            }
        }
        // They all lose sooner than the search believed.
        let longest = (index..self.root_moves.len()).max_by_key(|&at| {
            let root_move = &self.root_moves[at];
            (root_move.lost, std::cmp::Reverse(at))
        });
        if let Some(at) = longest {
            let length = self.root_moves[at].lost;
            self.root_moves[index..=at].rotate_right(1);
            self.set_exact(index, loss_in(length as usize));
        }
    }

    /// The exact length of a root move's loss that is within `plies`.
    fn length_of_loss(&mut self, at: usize, plies: u32) -> Option<u32> {
        let most = self.root_moves[at].lost.min(plies);
        for within in (2..most.saturating_sub(1)).step_by(2) {
            if self.loses_within(at, within)? {
                return Some(within);
            }
        }
        self.root_moves[at].lost = most;
        Some(most)
    }

    /// Whether the root move loses within `plies`.
    fn loses_within(&mut self, at: usize, plies: u32) -> Option<bool> {
        let root_move = &self.root_moves[at];
        if root_move.lost <= plies || root_move.not_lost >= plies {
            return Some(root_move.lost <= plies);
        }
        let mv = root_move.mv;
        let lost = self.loses_by(&self.root.clone(), mv, plies)?;
        let root_move = &mut self.root_moves[at];
        if lost {
            root_move.lost = plies;
        } else {
            root_move.not_lost = plies;
        }
        Some(lost)
    }

    /// Looks for a win or a loss of the root within `last` plies, shortest
    /// first, unless one is already proven.
    fn look_for_mate(&mut self, last: u32) {
        for plies in self.mate_depth + 1..=last {
            let proven = mate_plies(self.root_moves[0].score);
            if proven.is_some_and(|length| length.unsigned_abs() <= plies) {
                return;
            }
            let is_win = plies % 2 == 1;
            let is_decided = if proven.is_some_and(|length| (length > 0) != is_win) {
                Some(false)
            } else if is_win {
                self.find_win(0, plies)
            } else {
                self.find_loss(plies)
            };
            match is_decided {
                Some(false) => self.mate_depth = plies,
                Some(true) | None => return,
            }
        }
    }

    /// Whether all root moves lose within `plies`, sooner being ruled out; if
    /// so, the one that lasts longest is put first.
    fn find_loss(&mut self, plies: u32) -> Option<bool> {
        for at in 0..self.root_moves.len() {
            if !self.loses_within(at, plies)? {
                return Some(false);
            }
        }
        self.settle_loss(0, plies);
        Some(true)
    }

    /// Gives the root move an exact score and a line to match.
    fn set_exact(&mut self, index: usize, score: Score) {
        let root_move = &mut self.root_moves[index];
        root_move.exact = true;
        if root_move.known() == Some(score) {
            root_move.score = score;
            return;
        }
        root_move.score = score;
        root_move.bound = Bound::Exact;
        root_move.depth = self.root_depth;
        let mv = root_move.mv;
        let line = self.exact_line(mv, (MATE - score.abs()) as u32);
        self.root_moves[index].line = line;
    }
}
