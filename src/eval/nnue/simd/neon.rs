//! The kernels for aarch64, where every processor has NEON. As on x86-64, the
//! sums of an update stay in registers.

use super::{Change, Lanes};
use std::arch::aarch64::*;

/// Vectors in a block of lanes.
const VECTORS: usize = size_of::<Lanes>() / size_of::<int16x8_t>();

#[inline]
#[target_feature(enable = "neon")]
fn load(lanes: &Lanes) -> [int16x8_t; VECTORS] {
    bytemuck::cast(lanes.0)
}

/// See [`super::Simd::update`].
#[target_feature(enable = "neon")]
pub(super) fn update(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
    let mut from = 0;
    while target.len() - from >= 4 {
        tile::<4>(target, source, change, from);
        from += 4;
    }
    while from < target.len() {
        tile::<1>(target, source, change, from);
        from += 1;
    }
}

/// A part of the update whose sums stay in registers.
#[inline]
#[target_feature(enable = "neon")]
fn tile<const TILE: usize>(
    target: &mut [Lanes],
    source: &[Lanes],
    change: &Change<'_>,
    from: usize,
) {
    // Half a row or less: its blocks are contiguous.
    let half = const { TILE.div_ceil(2) };
    let mut sums = [[vdupq_n_s16(0); VECTORS]; TILE];
    for (sums, source) in sums.iter_mut().zip(&source[from..]) {
        *sums = load(source);
    }
    for &row in change.out {
        for (part, sums) in sums.chunks_exact_mut(half).enumerate() {
            let row = change.part(row, from + part * half, half);
            for (sums, row) in sums.iter_mut().zip(row) {
                for (sum, weights) in sums.iter_mut().zip(load(row)) {
                    *sum = vsubq_s16(*sum, weights);
                }
            }
        }
    }
    for &row in change.into {
        for (part, sums) in sums.chunks_exact_mut(half).enumerate() {
            let row = change.part(row, from + part * half, half);
            for (sums, row) in sums.iter_mut().zip(row) {
                for (sum, weights) in sums.iter_mut().zip(load(row)) {
                    *sum = vaddq_s16(*sum, weights);
                }
            }
        }
    }
    for (target, sums) in target[from..from + TILE].iter_mut().zip(sums) {
        *target = Lanes(bytemuck::cast(sums));
    }
}

/// See [`super::Simd::output`].
#[target_feature(enable = "neon")]
pub(super) fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
    let (first, second) = weights.split_at(mover.len());
    let totals = weigh(
        other,
        second,
        weigh(mover, first, [vdupq_n_s32(0); VECTORS]),
    );
    let halves = [
        vaddq_s32(totals[0], totals[1]),
        vaddq_s32(totals[2], totals[3]),
    ];
    vaddvq_s32(vaddq_s32(halves[0], halves[1]))
}

#[inline]
#[target_feature(enable = "neon")]
fn weigh(
    sums: &[Lanes],
    weights: &[Lanes],
    mut totals: [int32x4_t; VECTORS],
) -> [int32x4_t; VECTORS] {
    let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(255));
    for (sums, weights) in sums.iter().zip(weights) {
        let parts = load(sums).into_iter().zip(load(weights));
        for ((sums, weights), total) in parts.zip(&mut totals) {
            let value = vminq_s16(vmaxq_s16(sums, zero), one);
            let product = vmulq_s16(value, weights);
            let low = vmlal_s16(*total, vget_low_s16(product), vget_low_s16(value));
            *total = vmlal_high_s16(low, product, value);
        }
    }
    totals
}
