//! The inner loops, written once, and the vectors that they run on.

/// 16-bit lanes that are processed together, aligned to a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes(pub [i16; LANES]);

/// How many lanes there are.
pub(crate) const LANES: usize = 32;

impl Lanes {
    pub(crate) const ZERO: Self = Self([0; LANES]);
}

/// Two rows of a network's table: White's view in the lower half, Black's in the
/// upper one, so that both change in one addition.
pub(crate) type RowPair = u64;

/// Pairs of units in a second layer: their weights for two inputs fill a block of
/// lanes. Pairs that a network lacks add nothing.
pub(crate) const PAIRS: usize = LANES / 2;

/// The pairs of units of a second layer.
pub(crate) struct UnitPairs<'a> {
    /// For each two sums of both halves of the accumulators and then for each two
    /// differences, the weights of each pair of units.
    pub(crate) weights: &'a [Lanes],
    /// Twice the bias.
    pub(crate) bias: &'a [i32; PAIRS],
    /// The output weights.
    pub(crate) output: &'a [i32; PAIRS],
}

/// Which rows of a table leave an accumulator and which enter it.
///
/// Rows are spaced by a power of two that is at least their length. A row is
/// named by the block where it begins: its first, or, if its halves are to be
/// exchanged, the first of its second half.
pub(crate) struct Change<'a> {
    /// The table.
    pub(crate) rows: &'a [Lanes],
    pub(crate) removed: &'a [RowPair],
    pub(crate) added: &'a [RowPair],
    /// Whose view the accumulator is.
    pub(crate) view: usize,
}

impl Change<'_> {
    /// The next `blocks` blocks of a row from `from` on, all of them in one half.
    #[inline]
    fn part(&self, row: RowPair, from: usize, blocks: usize) -> &[Lanes] {
        let row = (row >> (32 * self.view)) as u32;
        &self.rows[row as usize ^ from..][..blocks]
    }
}

/// Defines `update`, `output` and `second_layer` for one kind of vector, named by its
/// instructions. A macro, because a function cannot be generic over the
/// processor features that it needs.
///
/// The sums of an update stay in registers, in tiles of some blocks: left alone,
/// compilers keep them in memory, and add up the output after every block. The
/// last tile is of one block.
macro_rules! kernels {
    (
        $(#[$feature:meta])?
        $Vector:ty, $Total:ty, tiles: $($tile:literal)+,
        $splat:ident, $add:ident, $sub:ident, $min:ident, $max:ident, $mul:ident, $dot:ident,
        $high:ident, $both:ident, $dot_pairs:ident
    ) => {
        use crate::eval::nnue::simd::kernels::{Change, PAIRS, Lanes, UnitPairs};

        /// Vectors in a block of lanes.
        const VECTORS: usize = size_of::<Lanes>() / size_of::<$Vector>();

        #[inline]
        $(#[$feature])?
        fn load(lanes: &Lanes) -> [$Vector; VECTORS] {
            bytemuck::cast(lanes.0)
        }

        /// See `Simd::update`.
        $(#[$feature])?
        pub(crate) fn update(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
            let mut from = 0;
            $(while target.len() - from >= $tile {
                tile::<$tile>(target, source, change, from);
                from += $tile;
            })+
        }

        /// A part of the update whose sums stay in registers.
        #[inline]
        $(#[$feature])?
        fn tile<const TILE: usize>(
            target: &mut [Lanes],
            source: &[Lanes],
            change: &Change<'_>,
            from: usize,
        ) {
            // Half a row or less: its blocks are contiguous.
            let half = const { TILE.div_ceil(2) };
            let source = &source[from..from + TILE];
            let mut sums = [[$splat(0); VECTORS]; TILE];
            for block in 0..TILE {
                sums[block] = load(&source[block]);
            }
            for &row in change.removed {
                for first in (0..TILE).step_by(half) {
                    let row = change.part(row, from + first, half);
                    for block in 0..half {
                        let (row, sums) = (load(&row[block]), &mut sums[first + block]);
                        for part in 0..VECTORS {
                            sums[part] = $sub(sums[part], row[part]);
                        }
                    }
                }
            }
            for &row in change.added {
                for first in (0..TILE).step_by(half) {
                    let row = change.part(row, from + first, half);
                    for block in 0..half {
                        let (row, sums) = (load(&row[block]), &mut sums[first + block]);
                        for part in 0..VECTORS {
                            sums[part] = $add(sums[part], row[part]);
                        }
                    }
                }
            }
            let target = &mut target[from..from + TILE];
            for block in 0..TILE {
                target[block] = Lanes(bytemuck::cast(sums[block]));
            }
        }

        /// See `Simd::output`.
        $(#[$feature])?
        pub(crate) fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
            let (first, second) = weights.split_at(mover.len());
            let mut totals: [$Total; VECTORS] = bytemuck::Zeroable::zeroed();
            weigh(mover, first, &mut totals);
            weigh(other, second, &mut totals);
            let numbers: [i32; size_of::<Lanes>() / 4] = bytemuck::cast(totals);
            numbers.iter().fold(0, |sum, &number| sum.wrapping_add(number))
        }

        /// See `Simd::second_layer`.
        $(#[$feature])?
        pub(crate) fn second_layer(
            accumulators: [&[Lanes]; 2],
            pairs: &UnitPairs<'_>,
        ) -> i32 {
            match accumulators[0].len() / 2 {
                1 => layer::<1>(accumulators, pairs),
                2 => layer::<2>(accumulators, pairs),
                4 => layer::<4>(accumulators, pairs),
                _ => layer::<8>(accumulators, pairs),
            }
        }

        /// The same for accumulators whose halves have this many blocks.
        #[inline]
        $(#[$feature])?
        fn layer<const HALF: usize>(
            accumulators: [&[Lanes]; 2],
            pairs: &UnitPairs<'_>,
        ) -> i32 {
            let mut sums = [[Lanes::ZERO; HALF]; 2];
            let mut differences = sums;
            for (side, units) in accumulators.into_iter().enumerate() {
                let (first, second) = units.split_at(HALF);
                for block in 0..HALF {
                    let (first, second) = (load(&first[block]), load(&second[block]));
                    let mut both = [[$splat(0); VECTORS]; 2];
                    for part in 0..VECTORS {
                        let [first, second] = [first[part], second[part]].map(|sum| {
                            let value = $min($max(sum, $splat(0)), $splat(255));
                            $high($mul(value, value))
                        });
                        both[0][part] = $add(first, second);
                        both[1][part] = $sub(first, second);
                    }
                    sums[side][block] = Lanes(bytemuck::cast(both[0]));
                    differences[side][block] = Lanes(bytemuck::cast(both[1]));
                }
            }
            let (of_sums, of_differences) = pairs.weights.split_at(pairs.weights.len() / 2);
            let sums = products(sums.as_flattened(), of_sums);
            let differences = products(differences.as_flattened(), of_differences);
            let mut out = 0;
            for pair in 0..PAIRS {
                let (sum, difference) = (sums[pair] + pairs.bias[pair], differences[pair]);
                let first = (sum + difference).clamp(0, 2 * 255 * 255) >> 7;
                let second = (sum - difference).clamp(0, 2 * 255 * 255) >> 7;
                out += (first + second) * pairs.output[pair];
            }
            out
        }

        /// The products of the weights of each unit with the inputs, two inputs at a time.
        #[inline]
        $(#[$feature])?
        fn products(inputs: &[Lanes], weights: &[Lanes]) -> [i32; PAIRS] {
            let mut totals: [[$Total; VECTORS]; 2] = bytemuck::Zeroable::zeroed();
            for (inputs, weights) in inputs.iter().zip(weights.chunks_exact(PAIRS)) {
                let inputs: [i32; PAIRS] = bytemuck::cast(inputs.0);
                for (at, weights) in weights.iter().enumerate() {
                    let (both, weights) = ($both(inputs[at]), load(weights));
                    for part in 0..VECTORS {
                        let total = &mut totals[at % 2][part];
                        *total = $dot_pairs(*total, both, weights[part]);
                    }
                }
            }
            let [first, second]: [[i32; PAIRS]; 2] = bytemuck::cast(totals);
            std::array::from_fn(|pair| first[pair] + second[pair])
        }

        /// The product with the weight fits 16 bits, so that the second product
        /// can be taken and summed in pairs, as chess engines do (Lizard, 2024).
        #[inline]
        $(#[$feature])?
        fn weigh(sums: &[Lanes], weights: &[Lanes], totals: &mut [$Total; VECTORS]) {
            for (sums, weights) in sums.iter().zip(weights) {
                let (sums, weights) = (load(sums), load(weights));
                for part in 0..VECTORS {
                    let value = $min($max(sums[part], $splat(0)), $splat(255));
                    let product = $mul(value, weights[part]);
                    totals[part] = $dot(totals[part], product, value);
                }
            }
        }
    };
}

/// For any processor. The compiler turns the arrays into vectors where all
/// processors of the architecture have them.
pub(crate) mod portable {
    use std::array::from_fn;

    type Vector = [i16; 16];
    type Total = [i32; 8];

    #[inline]
    fn splat(number: i16) -> Vector {
        [number; 16]
    }

    #[inline]
    fn add(one: Vector, other: Vector) -> Vector {
        from_fn(|lane| one[lane].wrapping_add(other[lane]))
    }

    #[inline]
    fn sub(one: Vector, other: Vector) -> Vector {
        from_fn(|lane| one[lane].wrapping_sub(other[lane]))
    }

    #[inline]
    fn min(one: Vector, other: Vector) -> Vector {
        from_fn(|lane| one[lane].min(other[lane]))
    }

    #[inline]
    fn max(one: Vector, other: Vector) -> Vector {
        from_fn(|lane| one[lane].max(other[lane]))
    }

    #[inline]
    fn mul(one: Vector, other: Vector) -> Vector {
        from_fn(|lane| one[lane].wrapping_mul(other[lane]))
    }

    #[inline]
    fn dot(total: Total, one: Vector, other: Vector) -> Total {
        let product = |lane: usize| i32::from(one[lane]) * i32::from(other[lane]);
        from_fn(|pair| total[pair].wrapping_add(product(2 * pair) + product(2 * pair + 1)))
    }

    #[inline]
    fn high(vector: Vector) -> Vector {
        from_fn(|lane| (vector[lane].cast_unsigned() >> 8).cast_signed())
    }

    #[inline]
    fn both(numbers: i32) -> Vector {
        bytemuck::cast([numbers; 8])
    }

    kernels!(
        Vector, Total, tiles: 2 1, splat, add, sub, min, max, mul, dot, high, both, dot
    );
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn dot(total: __m256i, one: __m256i, other: __m256i) -> __m256i {
        _mm256_add_epi32(total, _mm256_madd_epi16(one, other))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn high(vector: __m256i) -> __m256i {
        _mm256_srli_epi16::<8>(vector)
    }

    kernels!(
        #[target_feature(enable = "avx2")]
        __m256i, __m256i, tiles: 4 2 1,
        _mm256_set1_epi16, _mm256_add_epi16, _mm256_sub_epi16, _mm256_min_epi16,
        _mm256_max_epi16, _mm256_mullo_epi16, dot, high, _mm256_set1_epi32, dot
    );
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512 {
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn dot(total: __m512i, one: __m512i, other: __m512i) -> __m512i {
        _mm512_add_epi32(total, _mm512_madd_epi16(one, other))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn high(vector: __m512i) -> __m512i {
        _mm512_srli_epi16::<8>(vector)
    }

    kernels!(
        #[target_feature(enable = "avx512f,avx512bw")]
        __m512i, __m512i, tiles: 8 4 2 1,
        _mm512_set1_epi16, _mm512_add_epi16, _mm512_sub_epi16, _mm512_min_epi16,
        _mm512_max_epi16, _mm512_mullo_epi16, dot, high, _mm512_set1_epi32, dot
    );
}

/// Every aarch64 processor has it.
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon {
    use std::arch::aarch64::*;

    #[inline]
    #[target_feature(enable = "neon")]
    fn dot(total: int32x4_t, one: int16x8_t, other: int16x8_t) -> int32x4_t {
        let low = vmlal_s16(total, vget_low_s16(one), vget_low_s16(other));
        vmlal_high_s16(low, one, other)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn high(vector: int16x8_t) -> int16x8_t {
        vreinterpretq_s16_u16(vshrq_n_u16::<8>(vreinterpretq_u16_s16(vector)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn both(numbers: i32) -> int16x8_t {
        vreinterpretq_s16_s32(vdupq_n_s32(numbers))
    }

    /// Unlike `dot`, this adds products that are side by side.
    #[inline]
    #[target_feature(enable = "neon")]
    fn dot_pairs(total: int32x4_t, one: int16x8_t, other: int16x8_t) -> int32x4_t {
        let low = vmull_s16(vget_low_s16(one), vget_low_s16(other));
        vaddq_s32(total, vpaddq_s32(low, vmull_high_s16(one, other)))
    }

    kernels!(
        #[target_feature(enable = "neon")]
        int16x8_t, int32x4_t, tiles: 4 1,
        vdupq_n_s16, vaddq_s16, vsubq_s16, vminq_s16, vmaxq_s16, vmulq_s16, dot, high, both, dot_pairs
    );
}

/// A WebAssembly module either requires its vectors or lacks them: there is
/// nothing to detect at run time.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128 {
    use std::arch::wasm32::*;

    #[inline]
    fn dot(total: v128, one: v128, other: v128) -> v128 {
        i32x4_add(total, i32x4_dot_i16x8(one, other))
    }

    #[inline]
    fn high(vector: v128) -> v128 {
        u16x8_shr(vector, 8)
    }

    kernels!(
        v128, v128, tiles: 2 1,
        i16x8_splat, i16x8_add, i16x8_sub, i16x8_min, i16x8_max, i16x8_mul, dot, high, i32x4_splat, dot
    );
}
