//! The inner loops, for every set of vector instructions that the processor
//! may have; which one runs is decided at run time. All arithmetic is on
//! integers, so all of them agree bit for bit.

mod kernels;

pub(super) use kernels::{Change, LANES, Lanes, PAIRS, RowPair, UnitPairs};

use std::fmt;

/// A set of vector instructions that this processor has.
#[derive(Clone, Copy)]
pub(crate) struct Simd {
    name: &'static str,
    // SAFETY: whoever calls these must have checked that the processor has the
    // instructions; only `available` makes a `Simd`, from those it has.
    update: unsafe fn(&mut [Lanes], &[Lanes], &Change<'_>),
    // SAFETY: as for `update`.
    output: unsafe fn(&[Lanes], &[Lanes], &[Lanes]) -> i32,
    // SAFETY: as for `update`.
    second_layer: unsafe fn([&[Lanes]; 2], &UnitPairs<'_>) -> i32,
}

/// A set, named like the module of its kernels.
macro_rules! simd {
    ($name:ident) => {
        Simd {
            name: stringify!($name),
            update: kernels::$name::update,
            output: kernels::$name::output,
            second_layer: kernels::$name::second_layer,
        }
    };
}

impl Simd {
    /// What every processor of this architecture has.
    pub(crate) const PORTABLE: Self = simd!(portable);

    /// All sets that this processor has, the widest last.
    pub(crate) fn available() -> Vec<Self> {
        let sets = [
            Some(Self::PORTABLE),
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx2").then_some(simd!(avx2)),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"))
                .then_some(simd!(avx512)),
            #[cfg(target_arch = "aarch64")]
            std::arch::is_aarch64_feature_detected!("neon").then_some(simd!(neon)),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Some(simd!(simd128)),
        ];
        sets.into_iter().flatten().collect()
    }

    /// The widest set that this processor has.
    pub(crate) fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// The set of this name, if this processor has it.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let mut available = Self::available().into_iter();
        available.find(|simd| simd.name == name)
    }

    /// Its name: `portable`, `avx2`, `avx512`, `neon` or `simd128`.
    pub(crate) const fn name(self) -> &'static str {
        self.name
    }

    /// `target = source - rows removed + rows added`.
    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn update(self, target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
        // SAFETY: a set exists only where the processor has its instructions.
        unsafe { (self.update)(target, source, change) }
    }

    /// The sum of `clip(x)^2 * w` over both accumulators, the mover's weights
    /// first. The weights have been checked so that it fits 32 bits.
    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn output(self, mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
        // SAFETY: a set exists only where the processor has its instructions.
        unsafe { (self.output)(mover, other, weights) }
    }

    /// What the second layer adds to the output, from the mover's and the other
    /// accumulator. The weights have been checked so that it fits 32 bits.
    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn second_layer(self, accumulators: [&[Lanes]; 2], pairs: &UnitPairs<'_>) -> i32 {
        // SAFETY: a set exists only where the processor has its instructions.
        unsafe { (self.second_layer)(accumulators, pairs) }
    }
}

impl PartialEq for Simd {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Simd {}

impl fmt::Debug for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
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

    /// What a second layer adds to the output.
    fn second_layer(
        accumulators: [&[Lanes]; 2],
        weights: &[Lanes],
        bias: &[i32; PAIRS],
        output: &[i32; PAIRS],
    ) -> i32 {
        let mut inputs: [Vec<i32>; 2] = Default::default();
        for lanes in accumulators {
            let units = lanes.iter().flat_map(|it| it.0).map(i32::from);
            let units: Vec<i32> = units.map(|it| it.clamp(0, 255).pow(2) / 256).collect();
            let (first, second) = units.split_at(units.len() / 2);
            for (one, other) in first.iter().zip(second) {
                inputs[0].push(one + other);
                inputs[1].push(one - other);
            }
        }
        let count = inputs[0].len();
        let product = |kind: usize, pair: usize| -> i32 {
            let weight = |at: usize| weights[(kind * count + at) / 2].0[2 * pair + at % 2];
            let products = inputs[kind].iter().enumerate();
            products.map(|(at, it)| it * i32::from(weight(at))).sum()
        };
        let of_pair = |pair: usize| {
            let (sum, difference) = (product(0, pair) + bias[pair], product(1, pair));
            let units = [sum + difference, sum - difference].map(|it| it.clamp(0, 130_050) >> 7);
            (units[0] + units[1]) * output[pair]
        };
        (0..PAIRS).map(of_pair).sum()
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
                let place = (row * stride + begin) as RowPair;
                place | (RowPair::MAX << 32)
            };
            let change = Change {
                rows: &rows,
                removed: &[place(0, 0), place(3, other)],
                added: &[place(1, other), place(2, 0), place(4, other)],
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
                if [2, 4, 8].contains(&blocks) {
                    let accumulators = [target.as_slice(), &source];
                    let weights = lanes(LANES * blocks, 50, 4);
                    let bias = std::array::from_fn(|pair| 900 * pair as i32 - 7000);
                    let output = std::array::from_fn(|pair| 77 * pair as i32 - 500);
                    let pairs = UnitPairs {
                        weights: &weights,
                        bias: &bias,
                        output: &output,
                    };
                    let found = simd.second_layer(accumulators, &pairs);
                    let expected = second_layer(accumulators, &weights, &bias, &output);
                    assert_eq!(found, expected, "{simd:?}, {blocks} blocks");
                }
            }
        }
    }
}
