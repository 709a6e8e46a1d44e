//! The weights, in hundredths of a centipawn.

use super::features::{FEATURES, PAIRS, SINGLES};
use super::tuned;

/// What every feature is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The turn.
    pub tempo: i32,
    /// One weight a feature, in the order of the features.
    pub features: [i32; FEATURES],
}

/// The weights in use, fitted to self-play.
pub static TUNED: Weights = Weights {
    tempo: tuned::TEMPO,
    features: tuned::FEATURE_WEIGHTS,
};

/// Men and how far they have come: the version before any fitting, which the
/// tuned one is measured against.
pub static MATERIAL_AND_PROGRESS: Weights = material_and_progress();

const fn material_and_progress() -> Weights {
    let mut features = [0; FEATURES];
    let mut index = 0;
    while index < SINGLES.size() {
        let row = (index / 3) as i32;
        let man = 10_000 + 1_000 * row;
        features[SINGLES.range().start + index] = man;
        features[PAIRS.range().start + index] = 2 * man;
        index += 1;
    }
    Weights {
        tempo: 1_000,
        features,
    }
}
