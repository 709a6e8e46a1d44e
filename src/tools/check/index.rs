//! Finding a number among many: a table of places, open addressing.

/// Where each number stands in a list.
pub struct Index {
    /// 0 if empty, else the place in the list and 1.
    places: Vec<u32>,
    shift: u32,
}

impl Index {
    /// The index of a list of different numbers.
    pub fn new(numbers: &[u128]) -> Self {
        let bits = (2 * numbers.len()).next_power_of_two().ilog2().max(1);
        let mut index = Self {
            places: vec![0; 1 << bits],
            shift: 64 - bits,
        };
        for (place, &number) in (1..).zip(numbers) {
            let slot = index.slots(number).find(|&slot| index.places[slot] == 0);
            if let Some(slot) = slot {
                index.places[slot] = place;
            }
        }
        index
    }

    /// Whether the list has the number.
    pub fn has(&self, numbers: &[u128], number: u128) -> bool {
        self.slots(number)
            .map(|slot| self.places[slot] as usize)
            .take_while(|&place| place > 0)
            .any(|place| numbers[place - 1] == number)
    }

    /// The slots where a number may stand, in the order of trying.
    fn slots(&self, number: u128) -> impl Iterator<Item = usize> {
        // Bits spread by an odd number near 2^64 divided by the golden ratio.
        let mixed = (number as u64 ^ ((number >> 64) as u64).rotate_left(32))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (first, mask) = ((mixed >> self.shift) as usize, self.places.len() - 1);
        (0..=mask).map(move |step| (first + step) & mask)
    }
}
