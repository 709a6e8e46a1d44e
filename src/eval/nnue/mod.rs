//! An efficiently updatable neural network (Nasu 2018, for shogi) that values
//! positions of Troyka's 8x8 game.
//!
//! # The network
//!
//! Each side sees the board from its own end: White as it is, Black with the
//! ranks reversed. A square's state is 0 if it is empty, 1 if it holds an own
//! man, 2 if it holds an enemy. The inputs are the contents of all windows of
//! `wf` files by `wr` ranks, as in the pattern tables of Othello programs
//! (Buro 1997): the pattern of a window is the sum of `state * 3^cell`, cells
//! numbered row by row from the corner nearest to a1. Exactly one input a
//! window is active, so that input has a row of H weights, and the accumulator
//! of a side is the bias plus the active rows of all windows. A move touches
//! few windows; the accumulator is kept up by taking old rows out and putting
//! new ones in.
//!
//! The accumulators of the side to move and of the other one, clipped to
//! 0..=255 and squared, are weighed by one of several sets of output weights,
//! chosen by the number of men on the board:
//!
//! ```text
//! bucket = min((men - 1) * buckets / 32, buckets - 1)
//! out    = sum over both accumulators of clip(x)^2 * w[bucket]
//! value  = (out / 255 + output_bias[bucket]) * scale / (255 * 64)
//! ```
//!
//! All numbers are integers and both divisions truncate, so every machine
//! computes the same value, whatever instructions it has.
//!
//! # The file
//!
//! All numbers are little endian. The header has 32 bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | `PETARDN1`; the last is the version |
//! | 8, 9 | files `wf` and ranks `wr` of a window, `wf * wr <= 9` |
//! | 10-11 | H, a multiple of 32, at most 512 |
//! | 12-13 | output buckets, 1 to 16 |
//! | 14-15 | zero |
//! | 16-19 | scale, 1 to 1,000,000 |
//! | 20-23 | CRC-32 (as zlib's) of all other bytes |
//! | 24-27 | bytes of the payload |
//! | 28-31 | zero |
//!
//! The payload follows: the rows (`i16`, H each, in the order of
//! `window * 3^(wf * wr) + pattern`, windows numbered row by row from a1), the
//! bias (`i16`, H), the output weights (`i16`, 2H a bucket, the mover's half
//! first), and the output bias (`i32`, one a bucket). Nothing follows that.
//!
//! Weights that could overflow the 16 bits of an accumulator or the 32 bits of
//! the output, whatever the position, are refused.

mod accumulator;
mod network;
mod simd;
mod windows;

pub use accumulator::Nnue;
pub use network::{Network, NetworkError, Shape};
pub use simd::Simd;

use std::sync::{Arc, OnceLock};

/// The file of the built-in network.
// BUILT-IN NETWORK: becomes Some(include_bytes!("default.nnue")).
const FILE: Option<&[u8]> = None;

/// The network that is built in, if there is one.
#[must_use]
pub fn built_in() -> Option<Arc<Network>> {
    static NETWORK: OnceLock<Option<Arc<Network>>> = OnceLock::new();
    let load = || match Network::from_bytes(FILE?) {
        Ok(network) => Some(Arc::new(network)),
        Err(fault) => {
            log::error!("the built-in network is refused: {fault}");
            None
        }
    };
    NETWORK.get_or_init(load).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_network_loads() {
        assert_eq!(built_in().is_some(), FILE.is_some());
    }
}
