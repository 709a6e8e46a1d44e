//! The search for exact distances: all moves for a decision within so many
//! plies, nothing skipped.

use super::picker::{Hints, Picker};
use super::tt::{Bound, Entry, NO_EVAL};
use super::worker::Worker;
use crate::base::{MAX_PLY, PvLine, Score, loss_in, win_in};
use crate::eval::Evaluator;
use crate::game::{Game, Move, MoveList, Outcome, Tactics};

/// Exact results live in the shared table under keys of their own, because the
/// playing search's mate scores are not exact.
const KEY_SALT: u64 = 0x6a09_e667_f3bc_c909;

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// A line of this many plies that begins with the move: the winner plays
    /// the quickest moves, the loser those that last longest. It ends early if
    /// the allowance runs out.
    pub(super) fn exact_line(&mut self, first: Move, mut plies: u32) -> PvLine<Move> {
        let mut line: PvLine<Move> = std::iter::once(first).collect();
        let mut position = self.root.play(first);
        plies -= 1;
        while plies > 0 && !line.is_full() && position.outcome() == Outcome::Ongoing {
            let mut list = MoveList::new();
            position.moves(&mut list);
            let next = list.into_iter().find(|&mv| {
                let fits = if plies % 2 == 1 {
                    self.wins_by(&position, mv, plies)
                } else {
                    self.loses_by(&position, mv, plies - 2).map(|lost| !lost)
                };
                fits == Some(true)
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

    /// Whether the move wins within `plies` plies, counting itself.
    pub(super) fn wins_by(&mut self, position: &G, mv: Move, plies: u32) -> Option<bool> {
        let child = position.play(mv);
        match child.outcome() {
            Outcome::Win(side) => Some(side == position.side_to_move()),
            Outcome::Draw => Some(false),
            Outcome::Ongoing if plies < 3 || self.is_drawn(&child) => Some(false),
            Outcome::Ongoing => self.is_lost(&child, plies - 1),
        }
    }

    /// Whether the enemy wins within `plies` plies after the move, counting
    /// the move.
    pub(super) fn loses_by(&mut self, position: &G, mv: Move, plies: u32) -> Option<bool> {
        let child = position.play(mv);
        match child.outcome() {
            Outcome::Win(side) => Some(side != position.side_to_move()),
            Outcome::Draw => Some(false),
            Outcome::Ongoing if plies < 2 || self.is_drawn(&child) => Some(false),
            Outcome::Ongoing => self.is_won(&child, plies - 1),
        }
    }

    /// Whether the side to move wins within `plies` plies, an odd number.
    /// `None` if left undecided.
    fn is_won(&mut self, position: &G, plies: u32) -> Option<bool> {
        if self.enter_exact() {
            return None;
        }
        if plies as usize >= MAX_PLY
            || position.least_moves_to_win(position.side_to_move()) > plies.div_ceil(2)
        {
            return Some(false);
        }
        let mut list = MoveList::new();
        match self.facts(position) {
            Tactics::Win { plies: most, .. } if u32::from(most) <= plies => return Some(true),
            Tactics::Loss { .. } => return Some(false),
            Tactics::Only(reply) | Tactics::Within { reply, .. } => list.extend(reply),
            Tactics::Win { .. } | Tactics::Open => position.moves(&mut list),
        }
        let key = self.exact_key(position);
        let entry = self.shared.table.probe(key, 0);
        match entry {
            Some(entry) if entry.bound == Bound::Lower && entry.score >= win_in(plies as usize) => {
                return Some(true);
            }
            Some(entry) if entry.bound == Bound::Upper && entry.score < win_in(plies as usize) => {
                return Some(false);
            }
            _ => {}
        }
        let mut picker = self.picker(position, &list, entry, plies);
        let winner = loop {
            let Some((mv, _)) = picker.next(position, self.histories, &self.shared.params) else {
                break Move::NONE;
            };
            if self.wins_by(position, mv, plies)? {
                break mv;
            }
        };
        if winner.is_some() {
            self.store_exact(key, winner, win_in(plies as usize), Bound::Lower, plies);
        } else {
            let sooner_is_out = win_in(plies as usize + 2);
            self.store_exact(key, winner, sooner_is_out, Bound::Upper, plies);
        }
        Some(winner.is_some())
    }

    /// Whether the side to move loses within `plies` plies, an even number,
    /// whatever it plays. `None` if left undecided.
    fn is_lost(&mut self, position: &G, plies: u32) -> Option<bool> {
        if self.enter_exact() {
            return None;
        }
        if plies as usize >= MAX_PLY
            || position.least_moves_to_win(!position.side_to_move()) > plies / 2
        {
            return Some(false);
        }
        let mut list = MoveList::new();
        match self.facts(position) {
            Tactics::Loss { plies: most } if u32::from(most) <= plies => return Some(true),
            Tactics::Win { .. } => return Some(false),
            Tactics::Only(reply) => list.extend(reply),
            Tactics::Within { reply, plies: most } if u32::from(most) <= plies => {
                list.extend(reply);
            }
            Tactics::Within { .. } | Tactics::Loss { .. } | Tactics::Open => {
                position.moves(&mut list);
            }
        }
        let key = self.exact_key(position);
        let entry = self.shared.table.probe(key, 0);
        match entry {
            Some(entry)
                if entry.bound == Bound::Upper && entry.score <= loss_in(plies as usize) =>
            {
                return Some(true);
            }
            Some(entry) if entry.bound == Bound::Lower && entry.score > loss_in(plies as usize) => {
                return Some(false);
            }
            _ => {}
        }
        let mut picker = self.picker(position, &list, entry, plies);
        let saver = loop {
            let Some((mv, _)) = picker.next(position, self.histories, &self.shared.params) else {
                break Move::NONE;
            };
            if !self.loses_by(position, mv, plies)? {
                break mv;
            }
        };
        if saver.is_some() {
            let later = loss_in(plies as usize + 2);
            self.store_exact(key, saver, later, Bound::Lower, plies);
        } else {
            self.store_exact(key, saver, loss_in(plies as usize), Bound::Upper, plies);
        }
        Some(saver.is_none())
    }

    /// Whether reaching the position now would be its third occurrence.
    #[inline]
    fn is_drawn(&self, position: &G) -> bool {
        G::CAN_REPEAT && self.drawn.contains(&position.key())
    }

    /// What the rules prove. Where a repetition could draw, only a win in one
    /// is certain.
    #[inline]
    pub(super) fn facts(&self, position: &G) -> Tactics {
        match position.tactics() {
            facts @ Tactics::Win { plies: 1, .. } => facts,
            _ if G::CAN_REPEAT && !self.drawn.is_empty() => Tactics::Open,
            facts => facts,
        }
    }

    /// The key of exact results in the table.
    #[inline]
    fn exact_key(&self, position: &G) -> u64 {
        self.table_key(position) ^ KEY_SALT
    }

    /// Counts a node; `true` if the question must be left undecided.
    #[inline]
    fn enter_exact(&mut self) -> bool {
        self.nodes >= self.exact_limit || self.enter_node()
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

    fn store_exact(&self, key: u64, best: Move, score: Score, bound: Bound, plies: u32) {
        let entry = Entry {
            best,
            score,
            eval: NO_EVAL,
            depth: plies as i32,
            bound,
            was_pv: false,
        };
        self.shared.table.store(key, 0, entry);
    }
}
