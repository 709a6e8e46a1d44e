//! What has been checked already, so that proofs that overlap are gone through
//! once: a table of a fixed size, in which new positions replace old ones.

use std::collections::TryReserveError;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The positions that may stand in one place, the newest first; 0, the empty
/// board, is none.
type Bucket = [u128; 4];

/// Parts of the table, each with a lock of its own; a power of two.
const SHARDS: usize = 1 << 8;

/// Positions that the winner, to move, is known to win, by their numbers.
pub struct Memory {
    shards: Vec<Mutex<Vec<Bucket>>>,
}

impl Memory {
    /// One for so many positions; one for none keeps none.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(positions: usize) -> Result<Self, TryReserveError> {
        let buckets = positions.div_ceil(SHARDS * Bucket::default().len());
        let shard = |_| -> Result<_, TryReserveError> {
            let mut shard = Vec::new();
            shard.try_reserve_exact(buckets)?;
            shard.resize(buckets, Bucket::default());
            Ok(Mutex::new(shard))
        };
        let shards = (0..SHARDS).map(shard).collect::<Result<_, _>>()?;
        Ok(Self { shards })
    }

    /// Whether the position is known.
    #[must_use]
    pub fn has(&self, number: u128) -> bool {
        let (shard, place) = self.place(number);
        let bucket = shard.get(place);
        number != 0 && bucket.is_some_and(|bucket| bucket.contains(&number))
    }

    /// Keeps a position that has been checked.
    pub fn keep(&self, number: u128) {
        let (mut shard, place) = self.place(number);
        if let Some(bucket) = shard.get_mut(place)
            && !bucket.contains(&number)
        {
            bucket.rotate_right(1);
            bucket[0] = number;
        }
    }

    /// The part of the table and the bucket in it where a number may stand.
    fn place(&self, number: u128) -> (MutexGuard<'_, Vec<Bucket>>, usize) {
        // Bits spread twice by an odd number near 2^64 divided by the golden ratio.
        let spread = |bits: u64| bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first = spread(number as u64 ^ ((number >> 64) as u64).rotate_left(32));
        let mixed = spread(first ^ (first >> 32));
        let shard = &self.shards[(mixed >> 32) as usize % SHARDS];
        // A bucket is whole at any time, whatever has happened to its user.
        let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (u128::from(mixed) * shard.len() as u128) >> 64;
        (shard, place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_known_and_nothing_else() {
        let memory = Memory::new(1 << 12).unwrap();
        let numbers = |range: std::ops::Range<u128>| range.map(|i| (i << 90) + 7 * i + 1);
        numbers(0..1000).for_each(|number| memory.keep(number));
        assert!(numbers(1000..50_000).all(|number| !memory.has(number)));
        assert!(!memory.has(0), "an empty board");
        // A fourth of the room: hardly a bucket has got a fifth position.
        let known = numbers(0..1000).filter(|&number| memory.has(number));
        assert!(known.count() > 950);
    }

    #[test]
    fn the_newest_positions_stay() {
        let memory = Memory::new(1 << 10).unwrap();
        for number in 1..=100_000 {
            memory.keep(number);
            memory.keep(number);
            assert!(memory.has(number));
        }
        let known = (1..=100_000).filter(|&number| memory.has(number));
        let known: Vec<u128> = known.collect();
        assert_eq!(known.len(), 1 << 10);
        let newer = known.iter().filter(|&&number| number > 98_000);
        assert!(newer.count() > 800, "{known:?}");
    }

    #[test]
    fn no_room_is_no_memory() {
        let memory = Memory::new(0).unwrap();
        memory.keep(5);
        assert!(!memory.has(5));
        assert!(Memory::new(usize::MAX / 2).is_err());
    }
}
