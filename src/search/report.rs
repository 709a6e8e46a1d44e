//! What a search tells: lines while it runs, a verdict in the end.

use super::tt::Bound;
use crate::base::{PvLine, Score};
use crate::game::Move;
use std::time::Duration;

/// One best line as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its rank among the best lines, 1 upwards.
    pub rank: usize,
    /// The score from the mover's view.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// The greatest depth reached on it, in plies.
    pub select_depth: usize,
    /// The moves.
    pub moves: PvLine<Move>,
}

/// News from a running search.
#[derive(Clone, Debug, PartialEq, Eq)]
// A report is made a few times a second and used where it is made.
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
        /// How full the hash table is, in thousandths.
        hash_full: usize,
    },
    /// A root move is being searched (told in long searches only).
    Current {
        /// The depth of the iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, 1 upwards.
        number: usize,
    },
}

/// What a thread has found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The move to play.
    pub best: Move,
    /// Its score.
    pub score: Score,
    /// What the score says.
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
