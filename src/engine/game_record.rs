//! The game so far: where it began, the moves played, and those taken back.

use super::board::{Board, LineError};
use crate::game::{FenError, MoveError};
use thiserror::Error;

/// Where a game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of the current variant.
    StartPos,
    /// A position's text.
    Fen(String),
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

/// A game from its start to the position on the board.
#[derive(Clone, Debug)]
pub struct GameRecord {
    start: Board,
    board: Board,
    moves: Vec<String>,
    /// Moves taken back; the last one is replayed first.
    undone: Vec<String>,
    /// Why the last position sent was refused, until one is accepted.
    fault: Option<String>,
}

impl GameRecord {
    /// A game without moves.
    #[must_use]
    pub fn new(start: Board) -> Self {
        Self {
            board: start.clone(),
            start,
            moves: Vec::new(),
            undone: Vec::new(),
            fault: None,
        }
    }

    /// A game of these moves.
    ///
    /// # Errors
    /// If one of them is not legal; the error names it.
    pub fn with_moves(start: Board, moves: &[String]) -> Result<Self, LineError> {
        let mut game = Self::new(start);
        game.play_all(moves)?;
        Ok(game)
    }

    /// Where it began.
    #[must_use]
    pub const fn start(&self) -> &Board {
        &self.start
    }

    /// The position on the board.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The moves played, as petard writes them.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// How many moves have been taken back and can be replayed.
    #[must_use]
    pub const fn undone(&self) -> usize {
        self.undone.len()
    }

    /// The position to work on.
    ///
    /// # Errors
    /// If the last position sent was refused: the one on the board is not the
    /// one that was meant.
    pub fn position(&self) -> Result<&Board, GameError> {
        match &self.fault {
            None => Ok(&self.board),
            Some(fault) => Err(GameError::NoPosition(fault.clone())),
        }
    }

    /// Notes that a position was sent and refused. The board stays as it is.
    pub fn refuse(&mut self, fault: String) {
        self.fault = Some(fault);
    }

    /// Plays moves. Moves taken back before are forgotten.
    ///
    /// # Errors
    /// If there is no position, or a move is not legal; none is played then.
    pub fn play(&mut self, moves: &[String]) -> Result<(), GameError> {
        self.position()?;
        self.play_all(moves)?;
        if !moves.is_empty() {
            self.undone.clear();
        }
        Ok(())
    }

    fn play_all(&mut self, moves: &[String]) -> Result<(), LineError> {
        let mut board = self.board.clone();
        let mut played = Vec::with_capacity(moves.len());
        for (index, text) in moves.iter().enumerate() {
            played.push(board.play(text).map_err(|fault: MoveError| LineError {
                ply: index + 1,
                fault,
            })?);
        }
        self.board = board;
        self.moves.append(&mut played);
        Ok(())
    }

    /// Takes back this many moves.
    ///
    /// # Errors
    /// If there is no position, or fewer have been played.
    pub fn undo(&mut self, plies: usize) -> Result<(), GameError> {
        self.position()?;
        let played = self.moves.len();
        let kept = played.checked_sub(plies).ok_or(GameError::Undo(played))?;
        self.board = self
            .start
            .with_moves(self.moves[..kept].iter().map(String::as_str))?;
        self.undone.extend(self.moves.drain(kept..).rev());
        Ok(())
    }

    /// Replays this many of the moves that were taken back.
    ///
    /// # Errors
    /// If there is no position, or fewer have been taken back.
    pub fn redo(&mut self, plies: usize) -> Result<(), GameError> {
        self.position()?;
        let undone = self.undone.len();
        let kept = undone.checked_sub(plies).ok_or(GameError::Redo(undone))?;
        let again: Vec<String> = self.undone[kept..].iter().rev().cloned().collect();
        self.play_all(&again)?;
        self.undone.truncate(kept);
        Ok(())
    }

    /// Swaps ranks and colours on the board; the game begins there.
    pub fn flip(&mut self) {
        let fault = self.fault.take();
        *self = Self::new(self.board.flipped());
        self.fault = fault;
    }
}

#[cfg(test)]
mod tests {
    use super::super::variant::Variant;
    use super::*;

    fn texts(moves: &[&str]) -> Vec<String> {
        moves.iter().map(|&mv| mv.to_owned()).collect()
    }

    fn start() -> Board {
        Board::start(Variant::STANDARD).unwrap()
    }

    fn fen_after(moves: &[&str]) -> String {
        start().with_moves(moves.iter().copied()).unwrap().fen()
    }

    #[test]
    fn moves_are_taken_back_and_played_again() {
        let mut game = GameRecord::with_moves(start(), &texts(&["A2A3", "a7a6"])).unwrap();
        game.play(&texts(&["b2b3"])).unwrap();
        assert_eq!(game.moves(), ["a2a3", "a7a6", "b2b3"]);
        game.undo(2).unwrap();
        assert_eq!(game.board().fen(), fen_after(&["a2a3"]));
        assert_eq!((game.moves().len(), game.undone()), (1, 2));
        game.redo(1).unwrap();
        assert_eq!(game.board().fen(), fen_after(&["a2a3", "a7a6"]));
        game.undo(0).unwrap();
        game.redo(1).unwrap();
        assert_eq!(game.board().fen(), fen_after(&["a2a3", "a7a6", "b2b3"]));
        game.undo(3).unwrap();
        assert_eq!(game.board().fen(), game.start().fen());
        game.play(&texts(&["h2h3"])).unwrap();
        assert_eq!(game.redo(1), Err(GameError::Redo(0)));
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut game = GameRecord::with_moves(start(), &texts(&["a2a3", "a7a6"])).unwrap();
        game.undo(1).unwrap();
        let before = game.board().fen();
        let fault = game.play(&texts(&["b7b6", "b7b6"])).unwrap_err();
        assert!(fault.to_string().starts_with("move 2: "), "{fault}");
        assert_eq!(game.undo(2), Err(GameError::Undo(1)));
        assert_eq!(game.redo(2), Err(GameError::Redo(1)));
        assert_eq!(game.redo(usize::MAX), Err(GameError::Redo(1)));
        assert_eq!((game.board().fen(), game.undone()), (before, 1));
    }

    #[test]
    fn after_a_refused_position_there_is_none_to_go_on_from() {
        let mut game = GameRecord::with_moves(start(), &texts(&["a2a3"])).unwrap();
        game.refuse("nonsense".to_owned());
        let refused = GameError::NoPosition("nonsense".to_owned());
        assert_eq!(game.play(&texts(&["a7a6"])), Err(refused.clone()));
        assert_eq!(game.undo(1), Err(refused.clone()));
        assert_eq!(game.position().err(), Some(refused.clone()));
        // It can be looked at.
        game.flip();
        assert_eq!(game.position().err(), Some(refused));
        assert_eq!((game.moves().len(), game.undone()), (0, 0));
    }

    #[test]
    fn a_draw_by_repetition_is_taken_back_too() {
        let start = Board::start(Variant::Freeling).unwrap();
        let passes = texts(&["pass"; 4]);
        let mut game = GameRecord::with_moves(start, &passes).unwrap();
        assert!(game.board().legal_moves().is_empty());
        game.undo(1).unwrap();
        assert!(!game.board().legal_moves().is_empty());
        game.redo(1).unwrap();
        assert!(game.board().legal_moves().is_empty());
    }
}
