//! Explosions and their chains.
//!
//! A square explodes exactly when it holds at least as many pieces as it shoots,
//! so a chain is chip firing on a directed graph and ends the same way in every
//! order (a test tries all orders). So all squares over their capacity explode
//! together here, wave by wave, on counts kept as bits.

use super::board::{BOARD, EDGES, ahead, goal, left, right};
use crate::base::Side;

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
