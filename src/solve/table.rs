//! The shared table of proof numbers: one word per entry, so that entries are
//! read and written whole, without locks, and are never torn.
//!
//! A key below `2^n` is scrambled by a bijection of the n-bit numbers; some of
//! its bits name a bucket of eight entries, one cache line, and all the rest
//! are in the entry. So the whole key is known, and no position is ever
//! mistaken for another. What is left of the 64 bits holds the two numbers,
//! rounded up to a few digits, and the order of magnitude of the most work that
//! one visit has cost; a full bucket evicts an entry with the least work.
//!
//! Touching memory for the first time is slow, so a table starts small, in the
//! first part of its memory, and doubles when it gets crowded: one more bit of
//! the key then names the bucket, and each bucket is split in two.

use super::numbers::{Numbers, pack, unpack};
use crate::base::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};
use crate::base::{BigSlice, OutOfMemory, parallel_for_each, prefetch};
use std::ops::Range;

/// An odd number with its bits well mixed, for spreading keys.
pub(super) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
pub(super) const fn mixed(key: u64) -> u64 {
    key.wrapping_mul(SPREAD) >> 32
}

#[inline]
pub(super) const fn mixed_wide(key: u128) -> u64 {
    mixed(key as u64 ^ ((key >> 64) as u64).rotate_left(29))
}

/// Words of a bucket: a cache line.
pub(super) const BUCKET: usize = 8;

/// How many buckets a table starts with, as a power of two: one huge page.
const BEGIN: u32 = 15;

/// Buckets of one cache line each, initially zero; a power of two of them is in
/// use.
pub(super) struct Buckets {
    all: BigSlice<[AtomicU64; BUCKET]>,
    used_bits: AtomicU32,
    /// How many are used at first.
    begin_bits: u32,
}

impl Buckets {
    /// Empty buckets: `2^bits` of them, of which `2^used_bits` are used at
    /// first.
    pub(super) fn new(bits: u32, used_bits: u32) -> Result<Self, OutOfMemory> {
        let begin_bits = used_bits.min(bits);
        Ok(Self {
            all: BigSlice::new(1 << bits)?,
            used_bits: AtomicU32::new(begin_bits),
            begin_bits,
        })
    }

    pub(super) fn capacity(&self) -> usize {
        self.all.len()
    }

    /// Bytes of memory, used or not.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.all[..])
    }

    /// Empties all buckets, and goes back to the initial number of them. No
    /// search may be running.
    pub(super) fn clear(&self) {
        for word in self.words() {
            word.store(0, Relaxed);
        }
        self.used_bits.store(self.begin_bits, Relaxed);
    }

    #[inline]
    pub(super) fn used_bits(&self) -> u32 {
        self.used_bits.load(Relaxed)
    }

    /// All words of the buckets in use, one bucket after another.
    pub(super) fn words(&self) -> &[AtomicU64] {
        self.all[..1 << self.used_bits()].as_flattened()
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> &[AtomicU64; BUCKET] {
        &self.all[index]
    }

    /// Uses at least this many words, if there are as many. No entries are
    /// moved, so the buckets must be empty.
    pub(super) fn use_words(&self, words: usize) {
        let bits = (words.min(BUCKET * self.capacity()) / BUCKET)
            .max(1)
            .ilog2();
        self.used_bits.fetch_max(bits, Relaxed);
    }

    /// How many of every `step`-th word in a part of each bucket are not 0, in
    /// per mille, from a sample.
    pub(super) fn per_mille(&self, part: Range<usize>, step: usize) -> u32 {
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
    fn double(
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
        parallel_for_each(parts, threads, |(low, high)| {
            low.iter()
                .zip(high)
                .for_each(|(low, high)| divide(low, high));
        });
        self.used_bits.fetch_add(1, Relaxed);
        true
    }
}

/// Bits of an entry that hold the work, as a power of two.
const WORK: u32 = 4;

/// Bits of a number at least and at most.
const MIN_DIGITS: u32 = 7;
const MAX_DIGITS: u32 = 13;

pub(super) struct ProofTable {
    buckets: Buckets,
    /// At its full size; numbers have as many bits at every size.
    layout: Layout,
}

/// How a table of some size stores its keys.
#[derive(Clone, Copy, Debug)]
struct Layout {
    key_bits: u32,
    index_bits: u32,
    digits: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) numbers: Numbers,
    /// The work, as a power of two.
    pub(super) work: u32,
}

pub(super) trait Store<K>: Send + Sync {
    /// How full it may get before it grows, in per mille.
    const CROWDED: u32;
    /// The power of two that stands for itself and all larger ones.
    const LARGEST_WORK: u32;
    /// The most work that one visit of a position has cost.
    fn most_work(found: Found) -> u64 {
        if found.work < Self::LARGEST_WORK {
            2 << found.work
        } else {
            u64::MAX
        }
    }

    /// A table of at most `bytes` bytes, or the least that keys of `key_bits`
    /// bits need.
    fn new(bytes: usize, key_bits: u32) -> Result<Self, OutOfMemory>
    where
        Self: Sized;
    fn buckets(&self) -> &Buckets;
    /// Whether it should grow, and can.
    fn is_crowded(&self) -> bool {
        let buckets = self.buckets();
        1 << buckets.used_bits() < buckets.capacity() && self.per_mille() >= Self::CROWDED
    }
    /// Doubles it, with `threads` threads, unless it is at its full size. No
    /// search may be running.
    fn grow(&self, threads: usize) -> bool;
    fn prefetch(&self, key: K);
    fn get(&self, key: K) -> Option<Found>;
    fn put(&self, key: K, numbers: Numbers, work: u64);
    /// How full the part in use is, in per mille, from a sample.
    fn per_mille(&self) -> u32;
    /// Stores what the `index`-th bucket of another table holds, which is for
    /// the same board and has `words` words. What costs less than all that it
    /// would have to make way for is left out.
    fn import_bucket(&self, words: usize, index: usize, bucket: &[u64]);
}

/// The inverse of [`SPREAD`] modulo `2^64`, by Newton's method: each step
/// doubles the number of correct bits, and in the lowest three an odd number is
/// its own inverse.
const GATHER: u64 = {
    let mut inverse = SPREAD;
    let mut right = 3;
    while right < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(SPREAD.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
};

impl Layout {
    /// For a table of at most `bytes` bytes, or the least that keys of
    /// `key_bits` bits need.
    fn new(bytes: usize, key_bits: u32) -> Self {
        // What does not fit into the entry must be in the index.
        let min_bits = (key_bits + WORK + 2 * MIN_DIGITS).saturating_sub(64);
        let max_bits = (bytes / (8 * BUCKET)).max(1).ilog2();
        let index_bits = max_bits.max(min_bits).min(key_bits).max(4);
        let digits = (64 - WORK - (key_bits.saturating_sub(index_bits))) / 2;
        Self {
            key_bits: key_bits.max(index_bits),
            index_bits,
            digits: digits.min(MAX_DIGITS),
        }
    }

    /// The same with `index_bits` bits for the bucket.
    #[inline]
    const fn with(self, index_bits: u32) -> Self {
        Self { index_bits, ..self }
    }

    /// The fewest bits for the bucket that leave the numbers their width.
    fn fewest(self) -> u32 {
        (self.key_bits + WORK + 2 * self.digits).saturating_sub(64)
    }

    /// The index of a key's bucket, and the part of the key that the entry
    /// holds.
    #[inline]
    const fn place(self, key: u64) -> (usize, u64) {
        let mask = u64::MAX >> (64 - self.key_bits);
        let half = self.key_bits / 2;
        // Each step can be undone within `key_bits` bits.
        let mut key = key ^ (key >> half);
        key = key.wrapping_mul(SPREAD) & mask;
        key ^= key >> half;
        key = key.wrapping_mul(SPREAD) & mask;
        key ^= key >> half;
        let index = key & ((1 << self.index_bits) - 1);
        (index as usize, key >> self.index_bits)
    }

    /// The inverse of [`Layout::place`].
    const fn key(self, index: usize, rest: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.key_bits);
        let half = self.key_bits / 2;
        let mut key = rest << self.index_bits | index as u64;
        key ^= key >> half ^ key >> half >> half;
        key = key.wrapping_mul(GATHER) & mask;
        key ^= key >> half ^ key >> half >> half;
        key = key.wrapping_mul(GATHER) & mask;
        key ^ key >> half ^ key >> half >> half
    }

    #[inline]
    const fn read(self, word: u64) -> Found {
        let mask = (1 << self.digits) - 1;
        Found {
            numbers: Numbers {
                phi: unpack(word & mask, self.digits),
                delta: unpack((word >> self.digits) & mask, self.digits),
            },
            work: (word >> (2 * self.digits)) as u32 & ((1 << WORK) - 1),
        }
    }
}

impl ProofTable {
    #[inline]
    fn place(&self, key: u64) -> (&[AtomicU64; BUCKET], u64) {
        let layout = self.layout.with(self.buckets.used_bits());
        let (index, rest) = layout.place(key);
        (self.buckets.get(index), rest)
    }
}

impl Store<u64> for ProofTable {
    const CROWDED: u32 = 500;
    const LARGEST_WORK: u32 = (1 << WORK) - 1;

    fn new(bytes: usize, key_bits: u32) -> Result<Self, OutOfMemory> {
        let layout = Layout::new(bytes, key_bits);
        let used_bits = layout.fewest().max(BEGIN);
        Ok(Self {
            buckets: Buckets::new(layout.index_bits, used_bits)?,
            layout,
        })
    }

    fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    fn grow(&self, threads: usize) -> bool {
        let shift = 2 * self.layout.digits + WORK;
        self.buckets.double(threads, |low, high| {
            for (low, high) in low.iter().zip(high) {
                let word = low.load(Relaxed);
                let rest = word >> shift;
                let moved = rest >> 1 << shift | word & ((1 << shift) - 1);
                let (stays, goes) = if rest & 1 == 0 {
                    (moved, 0)
                } else {
                    (0, moved)
                };
                low.store(stays, Relaxed);
                if goes != 0 {
                    high.store(goes, Relaxed);
                }
            }
        })
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        prefetch(&self.place(key).0[0]);
    }

    #[inline]
    fn get(&self, key: u64) -> Option<Found> {
        let (bucket, rest) = self.place(key);
        let shift = 2 * self.layout.digits + WORK;
        for slot in bucket {
            let word = slot.load(Relaxed);
            if word != 0 && word >> shift == rest {
                return Some(self.layout.read(word));
            }
        }
        None
    }

    #[inline]
    fn put(&self, key: u64, numbers: Numbers, work: u64) {
        let (bucket, rest) = self.place(key);
        let digits = self.layout.digits;
        let shift = 2 * digits + WORK;
        let work = u64::from(work.max(2).ilog2()).min((1 << WORK) - 1);
        let word = |work: u64| {
            (rest << shift)
                | (work << (2 * digits))
                | (pack(numbers.delta, digits) << digits)
                | pack(numbers.phi, digits)
        };
        let turn = (rest ^ rest >> 7) % BUCKET as u64;
        let mut cheapest = (u64::MAX, 0);
        for (index, slot) in bucket.iter().enumerate() {
            let old = slot.load(Relaxed);
            let old_work = (old >> (2 * digits)) & ((1 << WORK) - 1);
            if old != 0 && old >> shift == rest {
                // What another thread has proven stays.
                let phi = old & ((1 << digits) - 1);
                let delta = (old >> digits) & ((1 << digits) - 1);
                if (phi != 0 && delta != 0) || numbers.won() || numbers.lost() {
                    // A large position that was revisited briefly is worth as
                    // much as before.
                    slot.store(word(work.max(old_work)), Relaxed);
                }
                return;
            }
            // The key breaks ties in work: no entry stays for ever. An empty slot
            // comes first, but since the table has grown the key may be in a later
            // one.
            let order = if old == 0 {
                0
            } else {
                1 + old_work * BUCKET as u64 + (index as u64 ^ turn)
            };
            if order < cheapest.0 {
                cheapest = (order, index);
            }
        }
        bucket[cheapest.1].store(word(work), Relaxed);
    }

    fn import_bucket(&self, words: usize, index: usize, bucket: &[u64]) {
        let layout = Layout::new(words.saturating_mul(8), self.layout.key_bits);
        for &word in bucket.iter().filter(|&&word| word != 0) {
            let key = layout.key(index, word >> (2 * layout.digits + WORK));
            let found = layout.read(word);
            let is_more_expensive = |slot: &AtomicU64| {
                let present = slot.load(Relaxed);
                present != 0 && self.layout.read(present).work > found.work
            };
            if !self.place(key).0.iter().all(is_more_expensive) {
                self.put(key, found.numbers, 1 << found.work);
            }
        }
    }

    fn per_mille(&self) -> u32 {
        self.buckets.per_mille(0..BUCKET, 1)
    }
}

const ENTRIES: usize = 2;

/// Words per entry: the key's two halves and the numbers.
const WORDS: usize = 3;

/// A bucket: its version, the entries, and the most work that one visit of each
/// has cost, as powers of two.
#[derive(Clone, Copy)]
struct Bucket<'a> {
    version: &'a AtomicU64,
    words: &'a [AtomicU64],
    work: &'a AtomicU64,
}

pub(super) struct WideTable {
    buckets: Buckets,
}

impl WideTable {
    #[inline]
    fn bucket(&self, key: u128) -> Bucket<'_> {
        let used = 1 << self.buckets.used_bits();
        Bucket::new(self.buckets.get(spread(key) & (used - 1)))
    }
}

/// A hash of a key, whose low bits name its bucket.
#[inline]
fn spread(key: u128) -> usize {
    ((mixed_wide(key) ^ key as u64).wrapping_mul(SPREAD) >> 16) as usize
}

impl<'a> Bucket<'a> {
    #[inline]
    fn new(words: &'a [AtomicU64; BUCKET]) -> Self {
        Self {
            version: &words[0],
            words: &words[1..=ENTRIES * WORDS],
            work: &words[BUCKET - 1],
        }
    }
}

impl Store<u128> for WideTable {
    // Buckets of two fill up soon: half full, the table would already have lost
    // an eighth of what was stored; at this level it is a fifteenth.
    const CROWDED: u32 = 350;
    const LARGEST_WORK: u32 = 63;

    fn new(bytes: usize, _key_bits: u32) -> Result<Self, OutOfMemory> {
        let bits = (bytes / (8 * BUCKET)).max(1).ilog2();
        Ok(Self {
            buckets: Buckets::new(bits, BEGIN)?,
        })
    }

    fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    fn grow(&self, threads: usize) -> bool {
        let next_bit = 1 << self.buckets.used_bits();
        self.buckets.double(threads, |low, high| {
            let (low, high) = (Bucket::new(low), Bucket::new(high));
            for entry in 0..ENTRIES {
                let words = &low.words[entry * WORDS..][..WORDS];
                let key =
                    u128::from(words[1].load(Relaxed)) << 64 | u128::from(words[0].load(Relaxed));
                if words[2].load(Relaxed) == 0 || spread(key) & next_bit == 0 {
                    continue;
                }
                for (from, to) in words.iter().zip(&high.words[entry * WORDS..]) {
                    to.store(from.swap(0, Relaxed), Relaxed);
                }
                let mask = 0xff << (8 * entry);
                let work = low.work.fetch_and(!mask, Relaxed) & mask;
                high.work.fetch_or(work, Relaxed);
            }
        })
    }

    #[inline]
    fn prefetch(&self, key: u128) {
        prefetch(self.bucket(key).version);
    }

    #[inline]
    fn get(&self, key: u128) -> Option<Found> {
        let bucket = self.bucket(key);
        let version = bucket.version.load(Acquire);
        if version % 2 == 1 {
            return None;
        }
        let (low, high) = (key as u64, (key >> 64) as u64);
        for entry in 0..ENTRIES {
            let word = |index: usize| bucket.words[entry * WORDS + index].load(Relaxed);
            let numbers = word(2);
            if numbers == 0 || word(0) != low || word(1) != high {
                continue;
            }
            let work = bucket.work.load(Relaxed) >> (8 * entry) & 0xff;
            fence(Acquire);
            if bucket.version.load(Relaxed) != version {
                return None;
            }
            return Some(Found {
                numbers: Numbers {
                    phi: numbers as u32,
                    delta: (numbers >> 32) as u32,
                },
                work: work as u32,
            });
        }
        None
    }

    fn put(&self, key: u128, numbers: Numbers, work: u64) {
        let bucket = self.bucket(key);
        let version = bucket.version.load(Relaxed);
        if version % 2 == 1
            || bucket
                .version
                .compare_exchange(version, version + 1, Acquire, Relaxed)
                .is_err()
        {
            // Another thread is writing here; what is lost costs only time.
            return;
        }
        fence(Release);
        let (low, high) = (key as u64, (key >> 64) as u64);
        let works = bucket.work.load(Relaxed);
        let work_of = |entry: usize| works >> (8 * entry) & 0xff;
        let mut chosen = if work_of(0) <= work_of(1) { 0 } else { 1 };
        let mut work = u64::from(work.max(2).ilog2());
        let mut packed = u64::from(numbers.delta) << 32 | u64::from(numbers.phi);
        for entry in (0..ENTRIES).rev() {
            let word = |index: usize| bucket.words[entry * WORDS + index].load(Relaxed);
            let old = word(2);
            if old == 0 {
                chosen = entry;
            } else if word(0) == low && word(1) == high {
                chosen = entry;
                // The most it has ever cost.
                work = work.max(work_of(entry));
                // What another thread has proven stays.
                let is_proven = old as u32 == 0 || old >> 32 == 0;
                if is_proven && !numbers.won() && !numbers.lost() {
                    packed = old;
                }
                break;
            }
        }
        for (index, word) in [low, high, packed].into_iter().enumerate() {
            bucket.words[chosen * WORDS + index].store(word, Relaxed);
        }
        let others = works & !(0xff << (8 * chosen));
        bucket.work.store(others | work << (8 * chosen), Relaxed);
        bucket.version.store(version + 2, Release);
    }

    fn import_bucket(&self, _words: usize, _index: usize, bucket: &[u64]) {
        for (entry, words) in bucket[1..=ENTRIES * WORDS].chunks_exact(WORDS).enumerate() {
            let numbers = Numbers {
                phi: words[2] as u32,
                delta: (words[2] >> 32) as u32,
            };
            if words[2] != 0 {
                let work = bucket[BUCKET - 1] >> (8 * entry) & 0x3f;
                let key = u128::from(words[1]) << 64 | u128::from(words[0]);
                let place = self.bucket(key);
                let present = place.work.load(Relaxed);
                let is_more_expensive = |entry: usize| {
                    place.words[entry * WORDS + 2].load(Relaxed) != 0
                        && present >> (8 * entry) & 0xff > work
                };
                if !(0..ENTRIES).all(is_more_expensive) {
                    self.put(key, numbers, 1 << work);
                }
            }
        }
    }

    fn per_mille(&self) -> u32 {
        // The word of each entry that holds the numbers.
        self.buckets.per_mille(WORDS..1 + ENTRIES * WORDS, WORDS)
    }
}

#[cfg(test)]
mod wide_tests {
    use super::*;

    const NUMBERS: Numbers = Numbers { phi: 3, delta: 5 };

    const fn key(number: u64) -> u128 {
        ((number as u128) << 70) | (7 * number as u128)
    }

    fn table() -> WideTable {
        WideTable::new(0, 80).expect("less than a megabyte")
    }

    fn known(table: &WideTable, keys: std::ops::Range<u64>) -> usize {
        keys.filter(|&number| table.get(key(number)).is_some())
            .count()
    }

    #[test]
    fn expensive_entries_stay_though_revisiting_them_was_cheap() {
        for costly in 0..50 {
            let table = table();
            let now = Numbers { phi: 9, delta: 1 };
            // In either slot of its bucket.
            for other in 1000..1000 + costly {
                table.put(key(other), NUMBERS, 1 << 3);
            }
            table.put(key(costly), NUMBERS, 1 << 12);
            let found = |table: &WideTable| table.get(key(costly)).map(|f| (f.numbers, f.work));
            assert_eq!(found(&table), Some((NUMBERS, 12)));
            table.put(key(costly), now, 1);
            for other in 2000..8000 {
                table.put(key(other), NUMBERS, 1 << 6);
            }
            assert_eq!(found(&table), Some((now, 12)), "more expensive than those");
        }
    }

    #[test]
    fn it_knows_how_full_it_is() {
        let table = table();
        let places = ENTRIES * table.buckets().words().len() / BUCKET;
        assert_eq!(table.per_mille(), 0);
        for last in [1, 7, 100, 10_000] {
            for number in 0..last {
                table.put(key(number), NUMBERS, 1);
            }
            let count = known(&table, 0..last);
            assert!(count > 0 && count <= places);
            assert_eq!(table.per_mille() as usize, count * 1000 / places);
        }
        assert!(table.per_mille() > 900, "{}", table.per_mille());
    }
}

#[cfg(test)]
mod tests;
