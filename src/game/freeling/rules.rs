//! The rules as the search sees them.

use super::board::{EDGES, FILES, SQUARES, beyond_far_wall, rank_before_goal, squares};
use super::explosion::settle;
use super::movegen::PASS;
use super::position::Position;
use crate::base::Side;
use crate::game::zobrist::keys;
use crate::game::{Game, Move, MoveList, Outcome, Tactics};

/// The index of [`PASS`] in tables of moves, the last one.
const PASS_INDEX: usize = 4 * SQUARES as usize;

impl Game for Position {
    const NAME: &'static str = "freeling";
    const MOVE_INDICES: usize = PASS_INDEX + 1;
    const CAN_REPEAT: bool = true;
    /// Passing is a legal move here, so the null move's result is even exact: a
    /// lower bound on the position's value, zugzwang or not.
    const NULL_MOVE: bool = true;

    #[inline]
    fn side_to_move(&self) -> Side {
        self.side
    }
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }
    /// Arrival takes precedence over the other rules: it ended the game when it
    /// happened. Repetitions are not seen here.
    #[inline]
    fn outcome(&self) -> Outcome {
        for side in Side::BOTH {
            if self.has_arrived(side) {
                return Outcome::Win(side);
            }
        }
        if self.can_move() {
            Outcome::Ongoing
        } else {
            Outcome::Win(!self.side)
        }
    }
    #[inline]
    fn moves(&self, list: &mut MoveList) {
        if self.is_decided() {
            return;
        }
        let before = list.len();
        for from in squares(self.pieces(self.side_to_move())) {
            for to in squares(self.targets(from)) {
                list.push(Move::new(from, to));
            }
        }
        // Only a player who could move may pass.
        if list.len() > before {
            list.push(PASS);
        }
    }
    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        if self.is_decided() {
            return false;
        }
        if mv == PASS {
            return self.can_move();
        }
        mv.from() < SQUARES
            && mv.to() < SQUARES
            && self.pieces(self.side_to_move()) >> mv.from() & 1 != 0
            && self.targets(mv.from()) >> mv.to() & 1 != 0
    }
    #[inline]
    fn play(&self, mv: Move) -> Self {
        debug_assert!(self.is_legal(mv));
        let mut next = self.pass();
        next.ply = self.ply.saturating_add(1);
        next.clock = self.clock.saturating_add(1);
        if mv == PASS {
            return next;
        }
        let (own, keys) = (self.side, keys());
        let (from, to) = (1u64 << mv.from(), 1u64 << mv.to());
        let (pieces, pairs) = (self.pieces(own) & !from, self.pairs(own) & !from);
        let pair = self.pairs(own) & from != 0;
        // The target square holds just the moved stack: nothing more to do.
        if to & (pieces | if pair { EDGES } else { 0 }) == 0 {
            next.pieces[own.index()] = pieces | to;
            next.key ^= if pair {
                next.pairs[own.index()] = pairs | to;
                keys.pair(own, mv.from()) ^ keys.pair(own, mv.to())
            } else {
                keys.piece(own, mv.from()) ^ keys.piece(own, mv.to())
            };
            return next;
        }
        let enemy = !own;
        let end = settle(own, (pieces, pairs), self.pieces(enemy), to, pair);
        next.pieces[own.index()] = end.pieces;
        next.pairs[own.index()] = end.pairs;
        next.pieces[enemy.index()] &= !end.taken;
        next.pairs[enemy.index()] &= !end.taken;
        for side in Side::BOTH {
            next.key ^= self.key_change(&next, side);
        }
        if Side::BOTH
            .into_iter()
            .any(|side| next.count(side) < self.count(side))
        {
            next.clock = 0;
        }
        next
    }
    #[inline]
    fn pass(&self) -> Self {
        let mut next = *self;
        next.side = !self.side;
        next.key ^= keys().side();
        next
    }
    #[inline]
    fn tactics(&self) -> Tactics {
        if let Some(best) = self.win_in_one() {
            return Tactics::Win { plies: 1, best };
        }
        let enemy = !self.side_to_move();
        if self.pieces(enemy) & rank_before_goal(enemy, 1) != 0
            && self.pass().win_in_one().is_some()
        {
            return self.answer_to_threat();
        }
        Tactics::Open
    }
    #[inline]
    fn is_capture(&self, mv: Move) -> bool {
        let enemy = !self.side_to_move();
        self.explodes(mv) && self.play(mv).pieces(enemy) != self.pieces(enemy)
    }
    /// The moves that capture or bring pieces past the far wall: the explosions
    /// whose effect a static evaluation cannot see.
    fn noisy_moves(&self, list: &mut MoveList) {
        for from in squares(self.pieces(self.side_to_move())) {
            for to in squares(self.explosive_targets(from)) {
                let mv = Move::new(from, to);
                if self.exchange(mv) > 0 || self.is_capture(mv) {
                    list.push(mv);
                }
            }
        }
    }
    /// By target square and direction. No two legal moves share one, as only
    /// the nearest stack on a diagonal can reach a square.
    #[inline]
    fn move_index(&self, mv: Move) -> usize {
        if mv == PASS {
            return PASS_INDEX;
        }
        let (from, to) = (mv.from() % SQUARES, mv.to() % SQUARES);
        let way = 2 * usize::from(to > from) + usize::from(to % FILES > from % FILES);
        4 * usize::from(to) + way
    }
    /// The pieces that the move takes less those it loses, plus one if it brings
    /// pieces past the far wall; recaptures are not considered.
    #[inline]
    fn exchange(&self, mv: Move) -> i32 {
        if !self.explodes(mv) {
            return 0;
        }
        let (own, enemy) = (self.side_to_move(), !self.side_to_move());
        let next = self.play(mv);
        let lost = |side| (self.count(side) - next.count(side)) as i32;
        let beyond = beyond_far_wall(own);
        let crosses = next.pieces(own) & !self.pieces(own) & beyond != 0;
        lost(enemy) - lost(own) + i32::from(crosses)
    }
    #[inline]
    fn urgency(&self, mv: Move) -> i32 {
        // Explosions on the far wall and beyond are the way to the goal.
        let near = beyond_far_wall(self.side_to_move()) | rank_before_goal(self.side_to_move(), 2);
        let explodes = self.explodes(mv);
        i32::from(explodes) + i32::from(explodes && near >> mv.to() & 1 != 0)
    }
    #[inline]
    fn structure_key(&self) -> u64 {
        // How many pieces each side has, and where the pairs are.
        let pieces = |side| u64::from(self.count(side));
        let pairs = |side| self.pairs(side).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (pieces(Side::White) * 64 + pieces(Side::Black))
            ^ pairs(Side::White)
            ^ pairs(Side::Black).rotate_left(17)
    }
    #[inline]
    fn count_moves(&self) -> u64 {
        if self.is_decided() {
            return 0;
        }
        let moves: u32 = squares(self.pieces(self.side_to_move()))
            .map(|from| self.targets(from).count_ones())
            .sum();
        u64::from(moves + u32::from(moves > 0))
    }
}
