//! An efficiently updatable neural network (Nasu 2018, for shogi) that values
//! positions on a board of W files by H ranks: of Breakthrough, or of
//! Freeling's on its 5 by 9 squares.
//!
//! # The network
//!
//! Each side sees the board from its own end: White as it is, Black with its
//! H ranks reversed. Where a square holds at most `h` pieces (1 in Breakthrough,
//! 2 in Freeling's) its state is 0 if it is empty, `n` if it holds `n` own pieces,
//! `h + n` if it holds `n` enemies; that makes `S = 2 h + 1` states. The inputs
//! are the contents of all windows of `wf` files by `wr` ranks, as in the
//! pattern tables of Othello programs (Buro 1997): the pattern of a window is
//! the sum of `state * S^cell`, cells numbered row by row from the corner
//! nearest to a1. Exactly one input per window is active; each input has a row
//! of N weights, and the accumulator of a side is the bias plus the active rows
//! of all windows. A move touches few windows, an explosion some more; the
//! accumulator is updated by subtracting old rows and adding new ones.
//!
//! A network for Freeling's game may have a second kind of window of another
//! size; both kinds add their rows. Walls need no state, as every place of a
//! window has rows of its own.
//!
//! The accumulators of the side to move and of the other one, clipped to
//! 0..=255 and squared, are weighted by one of several sets of output weights,
//! chosen by the number of pieces on the board; a game begins with 4 W of them
//! (20 in Freeling's game):
//!
//! ```text
//! bucket = min((pieces - 1) * buckets / (4 * W), buckets - 1)
//! out    = sum over both accumulators of clip(x)^2 * w[bucket]
//! value  = (out / 255 + output_bias[bucket] + second) * scale / (255 * 64)
//! ```
//!
//! # The second layer
//!
//! `second` is 0, or comes from a second layer of units, which see the units of both
//! accumulators, the mover's first. They come in pairs: the second one of a pair has the
//! weights of the first one, but sees the two halves of each accumulator exchanged.
//!
//! ```text
//! unit   = clip2(sum over both accumulators of (clip(x)^2 >> 8) * v + second_bias) >> 6
//! second = 4 * sum of (first unit + second unit) * u[bucket] over all pairs / 255
//! ```
//!
//! `clip2` clips to 0..=255^2. So a pair sees what is on both wings and where, and a
//! network of units in mirrored pairs still gives mirror images identical values.
//!
//! All numbers are integers and all divisions truncate, so every machine
//! computes the same value, whatever instructions it has.
//!
//! # The file
//!
//! All numbers are little-endian. The header has 32 bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | `PETARDN1`; the last is the version |
//! | 8, 9 | files `wf` and ranks `wr` of a window; it fits the board, `wf * wr <= 9` |
//! | 10-11 | N, a multiple of 32, at most 512 |
//! | 12-13 | output buckets, 1 to 16 |
//! | 14, 15 | files W and ranks H of the board, `W >= 2`, `H >= 4`, `W * H <= 128` |
//! | 16-19 | scale, 1 to 1,000,000 |
//! | 20-23 | CRC-32 (as zlib's) of all other bytes |
//! | 24-27 | bytes of the payload |
//! | 28-29 | zero |
//! | 30 | 1 if the network is mirrored, or zero |
//! | 31 | pairs of units in the second layer, at most 16 |
//!
//! The payload follows: the rows (`i16`, N each, in the order of
//! `window * 3^(wf * wr) + pattern`), the bias (`i16`, N), the output weights
//! (`i16`, 2N per bucket, the mover's half first), the weights of the second layer
//! (`i16`, 2N per pair), its output weights (`i16`, in the order of
//! `bucket * pairs + pair`), the output bias (`i32`, one per bucket), and the bias of
//! the second layer (`i32`, one per pair). Nothing follows. There are `A = W - wf + 1`
//! by `H - wr + 1` windows, numbered row by row from a1.
//!
//! In a mirrored network, or one with a second layer, N is 64, 128, 256 or 512. In a
//! mirrored one only the first `(A + 1) / 2` windows of a row are in the file. Any other
//! window uses the rows of its mirror image in the file: the row of a pattern is that of
//! the pattern with the files of the window reversed, its first N / 2 numbers exchanged
//! with the last ones. That holds for networks whose units were trained in pairs, one
//! seeing what the other sees with the files reversed.
//!
//! # The file of a network for Freeling's game
//!
//! Version 3, as above except for these bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 7 | `3` |
//! | 8, 9 | `wf` and `wr`; `5^(wf * wr) <= 3^9` |
//! | 14, 15 | 5 and 9 |
//! | 28, 29 | files and ranks of the second kind of window, with the same bounds; both zero if there is none |
//!
//! The rows of the first kind's windows come first, in the order of `window *
//! 5^(wf * wr) + pattern`, then those of the second kind.
//!
//! # The file of a network for every board
//!
//! Version 2 holds weights that squares and boards share; the network of a
//! board is assembled from them and is then like any other. A window of the W
//! by H board whose corner is `f` windows from the left edge and `r` windows
//! from the own end, of `A = W - wf + 1` by `U = H - wr + 1` windows, has the
//! rows
//!
//! ```text
//! row[pattern] = round(own[min(r, D - 1)][pattern] + far[min(U - 1 - r, D - 1)][pattern]
//!                    + left[min(f, E - 1)][pattern] + right[min(A - 1 - f, E - 1)][pattern])
//! bias         = round(base + sum of file_step[i], i < W - 2 + sum of rank_step[i], i < H - 4)
//! round(x)     = (x + 8) >> 4
//! ```
//!
//! where the sums over steps end with the last step there is. The header is as
//! above except for these bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 7 | `2` |
//! | 8, 9 | `wf` and `wr`, of a window that fits 2x4, `wf * wr <= 6` |
//! | 14, 15 | distances from an end that are distinguished, D, at most 8; from an edge, E, at most 4 |
//! | 28, 29 | steps of files and of ranks |
//! | 30 | zero |
//!
//! The payload: the tables own and far (`i16`, in the order of
//! `class * 3^(wf * wr) + pattern`, N each), left and right, the base of the
//! bias, the steps of files and of ranks (N each), then everything behind the
//! accumulators as above. Output buckets are chosen by the number of pieces as above.
//!
//! # What is refused
//!
//! Weights that could overflow the 16 bits of an accumulator or the 32 bits of
//! the output, in any position on any board that the network is for; weights of the
//! second layer beyond 2048, and its biases beyond 2^24.

mod accumulator;
mod general;
mod header;
mod network;
mod packed;
mod packing;
mod second_layer;
mod shape;
mod simd;
mod windows;

pub(crate) use accumulator::Nnue;
pub(crate) use general::General;
pub(crate) use network::Network;
pub(crate) use shape::Inputs;
pub(crate) use shape::NetworkError;
pub(crate) use simd::Simd;

pub(super) use packed::unpack;

use crate::base::check_available;
use header::{FileHeader, HEADER_BYTES, NetworkKind, open};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A network as a file holds it.
#[derive(Clone, Debug)]
pub(crate) enum NetworkFile {
    /// One for a single board.
    Board(Arc<Network>),
    /// One for every board.
    General(Arc<General>),
}

impl NetworkFile {
    /// Reads a network's file.
    pub(crate) fn load(path: &Path) -> Result<Self, NetworkError> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        (&mut file)
            .take(HEADER_BYTES as u64)
            .read_to_end(&mut bytes)?;
        // Reads at most what a valid file has, and one more byte to see its end.
        let rest = FileHeader::from_bytes(&bytes)?.payload_bytes + 1;
        file.take(rest as u64).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// Reads a network from the bytes of its file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (header, payload) = open(bytes)?;
        // The weights, their rearranged copy, and small things.
        check_available(3 * bytes.len() + (1 << 20))?;
        Ok(match header.kind {
            NetworkKind::Board(shape) => {
                let network = Network::from_payload(shape, header.scale, payload)?;
                Self::Board(Arc::new(network))
            }
            NetworkKind::General(parts) => {
                let general = General::from_payload(parts, header.scale, payload);
                general.check()?;
                Self::General(Arc::new(general))
            }
        })
    }
}

impl From<Arc<Network>> for NetworkFile {
    fn from(network: Arc<Network>) -> Self {
        Self::Board(network)
    }
}

impl From<Arc<General>> for NetworkFile {
    fn from(general: Arc<General>) -> Self {
        Self::General(general)
    }
}
