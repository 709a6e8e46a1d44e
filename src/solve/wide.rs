//! The table for boards whose keys do not fit in one word. A bucket has a
//! version that is odd during a write; a reader that sees it change discards
//! what it read (a sequence lock), so here too the whole key is known.

use super::numbers::Numbers;
use super::table::{BEGIN, BUCKET, Buckets, Found, SPREAD, Store, mixed_wide};
use crate::base::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};
use crate::base::{OutOfMemory, prefetch};

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

pub(crate) struct WideTable {
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
mod tests {
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
