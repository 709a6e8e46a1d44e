//! How the weights in a network's file are predicted from one another. What
//! remains is small numbers, which compress far better than the weights.
//!
//! The rows of a window hold what each pattern on its squares is worth, and a
//! pattern is worth nearly what it is worth with one of its squares emptied, on
//! average over its squares. `build.rs` packs the built-in networks, `packed.rs`
//! unpacks them.
//!
//! A packed file is the header, as it is, and a DEFLATE stream of:
//!
//! 1. for each half of a row, how many halves before it one was the same, or
//!    zero if none was (`u16`); bias and output weights count as rows,
//! 2. for each other half, how its weights differ from their prediction. Of
//!    these differences first the lowest two bits of all, four pairs in a byte,
//!    if the weights are the finer ones that boards share; then the byte above of
//!    all; then, as signed bytes, what is still missing,
//! 3. the bytes after the last whole half of a row.

/// Bytes of a file's header.
pub(crate) const HEADER_BYTES: usize = 32;
/// Binary places of a prediction.
const PLACES: u32 = 14;

/// What must be known of a file to predict its weights.
pub(crate) struct Packing {
    /// Weights in half a row.
    pub half: usize,
    /// Lowest bits that are noise: none or two.
    pub noise_bits: u32,
    states: usize,
    cells: usize,
    /// The patterns of a window.
    patterns: usize,
}

impl Packing {
    /// That of a file with this header, which is valid.
    pub(crate) fn of(header: &[u8; HEADER_BYTES]) -> Self {
        let version = header[7];
        let states: usize = if version == b'3' { 5 } else { 3 };
        let cells = usize::from(header[8]) * usize::from(header[9]);
        Self {
            half: usize::from(u16::from_le_bytes([header[10], header[11]])) / 2,
            noise_bits: if version == b'2' { 2 } else { 0 },
            states,
            cells,
            patterns: states.pow(cells as u32),
        }
    }

    /// What the weights of the next half of a row are expected to be, from all
    /// weights before it.
    pub(crate) fn predict(&self, weights: &[i16]) -> Vec<i16> {
        let index = weights.len() / self.half;
        let pattern = index / 2 % self.patterns;
        let mut sums = vec![0; self.half];
        let mut count = 0;
        let mut step = 1;
        for _ in 0..self.cells {
            let state = pattern / step % self.states;
            if state > 0 {
                let emptied = &weights[(index - 2 * state * step) * self.half..][..self.half];
                for (sum, &weight) in sums.iter_mut().zip(emptied) {
                    *sum += i32::from(weight);
                }
                count += 1;
            }
            step *= self.states;
        }
        let share = (1 << PLACES) / count.max(1);
        let rounded = |sum: i32| (sum * share + (1 << (PLACES - 1))) >> PLACES;
        sums.into_iter().map(|sum| rounded(sum) as i16).collect()
    }
}
