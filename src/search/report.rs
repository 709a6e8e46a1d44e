//! What a search reports: lines while it runs, a verdict at the end.

use super::tt::Bound;
use crate::base::{PvLine, Score};
use crate::game::Move;
use std::time::Duration;

/// One of the best lines as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineReport {
    /// The depth of the iteration, in plies.
    pub(crate) depth: u32,
    /// The greatest depth reached on it, in plies.
    pub(crate) selective_depth: u32,
    /// Its rank among the best lines, from 1.
    pub(crate) rank: u32,
    /// The score from the mover's view.
    pub(crate) score: Score,
    /// Whether the score is exact or a bound.
    pub(crate) bound: Bound,
    /// Nodes over all threads.
    pub(crate) nodes: u64,
    /// How full the hash table is, in per mille.
    pub(crate) hashfull: u32,
    /// Time since the start.
    pub(crate) time: Duration,
    pub(crate) moves: PvLine<Move>,
}

/// What a running search reports.
#[derive(Clone, Debug, PartialEq, Eq)]
// Reports are made a few times a second and consumed on the spot.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Report {
    /// A line has been searched, or found better or worse than expected.
    Line(LineReport),
    /// A root move is being searched (reported in long searches only, and after the
    /// first one only if it takes long).
    Current {
        /// The depth of the iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        number: u32,
    },
}

/// What a search found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) score: Score,
    /// Whether the score is exact or a bound.
    pub(crate) bound: Bound,
    /// The last depth finished; 0 if there is none.
    pub(crate) depth: i32,
    /// The line, starting with the move to play.
    pub(crate) line: PvLine<Move>,
    /// Nodes searched by all threads.
    pub(crate) nodes: u64,
    /// The lines as last reported, the best first.
    pub(crate) reported: Vec<LineReport>,
}

impl Verdict {
    /// The move to play.
    pub(crate) fn best(&self) -> Move {
        self.line[0]
    }
}
