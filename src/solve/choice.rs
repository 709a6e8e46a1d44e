//! Which step df-pn follows next, and how far.

use super::numbers::LARGEST;

/// Epsilon in 256ths: how much farther than its best rival a move is followed.
const EPSILON: u64 = 200;

/// A threshold that no sum of finite numbers reaches.
pub(super) const NEVER: u64 = u64::MAX >> 8;

/// How hard a step may get before its rival is tried. Numbers past the largest
/// finite one are indistinguishable: a threshold there would be reached over
/// and over without progress, so it is never reached at all.
#[inline]
pub(super) fn widened(rival: u32) -> u64 {
    let wide = u64::from(rival) + u64::from(rival) * EPSILON / 256 + 1;
    if wide > u64::from(LARGEST) {
        NEVER
    } else {
        wide
    }
}

/// The step that a node follows next.
pub(super) struct Choice {
    pub index: usize,
    /// The smallest disproof number of the steps, which is the node's own
    /// proof number.
    pub phi: u32,
    /// The smallest disproof number of the steps not chosen.
    pub rival: u32,
    /// The sum of the steps' proof numbers.
    pub sum: u64,
    /// The two largest of them.
    pub hardest: [u32; 2],
    /// How far the sum of the others is shifted right before it is added.
    pub overlap: u32,
    /// The least by which a visit must raise a proof number, in 64ths.
    pub growth: u64,
}

impl Choice {
    /// The node's disproof number: that of the hardest step plus `2^-overlap`
    /// of the sum of the others, whose proofs have much in common with it and
    /// each other. Between the sum and the maximum of "weak" proof-number
    /// search (Ueda, Hashimoto, Hashimoto and Iida 2008).
    #[inline]
    pub fn delta(&self) -> u64 {
        let hardest = u64::from(self.hardest[0]);
        hardest + ((self.sum - hardest) >> self.overlap)
    }

    /// The proof number of the chosen step, now `phi`, at which the node's
    /// disproof number reaches its threshold; clearly above `phi`, even if that
    /// overshoots the node's threshold. Otherwise a node just below its
    /// threshold would go down a long line for next to nothing, return, and
    /// start over.
    #[inline]
    pub fn threshold(&self, phi: u32, max_delta: u64) -> u64 {
        if max_delta >= NEVER {
            return NEVER;
        }
        let others = self.sum - u64::from(phi);
        let is_hardest = phi == self.hardest[0];
        let hardest = u64::from(self.hardest[usize::from(is_hardest)]);
        let least = max_delta.saturating_sub(others >> self.overlap);
        let threshold = if least >= hardest {
            least
        } else {
            (max_delta.saturating_sub(hardest) << self.overlap).saturating_sub(others - hardest)
        };
        threshold.max(u64::from(phi) * (64 + self.growth) / 64 + 1)
    }
}
