//! The kernels for x86-64. The compiler does much worse with the portable form:
//! it keeps the sums of an update in memory, and adds up the output after every
//! block.

use super::{Change, Lanes};
use std::arch::x86_64::*;

/// The kernels for one kind of vector, named by its intrinsics.
macro_rules! kernels {
    (
        $module:ident, $features:literal, $Vector:ident, $sum:ident, tiles: $($tile:literal)+,
        $zero:ident, $set:ident, $add:ident, $sub:ident, $min:ident, $max:ident,
        $mul:ident, $madd:ident, $add32:ident
    ) => {
        pub(super) mod $module {
            use super::*;

            /// Vectors in a block of lanes.
            const VECTORS: usize = size_of::<Lanes>() / size_of::<$Vector>();

            #[inline]
            #[target_feature(enable = $features)]
            fn load(lanes: &Lanes) -> [$Vector; VECTORS] {
                bytemuck::cast(lanes.0)
            }

            /// See [`super::super::Simd::update`].
            #[target_feature(enable = $features)]
            pub fn update(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
                let mut from = 0;
                $(while target.len() - from >= $tile {
                    tile::<$tile>(target, source, change, from);
                    from += $tile;
                })+
            }

            /// A part of the update whose sums stay in registers.
            #[inline]
            #[target_feature(enable = $features)]
            fn tile<const TILE: usize>(
                target: &mut [Lanes],
                source: &[Lanes],
                change: &Change<'_>,
                from: usize,
            ) {
                // Half a row or less: its blocks are contiguous.
                let half = const { TILE.div_ceil(2) };
                let source = &source[from..from + TILE];
                let mut sums = [[$zero(); VECTORS]; TILE];
                for block in 0..TILE {
                    sums[block] = load(&source[block]);
                }
                for &row in change.out {
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
                for &row in change.into {
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

            /// See [`super::super::Simd::output`].
            #[target_feature(enable = $features)]
            pub fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
                let (first, second) = weights.split_at(mover.len());
                let mut totals = [$zero(); VECTORS];
                weigh(mover, first, &mut totals);
                weigh(other, second, &mut totals);
                let total = totals.into_iter().reduce(|a, b| $add32(a, b));
                $sum(total.unwrap_or($zero()))
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn weigh(sums: &[Lanes], weights: &[Lanes], totals: &mut [$Vector; VECTORS]) {
                for (sums, weights) in sums.iter().zip(weights) {
                    let (sums, weights) = (load(sums), load(weights));
                    for part in 0..VECTORS {
                        let value = $min($max(sums[part], $zero()), $set(255));
                        let product = $mul(value, weights[part]);
                        totals[part] = $add32(totals[part], $madd(product, value));
                    }
                }
            }
        }
    };
}

kernels!(
    avx2, "avx2", __m256i, sum_256, tiles: 4 2 1,
    _mm256_setzero_si256, _mm256_set1_epi16, _mm256_add_epi16, _mm256_sub_epi16,
    _mm256_min_epi16, _mm256_max_epi16, _mm256_mullo_epi16, _mm256_madd_epi16,
    _mm256_add_epi32
);

kernels!(
    avx512, "avx512f,avx512bw", __m512i, _mm512_reduce_add_epi32, tiles: 8 4 2 1,
    _mm512_setzero_si512, _mm512_set1_epi16, _mm512_add_epi16, _mm512_sub_epi16,
    _mm512_min_epi16, _mm512_max_epi16, _mm512_mullo_epi16, _mm512_madd_epi16,
    _mm512_add_epi32
);

/// The sum of eight numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn sum_256(vector: __m256i) -> i32 {
    let numbers: [i32; 8] = bytemuck::cast(vector);
    numbers
        .iter()
        .fold(0, |sum, &number| sum.wrapping_add(number))
}
