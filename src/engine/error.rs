//! What the engine refuses, and why.

use crate::base::{Budget, MachineMemory, OutOfMemory, OverBudget, Share};
use crate::game::{FenError, MoveError};
use crate::search::TableError;
use std::sync::Arc;
use thiserror::Error;

/// A generous bound, in bytes, for the built-in networks and other lasting data.
pub(crate) const NETWORK_BYTES: usize = 48 << 20;

/// What takes the most memory.
pub(super) const HASH_TABLE: &str = "a hash table";
pub(super) const PROOF_TABLE: &str = "a proof table";

/// Why a line of moves was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {ply}: {error}")]
pub struct LineError {
    /// The ply of the faulty move, from 1.
    pub ply: usize,
    /// What is wrong with it.
    pub error: MoveError,
}

/// Why a position was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// The text of the position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move.
    #[error(transparent)]
    Line(#[from] LineError),
}

/// Why a move could not be played, taken back or replayed. The game is
/// unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// There is no game to continue.
    #[error("the last position was refused: {0}")]
    NoPosition(String),
    /// A move is not legal.
    #[error(transparent)]
    Line(#[from] LineError),
    /// Fewer moves have been played.
    #[error("{} to take back", count(*.0))]
    Undo(usize),
    /// Fewer moves have been taken back.
    #[error("{} to redo", count(*.0))]
    Redo(usize),
}

fn count(moves: usize) -> String {
    match moves {
        0 => "there is no move".to_owned(),
        1 => "there is only 1 move".to_owned(),
        _ => format!("there are only {moves} moves"),
    }
}

/// Why the engine refused something. Nothing has changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// It is at work; it must be stopped first.
    #[error("the engine is searching")]
    Busy,
    /// There is not enough memory for a hash table of that size.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is not that much memory left.
    #[error("{what} of {megabytes} MB needs more memory than is available ({available} MB)")]
    Memory {
        /// What was to be allocated.
        what: &'static str,
        /// Its size in megabytes.
        megabytes: usize,
        /// What is available, in megabytes.
        available: usize,
    },
    /// Others have taken the memory that it asks for.
    #[error("{what} of {megabytes} MB is too large: {error}")]
    Shared {
        /// What was to be allocated.
        what: &'static str,
        /// Its size in megabytes.
        megabytes: usize,
        /// What is left.
        error: OverBudget,
    },
    /// There is no memory left to work in.
    #[error(transparent)]
    NoMemory(#[from] OutOfMemory),
    /// Threads cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] std::io::Error),
    /// Nothing can be proven of such a game or board.
    #[error("only Breakthrough can be proven, on boards of up to 80 squares")]
    NoProofs,
    /// The turn cannot be passed.
    #[error("the game is over: there is no turn to pass")]
    NoTurn,
    /// There is no position to work on.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A position cannot be set up.
    #[error(transparent)]
    Position(#[from] FenError),
    /// A move that is to be searched is not legal.
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// Whether this many megabytes are free, counting what will be given back. The
/// system promises more memory than it has, so an allocation is no test.
pub(super) fn is_free(
    what: &'static str,
    megabytes: usize,
    given_back: usize,
) -> Result<(), EngineError> {
    match MachineMemory::read() {
        Some(memory) if megabytes > memory.available + given_back => Err(EngineError::Memory {
            what,
            megabytes,
            available: memory.available,
        }),
        _ => Ok(()),
    }
}

/// This many megabytes of what several engines may take together, if they have
/// a budget.
pub(super) fn share_of(
    budget: Option<&Arc<Budget>>,
    what: &'static str,
    megabytes: usize,
) -> Result<Option<Share>, EngineError> {
    let share = budget.map(|budget| budget.take(megabytes)).transpose();
    share.map_err(|error| shared(what, megabytes, error))
}

/// The error that there is not that much left.
pub(super) const fn shared(what: &'static str, megabytes: usize, error: OverBudget) -> EngineError {
    EngineError::Shared {
        what,
        megabytes,
        error,
    }
}
