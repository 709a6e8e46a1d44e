//! What the engine refuses, and why.

use super::game_record::GameError;
use crate::base::{Budget, MachineMemory, OutOfMemory, OverBudget, Share};
use crate::game::{FenError, MoveError};
use crate::search::TableError;
use std::sync::Arc;
use thiserror::Error;

/// Bytes that the built-in networks and what else lasts may take, generously.
pub(super) const START_BYTES: usize = 48 << 20;

/// What takes most memory.
pub(super) const HASH_TABLE: &str = "a hash table";
pub(super) const PROOF_TABLE: &str = "a table for proofs";

/// Why the engine refused something. Nothing has changed then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// It is at work; it must be stopped first.
    #[error("the engine is searching")]
    Busy,
    /// There is not enough memory for a hash table of that size.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is not so much memory left.
    #[error(
        "{what} of {megabytes} MB needs more memory than there is: {available} MB are available"
    )]
    Memory {
        /// What was to be made.
        what: &'static str,
        /// Its size in megabytes.
        megabytes: usize,
        /// What can be had, in megabytes.
        available: usize,
    },
    /// Others have taken what it asks for.
    #[error("{what} of {megabytes} MB is too large: {fault}")]
    Shared {
        /// What was to be made.
        what: &'static str,
        /// Its size in megabytes.
        megabytes: usize,
        /// What is left.
        fault: OverBudget,
    },
    /// There is no memory left to work in.
    #[error(transparent)]
    NoMemory(#[from] OutOfMemory),
    /// Threads cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] std::io::Error),
    /// Nothing can be proven of such a game or board.
    #[error("there are proofs for Troyka's game only, on boards of up to 80 squares")]
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

/// Whether so many megabytes are free beside what will be given back. The
/// system promises more memory than it has; asking it for some is not enough.
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

/// So many megabytes of what several engines may take together, if they have
/// a budget.
pub(super) fn share_of(
    budget: Option<&Arc<Budget>>,
    what: &'static str,
    megabytes: usize,
) -> Result<Option<Share>, EngineError> {
    let share = budget.map(|budget| budget.take(megabytes)).transpose();
    share.map_err(|fault| shared(what, megabytes, fault))
}

/// That there is not so much left.
pub(super) const fn shared(what: &'static str, megabytes: usize, fault: OverBudget) -> EngineError {
    EngineError::Shared {
        what,
        megabytes,
        fault,
    }
}
