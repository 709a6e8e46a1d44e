//! How good a position looks, learned during the search: each decided position
//! trains the weights of what its windows of 2x2 squares hold, by online
//! logistic regression. No board needs weights of its own, and only saved
//! tables keep any for later. A wrong guess costs time, never correctness.
//!
//! Scores are in bits: a score of `n` says that the side to move wins with odds
//! of `2^n` to one. The board's two symmetries are built in: mirror images
//! score the same, and the other side's view is the negative. First numbers
//! from an evaluation are due to Winands and Schadd ("Evaluation-function based
//! proof-number search", 2010); learning them during the search is ours.

use crate::game::breakthrough::{Bits, Perspective, StaticSolver};
use arrayvec::ArrayVec;

/// Possible contents of a window: four bits for the squares with own pieces, and
/// four for those with the enemy's.
const CONTENTS: usize = 256;

/// How a board's first numbers and sums are computed. Measured: what is best on
/// five ranks, where tactics decide most, is not on six and more. Nodes with
/// the first and the second: 6x5 2.6 and 8.0 million, 7x5 26 and more; 4x6 2.1
/// and 2.0 million, 3x8 6.4 and 5.3, 5x6 more than 180 and 131.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoardParams {
    /// What an extra piece is worth, in bits, on top of what is learned.
    piece: f32,
    /// How much what is learned counts: most training positions are easy ones
    /// near the end of a game, so the learned score is overconfident.
    trust: f32,
    /// All but the hardest of several proofs add `2^-overlap` of their sum to
    /// the hardest.
    pub(super) overlap: u32,
    /// The least growth of a step's proof number before it is left again, in
    /// 64ths. Nodes without and with this: 2x14 3.0 and 0.34 million, 3x8 5.3
    /// and 1.2, 4x6 2.0 and 0.7, 5x6 110 and 41; wider boards want less.
    pub(super) growth: u64,
}

impl BoardParams {
    /// For a search from scratch.
    pub(super) fn new(files: u8, ranks: u8) -> Self {
        if ranks <= 5 {
            Self {
                piece: 4.0,
                trust: 0.5,
                overlap: 1,
                growth: (64 << 5) >> files.min(16),
            }
        } else {
            Self {
                piece: 3.0,
                trust: 1.0,
                overlap: 2,
                growth: (64 << 6) >> files.min(16),
            }
        }
    }

    /// For one that knows the positions of a short certificate: what is learned leads
    /// away from them, and there is little time to learn. Million nodes for 300 leaves
    /// of 6x6 with the parameters above and with these: 3.5 and 1.7, and for 300
    /// others 3.8 and 1.9.
    pub(super) fn for_book(files: u8) -> Self {
        Self {
            piece: 1.5,
            trust: 0.5,
            overlap: 1,
            growth: (64 << 4) >> files.min(16),
        }
    }
}

/// Scores are clamped to this, in bits: no guess is more certain.
const LIMIT: f32 = 7.0;

/// Resolution of the odds, in steps per bit.
const GRAIN: f32 = 16.0;

/// How far a decided position moves each of its weights, in bits, if it was
/// a complete surprise.
const RATE: f32 = 0.005;

/// What a step changes in a window: the bits it keeps, and the one it adds.
#[derive(Clone, Copy, Debug)]
struct WindowChange {
    window: u8,
    keeps: u8,
    adds: u8,
}

#[derive(Clone, Debug)]
pub(super) struct LearnerWindows {
    pub(super) params: BoardParams,
    count: usize,
    /// The lowest square of each.
    corners: Vec<u32>,
    /// From a square to the one above it.
    stride: u32,
    /// By origin and direction of a step: what it changes.
    changes: Vec<[ArrayVec<WindowChange, 7>; 3]>,
    /// Each window's image with the files reversed.
    mirrored: Vec<usize>,
    /// Each window's image as the other side sees it.
    rotated: Vec<usize>,
    /// The odds of every score up to the limit.
    odds: Vec<f32>,
}

impl LearnerWindows {
    /// The windows of a board, which must not have more than 256.
    pub(super) fn new<B: Bits>(statics: &StaticSolver<B>, params: BoardParams) -> Self {
        let geometry = statics.geometry();
        let (files, ranks) = (geometry.files(), geometry.ranks());
        let (wide, high) = (files - 1, ranks - 1);
        let mut around = vec![ArrayVec::<(u8, u8), 4>::new(); B::CAPACITY];
        for window in 0..wide * high {
            let (file, rank) = (window % wide, window / wide);
            for corner in 0..4 {
                let square = geometry.square(file + corner % 2, rank + corner / 2);
                around[usize::from(square)].push((window, 1 << corner));
            }
        }
        let step = |from: u8, direction: u8| {
            let mut changes = ArrayVec::<WindowChange, 7>::new();
            let (file, rank) = (geometry.file(from) + direction, geometry.rank(from) + 1);
            if !geometry.board().has(from) || file < 1 || file > files || rank >= ranks {
                return changes;
            }
            for &(window, bit) in &around[usize::from(from)] {
                let (keeps, adds) = (!bit, 0);
                changes.push(WindowChange {
                    window,
                    keeps,
                    adds,
                });
            }
            for &(window, bit) in &around[usize::from(geometry.square(file - 1, rank))] {
                let at = changes.iter().position(|change| change.window == window);
                let at = at.unwrap_or_else(|| {
                    let (keeps, adds) = (!0, 0);
                    changes.push(WindowChange {
                        window,
                        keeps,
                        adds,
                    });
                    changes.len() - 1
                });
                changes[at].keeps &= !(bit << 4);
                changes[at].adds = bit;
            }
            changes
        };
        let squares = 0..B::CAPACITY as u8;
        let image = |change: &dyn Fn(u8, u8) -> u8| {
            let windows = 0..wide * high;
            windows
                .map(|at| usize::from(change(at % wide, at / wide)))
                .collect()
        };
        let steps = -(LIMIT * GRAIN) as i32..=(LIMIT * GRAIN) as i32;
        Self {
            params,
            count: usize::from(wide * high),
            changes: squares
                .map(|from| [0, 1, 2].map(|direction| step(from, direction)))
                .collect(),
            corners: (0..wide * high)
                .map(|window| geometry.square(window % wide, window / wide).into())
                .collect(),
            stride: geometry.stride(),
            mirrored: image(&|file, rank| rank * wide + wide - 1 - file),
            rotated: image(&|file, rank| (high - 1 - rank) * wide + file),
            odds: steps.map(|step| (step as f32 / GRAIN).exp2()).collect(),
        }
    }

    /// The odds for a score: `2^score`, within the limits.
    #[inline]
    pub(super) fn odds(&self, score: f32) -> f32 {
        let step = (score.clamp(-LIMIT, LIMIT) + LIMIT) * GRAIN;
        self.odds[step as usize]
    }
}

/// The bits of a window's contents with the files reversed.
const fn mirrored(contents: u8) -> u8 {
    (contents & 0x55) << 1 | (contents & 0xaa) >> 1
}

/// The bits of a window's contents as the other side sees them.
const fn rotated(contents: u8) -> u8 {
    let other = contents.rotate_left(4);
    (other & 0x33) << 2 | (other & 0xcc) >> 2
}

/// What has been learned, and the position being looked at.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    /// By window and contents: what it adds to the score.
    weights: Vec<f32>,
    /// What the windows of the position hold.
    contents: Vec<u8>,
    /// The score of the position by its windows.
    score: f32,
}

impl Learner {
    pub(super) fn new(windows: &LearnerWindows) -> Self {
        Self {
            weights: vec![0.0; windows.count * CONTENTS],
            contents: vec![0; windows.count],
            score: 0.0,
        }
    }

    pub(super) fn from_weights(windows: &LearnerWindows, weights: Vec<f32>) -> Self {
        debug_assert_eq!(weights.len(), windows.count * CONTENTS);
        Self {
            weights,
            ..Self::new(windows)
        }
    }

    pub(super) fn into_weights(self) -> Vec<f32> {
        self.weights
    }

    #[inline]
    pub(super) fn look<B: Bits>(&mut self, windows: &LearnerWindows, view: Perspective<B>) {
        // Both rows of a window are in one word: boards that can be solved are
        // much less than 64 files wide.
        let above = windows.stride - 2;
        for (contents, &corner) in self.contents.iter_mut().zip(&windows.corners) {
            let [own, enemy] = [view.own, view.enemy].map(|pieces| {
                let rows = pieces.down(corner).number() as u64;
                (rows & 0b11 | rows >> above & 0b1100) as u8
            });
            *contents = own | enemy << 4;
        }
        let weights = self.weights.chunks_exact(CONTENTS);
        let contents = self.contents.iter();
        self.score = weights
            .zip(contents)
            .map(|(weights, &at)| weights[usize::from(at)])
            .sum();
    }

    /// The score of the position looked at, with the side to move `lead` pieces
    /// ahead.
    #[inline]
    pub(super) fn score(&self, params: BoardParams, lead: i32) -> f32 {
        params.trust * self.score + params.piece * lead as f32
    }

    /// The score after a step of the side to move, for the other side, then
    /// `lead` pieces ahead.
    #[inline]
    pub(super) fn score_after(
        &self,
        windows: &LearnerWindows,
        from: u8,
        direction: u8,
        lead: i32,
    ) -> f32 {
        let mut score = self.score;
        for change in &windows.changes[usize::from(from)][usize::from(direction)] {
            let window = usize::from(change.window);
            let old = self.contents[window];
            let new = old & change.keeps | change.adds;
            let weights = &self.weights[window * CONTENTS..][..CONTENTS];
            score += weights[usize::from(new)] - weights[usize::from(old)];
        }
        windows.params.piece * lead as f32 - windows.params.trust * score
    }

    /// Learns who has won a position in which the side to move is `lead` pieces
    /// ahead.
    pub(super) fn learn<B: Bits>(
        &mut self,
        windows: &LearnerWindows,
        view: Perspective<B>,
        lead: i32,
        won: bool,
    ) {
        self.look(windows, view);
        let score = self.score + windows.params.piece * lead as f32;
        if score.abs() > LIMIT && won == (score > 0.0) {
            return;
        }
        let odds = windows.odds(score);
        let expected = odds / (1.0 + odds);
        let step = RATE * (f32::from(u8::from(won)) - expected);
        for (window, &contents) in self.contents.iter().enumerate() {
            let (twin, twin_contents) = (windows.rotated[window], rotated(contents));
            for (window, contents, step) in [
                (window, contents, step),
                (windows.mirrored[window], mirrored(contents), step),
                (twin, twin_contents, -step),
                (windows.mirrored[twin], mirrored(twin_contents), -step),
            ] {
                self.weights[window * CONTENTS + usize::from(contents)] += step;
            }
        }
    }
}

#[cfg(test)]
mod tests;
