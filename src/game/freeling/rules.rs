//! The rules as the search sees them.

use super::board::{
    EDGES, FILES, SQUARES, beyond_far_wall, capacity, goal, rank_before_goal, slides, squares,
};
use super::explosion::resolve;
use super::position::Position;
use crate::base::Side;
use crate::game::zobrist::keys;
use crate::game::{Game, Move, MoveList, Outcome, Replies, Tactics};

/// Passing, the one move not named by two squares.
pub const PASS: Move = Move::new(127, 127);

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
        let end = resolve(own, (pieces, pairs), self.pieces(enemy), to, pair);
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
        if let Some(first) = self.win_in_one() {
            return Tactics::Win { plies: 1, first };
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

impl Position {
    /// Where the mover's stack on `square` can go.
    #[inline]
    pub(super) fn targets(&self, square: u8) -> u64 {
        slides(self.side_to_move(), square, self.occupied()) & !self.pieces(!self.side_to_move())
    }

    /// Whether a stack of the side to move can move; the game must not be
    /// decided.
    #[inline]
    fn can_move(&self) -> bool {
        squares(self.pieces(self.side_to_move())).any(|square| self.targets(square) != 0)
    }

    /// The squares where the mover's stack on `from` would explode.
    #[inline]
    fn explosive_targets(&self, from: u8) -> u64 {
        let own = self.side_to_move();
        let full = if self.pairs(own) >> from & 1 == 0 {
            self.pieces(own) & (EDGES | self.pairs(own))
        } else {
            self.pieces(own) | EDGES
        };
        full & self.targets(from) & !goal(own)
    }

    /// Whether the legal move makes a square explode.
    #[inline]
    pub(crate) fn explodes(&self, mv: Move) -> bool {
        if mv == PASS || goal(self.side_to_move()) >> mv.to() & 1 != 0 {
            return false;
        }
        let pieces = |square| {
            let (pieces, pairs) = (
                self.pieces(self.side_to_move()),
                self.pairs(self.side_to_move()),
            );
            (pieces >> square & 1) + (pairs >> square & 1)
        };
        pieces(mv.from()) + pieces(mv.to()) > u64::from(capacity(mv.to()))
    }
}

// What the rules prove without search: a win in one, by a move or by an
// explosion, and the answers to the threat of one.
//
// The facts are about the position alone. A third occurrence could still save
// a side that they call lost, but only if its enemy had passed up a win in one
// twice before.
impl Position {
    /// A move that wins at once.
    #[inline]
    fn win_in_one(&self) -> Option<Move> {
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
    fn answer_to_threat(&self) -> Tactics {
        let mut list = MoveList::new();
        self.moves(&mut list);
        let mut replies = Replies::new();
        for mv in list {
            let next = self.play(mv);
            if next.has_arrived(self.side_to_move()) {
                return Tactics::Win {
                    plies: 1,
                    first: mv,
                };
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
