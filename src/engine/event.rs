//! What the engine reports while it works.

use crate::base::{Score, Side};
use crate::search::Bound;
use crate::solve::Progress;
use std::sync::Arc;
use std::time::Duration;

/// The chances of a position, in per mille, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chances {
    /// To win.
    pub win: u32,
    /// To draw; 0 where the game has no draws.
    pub draw: u32,
    /// To lose.
    pub loss: u32,
}

/// One line of an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The depth of the iteration, in plies.
    pub depth: u32,
    /// The greatest depth reached, in plies.
    pub selective_depth: u32,
    /// The line's rank, from 1.
    pub rank: u32,
    /// The score from the mover's view: an estimate in centipawns, or a proven
    /// result as [`crate::base::mate_plies`] reads it.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The score as chances.
    pub chances: Chances,
    /// Nodes so far, over all threads.
    pub nodes: u64,
    /// How full the hash table is, in per mille.
    pub hashfull: u32,
    /// Time so far.
    pub time: Duration,
    /// The moves, legal to the end.
    pub line: Vec<String>,
}

/// What the engine reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line has been searched.
    Info(Info),
    /// A root move is being searched.
    Current {
        /// The depth of the iteration, in plies.
        depth: u32,
        /// The move.
        mv: String,
        /// Its number, from 1.
        number: u32,
    },
    /// How far a proof is.
    Progress(Progress),
    /// The search is over.
    Best {
        /// The move to play; `None` if the game is over.
        best: Option<String>,
        /// The expected reply.
        ponder: Option<String>,
    },
    /// A count of leaves is over, or was stopped.
    Perft {
        /// Leaves by first move.
        split: Vec<(String, u64)>,
        /// All leaves.
        total: u64,
        /// Whether it was stopped before its end.
        is_stopped: bool,
    },
    /// The benchmark is over, or was stopped.
    Bench(BenchResult),
    /// A proof is over, or was stopped.
    Proof(ProofResult),
    /// Something that the user may want to know.
    Message(String),
}

/// Where events go.
pub(super) type Sink = Arc<dyn Fn(Event) + Send + Sync>;

impl Event {
    /// Whether the engine is idle after this.
    pub const fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Best { .. } | Self::Perft { .. } | Self::Bench(_) | Self::Proof(_)
        )
    }
}

/// What is proven of a position; by default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProofResult {
    /// The side that wins; `None` if unproven.
    pub winner: Option<Side>,
    /// A line to the end of the game with the winner's proven moves, not
    /// necessarily the shortest.
    pub line: Vec<String>,
    /// Positions searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// What the benchmark counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// All nodes: the signature of search and evaluation.
    pub nodes: u64,
    /// Time for all.
    pub time: Duration,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

impl BenchResult {
    pub(crate) fn nodes_per_second(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

/// Nodes per second, as a whole number; a time too short to measure counts as a
/// millisecond.
pub(crate) fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(0.001)) as u64
}
