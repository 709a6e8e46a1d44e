//! What both games' notations share: squares, and the fields of a position's
//! text after its rows.

use crate::base::Side;
use thiserror::Error;

/// The name of a file counted from 0: a to z, then aa, ab ...
pub(super) fn file_name(file: u8) -> String {
    let letter = |n: u8| char::from(b'a' + n);
    if file < 26 {
        letter(file).to_string()
    } else {
        format!("a{}", letter(file - 26))
    }
}

/// Splits a square off the front of the text: its file and rank counted from 0,
/// and what is left. Capital letters are accepted too.
pub(super) fn split_square(text: &str) -> Option<(usize, usize, &str)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, rest) = text.split_at(digits);
    let file = match letters.to_ascii_lowercase().as_bytes() {
        [letter @ b'a'..=b'z'] => usize::from(letter - b'a'),
        [b'a', letter @ b'a'..=b'f'] => 26 + usize::from(letter - b'a'),
        _ => return None,
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let rank: usize = rest[..end].parse().ok()?;
    // Squares are written without leading zeros.
    (rank > 0 && !rest.starts_with('0')).then(|| (file, rank - 1, &rest[end..]))
}

/// The squares of a move's text, by file and rank: where it begins and where it ends.
pub(super) fn split_move(text: &str, (files, ranks): (u8, u8)) -> Result<[(u8, u8); 2], MoveError> {
    let malformed = || MoveError::Malformed(text.to_owned());
    let (from_file, from_rank, rest) = split_square(text).ok_or_else(malformed)?;
    let (to_file, to_rank, rest) = split_square(rest).ok_or_else(malformed)?;
    if !rest.is_empty() {
        return Err(malformed());
    }
    let inside = |file: usize, rank: usize| {
        let is_inside = file < usize::from(files) && rank < usize::from(ranks);
        let off_board = || MoveError::OffBoard(text.to_owned());
        is_inside
            .then_some((file as u8, rank as u8))
            .ok_or_else(off_board)
    };
    Ok([inside(from_file, from_rank)?, inside(to_file, to_rank)?])
}

/// The rows and the side of a position's text. `letter` stands for what is on a file
/// and rank.
pub(super) fn rows_and_side(
    (files, ranks): (u8, u8),
    letter: impl Fn(u8, u8) -> Option<char>,
    side: Side,
) -> String {
    let mut text = String::new();
    for rank in (0..ranks).rev() {
        let mut run = 0;
        for file in 0..files {
            match letter(file, rank) {
                None => run += 1,
                Some(letter) => {
                    if run > 0 {
                        text += &run.to_string();
                    }
                    run = 0;
                    text.push(letter);
                }
            }
        }
        if run > 0 {
            text += &run.to_string();
        }
        text.push(if rank > 0 { '/' } else { ' ' });
    }
    text.push(match side {
        Side::White => 'w',
        Side::Black => 'b',
    });
    text
}

/// The fields of a position's text after the rows.
pub(super) struct Fields {
    /// The side to move.
    pub(super) side: Side,
    /// The half-move clock as written.
    pub(super) clock: u16,
    /// Plies played since the start, according to the full-move number.
    pub(super) ply: u16,
}

/// Whether a field could be chess's castling rights or en passant square, which
/// mean nothing here.
fn is_of_chess(field: &str) -> bool {
    // `KQkq`, or the rooks' files as in chess960.
    let is_castling = |text: &str| {
        text.bytes()
            .all(|byte| matches!(byte.to_ascii_lowercase(), b'k' | b'q' | b'a'..=b'h'))
    };
    let is_square = |text| matches!(split_square(text), Some((.., "")));
    field == "-" || is_castling(field) || is_square(field)
}

/// A position's text without what an EPD has after it, such as `ce 13; id "x";`. Moves,
/// which change the position, are left to be refused.
pub(super) fn without_operations(text: &str) -> &str {
    let Some((head, _)) = text.split_once(';') else {
        return text;
    };
    // Rows and side come first; then there may be what chess has, and counters.
    let fields: Vec<&str> = head.split_ascii_whitespace().collect();
    let unused = fields.get(2..4).unwrap_or_default();
    let has_unused = !unused.is_empty() && unused.iter().all(|field| is_of_chess(field));
    let operation = fields
        .iter()
        .skip(if has_unused { 4 } else { 2 })
        .find(|field| field.starts_with(|letter: char| letter.is_ascii_alphabetic()));
    // A field is a part of the text.
    let end = operation.map_or(head.len(), |field| {
        field.as_ptr() as usize - text.as_ptr() as usize
    });
    let mut operations = text[end..].split(';');
    if operations.any(|found| found.split_ascii_whitespace().next() == Some("moves")) {
        return text;
    }
    text[..end].trim_end()
}

/// Reads the fields after the rows: the side alone, or with what chess has between
/// the side and the counters, or with counters, or with both: `w`, `w - -`,
/// `w 0 1`, `w KQkq - 0 1`.
pub(super) fn parse_fields(fields: &[&str]) -> Result<Fields, FenError> {
    let (&side, rest) = fields.split_first().ok_or(FenError::NoSide)?;
    let side = match side {
        "w" | "W" => Side::White,
        "b" | "B" => Side::Black,
        _ => return Err(FenError::Side(side.to_owned())),
    };
    let (unused, counters): (&[&str], [&str; 2]) = match *rest {
        [] => (&[], ["0", "1"]),
        [castling, _] if is_of_chess(castling) => (rest, ["0", "1"]),
        [clock, number] => (&[], [clock, number]),
        [_, _, clock, number] => (&rest[..2], [clock, number]),
        _ => return Err(FenError::Fields(fields.len() + 1)),
    };
    if let Some(field) = unused.iter().find(|field| !is_of_chess(field)) {
        return Err(FenError::Unused((*field).to_owned()));
    }
    let mut numbers = [0u16; 2];
    for (number, text) in numbers.iter_mut().zip(counters) {
        // `parse` would take a plus sign.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        *number = text
            .parse()
            .ok()
            .filter(|_| digits)
            .ok_or_else(|| FenError::Counter((*text).to_owned()))?;
    }
    let full_moves = numbers[1].max(1) - 1;
    Ok(Fields {
        side,
        clock: numbers[0],
        ply: full_moves
            .saturating_mul(2)
            .saturating_add(u16::from(side == Side::Black)),
    })
}

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
    NoPiece {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_as_they_are_written() {
        for file in 0..32 {
            for rank in [0, 8, 9, 63] {
                let name = format!("{}{}", file_name(file), rank + 1);
                let read = Some((usize::from(file), rank, "x1"));
                assert_eq!(split_square(&format!("{name}x1")), read);
                assert_eq!(split_square(&name.to_uppercase()).map(|it| it.2), Some(""));
            }
        }
        assert_eq!(file_name(25) + &file_name(26), "zaa");
        for name in ["", "a", "7", "a0", "a01", "ag1", "ba1", "aaa1", "-1"] {
            assert_eq!(split_square(name), None, "{name}");
        }
    }

    #[test]
    fn counters_are_read() {
        for (fields, clock, ply) in [
            (&["w"][..], 0, 0),
            (&["b", "7", "1"], 7, 1),
            (&["w", "-", "-", "2", "9"], 2, 16),
            (&["w", "-", "-"], 0, 0),
            (&["b", "KQkq", "e3"], 0, 1),
            (&["w", "KQkq", "-", "2", "9"], 2, 16),
            (&["b", "0", "0"], 0, 1),
            (&["b", "65535", "65535"], 65535, 65535),
        ] {
            let read = parse_fields(fields).unwrap();
            assert_eq!((read.clock, read.ply), (clock, ply), "{fields:?}");
        }
    }

    #[test]
    fn operations_of_an_epd_are_left_out() {
        for (line, position) in [
            ("pp/PP w - - bm a1b2; id \"x; y\";", "pp/PP w - -"),
            ("pp/PP w - - ce 13;  ", "pp/PP w - -"),
            ("pp/PP b KQkq e3 0 1 id \"x\";", "pp/PP b KQkq e3 0 1"),
            ("pp/PP w id \"x\";", "pp/PP w"),
            ("pp/PP w - - 0 1;", "pp/PP w - - 0 1"),
            ("pp/PP w 0 1 ; id \"x\"", "pp/PP w 0 1"),
            ("pp/PP w KQkq e3;", "pp/PP w KQkq e3"),
            ("pp/PP w;", "pp/PP w"),
            ("pp/PP w ce 13;", "pp/PP w"),
            (
                "pp/PP w 0 1 bm a1b2; moves a1b2",
                "pp/PP w 0 1 bm a1b2; moves a1b2",
            ),
            ("pp/PP w 0 1; moves a1b2", "pp/PP w 0 1; moves a1b2"),
            ("pp/PP w - - moves a1b2;", "pp/PP w - - moves a1b2;"),
            ("pp/PP w - - bm a1b2", "pp/PP w - - bm a1b2"),
            ("é;", "é"),
        ] {
            assert_eq!(without_operations(line), position);
        }
    }

    #[test]
    fn other_fields_are_refused() {
        for (fields, error) in [
            (&[][..], FenError::NoSide),
            (&["white"], FenError::Side("white".to_owned())),
            (&["w", "0"], FenError::Fields(3)),
            (&["w", "-", "-", "0"], FenError::Fields(5)),
            (&["w", "0", "-"], FenError::Counter("-".to_owned())),
            (&["w", "-", "1"], FenError::Unused("1".to_owned())),
            (
                &["w", "-", "??", "0", "1"],
                FenError::Unused("??".to_owned()),
            ),
            (&["w", "xy", "-"], FenError::Counter("xy".to_owned())),
            (&["w", "0;", "1"], FenError::Counter("0;".to_owned())),
            (&["w", "+0", "1"], FenError::Counter("+0".to_owned())),
        ] {
            assert_eq!(parse_fields(fields).err(), Some(error), "{fields:?}");
        }
    }
}
