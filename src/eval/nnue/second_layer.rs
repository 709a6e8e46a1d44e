//! The second layer of a network: units that see all units of both accumulators,
//! in pairs, as the first layer's are.

use super::shape::{MAX_PAIRS, NetworkError, Shape};
use super::simd::{LANES, Lanes, Simd};

/// What stands for 1 in a unit of this layer: 255^2, as for a squared unit of the
/// first one.
const ONE: i64 = 255 * 255;
/// What stands for 1 among the output weights.
const OUTPUT_ONE: i64 = 1024;
/// The largest weight, 8 where 256 stands for 1.
const MAX_WEIGHT: u16 = 2048;

/// The weights, arranged for the arithmetic.
///
/// The units of a pair have the same weights, but one sees the halves of the
/// accumulators exchanged. What they see is the sum of two products: of the sums of
/// both weights with the sums of both halves, and of their differences with the
/// differences, which takes half as many multiplications.
#[derive(Clone)]
pub(super) struct SecondLayer {
    /// For each pair the sums of its weights, then their differences: half an
    /// accumulator each for the mover's and for the other one.
    weights: Vec<Lanes>,
    bias: Vec<i32>,
    /// Output weights, by bucket.
    output: Vec<i16>,
}

impl SecondLayer {
    /// The layer of these weights, for each pair those for the mover's accumulator
    /// first; `None` if the network has none.
    pub(super) fn new(
        shape: &Shape,
        weights: &[i16],
        output: Vec<i16>,
        bias: &[i32],
    ) -> Result<Option<Self>, NetworkError> {
        if shape.second_pairs == 0 {
            return Ok(None);
        }
        if let Some(weight) = weights.iter().find(|it| it.unsigned_abs() > MAX_WEIGHT) {
            let fault = format!("a weight of the second layer is {weight}, beyond {MAX_WEIGHT}");
            return Err(NetworkError::Weights(fault));
        }
        let hidden = usize::from(shape.hidden);
        let mut arranged = Vec::with_capacity(weights.len());
        for of_pair in weights.chunks_exact(2 * hidden) {
            let halves = || {
                of_pair
                    .chunks_exact(hidden)
                    .map(|it| it.split_at(hidden / 2))
            };
            for (first, second) in halves() {
                arranged.extend(first.iter().zip(second).map(|(one, other)| one + other));
            }
            for (first, second) in halves() {
                arranged.extend(first.iter().zip(second).map(|(one, other)| one - other));
            }
        }
        let blocks = arranged.as_chunks::<LANES>().0;
        Ok(Some(Self {
            weights: blocks.iter().map(|&block| Lanes(block)).collect(),
            bias: bias.to_vec(),
            output,
        }))
    }

    /// What the layer adds to the output, where 255 * 64 stands for 1.
    #[inline]
    pub(super) fn output(&self, simd: Simd, units: [&[Lanes]; 2], bucket: usize) -> i64 {
        let pairs = self.bias.len();
        let mut products = [[0; 2]; MAX_PAIRS as usize];
        let products = &mut products[..pairs];
        simd.second_layer(units, &self.weights, products);
        let output = &self.output[bucket * pairs..][..pairs];
        let mut sum = 0;
        for ((&[sums, differences], &bias), &weight) in products.iter().zip(&self.bias).zip(output)
        {
            // Both are even or both odd.
            let units = [sums + differences, sums - differences]
                .map(|twice| (i64::from(twice / 2) + i64::from(bias)).clamp(0, ONE));
            sum += (units[0] + units[1]) * i64::from(weight);
        }
        sum / (255 * OUTPUT_ONE / 64)
    }
}
