//! Move generation.

use super::board::{BOARD, EDGES, FILES, SQUARES, capacity, goal, slides, squares};
use super::position::Position;
use crate::base::Side;
use crate::game::{Game as _, Move, MoveList};

/// Passing, the one move that no two squares name.
pub const PASS: Move = Move::new(127, 127);

impl Position {
    /// Where the mover's stack on `square` can go.
    #[inline]
    pub(super) fn targets(&self, square: u8) -> u64 {
        slides(self.side_to_move(), square, self.occupied()) & !self.men(!self.side_to_move())
    }

    /// Whether a stack of the side to move can move; the game must not be
    /// decided.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        squares(self.men(self.side_to_move())).any(|square| self.targets(square) != 0)
    }

    /// Appends all legal moves.
    #[inline]
    pub(super) fn generate(&self, list: &mut MoveList) {
        if self.is_decided() {
            return;
        }
        let before = list.len();
        for from in squares(self.men(self.side_to_move())) {
            for to in squares(self.targets(from)) {
                list.push(Move::new(from, to));
            }
        }
        // Passing is for a player who could move.
        if list.len() > before {
            list.push(PASS);
        }
    }

    /// The number of legal moves, without making them.
    #[inline]
    pub(super) fn count_legal(&self) -> u64 {
        if self.is_decided() {
            return 0;
        }
        let moves: u32 = squares(self.men(self.side_to_move()))
            .map(|from| self.targets(from).count_ones())
            .sum();
        u64::from(moves + u32::from(moves > 0))
    }

    /// Whether any value of a move is legal here.
    #[inline]
    pub(super) fn is_legal_move(&self, mv: Move) -> bool {
        if self.is_decided() {
            return false;
        }
        if mv == PASS {
            return self.can_move();
        }
        mv.from() < SQUARES
            && mv.to() < SQUARES
            && self.men(self.side_to_move()) >> mv.from() & 1 != 0
            && self.targets(mv.from()) >> mv.to() & 1 != 0
    }

    /// The squares where the mover's stack on `from` would explode.
    #[inline]
    pub(super) fn explosive_targets(&self, from: u8) -> u64 {
        let own = self.side_to_move();
        let full = if self.pairs(own) >> from & 1 == 0 {
            self.men(own) & (EDGES | self.pairs(own))
        } else {
            self.men(own) | EDGES
        };
        full & self.targets(from) & !goal(own)
    }

    /// Whether the legal move makes a square explode.
    #[inline]
    #[must_use]
    pub fn explodes(&self, mv: Move) -> bool {
        if mv == PASS || goal(self.side_to_move()) >> mv.to() & 1 != 0 {
            return false;
        }
        let men = |square| {
            let (men, pairs) = (
                self.men(self.side_to_move()),
                self.pairs(self.side_to_move()),
            );
            (men >> square & 1) + (pairs >> square & 1)
        };
        men(mv.from()) + men(mv.to()) > u64::from(capacity(mv.to()))
    }

    /// Appends the moves that take something or bring men past the far wall:
    /// those explosions whose effect a glance at the position cannot see.
    pub(super) fn generate_noisy(&self, list: &mut MoveList) {
        for from in squares(self.men(self.side_to_move())) {
            for to in squares(self.explosive_targets(from)) {
                let mv = Move::new(from, to);
                if self.gain(mv) > 0 || self.is_taking(mv) {
                    list.push(mv);
                }
            }
        }
    }

    /// Whether the legal move takes something.
    #[inline]
    pub(super) fn is_taking(&self, mv: Move) -> bool {
        let enemy = !self.side_to_move();
        self.explodes(mv) && self.play(mv).men(enemy) != self.men(enemy)
    }

    /// An index for tables of moves: where to, and which way. No two legal
    /// moves share one, as of the stacks on one diagonal only the next to a
    /// square can go there.
    #[inline]
    pub(super) fn index_of(mv: Move) -> usize {
        if mv == PASS {
            return PASS_INDEX;
        }
        let (from, to) = (mv.from() % SQUARES, mv.to() % SQUARES);
        let way = 2 * usize::from(to > from) + usize::from(to % FILES > from % FILES);
        4 * usize::from(to) + way
    }

    /// The men that the legal move takes less those it loses, and one more if
    /// it brings men past the far wall.
    #[inline]
    pub(super) fn gain(&self, mv: Move) -> i32 {
        if !self.explodes(mv) {
            return 0;
        }
        let (own, enemy) = (self.side_to_move(), !self.side_to_move());
        let next = self.play(mv);
        let lost = |side| (self.count(side) - next.count(side)) as i32;
        let beyond = beyond_far_wall(own);
        let crosses = next.men(own) & !self.men(own) & beyond != 0;
        lost(enemy) - lost(own) + i32::from(crosses)
    }
}

/// The index of [`PASS`] in tables of moves, the last one.
pub(super) const PASS_INDEX: usize = 4 * SQUARES as usize;

/// The squares that a side's men reach only by exploding on its far wall: the
/// last two ranks.
#[inline]
pub(super) const fn beyond_far_wall(side: Side) -> u64 {
    match side {
        Side::White => BOARD & !(BOARD >> (2 * FILES)),
        Side::Black => BOARD >> (7 * FILES),
    }
}
