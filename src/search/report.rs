//! What a search reports: lines while it runs, a verdict at the end.

use super::tt::Bound;
use crate::base::{PvLine, Score};
use crate::game::Move;
use std::time::Duration;

/// One best line as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its rank among the best lines, from 1.
    pub rank: usize,
    /// The score from the mover's view.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The greatest depth reached on it, in plies.
    pub select_depth: usize,
    /// The moves.
    pub moves: PvLine<Move>,
}

/// News from a running search.
#[derive(Clone, Debug, PartialEq, Eq)]
// Reports are made a few times a second and consumed on the spot.
#[allow(clippy::large_enum_variant)]
pub enum Report {
    /// A line has been searched, or found better or worse than expected.
    Line {
        /// The depth of the iteration, in plies.
        depth: u32,
        /// The line.
        line: Line,
        /// Nodes over all threads.
        nodes: u64,
        /// Time since the start.
        time: Duration,
        /// How full the hash table is, in per mille.
        hash_full: usize,
    },
    /// A root move is being searched (reported in long searches only, and after the
    /// first one only if it takes long).
    Current {
        /// The depth of the iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
    },
}

/// What a thread found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The move to play.
    pub best: Move,
    /// Its score.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The last depth finished; 0 if there is none.
    pub depth: i32,
    /// The line, starting with the move.
    pub line: PvLine<Move>,
    /// Nodes searched by all threads.
    pub nodes: u64,
}

impl Verdict {
    /// The verdict as the best line.
    #[must_use]
    pub fn as_line(&self) -> Line {
        Line {
            rank: 1,
            score: self.score,
            bound: self.bound,
            select_depth: self.line.len(),
            moves: self.line.clone(),
        }
    }
}
