//! A position of any game and size behind one interface: the last place where
//! the game's type is unknown.

use super::any_board::{AnyBoard, Erased};
use super::facts::Step;
use super::playable::Playable;
use super::played::Played;
use super::search_job::SearchJob;
use super::variant::Variant;
use crate::eval::EvalSource;
use crate::game::breakthrough::Position;
use crate::game::{FenError, Move, MoveError, Notation, freeling};
use std::ops::Deref;
use std::sync::Arc;
use thiserror::Error;

/// Why a line of moves was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {ply}: {fault}")]
pub struct LineError {
    /// The ply of the faulty move, from 1.
    pub ply: usize,
    /// What is wrong with it.
    pub fault: MoveError,
}

/// A position with the game that led to it, of any game and size. What can be
/// asked of it is in [`AnyBoard`].
#[derive(Debug)]
pub struct Board(Box<dyn Erased>);

impl Clone for Board {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}

impl Deref for Board {
    type Target = dyn AnyBoard;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Board {
    /// The start position of a game.
    ///
    /// # Errors
    /// If the board's size cannot be played on.
    pub fn start(variant: Variant) -> Result<Self, FenError> {
        match variant {
            Variant::Breakthrough { files, ranks } => match Position::<u64>::start(files, ranks) {
                Err(FenError::TooLarge(..)) => {
                    Ok(Self::new(Position::<u128>::start(files, ranks)?))
                }
                small => Ok(Self::new(small?)),
            },
            Variant::Freeling => Ok(Self::new(freeling::Position::start())),
        }
    }

    /// A position from its text; in Breakthrough the text says how large the
    /// board is.
    ///
    /// # Errors
    /// If the text is not that of a position; the error names the fault.
    pub fn from_fen(variant: Variant, fen: &str) -> Result<Self, FenError> {
        match variant {
            Variant::Breakthrough { .. } => match Position::<u64>::from_fen(fen) {
                Err(FenError::TooLarge(..)) => Ok(Self::new(Position::<u128>::from_fen(fen)?)),
                small => Ok(Self::new(small?)),
            },
            Variant::Freeling => Ok(Self::new(freeling::Position::from_fen(fen)?)),
        }
    }

    fn new<G: Playable>(position: G) -> Self {
        Self(Box::new(Played::new(position)))
    }

    /// The board after these moves; this one stays as it is.
    ///
    /// # Errors
    /// If a move is not legal; the error names it and its ply.
    pub fn with_moves<'a>(
        &self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, LineError> {
        let mut board = self.clone();
        for (index, text) in moves.into_iter().enumerate() {
            board.0.play(text).map_err(|fault| LineError {
                ply: index + 1,
                fault,
            })?;
        }
        Ok(board)
    }

    /// Plays a move, and returns it as petard writes it.
    ///
    /// # Errors
    /// If it is not legal; the board stays as it is.
    pub fn play(&mut self, text: &str) -> Result<String, MoveError> {
        self.0.play(text)
    }

    /// What these moves do one after the other, and where they lead; this
    /// board stays as it is. If a move is not legal, its error comes with the
    /// steps before it.
    pub fn line<'a>(
        &self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> (Vec<Step>, Option<LineError>) {
        let (mut board, mut steps) = (self.clone(), Vec::new());
        for text in moves {
            match board.0.step(text) {
                Ok(step) => steps.push(step),
                Err(fault) => {
                    let ply = steps.len() + 1;
                    return (steps, Some(LineError { ply, fault }));
                }
            }
        }
        (steps, None)
    }

    /// The board with the turn passed to the other side, as if by a move that
    /// changes nothing; `None` if the game is over. What is proven of it is
    /// true of that position.
    #[must_use]
    pub fn passed(&self) -> Option<Self> {
        self.0.passed().map(Self)
    }

    /// The board with ranks and colours swapped, without the game before.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self(self.0.flipped())
    }

    pub(super) fn prepare(
        &self,
        moves: &[String],
        source: &EvalSource,
    ) -> Result<(Vec<Move>, Arc<dyn SearchJob>), MoveError> {
        self.0.prepare(moves, source)
    }
}
