//! A network for one board: its weights, and the value of two accumulators.

use super::header::{FileHeader, NetworkKind, open};
use super::second_layer::SecondLayer;
use super::shape::{MAX_PIECES, NetworkError, Shape};
use super::simd::{LANES, Lanes, Simd};
use crate::base::{MATE_BOUND, Score};
use std::fmt;

/// What stands for 1 in an accumulator; the largest clipped value.
const ONE: i32 = 255;
/// What stands for 1 among the output weights.
const OUTPUT_ONE: i64 = 64;
/// A network, ready to run. Its weights cause no overflow in any position.
#[derive(Clone)]
pub(crate) struct Network {
    shape: Shape,
    scale: i32,
    rows: Vec<Lanes>,
    bias: Vec<Lanes>,
    output: Vec<Lanes>,
    output_bias: Vec<i32>,
    second_layer: Option<SecondLayer>,
    bucket_of_pieces: [u8; MAX_PIECES + 1],
    simd: Simd,
}

/// The weights behind the accumulators, as a file holds them.
#[derive(Clone)]
pub(super) struct OutputWeights {
    /// By bucket, the mover's first.
    output: Vec<i16>,
    /// By pair of units, the mover's first.
    second_layer: Vec<i16>,
    /// What the second layer's pairs add to the output, by bucket.
    second_output: Vec<i16>,
    output_bias: Vec<i32>,
    second_bias: Vec<i32>,
}

impl OutputWeights {
    /// Reads the last part of a payload.
    pub(super) fn from_bytes(bytes: &[u8], hidden: u16, buckets: u16, second_pairs: u8) -> Self {
        let (hidden, buckets) = (usize::from(hidden), usize::from(buckets));
        let pairs = usize::from(second_pairs);
        let (numbers, biases) = bytes.split_at(bytes.len() - 4 * (buckets + pairs));
        let (output_bias, second_bias) = biases.split_at(4 * buckets);
        let (output, numbers) = numbers.split_at(4 * hidden * buckets);
        let (second_layer, second_output) = numbers.split_at(4 * hidden * pairs);
        Self {
            output: shorts(output),
            second_layer: shorts(second_layer),
            second_output: shorts(second_output),
            output_bias: longs(output_bias),
            second_bias: longs(second_bias),
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({}, {:?})", self.shape, self.simd)
    }
}

impl Network {
    /// Reads a network for one board from the bytes of its file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        match open(bytes)? {
            (
                FileHeader {
                    kind: NetworkKind::Board(shape),
                    scale,
                    ..
                },
                payload,
            ) => Self::from_payload(shape, scale, payload),
            _ => Err(NetworkError::Version(b'2')),
        }
    }

    pub(super) fn from_payload(
        shape: Shape,
        scale: i32,
        payload: &[u8],
    ) -> Result<Self, NetworkError> {
        let hidden_bytes = 2 * usize::from(shape.hidden);
        let (rows, rest) = payload.split_at(hidden_bytes * shape.rows());
        let (bias, rest) = rest.split_at(hidden_bytes);
        let output =
            OutputWeights::from_bytes(rest, shape.hidden, shape.buckets, shape.second_pairs);
        let [rows, bias] = [rows, bias].map(|bytes| lanes(&shorts(bytes)));
        Self::new(shape, scale, [rows, bias], &output)
    }

    /// A network of these rows, bias and output weights.
    pub(super) fn new(
        shape: Shape,
        scale: i32,
        [rows, bias]: [Vec<Lanes>; 2],
        output: &OutputWeights,
    ) -> Result<Self, NetworkError> {
        let mut network = Self {
            shape,
            scale,
            rows,
            bias,
            output: lanes(&output.output),
            output_bias: output.output_bias.clone(),
            second_layer: SecondLayer::new(
                &shape,
                &output.second_layer,
                &output.second_output,
                &output.second_bias,
            )?,
            bucket_of_pieces: shape.bucket_of_pieces(),
            simd: Simd::detect(),
        };
        network.check_rows()?;
        network.check_output()?;
        network.arrange();
        Ok(network)
    }

    /// Drops the rows that mirror others and puts the rest where the arithmetic
    /// expects them.
    fn arrange(&mut self) {
        if let Some(rows) = left_half(&self.shape, &self.rows) {
            self.shape.is_mirrored = true;
            self.rows = rows;
        }
        let (blocks, stride) = (self.shape.blocks(), self.shape.stride());
        if blocks < stride {
            let mut rows = vec![Lanes::ZERO; self.rows.len() / blocks * stride];
            let places = rows.chunks_exact_mut(stride);
            for (place, row) in places.zip(self.rows.chunks_exact(blocks)) {
                place[..blocks].copy_from_slice(row);
            }
            self.rows = rows;
        }
    }

    /// Refuses rows that could overflow the 16 bits of an accumulator.
    fn check_rows(&self) -> Result<(), NetworkError> {
        let hidden = usize::from(self.shape.hidden);
        let mut sums: Vec<u32> = vec![0; hidden];
        let mut add = |largest: &[[u16; LANES]]| {
            for (sum, &largest) in sums.iter_mut().zip(largest.iter().flatten()) {
                *sum += u32::from(largest);
            }
        };
        let sizes = |lanes: &Lanes| lanes.0.map(i16::unsigned_abs);
        add(&self.bias.iter().map(sizes).collect::<Vec<_>>());
        let blocks = self.shape.blocks();
        let mut rest = self.rows.as_slice();
        for kind in self.shape.windows() {
            let (rows, others) = rest.split_at((self.shape.rows_of(kind) * blocks).min(rest.len()));
            rest = others;
            let across = usize::from(self.shape.places_of(kind).0);
            let kept = usize::from(self.shape.kept_places_of(kind).0);
            let windows = rows.chunks_exact(self.shape.patterns_of(kind) * blocks);
            for (index, window) in windows.enumerate() {
                let mut largest = vec![[0; LANES]; blocks];
                for row in window.chunks_exact(blocks) {
                    for (largest, lanes) in largest.iter_mut().zip(row) {
                        for (largest, size) in largest.iter_mut().zip(sizes(lanes)) {
                            *largest = size.max(*largest);
                        }
                    }
                }
                add(&largest);
                if index % kept < across - kept {
                    add(&exchanged(&largest));
                }
            }
        }
        match sums.iter().position(|&sum| sum > i16::MAX as u32) {
            None => Ok(()),
            Some(unit) => Err(NetworkError::Weights(format!(
                "unit {unit} of the accumulator can reach {}, more than {}",
                sums[unit],
                i16::MAX
            ))),
        }
    }

    /// Refuses output weights that could overflow the 32 bits of the output.
    fn check_output(&self) -> Result<(), NetworkError> {
        for (bucket, weights) in self
            .output
            .chunks_exact(2 * self.shape.blocks())
            .enumerate()
        {
            let weights = || weights.iter().flat_map(|lanes| lanes.0);
            if let Some(weight) = weights().find(|weight| weight.unsigned_abs() > 127) {
                let error = format!("an output weight of bucket {bucket} is {weight}, beyond 127");
                return Err(NetworkError::Weights(error));
            }
            let sum: i64 = weights().map(|weight| i64::from(weight.abs())).sum();
            if sum * i64::from(ONE * ONE) > i64::from(i32::MAX) {
                let error = format!("the output weights of bucket {bucket} add up to {sum}");
                return Err(NetworkError::Weights(error));
            }
        }
        Ok(())
    }

    /// The same network run with these instructions; its values are the same.
    pub(crate) fn with_simd(mut self, simd: Simd) -> Self {
        self.simd = simd;
        self
    }

    /// How large it is.
    pub(crate) const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The instructions it runs with.
    pub(crate) const fn simd(&self) -> Simd {
        self.simd
    }

    pub(super) fn rows(&self) -> &[Lanes] {
        &self.rows
    }

    pub(super) fn bias(&self) -> &[Lanes] {
        &self.bias
    }

    /// The output weights to use with this many pieces on the board.
    #[inline]
    pub(super) fn bucket(&self, pieces: u32) -> usize {
        usize::from(self.bucket_of_pieces[pieces as usize])
    }

    /// The value in centipawns of the accumulators of the mover and the other
    /// side, with this many pieces on the board.
    #[inline]
    pub(super) fn value(&self, mover: &[Lanes], other: &[Lanes], pieces: u32) -> Score {
        let bucket = self.bucket(pieces);
        let size = 2 * self.shape.blocks();
        let weights = &self.output[bucket * size..][..size];
        let out = self.simd.output(mover, other, weights);
        let mut out = i64::from(out / ONE) + i64::from(self.output_bias[bucket]);
        if let Some(layer) = &self.second_layer {
            out += layer.output(self.simd, [mover, other], bucket);
        }
        let value = out * i64::from(self.scale) / (i64::from(ONE) * OUTPUT_ONE);
        let largest = i64::from(MATE_BOUND - 1);
        value.clamp(-largest, largest) as Score
    }
}

/// Two-byte numbers.
pub(super) fn shorts(bytes: &[u8]) -> Vec<i16> {
    let pairs = bytes.as_chunks::<2>().0;
    pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect()
}

/// Four-byte numbers.
fn longs(bytes: &[u8]) -> Vec<i32> {
    let fours = bytes.as_chunks::<4>().0;
    fours.iter().map(|&four| i32::from_le_bytes(four)).collect()
}

/// Numbers in blocks of lanes.
pub(super) fn lanes(numbers: &[i16]) -> Vec<Lanes> {
    let blocks = numbers.as_chunks::<LANES>().0;
    blocks.iter().map(|&block| Lanes(block)).collect()
}

/// A row with its halves exchanged.
fn exchanged<T: Clone>(row: &[T]) -> Vec<T> {
    let (first, second) = row.split_at(row.len() / 2);
    [second, first].concat()
}

/// The rows of the left half, including the middle, of a network whose right
/// half is its mirror image; `None` for any other.
fn left_half(shape: &Shape, rows: &[Lanes]) -> Option<Vec<Lanes>> {
    let blocks = shape.blocks();
    if shape.is_mirrored || !shape.has_halves() || rows.len() != shape.rows() * blocks {
        return None;
    }
    let mut half = Vec::new();
    let mut rest = rows;
    for kind in shape.windows() {
        let size = shape.patterns_of(kind) * blocks;
        let across = usize::from(shape.places_of(kind).0);
        let images = mirrored_patterns(shape, kind);
        let (own, others) = rest.split_at(shape.rows_of(kind) * blocks);
        rest = others;
        for windows in own.chunks_exact(across * size) {
            let pairs = windows
                .chunks_exact(size)
                .zip(windows.chunks_exact(size).rev());
            for (left, right) in pairs.take(across / 2) {
                let mut pairs = right.chunks_exact(blocks).zip(&images);
                if !pairs.all(|(row, image)| exchanged(row) == left[image * blocks..][..blocks]) {
                    return None;
                }
            }
            half.extend_from_slice(&windows[..across.div_ceil(2) * size]);
        }
    }
    Some(half)
}

/// For each pattern of a window, that of its mirror image.
fn mirrored_patterns(shape: &Shape, (files, ranks): (u8, u8)) -> Vec<usize> {
    let states = shape.states() as usize;
    let pattern = |contents: &[usize]| {
        let cells = contents.iter().rev();
        cells.fold(0, |pattern, &state| pattern * states + state)
    };
    let (files, cells) = (usize::from(files), u32::from(files) * u32::from(ranks));
    let image = |number: usize| {
        let contents = (0..cells).map(|cell| number / states.pow(cell) % states);
        let mut contents: Vec<usize> = contents.collect();
        contents.chunks_mut(files).for_each(<[usize]>::reverse);
        pattern(&contents)
    };
    (0..shape.patterns_of((files as u8, ranks)))
        .map(image)
        .collect()
}
