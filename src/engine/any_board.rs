//! What can be asked of a position whose game is not known.

use super::event::{Event, ProofResult};
use super::facts::{Evaluation, Step};
use super::search_job::SearchJob;
use crate::base::Side;
use crate::eval::EvalSource;
use crate::game::{Ending, Move, MoveError, Outcome};
use crate::search::Control;
use crate::solve::{Progress, ProofLimits, SolveError};
use std::fmt;
use std::sync::Arc;

/// What can be asked of a [`super::Board`], whatever its game.
pub trait AnyBoard: Send + Sync + fmt::Debug {
    /// The position's text.
    fn fen(&self) -> String;

    /// The name of the game.
    fn game(&self) -> &'static str;

    /// Files and ranks.
    fn size(&self) -> (u8, u8);

    /// The board drawn in text.
    fn diagram(&self) -> String;

    /// The Zobrist key.
    fn key(&self) -> u64;

    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// How the game stands, repetitions included.
    fn outcome(&self) -> Outcome;

    /// Why the game is over, repetitions included; `None` if it goes on.
    fn ending(&self) -> Option<Ending>;

    /// Whether there are proofs for this game and board.
    fn has_proofs(&self) -> bool;

    /// All legal moves, sorted by text; none if the game is over.
    fn legal_moves(&self) -> Vec<String>;

    /// The moves with which the side to move wins at once, sorted by text.
    fn wins(&self) -> Vec<String>;

    /// The moves with which the other side would win at once if it were its
    /// turn, sorted by text; none if the game is over.
    fn threats(&self) -> Vec<String>;

    /// Assembles the board's network, if it has none of its own and this has
    /// not been done before.
    fn assemble(&self, source: &EvalSource);

    /// The static evaluation; `None` if the game is over.
    fn evaluate(&self, source: &EvalSource) -> Option<Evaluation>;

    /// The number of lines of exactly this many plies, by first move; the
    /// control can stop it. Repetitions do not end a line: the position's moves
    /// are counted, as other programs count them.
    fn perft(&self, depth: u32, control: &Control) -> Event;

    /// Tries to prove who wins, with a table of this many bytes; progress goes
    /// to the callback.
    ///
    /// # Errors
    /// If there are no proofs for such a game or board, or there is not enough
    /// memory.
    fn prove(
        &self,
        limits: &ProofLimits,
        bytes: usize,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<ProofResult, SolveError>;
}

/// What [`super::Board`] itself needs.
pub(super) trait Erased: AnyBoard {
    fn clone_box(&self) -> Box<dyn Erased>;
    fn play(&mut self, text: &str) -> Result<String, MoveError>;
    fn step(&mut self, text: &str) -> Result<Step, MoveError>;
    fn passed(&self) -> Option<Box<dyn Erased>>;
    fn flipped(&self) -> Box<dyn Erased>;
    fn prepare(
        &self,
        moves: &[String],
        source: &EvalSource,
    ) -> Result<(Vec<Move>, Arc<dyn SearchJob>), MoveError>;
}
