//! What searches take and return: limits, progress, solutions and errors.

use super::numbers;
use crate::base::{Host, OutOfMemory};
use crate::game::Move;
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// What a search may spend.
#[derive(Clone, Debug)]
pub struct ProofLimits {
    /// Threads that search.
    pub threads: usize,
    /// Where they run.
    pub host: Host,
    /// The longest time, including the search for the line unless `line_time` is given.
    pub time: Option<Duration>,
    /// The longest time until the line has been found. A part of a longer search ends
    /// after `time`, but once it knows the winner it may take longer for the line.
    pub line_time: Option<Duration>,
    /// The most nodes, including the search for the line. A single thread stops
    /// exactly there, so its result is the same every time.
    pub nodes: Option<u64>,
}

impl Default for ProofLimits {
    fn default() -> Self {
        Self {
            threads: 1,
            host: Host::System,
            time: None,
            line_time: None,
            nodes: None,
        }
    }
}

/// How far a search has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Positions searched.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// The proof number of the root: how far it seems from a proven win of the side to
    /// move; [`u32::MAX`] if that is impossible.
    pub proof: u32,
    /// The disproof number of the root: how far from a proven loss.
    pub disproof: u32,
    /// How full the table is, in per mille.
    pub hashfull: u32,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "time {:.1} s  nodes {}  nodes/s {:.0}  proof {}  disproof {}  table {:.1} %",
            self.time.as_secs_f64(),
            self.nodes,
            self.nodes as f64 / self.time.as_secs_f64().max(0.001),
            self.proof,
            self.disproof,
            f64::from(self.hashfull) / 10.0,
        )
    }
}

/// What a step of a long piece of work has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepResult {
    /// Nothing is left to do.
    Done,
    /// The step was completed, and there are more.
    More,
    /// A limit or the stop flag came first; what was learned is in the table.
    CutOff,
}

/// How far a position or a move looks from a proof, from the view of the side
/// to move: the most promising leaves that are still to be proven, weighted by
/// how good they look and by mobility. `None` stands for what cannot be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prospect {
    /// How far from a win; 0 if it is proven.
    pub(crate) proof: Option<u32>,
    /// How far from a loss; 0 if it is proven.
    pub(crate) disproof: Option<u32>,
}

impl Prospect {
    /// Nothing is known yet.
    pub(crate) const UNKNOWN: Self = Self {
        proof: Some(1),
        disproof: Some(1),
    };

    /// The same as the other side sees it.
    pub(crate) const fn exchanged(self) -> Self {
        Self {
            proof: self.disproof,
            disproof: self.proof,
        }
    }

    pub(super) fn new(proof: u32, disproof: u32) -> Self {
        let finite = |number| (number != numbers::INFINITE).then_some(number);
        Self {
            proof: finite(proof),
            disproof: finite(disproof),
        }
    }
}

/// The moves of a position that an unfinished search has looked into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenedNode {
    /// The moves that lead to the position.
    pub(crate) line: Vec<Move>,
    /// All its moves.
    pub(crate) moves: Vec<(Move, Prospect)>,
}

/// What was found out about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Whether the side to move wins; `None` if a limit or the stop flag came
    /// first.
    pub side_to_move_wins: Option<bool>,
    /// A line to the end of the game in which the winner's moves are proven.
    /// The loser resists, but neither side is claimed to play its best. Empty
    /// if nothing was proven or the game is over, and cut short if a limit was
    /// reached.
    pub line: Vec<Move>,
    /// How far from a proof the position is.
    pub(crate) prospect: Prospect,
    /// Positions searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// There are keys only for boards of up to 80 squares.
    #[error("a board of {0}x{1} is too large to be solved: at most 80 squares")]
    TooLarge(u8, u8),
    /// There are no proofs for this game.
    #[error("there are no proofs for {0}")]
    Game(&'static str),
    /// There is not enough memory for the table.
    #[error("proof table: {0}")]
    Memory(#[from] OutOfMemory),
    /// A certificate was requested for an undecided position.
    #[error("the position is not solved")]
    NotSolved,
    /// The search was stopped before the certificate was complete.
    #[error("stopped before the certificate was complete")]
    Stopped,
    /// There is not enough memory for the certificate.
    #[error("certificate: {0}")]
    CertificateMemory(OutOfMemory),
}

/// Why a position is not a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum LeafError {
    #[error("it is not proven within {0} nodes")]
    Open(u64),
    #[error("it is lost for the side that should win")]
    Lost,
    #[error("{0}")]
    Memory(#[from] OutOfMemory),
}
