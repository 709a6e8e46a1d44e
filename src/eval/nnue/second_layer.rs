//! The second layer of a network: units that see all units of both accumulators,
//! in pairs, as the first layer's are.

use super::shape::{NetworkError, Shape};
use super::simd::{Lanes, PAIRS, Simd, UnitPairs};

/// The largest weight, 8 where 256 stands for 1.
const MAX_WEIGHT: u16 = 2048;
/// The largest bias, 256 where 255^2 stands for 1.
const MAX_BIAS: u32 = 1 << 24;

/// The weights, arranged for the arithmetic.
///
/// The units of a pair have the same weights, but one sees the halves of the
/// accumulators exchanged. What they see is the sum and the difference of two products:
/// of the sums of both weights with the sums of both halves, and of their differences
/// with the differences, which takes half as many multiplications.
#[derive(Clone)]
pub(super) struct SecondLayer {
    weights: Vec<Lanes>,
    /// Twice the bias.
    bias: [i32; PAIRS],
    /// Output weights, by bucket.
    output: Vec<[i32; PAIRS]>,
}

impl SecondLayer {
    /// The layer of these weights, for each pair those for the mover's accumulator
    /// first; `None` if the network has none.
    pub(super) fn new(
        shape: &Shape,
        weights: &[i16],
        output: &[i16],
        bias: &[i32],
    ) -> Result<Option<Self>, NetworkError> {
        let refused = |what, most| Err(NetworkError::Weights(format!("{what}, beyond {most}")));
        if shape.second_pairs == 0 {
            return Ok(None);
        }
        if let Some(weight) = weights.iter().find(|it| it.unsigned_abs() > MAX_WEIGHT) {
            let what = format!("a weight of the second layer is {weight}");
            return refused(what, MAX_WEIGHT.into());
        }
        if let Some(bias) = bias.iter().find(|it| it.unsigned_abs() > MAX_BIAS) {
            let what = format!("a bias of the second layer is {bias}");
            return refused(what, MAX_BIAS);
        }
        let output = output.chunks_exact(bias.len());
        Ok(Some(Self {
            weights: arranged(weights, shape.hidden.into()),
            bias: filled(bias).map(|bias| 2 * bias),
            output: output.map(filled).collect(),
        }))
    }

    /// What the layer adds to the output, where 255 * 64 stands for 1.
    #[inline]
    pub(super) fn output(&self, simd: Simd, accumulators: [&[Lanes]; 2], bucket: usize) -> i64 {
        let pairs = UnitPairs {
            weights: &self.weights,
            bias: &self.bias,
            output: &self.output[bucket],
        };
        4 * i64::from(simd.second_layer(accumulators, &pairs)) / 255
    }
}

/// A number for each pair, 0 for those that there are not.
fn filled<T: Copy + Into<i32>>(numbers: &[T]) -> [i32; PAIRS] {
    std::array::from_fn(|pair| numbers.get(pair).map_or(0, |&number| number.into()))
}

/// For each two inputs the weights of each pair, first for the sums of both halves,
/// then for the differences.
fn arranged(weights: &[i16], hidden: usize) -> Vec<Lanes> {
    let pairs: Vec<&[i16]> = weights.chunks_exact(2 * hidden).collect();
    let mut blocks = Vec::with_capacity(hidden);
    let half = hidden / 2;
    for sign in [1, -1] {
        // The mover's accumulator, then the other one.
        for begin in [0, hidden] {
            for input in (begin..begin + half).step_by(2) {
                blocks.push(Lanes(std::array::from_fn(|lane| {
                    pairs.get(lane / 2).map_or(0, |weights| {
                        let at = input + lane % 2;
                        weights[at] + sign * weights[at + half]
                    })
                })));
            }
        }
    }
    blocks
}
