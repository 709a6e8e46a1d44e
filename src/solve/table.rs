//! The shared table of proof numbers: one word an entry, so that an entry is
//! read and written whole, without locks, and nothing it says can be torn.
//!
//! A key below `2^n` is spread by a bijection of the n-bit numbers; some of
//! its bits name a bucket of eight entries, one cache line, and all the rest
//! are in the entry. So the whole key is known and no two positions are ever
//! taken for each other. What is left of the 64 bits holds the two numbers,
//! rounded up to few digits, and the order of magnitude of the most work that
//! one visit has cost; in a full bucket an entry with the least work goes.

use super::keys::SPREAD;
use super::numbers::{Numbers, pack, unpack};
use crate::base::prefetch;
use bytemuck::allocation::zeroed_slice_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bits of an entry that hold the work, as a power of two.
const WORK: u32 = 4;

/// The fewest and the most bits of a number.
const DIGITS: (u32, u32) = (7, 13);

/// Words of a bucket: a cache line.
pub const BUCKET: usize = 8;

/// Buckets, each in one cache line, zero at first. The memory comes from the
/// system as it is used, which an aligned allocation would not do.
pub struct Buckets {
    words: Box<[AtomicU64]>,
    /// Where the first cache line starts.
    first: usize,
}

impl Buckets {
    /// So many empty buckets.
    pub fn new(count: usize) -> Self {
        let words = zeroed_slice_box::<AtomicU64>((count + 1) * BUCKET);
        let first = words.as_ptr().align_offset(64);
        Self { words, first }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.words.len() / BUCKET - 1
    }

    /// All words, one bucket after another.
    pub fn words(&self) -> &[AtomicU64] {
        &self.words[self.first..][..self.len() * BUCKET]
    }

    /// A bucket.
    #[inline]
    pub fn get(&self, index: usize) -> &[AtomicU64] {
        let start = self.first + index * BUCKET;
        &self.words[start..start + BUCKET]
    }
}

/// The table.
pub struct Table {
    buckets: Buckets,
    /// Bits of a key.
    key_bits: u32,
    /// Bits of a key that name the bucket.
    index_bits: u32,
    /// Bits of each number.
    digits: u32,
}

/// What the table says of a key.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The numbers.
    pub numbers: Numbers,
    /// The power of two of the work.
    pub work: u32,
}

/// A table of numbers by exact keys.
pub trait Store<K>: Send + Sync {
    /// A table of at most `bytes` bytes, or as many as keys of `key_bits` bits
    /// need at least.
    fn new(bytes: usize, key_bits: u32) -> Self;
    /// The size in bytes.
    fn bytes(&self) -> usize;
    /// Starts to load the key's bucket into the cache.
    fn prefetch(&self, key: K);
    /// What is known of the position.
    fn get(&self, key: K) -> Option<Found>;
    /// Stores the numbers of a position and the work they cost.
    fn put(&self, key: K, numbers: Numbers, work: u64);
    /// How full the table is, in thousandths, from a sample.
    fn per_mille(&self) -> u32;
    /// All of its words, as they are in memory.
    fn words(&self) -> &[AtomicU64];
}

impl Table {
    /// The bucket of a key, and the part of the key that the entry holds.
    #[inline]
    fn place(&self, key: u64) -> (&[AtomicU64], u64) {
        let mask = u64::MAX >> (64 - self.key_bits);
        let half = self.key_bits / 2;
        // Each step can be undone within `key_bits` bits.
        let mut key = key ^ (key >> half);
        key = key.wrapping_mul(SPREAD) & mask;
        key ^= key >> half;
        key = key.wrapping_mul(SPREAD) & mask;
        key ^= key >> half;
        let index = key & ((1 << self.index_bits) - 1);
        let rest = key.checked_shr(self.index_bits).unwrap_or(0);
        (self.buckets.get(index as usize), rest)
    }
}

impl Store<u64> for Table {
    fn new(bytes: usize, key_bits: u32) -> Self {
        // What does not fit into the entry must be in the index.
        let fewest = (key_bits + WORK + 2 * DIGITS.0).saturating_sub(64);
        let most = (bytes / (8 * BUCKET)).max(1).ilog2();
        let index_bits = most.max(fewest).max(4);
        let digits = (64 - WORK - (key_bits.saturating_sub(index_bits))) / 2;
        Self {
            buckets: Buckets::new(1 << index_bits),
            key_bits: key_bits.max(index_bits),
            index_bits,
            digits: digits.min(DIGITS.1),
        }
    }

    fn bytes(&self) -> usize {
        self.buckets.len() * (8 * BUCKET)
    }

    fn words(&self) -> &[AtomicU64] {
        self.buckets.words()
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        prefetch(&self.place(key).0[0]);
    }

    #[inline]
    fn get(&self, key: u64) -> Option<Found> {
        let (bucket, rest) = self.place(key);
        let shift = 2 * self.digits + WORK;
        for slot in bucket {
            let word = slot.load(Relaxed);
            if word != 0 && word >> shift == rest {
                let mask = (1 << self.digits) - 1;
                return Some(Found {
                    numbers: Numbers {
                        phi: unpack(word & mask, self.digits),
                        delta: unpack((word >> self.digits) & mask, self.digits),
                    },
                    work: (word >> (2 * self.digits)) as u32 & ((1 << WORK) - 1),
                });
            }
        }
        None
    }

    #[inline]
    fn put(&self, key: u64, numbers: Numbers, work: u64) {
        let (bucket, rest) = self.place(key);
        let shift = 2 * self.digits + WORK;
        let work = u64::from(work.max(2).ilog2()).min((1 << WORK) - 1);
        let word = |work: u64| {
            (rest << shift)
                | (work << (2 * self.digits))
                | (pack(numbers.delta, self.digits) << self.digits)
                | pack(numbers.phi, self.digits)
        };
        let turn = (rest ^ rest >> 7) % BUCKET as u64;
        let mut least = (u64::MAX, 0);
        for (index, slot) in bucket.iter().enumerate() {
            let old = slot.load(Relaxed);
            let old_work = (old >> (2 * self.digits)) & ((1 << WORK) - 1);
            if old == 0 || old >> shift == rest {
                // What another thread has proven stays.
                let phi = old & ((1 << self.digits) - 1);
                let delta = (old >> self.digits) & ((1 << self.digits) - 1);
                if old == 0 || (phi != 0 && delta != 0) || numbers.won() || numbers.lost() {
                    // A large position that was looked at again for a moment
                    // is as dear as before.
                    slot.store(word(work.max(old_work)), Relaxed);
                }
                return;
            }
            // Of those with the least work, one by the key: none stays for ever.
            let order = old_work * BUCKET as u64 + (index as u64 ^ turn);
            if order < least.0 {
                least = (order, index);
            }
        }
        bucket[least.1].store(word(work), Relaxed);
    }

    fn per_mille(&self) -> u32 {
        let sample = self.buckets.len().min(1 << 10);
        let step = self.buckets.len() / sample;
        let used = (0..sample)
            .flat_map(|index| self.buckets.get(index * step))
            .filter(|slot| slot.load(Relaxed) != 0)
            .count();
        (used * 1000 / (sample * BUCKET)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: Numbers = Numbers { phi: 3, delta: 5 };

    /// The smallest table there is, and a key for it.
    fn table() -> (Table, u64) {
        (Table::new(0, 32), 123_456_789)
    }

    #[test]
    fn what_was_dear_stays_though_it_was_cheap_to_look_at_again() {
        let (table, dear) = table();
        table.put(dear, NUMBERS, 1 << 12);
        table.put(dear, NUMBERS, 1);
        for key in 0..10_000 {
            table.put(key, NUMBERS, 1 << 6);
        }
        let found = table.get(dear).expect("it was the dearest");
        assert_eq!((found.numbers, found.work), (NUMBERS, 12));
    }

    #[test]
    fn of_entries_that_are_alike_none_stays_for_ever() {
        let (table, _) = table();
        for key in 0..10_000 {
            table.put(key, NUMBERS, 1);
        }
        let oldest = (0..1000).filter(|&key| table.get(key).is_some());
        assert_eq!(oldest.count(), 0);
        let all = (0..10_000).filter(|&key| table.get(key).is_some());
        assert_eq!(all.count(), table.words().len());
    }

    #[test]
    fn what_is_proven_stays_until_it_must_make_way() {
        let (table, key) = table();
        table.put(key, Numbers::WON, 1);
        table.put(key, NUMBERS, 1 << 12);
        assert!(table.get(key).expect("it is there").numbers.won());
    }
}
