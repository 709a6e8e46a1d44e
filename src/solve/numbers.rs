//! Proof and disproof numbers, from the view of the side to move: `phi` is how
//! hard it looks to prove its win, `delta` how hard to prove its loss.

/// Stands for "cannot be proven".
pub(super) const INFINITE: u32 = u32::MAX;

/// The largest finite number; larger sums are stored as this.
pub(super) const LARGEST: u32 = 1 << 31;

/// A pair of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) phi: u32,
    pub(super) delta: u32,
}

impl Numbers {
    pub(super) const WON: Self = Self {
        phi: 0,
        delta: INFINITE,
    };
    pub(super) const LOST: Self = Self {
        phi: INFINITE,
        delta: 0,
    };

    #[inline]
    pub(super) const fn won(self) -> bool {
        self.phi == 0
    }

    #[inline]
    pub(super) const fn lost(self) -> bool {
        self.delta == 0
    }

    /// Whether the side to move wins, if that is known.
    pub(super) fn decided(self) -> Option<bool> {
        (self.won() || self.lost()).then(|| self.won())
    }
}

/// A sum as a finite number.
#[inline]
pub(super) const fn finite(sum: u64) -> u32 {
    if sum > LARGEST as u64 {
        LARGEST
    } else {
        sum as u32
    }
}

const EXPONENT: u32 = 5;

/// Packs a number into `bits` bits, at least 6: 0 as 0, infinity as all ones,
/// others as a power of two and a mantissa, rounded up, so that a search that
/// has reached a threshold still finds it reached when it comes back.
#[inline]
pub(super) const fn pack(number: u32, bits: u32) -> u64 {
    let ones = (1 << bits) - 1;
    if number == 0 {
        return 0;
    }
    if number == INFINITE {
        return ones;
    }
    let mantissa = bits - EXPONENT;
    let exponent = 31 - number.leading_zeros();
    let scaled = (((number as u64) << mantissa) + (1 << exponent) - 1) >> exponent;
    // Rounding up may carry into the exponent, as it should.
    let code = 1 + ((exponent as u64) << mantissa) + scaled - (1 << mantissa);
    if code < ones { code } else { ones - 1 }
}

/// The inverse of [`pack`]: the number packed or, if it needed more digits, the
/// next larger one that can be represented.
#[inline]
pub(super) const fn unpack(code: u64, bits: u32) -> u32 {
    if code == 0 {
        return 0;
    }
    if code == (1 << bits) - 1 {
        return INFINITE;
    }
    if code == (1 << bits) - 2 {
        // Stands for all finite numbers that are too large for the other codes.
        return LARGEST;
    }
    let mantissa = bits - EXPONENT;
    let exponent = (code - 1) >> mantissa;
    let scaled = ((code - 1) & ((1 << mantissa) - 1)) | (1 << mantissa);
    finite((scaled << exponent) >> mantissa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_end_at_the_largest_finite_number() {
        assert_eq!(finite(0), 0);
        for (more, expected) in [(0, LARGEST), (1, LARGEST), (1 << 33, LARGEST)] {
            assert_eq!(finite(u64::from(LARGEST) + more), expected);
        }
        assert_eq!(finite(u64::from(LARGEST) - 1), LARGEST - 1);
    }

    #[test]
    fn packing_never_makes_a_number_smaller() {
        for bits in 6..=13 {
            let numbers = (0..4000)
                .chain((0..31).flat_map(|e| [(1 << e) - 1, 1 << e, (1 << e) + 1, 3 << (e / 2)]))
                .chain([LARGEST - 1, LARGEST, INFINITE]);
            for number in numbers {
                let back = unpack(pack(number, bits), bits);
                assert!(back >= number, "{number} in {bits} bits gives {back}");
                let error = f64::from(back) / f64::from(number.max(1)) - 1.0;
                // The last code stands for everything too large for the others.
                let is_last = pack(number, bits) == (1 << bits) - 2;
                assert!(
                    is_last || error <= 1.0 / f64::from(1 << (bits - 5)),
                    "{number}: {back}"
                );
                assert_eq!(back == INFINITE, number == INFINITE);
                assert_eq!(pack(back, bits), pack(number, bits));
            }
        }
    }
}
