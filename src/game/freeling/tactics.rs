//! What the rules prove without search: a win in one, by a move or by an
//! explosion, and the answers to the threat of one.
//!
//! The facts are about the position alone. A third occurrence could still save
//! a side that they call lost, but only if its enemy had passed up a win in one
//! twice before.

use super::board::{goal, rank_before_goal, squares};
use super::position::Position;
use crate::game::{Game as _, Move, MoveList, Reply, Tactics};

impl Position {
    /// A move that wins at once.
    #[inline]
    pub(super) fn win_in_one(&self) -> Option<Move> {
        let side = self.side_to_move();
        let near = self.pieces(side) & rank_before_goal(side, 1);
        let free = goal(side) & !self.pieces(!side);
        if near == 0 || free == 0 {
            return None;
        }
        self.step_to_goal(near).or_else(|| self.explosion_to_goal())
    }

    /// A move onto the goal: it can only come from the rank before it, as the
    /// far wall stops all others.
    #[inline]
    fn step_to_goal(&self, near: u64) -> Option<Move> {
        let goal = goal(self.side_to_move());
        squares(near).find_map(|from| {
            let to = self.targets(from) & goal;
            (to != 0).then(|| Move::new(from, to.trailing_zeros() as u8))
        })
    }

    /// An explosion that shoots a piece onto the goal. No move leads to the rank
    /// before the goal, so a square there explodes only if pieces stand on that
    /// rank already, or after several explosions below it: that rare case is
    /// left to the search.
    #[inline]
    fn explosion_to_goal(&self) -> Option<Move> {
        let side = self.side_to_move();
        for from in squares(self.pieces(side)) {
            for to in squares(self.explosive_targets(from)) {
                let mv = Move::new(from, to);
                if self.play(mv).has_arrived(side) {
                    return Some(mv);
                }
            }
        }
        None
    }

    /// Against an enemy that threatens to win: the moves after which it does
    /// not win at once.
    pub(super) fn answer_to_threat(&self) -> Tactics {
        let mut list = MoveList::new();
        self.moves(&mut list);
        let mut replies = Reply::new();
        for mv in list {
            let next = self.play(mv);
            if next.has_arrived(self.side_to_move()) {
                return Tactics::Win { plies: 1, best: mv };
            }
            if next.win_in_one().is_none() && replies.try_push(mv).is_err() {
                return Tactics::Open;
            }
        }
        if replies.is_empty() {
            Tactics::Loss { plies: 2 }
        } else {
            Tactics::Only(replies)
        }
    }
}
