//! The two inner loops, for every set of vector instructions that the processor
//! may have; which one runs is decided at run time. All arithmetic is on
//! integers, so all of them agree bit for bit.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::windows::{Place, seen};
use std::fmt;

/// 16-bit lanes that are processed together, aligned to a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes(pub [i16; LANES]);

/// How many lanes there are.
pub(super) const LANES: usize = 32;

impl Lanes {
    pub const ZERO: Self = Self([0; LANES]);
}

/// A set of vector instructions that this processor has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Simd(Path);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Simd {
    /// What every processor of this architecture has.
    pub const PORTABLE: Self = Self(Path::Portable);

    /// All sets that this processor has, the widest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let paths = [
            Some(Path::Portable),
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx2").then_some(Path::Avx2),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"))
                .then_some(Path::Avx512),
            #[cfg(target_arch = "aarch64")]
            std::arch::is_aarch64_feature_detected!("neon").then_some(Path::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Some(Path::Simd128),
        ];
        paths.into_iter().flatten().map(Self).collect()
    }

    /// The widest set that this processor has.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// The set of this name, if this processor has it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let mut available = Self::available().into_iter();
        available.find(|simd| simd.name() == name)
    }

    /// Its name: `portable`, `avx2`, `avx512`, `neon` or `simd128`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Path::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Path::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Path::Simd128 => "simd128",
        }
    }

    /// `target = source - rows taken out + rows put in`.
    #[allow(unsafe_code)]
    pub(super) fn update(self, target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
        match self.0 {
            Path::Portable => portable::update(target, source, change),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX2.
            Path::Avx2 => unsafe { x86::avx2::update(target, source, change) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX-512 F
            // and BW.
            Path::Avx512 => unsafe { x86::avx512::update(target, source, change) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: this path exists only where the processor has NEON.
            Path::Neon => unsafe { neon::update(target, source, change) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Path::Simd128 => wasm::update(target, source, change),
        }
    }

    /// The sum of `clip(x)^2 * w` over both accumulators, the mover's weights
    /// first. The weights have been checked so that it fits 32 bits.
    #[allow(unsafe_code)]
    pub(super) fn output(self, mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
        match self.0 {
            Path::Portable => portable::output(mover, other, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX2.
            Path::Avx2 => unsafe { x86::avx2::output(mover, other, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX-512 F
            // and BW.
            Path::Avx512 => unsafe { x86::avx512::output(mover, other, weights) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: this path exists only where the processor has NEON.
            Path::Neon => unsafe { neon::output(mover, other, weights) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Path::Simd128 => wasm::output(mover, other, weights),
        }
    }
}

impl fmt::Debug for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which rows of a table leave an accumulator and which enter it.
///
/// Rows are spaced by a power of two that is at least their length. A row is
/// named by the block where it begins: its first, or, if its halves are to be
/// exchanged, the first of its second half.
pub(super) struct Change<'a> {
    /// The table.
    pub rows: &'a [Lanes],
    /// The rows that leave.
    pub out: &'a [Place],
    /// The rows that enter.
    pub into: &'a [Place],
    /// Whose view the accumulator is.
    pub view: usize,
}

impl Change<'_> {
    /// The next `blocks` blocks of a row from `from` on, all of them in one half.
    #[inline]
    fn part(&self, row: Place, from: usize, blocks: usize) -> &[Lanes] {
        &self.rows[seen(row, self.view) as usize ^ from..][..blocks]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers from -most to most.
    fn lanes(count: usize, most: i32, seed: u32) -> Vec<Lanes> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as i32 % (2 * most + 1) - most) as i16
        };
        let block = |_| Lanes(std::array::from_fn(|_| next()));
        (0..count).map(block).collect()
    }

    /// Small enough for Miri: `cargo miri test` runs this one.
    #[test]
    fn all_instructions_do_what_the_loops_say() {
        for blocks in 1..=9usize {
            let stride = blocks.next_power_of_two();
            let (rows, source) = (lanes(5 * stride, 300, 1), lanes(blocks, 700, 2));
            // Halves can be exchanged where there are two.
            let other = if blocks == stride { stride / 2 } else { 0 };
            // What the other view sees must not matter.
            let place = |row: usize, begin: usize| {
                let place = (row * stride + begin) as Place;
                place | (Place::MAX << 32)
            };
            let change = Change {
                rows: &rows,
                out: &[place(0, 0), place(3, other)],
                into: &[place(1, other), place(2, 0), place(4, other)],
                view: 0,
            };
            let sum = |block: usize, lane: usize| {
                let row = |at: usize| rows[at * stride + block].0[lane];
                let exchanged = |at: usize| {
                    let moved = if block < other {
                        block + other
                    } else {
                        block - other
                    };
                    rows[at * stride + moved].0[lane]
                };
                source[block].0[lane] - row(0) - exchanged(3) + exchanged(1) + row(2) + exchanged(4)
            };
            let weights = lanes(2 * blocks, 127, 3);
            for simd in Simd::available() {
                let mut target = vec![Lanes::ZERO; blocks];
                simd.update(&mut target, &source, &change);
                for (block, sums) in target.iter().enumerate() {
                    let expected: [i16; LANES] = std::array::from_fn(|lane| sum(block, lane));
                    assert_eq!(sums.0, expected, "{simd:?}, {blocks} blocks");
                }
                let weighed = |sums: &[Lanes], weights: &[Lanes]| -> i32 {
                    let pairs = sums.iter().zip(weights);
                    let lanes = pairs.flat_map(|(sums, weights)| sums.0.into_iter().zip(weights.0));
                    lanes
                        .map(|(sum, weight)| {
                            i32::from(sum).clamp(0, 255).pow(2) * i32::from(weight)
                        })
                        .sum()
                };
                let expected =
                    weighed(&target, &weights[..blocks]) + weighed(&source, &weights[blocks..]);
                let found = simd.output(&target, &source, &weights);
                assert_eq!(found, expected, "{simd:?}, {blocks} blocks");
            }
        }
    }
}
