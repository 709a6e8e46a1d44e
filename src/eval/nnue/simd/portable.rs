//! The kernels for any processor. The compiler vectorises them, as wide as all
//! processors of the architecture allow.

use super::{Change, LANES, Lanes};

/// See [`super::Simd::update`].
pub(super) fn update(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
    target.copy_from_slice(source);
    for &row in change.out {
        for (block, sums) in target.iter_mut().enumerate() {
            let row = change.part(row, block, 1)[0];
            for (sum, weight) in sums.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_sub(weight);
            }
        }
    }
    for &row in change.into {
        for (block, sums) in target.iter_mut().enumerate() {
            let row = change.part(row, block, 1)[0];
            for (sum, weight) in sums.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_add(weight);
            }
        }
    }
}

/// See [`super::Simd::output`].
pub(super) fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
    let (first, second) = weights.split_at(mover.len());
    weighed(mover, first).wrapping_add(weighed(other, second))
}

/// The product with the weight fits 16 bits, so that the second product can be
/// taken and summed in pairs, as chess engines do (Lizard, 2024).
fn weighed(sums: &[Lanes], weights: &[Lanes]) -> i32 {
    let mut total = 0i32;
    for (sums, weights) in sums.iter().zip(weights) {
        for lane in 0..LANES {
            let value = sums.0[lane].clamp(0, 255);
            let product = value.wrapping_mul(weights.0[lane]);
            total = total.wrapping_add(i32::from(value) * i32::from(product));
        }
    }
    total
}
