//! Finds a number in a list: a hash table of places, with open addressing.

use std::collections::TryReserveError;

/// Where each number stands in a list.
pub(crate) struct Index {
    /// 0 if empty, else the place in the list plus 1; above that the [`tag`] of
    /// the number, so that other numbers are hardly ever compared in the list.
    slots: Vec<u64>,
    shift: u32,
}

impl Index {
    /// The index of a list of distinct numbers. Those after the first four
    /// billion are not found, so that a longer certificate is refused.
    pub(super) fn new(numbers: &[u128]) -> Result<Self, TryReserveError> {
        let bits = (2 * numbers.len()).next_power_of_two().ilog2().max(1);
        let mut slots = Vec::new();
        slots.try_reserve_exact(1 << bits)?;
        slots.resize(1 << bits, 0);
        let mut index = Self {
            slots,
            shift: 64 - bits,
        };
        for (place, &number) in (1..=u64::from(u32::MAX)).zip(numbers) {
            let hash = hash(number);
            let slot = index.order(hash).find(|&slot| index.slots[slot] == 0);
            if let Some(slot) = slot {
                index.slots[slot] = tag(hash) | place;
            }
        }
        Ok(index)
    }

    /// Whether the list has the number.
    pub(super) fn has(&self, numbers: &[u128], number: u128) -> bool {
        let hash = hash(number);
        self.has_from(numbers, number, hash, self.first(hash))
    }

    /// What is in the first slot where a number with this [`hash`] may be. In a
    /// large list this is a cache miss: read many in a row, so that the misses
    /// overlap.
    #[inline]
    pub(super) fn first(&self, hash: u64) -> u64 {
        self.slots[(hash >> self.shift) as usize]
    }

    /// Whether the list has the number, given its hash and the content of its
    /// first slot.
    #[inline]
    pub(crate) fn has_from(&self, numbers: &[u128], number: u128, hash: u64, first: u64) -> bool {
        let is_it =
            |slot: u64| slot & TAG == tag(hash) && numbers[(slot & !TAG) as usize - 1] == number;
        if first == 0 {
            return false;
        }
        is_it(first)
            || self
                .order(hash)
                .skip(1)
                .map(|slot| self.slots[slot])
                .take_while(|&slot| slot != 0)
                .any(is_it)
    }

    /// The slots where a number may be, in probing order.
    fn order(&self, hash: u64) -> impl Iterator<Item = usize> {
        let (first, mask) = ((hash >> self.shift) as usize, self.slots.len() - 1);
        (0..=mask).map(move |step| (first + step) & mask)
    }
}

/// The bits of a slot outside the place.
const TAG: u64 = !(u32::MAX as u64);

/// Bits of the hash that have little to do with the slot.
const fn tag(hash: u64) -> u64 {
    hash << 32
}

/// Multiplicative hashing, by an odd number near 2^64 divided by the golden ratio.
pub(super) const fn hash(number: u128) -> u64 {
    (number as u64 ^ ((number >> 64) as u64).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_in_the_list_and_nothing_else() {
        let number = |i: u128| (i << 90) + (i << 32) + 3 * i;
        for count in [0, 1, 2, 3, 1000, 50_000] {
            let numbers: Vec<u128> = (0..count).map(number).collect();
            let index = Index::new(&numbers).unwrap();
            assert!(numbers.iter().all(|&number| index.has(&numbers, number)));
            let mut others = (count..count + 50_000).map(number);
            assert!(!others.any(|number| index.has(&numbers, number)), "{count}");
        }
    }

    #[test]
    fn numbers_of_one_hash_are_told_apart() {
        // The high and low halves cancel out.
        let number = |i: u64| u128::from(i.rotate_left(32)) << 64 | u128::from(i);
        let numbers: Vec<u128> = (1..100).map(number).collect();
        assert!(
            numbers
                .iter()
                .all(|&number| hash(number) == hash(numbers[0]))
        );
        let index = Index::new(&numbers).unwrap();
        assert!(numbers.iter().all(|&number| index.has(&numbers, number)));
        assert!(!index.has(&numbers, number(100)));
    }
}
