//! A move at the root of the search.

use super::tt::Bound;
use crate::base::{INFINITE, PvLine, Score};
use crate::game::Move;

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The current pass's score; `-INFINITE` until there is one, and where only
    /// a bound below the best move's score is known.
    pub score: Score,
    /// The score before that.
    pub previous: Score,
    /// Whether the last score is exact or a bound, its depth, and its line.
    pub bound: Bound,
    pub depth: i32,
    pub line: PvLine<Move>,
    pub select_depth: usize,
    pub nodes: u64,
    /// Whether the score is proven and its distance exact.
    pub exact: bool,
    /// Whether the search has proven that the move loses.
    pub loses: bool,
    /// Plies within which the move is proven to lose; `u32::MAX` if it is not.
    pub lost: u32,
    /// Plies within which the move is proven not to win, and not to lose.
    pub not_won: u32,
    pub not_lost: u32,
}

impl RootMove {
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            bound: Bound::Exact,
            depth: 0,
            line: std::iter::once(mv).collect(),
            select_depth: 0,
            nodes: 0,
            exact: false,
            loses: false,
            lost: u32::MAX,
            not_won: 0,
            not_lost: 0,
        }
    }

    /// The last score, if there is one.
    pub fn known(&self) -> Option<Score> {
        [self.score, self.previous]
            .into_iter()
            .find(|&score| score != -INFINITE)
    }

    /// Begins a new pass: the last one's score becomes the previous one.
    pub fn forget_score(&mut self) {
        if self.score != -INFINITE {
            self.previous = self.score;
            self.score = -INFINITE;
        }
    }
}
