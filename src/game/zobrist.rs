//! Zobrist keys (Zobrist 1970), drawn once from the Mersenne Twister as in the
//! 2009 article: 64-bit `MT19937` with a fixed seed. A test pins them.

use crate::base::Side;
use rand_mt::Mt64;
use std::sync::LazyLock;

/// The seed all keys are drawn from: the year and month the game was made.
const SEED: u64 = 200_006;

/// The random numbers that keys are made of, never changed once drawn.
#[derive(Debug)]
pub(crate) struct Keys {
    pieces: [[u64; 128]; 2],
    /// Kept apart from `pieces` for games with a second kind of piece.
    pairs: [[u64; 128]; 2],
    side: u64,
    sizes: [u64; 65],
    freeling: u64,
}

impl Keys {
    fn draw() -> Self {
        let mut generator = Mt64::new(SEED);
        let mut next = || generator.next_u64();
        Self {
            pieces: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            pairs: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            side: next(),
            sizes: std::array::from_fn(|_| next()),
            freeling: next(),
        }
    }

    /// The number for a piece of `side` on `square` (below 128).
    #[inline]
    pub(super) fn piece(&self, side: Side, square: u8) -> u64 {
        self.pieces[side.index()][usize::from(square & 127)]
    }

    /// The number for a pair of pieces of `side` on `square` (below 128).
    #[inline]
    pub(super) fn pair(&self, side: Side, square: u8) -> u64 {
        self.pairs[side.index()][usize::from(square & 127)]
    }

    /// The number for Black to move.
    #[inline]
    pub(super) fn side(&self) -> u64 {
        self.side
    }

    /// The number for Freeling's game, which is played on the squares of one of
    /// the other game's boards.
    #[inline]
    pub(super) fn freeling(&self) -> u64 {
        self.freeling
    }

    /// The number for a board size, so that boards do not share keys. Both
    /// numbers are at most 64.
    pub(super) fn board(&self, files: u8, ranks: u8) -> u64 {
        self.sizes[usize::from(files)] ^ self.sizes[usize::from(ranks)].rotate_left(1)
    }
}

/// The keys of all games.
#[inline]
pub(super) fn keys() -> &'static Keys {
    static KEYS: LazyLock<Keys> = LazyLock::new(Keys::draw);
    &KEYS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_are_the_pinned_ones() {
        let keys = keys();
        assert_eq!(
            [
                keys.piece(Side::White, 0),
                keys.piece(Side::Black, 127),
                keys.pair(Side::White, 44),
                keys.side(),
                keys.board(8, 8),
            ],
            [
                3_709_856_034_135_888_972,
                14_269_360_317_365_054_526,
                2_699_004_994_409_355_579,
                10_789_107_736_273_184_881,
                17_641_617_068_883_055_557,
            ]
        );
    }

    #[test]
    fn no_two_keys_are_equal() {
        let keys = keys();
        let all: HashSet<u64> = keys
            .pieces
            .iter()
            .chain(&keys.pairs)
            .flatten()
            .chain(&keys.sizes)
            .copied()
            .chain([keys.side, keys.freeling])
            .collect();
        assert_eq!(all.len(), 4 * 128 + 65 + 2);
    }
}
