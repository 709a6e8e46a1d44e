//! Errors in text from outside.

use crate::base::Side;
use thiserror::Error;

/// Why a position's text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FenError {
    /// There is no text.
    #[error("the position text is empty")]
    Empty,
    /// The number of fields is not one a FEN can have.
    #[error("{0} fields, expected 2 (rows and side), 4 (w 0 1 or w - -) or 6 (w - - 0 1)")]
    Fields(usize),
    /// The side to move is missing.
    #[error("no side to move after the rows")]
    NoSide,
    /// The side to move is neither `w` nor `b`.
    #[error("side to move '{0}' is neither w nor b")]
    Side(String),
    /// A field that this game does not use holds something.
    #[error("field '{0}' must be - here")]
    Unused(String),
    /// A counter is not a number.
    #[error("counter '{0}' is not a number from 0 to 65535")]
    Counter(String),
    /// The text is not a board size.
    #[error("'{0}' is not a board: files x ranks, such as 8x8")]
    Board(String),
    /// A character has no meaning.
    #[error("unknown character '{found}' in row {row}")]
    Character {
        /// The character.
        found: char,
        /// The row, counted from the first one in the text, 1 upwards.
        row: usize,
    },
    /// A number of empty squares has more than two digits.
    #[error("a number of empty squares in row {row} is larger than 99")]
    Run {
        /// The row, counted from the first one in the text, 1 upwards.
        row: usize,
    },
    /// A row is not as long as the first one.
    #[error("row {row} has {found} squares, expected {expected}")]
    Width {
        /// The row, counted from the first one in the text, 1 upwards.
        row: usize,
        /// Its squares.
        found: usize,
        /// The squares it should have.
        expected: usize,
    },
    /// The board is not one that can be played on.
    #[error(
        "board size {files}x{ranks} is not supported: at least 2 files, at least 4 ranks, at most 128 squares"
    )]
    Size {
        /// Files of the board.
        files: usize,
        /// Ranks of the board.
        ranks: usize,
    },
    /// The board does not have the size this game is played on.
    #[error("{found} rows, expected {expected}")]
    Rows {
        /// Rows found.
        found: usize,
        /// Rows expected.
        expected: usize,
    },
    /// Both sides cannot have won.
    #[error("both sides have a piece on the far rank")]
    BothArrived,
    /// A board without pieces is no position.
    #[error("there are no pieces on the board")]
    NoPieces,
    /// More pieces on a square than it holds.
    #[error("too many pieces on square {0}")]
    OverCapacity(String),
    /// The board is too large for the position type asked for.
    #[error("a board of {0}x{1} is too large")]
    TooLarge(usize, usize),
}

/// Why a move's text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// It does not look like a move.
    #[error("'{0}' is not a move such as a2b3")]
    Malformed(String),
    /// A square that the board does not have.
    #[error("'{0}' names a square outside the board")]
    OffBoard(String),
    /// The game is over.
    #[error("'{0}' is not possible: the game is over")]
    GameOver(String),
    /// The game is as long as one can be here.
    #[error("'{text}' is not possible: a game has at most {most} moves here")]
    TooLong {
        /// The move.
        text: String,
        /// The most moves of a game.
        most: usize,
    },
    /// The mover has no piece there.
    #[error("'{text}' is illegal: {side} has no piece on {square}")]
    NoMan {
        /// The move.
        text: String,
        /// The side to move.
        side: Side,
        /// The square the move starts from.
        square: String,
    },
    /// The piece cannot move there.
    #[error("'{0}' is illegal")]
    Illegal(String),
}
