//! A network for every board: weights that squares share, from which the
//! network of a board is assembled when it is needed.

use super::header::{FileHeader, NetworkKind, open};
use super::network::{Network, OutputWeights, lanes, shorts};
use super::shape::NetworkError;
use super::shape::{Parts, SMALLEST, Shape};
use super::simd::Simd;
use crate::game::breakthrough::Geometry;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Binary places of the shared weights beyond those of an accumulator.
const FINER_BITS: u32 = 4;
/// How many boards' networks are cached; others are assembled again.
const MAX_CACHED: usize = 4;

/// The distances of a window from the own end, the far end, the left and the
/// right edge, each capped at the largest one distinguished.
type Classes = [u8; 4];

/// A network for every board. The network of a board is assembled from it on
/// first use.
pub(crate) struct General {
    parts: Parts,
    scale: i32,
    /// Rows by distance from the own end, the far end, the left and the right
    /// edge.
    tables: [Vec<i16>; 4],
    bias: Vec<i16>,
    /// What each file beyond the minimum adds to the bias, and each rank.
    steps: [Vec<i16>; 2],
    output: OutputWeights,
    simd: Simd,
    /// The most recently used networks, the latest last.
    kept: Mutex<Vec<Arc<Network>>>,
}

impl fmt::Debug for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "General({:?}, {:?})", self.parts, self.simd)
    }
}

impl General {
    /// Reads a network without checking what its accumulators can reach.
    pub(in crate::eval) fn unchecked(bytes: &[u8]) -> Result<Self, NetworkError> {
        match open(bytes)? {
            (
                FileHeader {
                    kind: NetworkKind::General(parts),
                    scale,
                    ..
                },
                payload,
            ) => Ok(Self::from_payload(parts, scale, payload)),
            _ => Err(NetworkError::Version(b'1')),
        }
    }

    pub(super) fn from_payload(parts: Parts, scale: i32, payload: &[u8]) -> Self {
        let mut rest = payload;
        let mut take = |count: usize| {
            let (numbers, others) = rest.split_at(2 * count);
            rest = others;
            shorts(numbers)
        };
        let hidden = usize::from(parts.hidden);
        Self {
            tables: [
                parts.end_classes,
                parts.end_classes,
                parts.edge_classes,
                parts.edge_classes,
            ]
            .map(|classes| take(parts.table(classes))),
            bias: take(hidden),
            steps: [parts.file_steps, parts.rank_steps]
                .map(|steps| take(usize::from(steps) * hidden)),
            output: OutputWeights::from_bytes(
                rest,
                parts.hidden,
                parts.buckets,
                parts.second_pairs,
            ),
            parts,
            scale,
            simd: Simd::detect(),
            kept: Mutex::default(),
        }
    }

    /// The same network run with these instructions; its values are the same.
    pub(crate) fn with_simd(&self, simd: Simd) -> Self {
        Self {
            tables: self.tables.clone(),
            bias: self.bias.clone(),
            steps: self.steps.clone(),
            output: self.output.clone(),
            simd,
            kept: Mutex::default(),
            ..*self
        }
    }

    /// The network of a board; `None` if no game can be played on it.
    pub(crate) fn network(&self, files: u8, ranks: u8) -> Option<Arc<Network>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let network = match kept
            .iter()
            .position(|network| network.shape().board() == (files, ranks))
        {
            Some(place) => kept.remove(place),
            None => Arc::new(self.expanded(files, ranks)?),
        };
        if kept.len() >= MAX_CACHED {
            kept.remove(0);
        }
        kept.push(Arc::clone(&network));
        Some(network)
    }

    fn expanded(&self, files: u8, ranks: u8) -> Option<Network> {
        let shape = self.parts.shape(files, ranks);
        shape.check().ok()?;
        let mut rows = Vec::new();
        for classes in self.classes(&shape) {
            for pattern in 0..self.parts.patterns() {
                rows.extend(self.row(classes, pattern));
            }
        }
        let all = [rows, self.bias(files, ranks)].map(|part| lanes(&part));
        // A file whose weights are too large on any board is refused when it is read.
        match Network::new(shape, self.scale, all, &self.output) {
            Ok(network) => Some(network.with_simd(self.simd)),
            Err(error) => {
                log::error!("the network for every board was rejected on {files}x{ranks}: {error}");
                None
            }
        }
    }

    /// The classes of all windows, in order.
    fn classes(&self, shape: &Shape) -> impl Iterator<Item = Classes> + use<> {
        let (across, upward) = shape.places();
        let (end, edge) = (self.parts.end_classes - 1, self.parts.edge_classes - 1);
        (0..upward).flat_map(move |row| {
            (0..across).map(move |file| {
                [
                    row.min(end),
                    (upward - 1 - row).min(end),
                    file.min(edge),
                    (across - 1 - file).min(edge),
                ]
            })
        })
    }

    /// The row of a pattern in a window of these classes.
    fn row(&self, classes: Classes, pattern: usize) -> impl Iterator<Item = i16> {
        let hidden = usize::from(self.parts.hidden);
        let patterns = self.parts.patterns();
        let [low, high, left, right] = std::array::from_fn(|kind| {
            let begin = (usize::from(classes[kind]) * patterns + pattern) * hidden;
            &self.tables[kind][begin..begin + hidden]
        });
        let ends = low.iter().zip(high);
        let edges = left.iter().zip(right);
        ends.zip(edges).map(|((&low, &high), (&left, &right))| {
            let [low, high, left, right] = [low, high, left, right].map(i32::from);
            rounded(low + high + left + right)
        })
    }

    /// The bias on a board.
    fn bias(&self, files: u8, ranks: u8) -> Vec<i16> {
        let hidden = usize::from(self.parts.hidden);
        let mut sums: Vec<i32> = self.bias.iter().map(|&bias| bias.into()).collect();
        let beyond = [files - SMALLEST.0, ranks - SMALLEST.1];
        for (steps, count) in self.steps.iter().zip(beyond) {
            for step in steps.chunks_exact(hidden).take(count.into()) {
                for (sum, &weight) in sums.iter_mut().zip(step) {
                    *sum += i32::from(weight);
                }
            }
        }
        sums.into_iter().map(rounded).collect()
    }

    /// Refuses weights that could overflow the 16 bits of an accumulator on any
    /// board, and output weights that are too large.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let mut known: HashMap<Classes, Vec<u16>> = HashMap::new();
        let mut most_of = |classes| {
            let largest = known
                .entry(classes)
                .or_insert_with(|| self.largest(classes));
            largest.clone()
        };
        for (files, ranks) in boards() {
            let sizes = self.bias(files, ranks).into_iter().map(i16::unsigned_abs);
            let mut sums: Vec<u32> = sizes.map(u32::from).collect();
            for classes in self.classes(&self.parts.shape(files, ranks)) {
                for (sum, largest) in sums.iter_mut().zip(most_of(classes)) {
                    *sum += u32::from(largest);
                }
            }
            if let Some(unit) = sums.iter().position(|&sum| sum > i16::MAX as u32) {
                return Err(NetworkError::Weights(format!(
                    "on {files}x{ranks} unit {unit} of the accumulator can reach {}, more than {}",
                    sums[unit],
                    i16::MAX
                )));
            }
        }
        // The smallest board's network has the same output weights.
        let (files, ranks) = SMALLEST;
        let shape = self.parts.shape(files, ranks);
        Network::new(shape, self.scale, [Vec::new(), Vec::new()], &self.output).map(drop)
    }

    /// The largest absolute weight of each unit in any row of a window of these
    /// classes.
    fn largest(&self, classes: Classes) -> Vec<u16> {
        let mut largest = vec![0; usize::from(self.parts.hidden)];
        for pattern in 0..self.parts.patterns() {
            for (largest, weight) in largest.iter_mut().zip(self.row(classes, pattern)) {
                *largest = weight.unsigned_abs().max(*largest);
            }
        }
        largest
    }
}

/// A sum of shared weights as a weight of an accumulator. Sums that do not fit
/// 16 bits are refused when the file is read.
fn rounded(sum: i32) -> i16 {
    let whole = (sum + (1 << (FINER_BITS - 1))) >> FINER_BITS;
    whole.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// All boards on which the game can be played.
fn boards() -> impl Iterator<Item = (u8, u8)> {
    (SMALLEST.0..=64).flat_map(|files| {
        (SMALLEST.1..=64)
            .filter(move |&ranks| Geometry::<u128>::new(files.into(), ranks.into()).is_ok())
            .map(move |ranks| (files, ranks))
    })
}
