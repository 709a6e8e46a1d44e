//! The kernels for WebAssembly's vectors, which a module either requires or
//! lacks: there is nothing to detect at run time. As on x86-64, the sums of an
//! update stay in registers.

use super::{Change, Lanes};
use std::arch::wasm32::*;

/// Vectors in a block of lanes.
const VECTORS: usize = size_of::<Lanes>() / size_of::<v128>();

#[inline]
fn load(lanes: &Lanes) -> [v128; VECTORS] {
    bytemuck::cast(lanes.0)
}

/// See [`super::Simd::update`].
pub(super) fn update(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
    let mut from = 0;
    while target.len() - from >= 2 {
        tile::<2>(target, source, change, from);
        from += 2;
    }
    if from < target.len() {
        tile::<1>(target, source, change, from);
    }
}

/// A part of the update whose sums stay in registers.
#[inline]
fn tile<const TILE: usize>(
    target: &mut [Lanes],
    source: &[Lanes],
    change: &Change<'_>,
    from: usize,
) {
    // Half a row or less: its blocks are contiguous.
    let half = const { TILE.div_ceil(2) };
    let source = &source[from..from + TILE];
    let mut sums = [[i16x8_splat(0); VECTORS]; TILE];
    for block in 0..TILE {
        sums[block] = load(&source[block]);
    }
    for &row in change.out {
        for first in (0..TILE).step_by(half) {
            let row = change.part(row, from + first, half);
            for block in 0..half {
                let (row, sums) = (load(&row[block]), &mut sums[first + block]);
                for part in 0..VECTORS {
                    sums[part] = i16x8_sub(sums[part], row[part]);
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
                    sums[part] = i16x8_add(sums[part], row[part]);
                }
            }
        }
    }
    let target = &mut target[from..from + TILE];
    for block in 0..TILE {
        target[block] = Lanes(bytemuck::cast(sums[block]));
    }
}

/// See [`super::Simd::output`].
pub(super) fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
    let (first, second) = weights.split_at(mover.len());
    let mut totals = [i32x4_splat(0); VECTORS];
    weigh(mover, first, &mut totals);
    weigh(other, second, &mut totals);
    let total = totals.into_iter().reduce(|sum, more| i32x4_add(sum, more));
    let numbers: [i32; 4] = bytemuck::cast(total.unwrap_or(i32x4_splat(0)));
    numbers.into_iter().fold(0, i32::wrapping_add)
}

#[inline]
fn weigh(sums: &[Lanes], weights: &[Lanes], totals: &mut [v128; VECTORS]) {
    let (zero, one) = (i16x8_splat(0), i16x8_splat(255));
    for (sums, weights) in sums.iter().zip(weights) {
        let (sums, weights) = (load(sums), load(weights));
        for part in 0..VECTORS {
            let value = i16x8_min(i16x8_max(sums[part], zero), one);
            let product = i16x8_mul(value, weights[part]);
            totals[part] = i32x4_add(totals[part], i32x4_dot_i16x8(product, value));
        }
    }
}
