//! Exact distances. The wins and losses of the playing search are real, but it
//! skips moves that might end the game sooner. Here all moves are searched, nothing
//! skipped, for a decision within one ply, then two and so on, so the first one found is
//! the shortest.
//!
//! Used where only the distance is left to find (a proven root score), and by
//! `go mate`. The shortest win never reaches a position twice, so the only
//! repetitions that matter are those prepared by the game: a position that has
//! occurred twice before is a draw.

use super::picker::{Hints, Picker};
use super::root::LOSS_EXTRA_DEPTH;
use super::tt::{Bound, Entry, NO_EVAL};
use super::worker::Worker;
use crate::base::{MATE, MAX_PLY, PvLine, Score, Side, is_loss, loss_in, mate_plies, win_in};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveList, Outcome, Tactics};

/// Nodes that the distance may always cost, however few the search took.
const MIN_ALLOWANCE: u64 = 1 << 18;

/// With a depth limit, the distance may cost this many times the search's nodes.
const DEPTH_ALLOWANCE: u64 = 4;

/// Exact results live in the shared table under keys of their own, because the
/// playing search's mate scores are not exact.
const KEY_SALT: u64 = 0x6a09_e667_f3bc_c909;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// After an iteration: makes the distances of the proven root scores exact
    /// as far as the allowance goes, and under `go mate` looks for what the
    /// iteration missed.
    pub(super) fn resolve_distances(&mut self, lines: usize) {
        if !self.is_main() {
            return;
        }
        let before = self.nodes;
        if let Some(moves) = self.shared.options.limits.mate {
            self.distances.limit = u64::MAX;
            let last = moves.saturating_mul(2).min(self.root_depth as u32);
            self.look_for_mate(last);
        }
        self.distances.limit = self.nodes.saturating_add(self.allowance());
        for index in 0..lines {
            let root_move = &self.root_moves[index];
            if root_move.exact || self.is_aborted {
                continue;
            }
            match mate_plies(root_move.score) {
                Some(plies) if plies > 0 => self.resolve_win(index, plies as u32),
                Some(plies) if plies < 0 && !self.may_last_longer(plies) => {
                    // Others may have been put before this line since it was searched,
                    // and a move after it may last longer than its own.
                    if let Some(loss) = self.claim_of_loss(index) {
                        self.resolve_loss(index, (MATE + loss) as u32);
                    }
                }
                _ => {}
            }
        }
        self.distances.nodes += self.nodes - before;
    }

    /// Whether the search should go on looking for longer resistance to a loss,
    /// as its nodes or time are limited.
    fn may_last_longer(&self, plies: i32) -> bool {
        let limits = &self.shared.options.limits;
        (limits.nodes.is_some() || limits.move_time.is_some())
            && plies.unsigned_abs() + LOSS_EXTRA_DEPTH > self.root_depth.unsigned_abs()
    }

    /// How many nodes exact distances may cost now. None in a game on the
    /// clock, where any win will do.
    fn allowance(&self) -> u64 {
        let (limits, control) = (&self.shared.options.limits, &self.shared.control);
        let searched = self.nodes - self.distances.nodes;
        if limits.infinite || control.is_pondering() {
            self.nodes.max(MIN_ALLOWANCE)
        } else if limits.clock.is_some() {
            0
        } else if limits.depth.is_some() {
            let all = searched.saturating_mul(DEPTH_ALLOWANCE);
            all.max(MIN_ALLOWANCE).saturating_sub(self.distances.nodes)
        } else {
            self.nodes.max(MIN_ALLOWANCE)
        }
    }

    /// The move at `index` wins within `plies`: does it, or one ranked below it,
    /// win sooner?
    fn resolve_win(&mut self, index: usize, plies: u32) {
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
            let root = self.root.clone();
            if self.wins_after(&root, mv, plies, root.side_to_move())? {
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
    fn resolve_loss(&mut self, index: usize, plies: u32) {
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
        let longest = self.root_moves[at].lost.min(plies);
        for within in (2..longest.saturating_sub(1)).step_by(2) {
            if self.root_move_loses_within(at, within)? {
                return Some(within);
            }
        }
        self.root_moves[at].lost = longest;
        Some(longest)
    }

    /// Whether the root move loses within `plies`.
    fn root_move_loses_within(&mut self, at: usize, plies: u32) -> Option<bool> {
        let root_move = &self.root_moves[at];
        if root_move.lost <= plies || root_move.not_lost >= plies {
            return Some(root_move.lost <= plies);
        }
        let mv = root_move.mv;
        let root = self.root.clone();
        let lost = self.wins_after(&root, mv, plies, !root.side_to_move())?;
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
        for plies in self.distances.mate_depth + 1..=last {
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
                Some(false) => self.distances.mate_depth = plies,
                Some(true) | None => return,
            }
        }
    }

    /// Whether all root moves lose within `plies`, sooner being ruled out; if
    /// so, the one that lasts longest is put first.
    fn find_loss(&mut self, plies: u32) -> Option<bool> {
        for at in 0..self.root_moves.len() {
            if !self.root_move_loses_within(at, plies)? {
                return Some(false);
            }
        }
        self.resolve_loss(0, plies);
        Some(true)
    }

    /// Gives the root move an exact score and a line to match.
    fn set_exact(&mut self, index: usize, score: Score) {
        let depth = self.root_depth;
        let root_move = &mut self.root_moves[index];
        let plies = (MATE - score.abs()) as u32;
        let has_line = root_move.last_score() == Some(score);
        root_move.exact = true;
        root_move.score = score;
        root_move.bound = Bound::Exact;
        root_move.depth = depth;
        if is_loss(score) {
            root_move.lost = plies;
        }
        if !has_line {
            let mv = root_move.mv;
            self.root_moves[index].line = self.exact_line(mv, plies);
        }
    }

    /// A line of this many plies that begins with the move: the winner plays
    /// the quickest moves, the loser those that last longest. It ends early if
    /// the allowance runs out.
    fn exact_line(&mut self, first: Move, mut plies: u32) -> PvLine<Move> {
        let mut line: PvLine<Move> = std::iter::once(first).collect();
        let mut position = self.root.play(first);
        plies -= 1;
        while plies > 0 && !line.is_full() && position.outcome() == Outcome::Ongoing {
            let mut list = MoveList::new();
            position.moves(&mut list);
            let next = list.into_iter().find(|&mv| {
                let side = position.side_to_move();
                if plies % 2 == 1 {
                    self.wins_after(&position, mv, plies, side) == Some(true)
                } else {
                    self.wins_after(&position, mv, plies - 2, !side) == Some(false)
                }
            });
            let Some(mv) = next else {
                break;
            };
            line.push(mv);
            position = position.play(mv);
            plies -= 1;
        }
        line
    }

    /// Whether `winner` wins within `plies` plies, counting the move: an odd number if
    /// it is to move here, else an even one. `None` if left undecided.
    fn wins_after(&mut self, position: &G, mv: Move, plies: u32, winner: Side) -> Option<bool> {
        let child = position.play(mv);
        match child.outcome() {
            Outcome::Win(side) => Some(side == winner),
            Outcome::Draw => Some(false),
            Outcome::Ongoing if plies < 2 || self.is_drawn(&child) => Some(false),
            Outcome::Ongoing => self.wins_within(&child, plies - 1, winner),
        }
    }

    /// As [`Worker::wins_after`], of the best moves from this position on.
    fn wins_within(&mut self, position: &G, plies: u32, winner: Side) -> Option<bool> {
        if self.enter_exact() {
            return None;
        }
        if plies as usize >= MAX_PLY || position.least_moves_to_win(winner) > plies.div_ceil(2) {
            return Some(false);
        }
        let attacks = winner == position.side_to_move();
        let mut list = MoveList::new();
        let is_in_time = |within: u8| u32::from(within) <= plies;
        match self.tactics_here(position) {
            Tactics::Win { plies, .. } if !attacks || is_in_time(plies) => return Some(attacks),
            Tactics::Loss { plies } if attacks || is_in_time(plies) => return Some(!attacks),
            Tactics::Only(replies) => list.extend(replies),
            // By the others, whoever is to lose may last longer.
            Tactics::OthersLose { replies, plies } if attacks || is_in_time(plies) => {
                list.extend(replies);
            }
            _ => position.moves(&mut list),
        }
        let score_in = if attacks { win_in } else { loss_in };
        // The side to move seeks this score: a win in time, or a loss that is too late.
        let sought = score_in(plies as usize) + Score::from(!attacks);
        let key = self.exact_key(position);
        let entry = self.shared.table.probe(key, 0);
        if let Some(entry) = entry
            && entry.bound.cuts_off(entry.score, sought)
        {
            return Some((entry.score >= sought) == attacks);
        }
        let mut picker = self.picker(position, &list, entry, plies);
        let best = loop {
            let Some((mv, _)) = picker.next(position, self.histories, &self.shared.params) else {
                break Move::NONE;
            };
            if self.wins_after(position, mv, plies, winner)? == attacks {
                break mv;
            }
        };
        let wins = best.is_some() == attacks;
        let bound = if best.is_some() {
            Bound::Lower
        } else {
            Bound::Upper
        };
        // If it is not won in time, it takes two plies more at least.
        let end = if wins { plies } else { plies + 2 };
        let entry = Entry {
            best,
            score: score_in(end as usize),
            eval: NO_EVAL,
            depth: plies as i32,
            bound,
            was_pv: false,
        };
        self.shared.table.store(key, 0, entry);
        Some(wins)
    }

    /// The key of exact results in the table.
    #[inline]
    fn exact_key(&self, position: &G) -> u64 {
        self.table_key(position) ^ KEY_SALT
    }

    /// Counts a node; `true` if the question must be left undecided.
    #[inline]
    fn enter_exact(&mut self) -> bool {
        self.nodes >= self.distances.limit || self.enter_node()
    }

    /// Ranks the moves, only roughly in the last two plies.
    #[inline]
    fn picker<'m>(
        &self,
        position: &G,
        list: &'m MoveList,
        entry: Option<Entry>,
        plies: u32,
    ) -> Picker<'m> {
        let table = entry.map_or(Move::NONE, |entry| entry.best);
        if plies > 2 {
            let hints = Hints {
                table,
                ..Hints::default()
            };
            Picker::new(list, hints)
        } else {
            Picker::rough(position, list, table)
        }
    }
}
