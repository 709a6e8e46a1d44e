//! The memory of the tables: buckets of one cache line each.
//!
//! Touching memory for the first time is slow, so a table starts small, in the
//! first part of its memory, and doubles when it gets crowded: one more bit of
//! the key then names the bucket, and each bucket is split in two.

use crate::base::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use crate::base::{BigSlice, OutOfMemory, share_out};
use std::ops::Range;

/// Words of a bucket: a cache line.
pub const BUCKET: usize = 8;

/// How many buckets a table starts with, as a power of two: one huge page.
pub const BEGIN: u32 = 15;

/// Buckets of one cache line each, initially zero; a power of two of them is in
/// use.
pub struct Buckets {
    all: BigSlice<[AtomicU64; BUCKET]>,
    used_bits: AtomicU32,
    /// How many are used at first.
    begin_bits: u32,
}

impl Buckets {
    /// Empty buckets: `2^bits` of them, of which `2^used_bits` are used at
    /// first.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(bits: u32, used_bits: u32) -> Result<Self, OutOfMemory> {
        let begin_bits = used_bits.min(bits);
        Ok(Self {
            all: BigSlice::new(1 << bits)?,
            used_bits: AtomicU32::new(begin_bits),
            begin_bits,
        })
    }

    /// How many there are, used or not.
    pub fn capacity(&self) -> usize {
        self.all.len()
    }

    /// Empties all buckets, and goes back to the initial number of them. No
    /// search may be running.
    pub fn clear(&self) {
        for word in self.words() {
            word.store(0, Relaxed);
        }
        self.used_bits.store(self.begin_bits, Relaxed);
    }

    /// How many are used, as a power of two.
    #[inline]
    pub fn used_bits(&self) -> u32 {
        self.used_bits.load(Relaxed)
    }

    /// All words of the buckets in use, one bucket after another.
    pub fn words(&self) -> &[AtomicU64] {
        self.all[..1 << self.used_bits()].as_flattened()
    }

    /// A bucket.
    #[inline]
    pub fn get(&self, index: usize) -> &[AtomicU64; BUCKET] {
        &self.all[index]
    }

    /// Uses at least this many words, if there are as many. No entries are
    /// moved, so the buckets must be empty.
    pub fn use_words(&self, words: usize) {
        let bits = (words.min(BUCKET * self.capacity()) / BUCKET)
            .max(1)
            .ilog2();
        self.used_bits.fetch_max(bits, Relaxed);
    }

    /// How many of every `step`-th word in a part of each bucket are not 0, in
    /// per mille, from a sample.
    pub fn per_mille(&self, part: Range<usize>, step: usize) -> u32 {
        let used = 1usize << self.used_bits();
        let sample = used.min(1 << 10);
        let entries = part.len().div_ceil(step);
        let full = (0..sample)
            .flat_map(|index| {
                let bucket = &self.all[index * (used / sample)];
                bucket[part.clone()].iter().step_by(step)
            })
            .filter(|word| word.load(Relaxed) != 0)
            .count();
        (full * 1000 / (sample * entries)) as u32
    }

    /// Uses twice as many, if there are that many: `divide` is called with
    /// every bucket and the empty one that takes the entries with the next bit
    /// set. No search may be running.
    pub fn double(
        &self,
        threads: usize,
        divide: impl Fn(&[AtomicU64; BUCKET], &[AtomicU64; BUCKET]) + Sync,
    ) -> bool {
        let used = 1usize << self.used_bits();
        if used == self.capacity() {
            return false;
        }
        let (low, high) = self.all[..2 * used].split_at(used);
        let part = used.div_ceil(threads.max(1)).max(1 << BEGIN);
        let parts = low.chunks(part).zip(high.chunks(part));
        share_out(parts, threads, |(low, high)| {
            low.iter()
                .zip(high)
                .for_each(|(low, high)| divide(low, high));
        });
        self.used_bits.fetch_add(1, Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_tells_how_many_words_are_not_0() {
        for (bits, used_bits) in [(4, 4), (12, 12), (12, 11)] {
            let buckets = Buckets::new(bits, used_bits).unwrap();
            assert_eq!(buckets.per_mille(0..BUCKET, 1), 0);
            // The first and the third word of all buckets in use.
            for bucket in buckets.words().chunks(BUCKET) {
                bucket[0].store(1, Relaxed);
                bucket[2].store(u64::MAX, Relaxed);
            }
            assert_eq!(buckets.per_mille(0..BUCKET, 1), 250);
            assert_eq!(buckets.per_mille(0..4, 2), 1000);
            assert_eq!(buckets.per_mille(1..4, 2), 0);
            assert_eq!(buckets.per_mille(0..3, 1), 666);
            // Only every second bucket.
            for bucket in buckets.words().chunks(2 * BUCKET) {
                bucket[0].store(0, Relaxed);
            }
            let expected = if used_bits > 10 { 0 } else { 500 };
            let found = buckets.per_mille(0..1, 1);
            // A sample of every second bucket, the even ones, has none of them.
            assert_eq!(found, expected, "{bits} {used_bits}");
            buckets.clear();
            assert_eq!(buckets.per_mille(0..BUCKET, 1), 0);
        }
    }
}
