//! What has been checked already, so that overlapping proofs are checked only
//! once: a table of fixed size in which new positions replace old ones.

use super::index::hash;
use std::collections::TryReserveError;
use std::io::{self, Read, Write};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

/// Words per bucket, which is a cache line.
const WORDS: usize = 8;

/// On boards of up to this many squares, position numbers are below 2^64.
const NARROW: u32 = 40;

/// A version, odd during a write, and positions, the newest first; 0, the empty
/// board, marks a free slot. A reader detects a concurrent write by the changed
/// version (a sequence lock; Boehm 2012, "Can seqlocks get along with
/// programming language memory models?"): with a plain lock, every lookup would
/// fetch the cache line from another thread.
#[derive(Default)]
#[repr(align(64))]
struct CheckedBucket([AtomicU64; WORDS]);

/// Positions that the winner, to move, is known to win, by their numbers.
pub(crate) struct CheckedPositions {
    buckets: Vec<CheckedBucket>,
    /// Words per number.
    width: usize,
}

/// Where a number may be: the bucket, and its version when it was looked up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CheckedSlot {
    bucket: usize,
    version: u64,
}

/// How many numbers of `width` words a bucket holds.
const fn capacity(width: usize) -> usize {
    (WORDS - 1) / width
}

const fn width(squares: u32) -> usize {
    if squares <= NARROW { 1 } else { 2 }
}

impl CheckedPositions {
    /// A memory for this many positions of a board with this many squares; for
    /// 0 positions, it stores none.
    pub(crate) fn new(positions: usize, squares: u32) -> Result<Self, TryReserveError> {
        let width = width(squares);
        let count = positions.div_ceil(capacity(width));
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count)?;
        buckets.resize_with(count, CheckedBucket::default);
        Ok(Self { buckets, width })
    }

    /// How many positions of such a board fit into this many bytes.
    pub(crate) const fn room(bytes: usize, squares: u32) -> usize {
        bytes / size_of::<CheckedBucket>() * capacity(width(squares))
    }

    /// Whether the position is known. May be false while another thread writes
    /// to the same bucket.
    pub(crate) fn has(&self, number: u128) -> bool {
        self.has_at(number, self.place(number))
    }

    /// The same, given the number's [`place`](CheckedPositions::place).
    pub(crate) fn has_at(&self, number: u128, place: CheckedSlot) -> bool {
        let Some(bucket) = self.buckets.get(place.bucket) else {
            return false;
        };
        let is_there = || (0..capacity(self.width)).any(|at| self.read(bucket, at) == number);
        if number == 0 || place.version % 2 == 1 || !is_there() {
            return false;
        }
        fence(Acquire);
        bucket.0[0].load(Relaxed) == place.version
    }

    /// Stores a checked position, unless another thread is writing to the same
    /// bucket.
    pub(crate) fn keep(&self, number: u128) {
        let place = self.place(number);
        let fits = self.width > 1 || number >> u64::BITS == 0;
        if !fits || place.version % 2 == 1 || self.has_at(number, place) {
            return;
        }
        let Some(bucket) = self.buckets.get(place.bucket) else {
            return;
        };
        let version = &bucket.0[0];
        let changing = place.version + 1;
        if version
            .compare_exchange(place.version, changing, Acquire, Relaxed)
            .is_err()
        {
            return;
        }
        fence(Release);
        for at in (1..capacity(self.width)).rev() {
            self.write(bucket, at, self.read(bucket, at - 1));
        }
        self.write(bucket, 0, number);
        version.store(changing + 1, Release);
    }

    /// Where a number may be. Finding it is a cache miss: look up many places
    /// in a row, so that the misses overlap.
    #[inline]
    pub(crate) fn place(&self, number: u128) -> CheckedSlot {
        let first = hash(number);
        let mixed = hash(u128::from(first ^ (first >> 32)));
        let bucket = ((u128::from(mixed) * self.buckets.len() as u128) >> 64) as usize;
        let version = self.buckets.get(bucket);
        let version = version.map_or(1, |bucket| bucket.0[0].load(Acquire));
        CheckedSlot { bucket, version }
    }

    /// How many positions it knows.
    pub(crate) fn count(&self) -> u64 {
        let taken = |bucket| self.oldest_first(bucket).count() as u64;
        self.buckets.iter().map(taken).sum()
    }

    /// Writes all positions: the words of each number, in little-endian order.
    /// No thread may add any meanwhile.
    pub(crate) fn save(&self, output: &mut dyn Write) -> io::Result<()> {
        let numbers = self.buckets.iter().flat_map(|one| self.oldest_first(one));
        for number in numbers {
            output.write_all(&number.to_le_bytes()[..8 * self.width])?;
        }
        Ok(())
    }

    /// Loads this many positions written by a memory of any size for a board of
    /// as many squares. Their order is that of the buckets here too.
    pub(crate) fn load(&self, count: u64, input: &mut dyn Read) -> io::Result<()> {
        for _ in 0..count {
            let mut bytes = [0; 16];
            input.read_exact(&mut bytes[..8 * self.width])?;
            self.keep(u128::from_le_bytes(bytes));
        }
        Ok(())
    }

    fn oldest_first(&self, bucket: &CheckedBucket) -> impl Iterator<Item = u128> {
        let numbers = (0..capacity(self.width))
            .rev()
            .map(|at| self.read(bucket, at));
        numbers.filter(|&number| number != 0)
    }

    fn read(&self, bucket: &CheckedBucket, at: usize) -> u128 {
        let word = |index: usize| u128::from(bucket.0[1 + at * self.width + index].load(Relaxed));
        let low = word(0);
        if self.width == 1 {
            low
        } else {
            low | word(1) << 64
        }
    }

    fn write(&self, bucket: &CheckedBucket, at: usize, number: u128) {
        for index in 0..self.width {
            let word = (number >> (64 * index)) as u64;
            bucket.0[1 + at * self.width + index].store(word, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::scope;

    #[test]
    fn what_was_kept_is_known_and_nothing_else() {
        for (squares, high) in [(80, 1 << 90), (40, 3)] {
            let memory = CheckedPositions::new(1 << 12, squares).unwrap();
            let numbers = |range: std::ops::Range<u128>| range.map(move |i| i * high + 7 * i + 1);
            numbers(0..1000).for_each(|number| memory.keep(number));
            assert!(numbers(1000..50_000).all(|number| !memory.has(number)));
            assert!(!memory.has(0), "an empty board");
            // A quarter of the capacity: hardly any bucket overflows.
            let known = numbers(0..1000).filter(|&number| memory.has(number));
            assert!(known.count() > 950);
        }
    }

    #[test]
    fn the_newest_positions_stay() {
        for squares in [80, 40] {
            let memory = CheckedPositions::new(1 << 10, squares).unwrap();
            for number in 1..=100_000 {
                memory.keep(number);
                memory.keep(number);
                assert!(memory.has(number));
            }
            let known = (1..=100_000).filter(|&number| memory.has(number));
            let known: Vec<u128> = known.collect();
            let room = memory.buckets.len() * capacity(memory.width);
            assert_eq!(known.len(), room);
            assert!(room >= 1 << 10);
            let newer = known.iter().filter(|&&number| number > 98_000);
            assert!(newer.count() > 800, "{known:?}");
        }
    }

    #[test]
    fn a_narrow_one_does_not_take_wide_numbers() {
        let memory = CheckedPositions::new(1 << 10, 40).unwrap();
        memory.keep(1 << 64 | 5);
        assert!(!memory.has(5) && !memory.has(1 << 64 | 5));
    }

    /// Halves of different numbers never make a number: some threads write to
    /// one bucket while others read it.
    #[test]
    fn numbers_that_are_written_meanwhile_are_not_mixed_up() {
        let memory = CheckedPositions::new(1, 80).unwrap();
        let number = |high: u128, low: u128| high << 64 | low;
        scope(|scope| {
            for thread in 0..2 {
                let memory = &memory;
                scope.spawn(move || {
                    for i in 1..200_000 {
                        let half = 2 * (i % 50) + thread + 1;
                        memory.keep(number(half, half));
                    }
                });
                scope.spawn(move || {
                    for i in 0..200_000 {
                        let (high, low) = (i % 101 + 1, i % 97 + 1);
                        assert!(high == low || !memory.has(number(high, low)));
                    }
                });
            }
        });
        let known = (1..=101).filter(|&half| memory.has(number(half, half)));
        assert_eq!(known.count(), 3);
    }

    #[test]
    fn room_is_what_is_taken() {
        for (squares, at_least) in [(40, 1_100_000), (80, 490_000)] {
            let room = CheckedPositions::room(10 << 20, squares);
            assert!(room >= at_least);
            let memory = CheckedPositions::new(room, squares).unwrap();
            assert_eq!(memory.buckets.len() * size_of::<CheckedBucket>(), 10 << 20);
        }
    }

    #[test]
    fn what_is_written_is_known_to_whoever_reads_it() {
        for (squares, high) in [(80, 1 << 90), (40, 3)] {
            let memory = CheckedPositions::new(1 << 12, squares).unwrap();
            (1..3000).for_each(|i| memory.keep(i * high + 7 * i));
            let known = |memory: &CheckedPositions| -> Vec<u128> {
                let all = (1..3000).map(|i| i * high + 7 * i);
                all.filter(|&number| memory.has(number)).collect()
            };
            let (all, mut data) = (known(&memory), Vec::new());
            memory.save(&mut data).unwrap();
            assert_eq!(memory.count(), all.len() as u64);
            for room in [1 << 12, 1 << 16] {
                let other = CheckedPositions::new(room, squares).unwrap();
                other.load(memory.count(), &mut &data[..]).unwrap();
                assert_eq!(known(&other), all);
            }
            let small = CheckedPositions::new(1 << 8, squares).unwrap();
            small.load(memory.count(), &mut &data[..]).unwrap();
            assert!(known(&small).iter().all(|number| all.contains(number)));
            let cut = &mut &data[..data.len() - 1];
            assert!(small.load(memory.count(), cut).is_err());
        }
    }

    #[test]
    fn no_room_is_no_memory() {
        let memory = CheckedPositions::new(0, 80).unwrap();
        memory.keep(5);
        assert!(!memory.has(5));
        assert!(CheckedPositions::new(usize::MAX / 2, 80).is_err());
    }
}
