//! Explosions one by one, in the order a player would carry them out: the
//! square that became overfull first explodes first. The search plays whole
//! waves (`explosion`); a test checks that both end alike.

use super::board::{FILES, SQUARES, capacity, goal, square_name, squares};
use super::position::Position;
use crate::base::Side;
use crate::game::{Effect, Explosion, Move, Shot};
use std::collections::VecDeque;

/// The pieces on the board while a chain runs, and whose chain it is.
struct Chain {
    side: Side,
    /// By square: the mover's pieces are positive, the enemy's negative.
    pieces: [i8; SQUARES as usize],
}

impl Chain {
    /// The board with the stack of a legal move on its new square.
    fn begin(position: &Position, mv: Move) -> Self {
        let mover = position.side;
        let mut pieces = [0; SQUARES as usize];
        for side in Side::BOTH {
            let sign = if side == mover { 1 } else { -1 };
            for square in squares(position.pieces(side)) {
                pieces[usize::from(square)] = sign;
            }
            for square in squares(position.pairs(side)) {
                pieces[usize::from(square)] = 2 * sign;
            }
        }
        let moved = std::mem::take(&mut pieces[usize::from(mv.from())]);
        pieces[usize::from(mv.to())] += moved;
        Self {
            side: mover,
            pieces,
        }
    }

    const fn is_goal(&self, square: u8) -> bool {
        goal(self.side) >> square & 1 != 0
    }

    fn is_overfull(&self, square: u8) -> bool {
        i32::from(self.pieces[usize::from(square)]) > capacity(square) as i32
    }

    /// The squares that an explosion shoots at; never called for a square on
    /// the goal.
    fn targets(&self, square: u8) -> impl Iterator<Item = u8> + use<> {
        let file = square % FILES;
        let ahead = match self.side {
            Side::White => square + FILES,
            Side::Black => square - FILES,
        };
        let left = (file > 0).then(|| square - 1);
        let right = (file < FILES - 1).then(|| square + 1);
        [Some(ahead), left, right].into_iter().flatten()
    }

    fn shoot(&mut self, to: u8) -> Effect {
        let is_full =
            self.is_goal(to) && i32::from(self.pieces[usize::from(to)]) == capacity(to) as i32;
        let there = &mut self.pieces[usize::from(to)];
        match *there {
            0 => {
                *there = 1;
                Effect::Lands
            }
            1.. if is_full => Effect::Lost,
            1.. => {
                *there += 1;
                Effect::Joins
            }
            _ if goal(self.side) >> to & 1 != 0 => Effect::Lost,
            _ => {
                *there = 1;
                Effect::Captures
            }
        }
    }

    /// The pieces as reported: White's are positive, Black's negative.
    fn counts(&self) -> Vec<i8> {
        let sign = if self.side == Side::White { 1 } else { -1 };
        self.pieces.iter().map(|pieces| sign * pieces).collect()
    }
}

/// The explosions that a legal move sets off, each with the board after it.
/// The board after the last one is that of the next position.
pub(super) fn explosions(position: &Position, mv: Move) -> Vec<Explosion> {
    let mut found = Vec::new();
    if !position.explodes(mv) {
        return found;
    }
    let mut chain = Chain::begin(position, mv);
    let mut waiting = VecDeque::from([mv.to()]);
    while let Some(square) = waiting.pop_front() {
        if chain.is_goal(square) || !chain.is_overfull(square) {
            continue;
        }
        let mut shots = Vec::new();
        // If it is still overfull, it explodes again after those already waiting.
        waiting.push_back(square);
        for to in chain.targets(square) {
            chain.pieces[usize::from(square)] -= 1;
            let effect = chain.shoot(to);
            let to_name = square_name(to);
            shots.push(Shot {
                to: to_name,
                effect,
            });
            waiting.push_back(to);
        }
        found.push(Explosion {
            square: square_name(square),
            shots,
            pieces: chain.counts(),
        });
    }
    found
}
