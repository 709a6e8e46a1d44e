//! Explosions and their chains.
//!
//! A square explodes exactly when it holds at least as many pieces as it shoots,
//! so a chain is chip firing on a directed graph and ends the same way in every
//! order (a test tries all orders). So all squares over their capacity explode
//! together here, wave by wave, on counts kept as bits.

use super::board::{
    BOARD, EDGES, FILES, SQUARES, ahead, capacity, goal, left, right, square_name, squares,
};
use super::position::Position;
use crate::base::Side;
use crate::game::{Effect, Explosion, Move, Shot};
use std::collections::VecDeque;

/// What a chain leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aftermath {
    /// Squares of the mover's pieces.
    pub(super) pieces: u64,
    /// Those of them that hold a pair.
    pub(super) pairs: u64,
    /// The enemy's squares that were taken.
    pub(super) taken: u64,
}

/// The number of the mover's pieces on every square: bit `i` of the number on a
/// square is in `planes[i]`. Between waves no number exceeds 5: a square that
/// holds 2 can be hit by three others, and one over its capacity loses as many
/// pieces as it can gain.
#[derive(Clone, Copy)]
struct Counts {
    planes: [u64; 3],
}

impl Counts {
    #[inline]
    const fn new(pieces: u64, pairs: u64) -> Self {
        Self {
            planes: [pieces & !pairs, pairs, 0],
        }
    }

    /// Adds a piece to every square of the set.
    #[inline]
    const fn add(&mut self, set: u64) {
        let [p0, p1, p2] = self.planes;
        let carry = p0 & set;
        self.planes = [p0 ^ set, p1 ^ carry, p2 ^ (p1 & carry)];
    }

    /// Removes the pieces that the exploding squares shoot: three on the inner
    /// files, two on the outer ones.
    #[inline]
    const fn shoot(&mut self, exploding: u64) {
        let [p0, p1, p2] = self.planes;
        let ones = exploding & !EDGES;
        let borrow = !p0 & ones;
        let carry = (!p1 & (exploding | borrow)) | (exploding & borrow);
        self.planes = [p0 ^ ones, p1 ^ exploding ^ borrow, p2 ^ carry];
    }

    /// The squares over capacity.
    #[inline]
    const fn over(&self) -> u64 {
        let [p0, p1, p2] = self.planes;
        p2 | (p1 & (p0 | EDGES))
    }

    #[inline]
    const fn pieces(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// Cuts the numbers on a set of squares down to their capacity.
    #[inline]
    const fn cut(&mut self, set: u64) {
        let over = self.over() & set;
        let [p0, p1, p2] = self.planes;
        self.planes = [
            (p0 & !over) | (over & EDGES),
            (p1 & !over) | (over & !EDGES),
            p2 & !over,
        ];
    }
}

/// Puts a single piece, or a pair, of `side` on `to` and runs the explosions that
/// follow. `pieces` and `pairs` are the side's stacks without the moved one.
///
/// A piece on the goal has won and stays there; the rest of the chain still plays
/// out, so that its end is the same in every order. Pieces beyond what a goal
/// square holds leave the board.
#[inline]
pub(super) fn resolve(
    side: Side,
    (pieces, pairs): (u64, u64),
    enemy: u64,
    to: u64,
    pair: bool,
) -> Aftermath {
    let mut counts = Counts::new(pieces, pairs);
    counts.add(to);
    if pair {
        counts.add(to);
    }
    let goal = goal(side);
    let mut left_enemy = enemy;
    loop {
        counts.cut(goal);
        let exploding = counts.over();
        if exploding == 0 {
            break;
        }
        counts.shoot(exploding);
        // On the goal a piece shot onto an enemy is lost.
        let forward = ahead(side, exploding) & !(left_enemy & goal) & BOARD;
        let (leftward, rightward) = (left(exploding), right(exploding));
        counts.add(forward);
        counts.add(leftward);
        counts.add(rightward);
        left_enemy &= !(forward | leftward | rightward);
    }
    let pieces = counts.pieces();
    Aftermath {
        pieces,
        pairs: counts.planes[1],
        taken: enemy & !left_enemy,
    }
}

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
