//! Exact keys: a position written as a number in base 3, one digit per square,
//! so that different positions never share a key.
//!
//! Every piece adds its own weight, so a move updates a key with a few additions.
//! Four keys are kept: as the side to move sees the position and as the other
//! side does, each plain and with the files reversed. The smaller of the first
//! two is the key of the position; after a move the pairs are swapped.

use super::table::WideTable;
use super::table::{ProofTable, Store, mixed, mixed_wide};
use crate::game::breakthrough::{Bits, Geometry, Perspective, StaticSolver};
use std::fmt::Debug;
use std::hash::Hash;

/// A number wide enough for the keys of a board.
pub(super) trait Key: Copy + Ord + Hash + Debug + Default + Send + Sync + 'static {
    type Table: Store<Self>;
    /// The most squares a board may have for all its positions to have keys.
    const SQUARES: usize;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// A 32-bit hash of the key, for hints that may be wrong.
    fn mixed(self) -> u64;
    fn wide(self) -> u128;
    /// How many bits the keys of a board with this many squares have.
    fn bits(squares: usize) -> u32 {
        // A digit in base 3 is a little less than 1.585 bits.
        (squares as u32 * 1585).div_ceil(1000)
    }
}

impl Key for u64 {
    type Table = ProofTable;
    const SQUARES: usize = 40;
    const ONE: Self = 1;
    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline]
    fn mixed(self) -> u64 {
        mixed(self)
    }
    #[inline]
    fn wide(self) -> u128 {
        u128::from(self)
    }
}

impl Key for u128 {
    type Table = WideTable;
    const SQUARES: usize = 80;
    const ONE: Self = 1;
    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline]
    fn mixed(self) -> u64 {
        mixed_wide(self)
    }
    #[inline]
    fn wide(self) -> u128 {
        self
    }
}

/// The four keys of a position; [`PositionKeys::key`] is the one to store it under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PositionKeys<K> {
    /// As the side to move sees it: plain, files reversed.
    pub(super) own: [K; 2],
    /// As the other side sees it: plain, files reversed.
    pub(super) other: [K; 2],
}

impl<K: Key> PositionKeys<K> {
    /// The key of the position and of its mirror image.
    #[inline]
    pub(super) fn key(&self) -> K {
        self.own[0].min(self.own[1])
    }

    /// Whether that is the mirror image's.
    #[inline]
    pub(super) fn is_mirrored(&self) -> bool {
        self.own[1] < self.own[0]
    }

    #[inline]
    fn plus(self, w: &Self) -> Self {
        Self {
            own: [self.own[0].plus(w.own[0]), self.own[1].plus(w.own[1])],
            other: [
                self.other[0].plus(w.other[0]),
                self.other[1].plus(w.other[1]),
            ],
        }
    }

    #[inline]
    fn minus(self, w: &Self) -> Self {
        Self {
            own: [self.own[0].minus(w.own[0]), self.own[1].minus(w.own[1])],
            other: [
                self.other[0].minus(w.other[0]),
                self.other[1].minus(w.other[1]),
            ],
        }
    }

    #[inline]
    fn exchanged(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
        }
    }
}

/// The weights of the pieces of a board.
#[derive(Clone, Debug)]
pub(super) struct KeyMap<K> {
    /// Of a piece of the side to move, by square.
    own: Vec<PositionKeys<K>>,
    /// Of an enemy piece, by square.
    enemy: Vec<PositionKeys<K>>,
}

impl<K: Key> KeyMap<K> {
    /// The weights; the board must not have more than [`Key::SQUARES`] squares.
    pub(super) fn new<B: Bits>(statics: &StaticSolver<B>) -> Self {
        let geometry = statics.geometry();
        let (files, ranks) = (geometry.files(), geometry.ranks());
        let mut powers = vec![K::ONE];
        for i in 1..usize::from(files) * usize::from(ranks) {
            let last = powers[i - 1];
            powers.push(last.plus(last).plus(last));
        }
        let pair = |square: u8| {
            let (file, rank) = (geometry.file(square), geometry.rank(square));
            let at = |file: u8| powers[usize::from(rank) * usize::from(files) + usize::from(file)];
            [at(file), at(files - 1 - file)]
        };
        let twice = |[a, b]: [K; 2]| [a.plus(a), b.plus(b)];
        let mut map = Self {
            own: vec![PositionKeys::default(); B::CAPACITY],
            enemy: vec![PositionKeys::default(); B::CAPACITY],
        };
        for square in geometry.board().squares() {
            let here = pair(square);
            let there = pair(B::bit(square).turned(files, ranks).lowest());
            map.own[usize::from(square)] = PositionKeys {
                own: here,
                other: twice(there),
            };
            map.enemy[usize::from(square)] = PositionKeys {
                own: twice(here),
                other: there,
            };
        }
        map
    }

    /// The keys of a position, from its pieces.
    pub(super) fn keys<B: Bits>(&self, view: Perspective<B>) -> PositionKeys<K> {
        let mut keys = PositionKeys::default();
        for square in view.own.squares() {
            keys = keys.plus(&self.own[usize::from(square)]);
        }
        for square in view.enemy.squares() {
            keys = keys.plus(&self.enemy[usize::from(square)]);
        }
        keys
    }

    /// The pieces of a position with this key, or of its mirror image; `None` if
    /// the key has more digits than the board has squares.
    pub(super) fn view<B: Bits>(geometry: &Geometry<B>, mut key: u128) -> Option<Perspective<B>> {
        let (files, ranks) = (geometry.files(), geometry.ranks());
        let mut view = Perspective {
            own: B::EMPTY,
            enemy: B::EMPTY,
        };
        for square in (0..ranks).flat_map(|rank| (0..files).map(move |file| (file, rank))) {
            let piece = B::bit(geometry.square(square.0, square.1));
            match key % 3 {
                1 => view.own |= piece,
                2 => view.enemy |= piece,
                _ => {}
            }
            key /= 3;
        }
        (key == 0).then_some(view)
    }

    /// The keys after a step of the side to move.
    #[inline]
    pub(super) fn after(
        &self,
        keys: &PositionKeys<K>,
        from: u8,
        to: u8,
        takes: bool,
    ) -> PositionKeys<K> {
        let mut next = keys
            .plus(&self.own[usize::from(to)])
            .minus(&self.own[usize::from(from)]);
        if takes {
            next = next.minus(&self.enemy[usize::from(to)]);
        }
        next.exchanged()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_that_differ_little_are_spread() {
        // By chance about 8 pairs of 4,096 keys share one of 2^20 buckets.
        let bucket = |mixed: u64| {
            assert!(mixed < 1 << 32);
            mixed >> 12
        };
        let narrow: HashSet<_> = (0..4096).map(|key: u64| bucket(key.mixed())).collect();
        assert!(narrow.len() > 4000, "{}", narrow.len());
        for shift in [0, 40, 64, 100] {
            let wide: HashSet<_> = (0..4096)
                .map(|key: u128| bucket((key << shift).mixed()))
                .collect();
            assert!(wide.len() > 4000, "{shift}: {}", wide.len());
        }
    }
}
