//! The text of positions, squares and moves.

use super::bits::Bits;
use super::position::Geometry;
use super::position::Position;
use crate::base::Side;
use crate::game::text::{file_name, parse_fields, rows_and_side, split_move, without_operations};
use crate::game::{Ending, FenError, Game as _, Move, MoveError, Notation, Outcome};
use std::fmt::Write as _;

/// The name of the square on a file and rank, both counted from 0.
pub fn square_name(file: u8, rank: u8) -> String {
    format!("{}{}", file_name(file), rank + 1)
}

/// Reads a board size such as `8x8` or `10x12`: files, then ranks.
pub(crate) fn parse_board_size(text: &str) -> Result<(usize, usize), FenError> {
    let error = || FenError::Board(text.to_owned());
    let (files, ranks) = text.split_once(['x', 'X']).ok_or_else(error)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| error());
    let (files, ranks) = (number(files)?, number(ranks)?);
    if super::position::is_playable(files, ranks) {
        Ok((files, ranks))
    } else {
        Err(FenError::Size { files, ranks })
    }
}

/// One row of a position's text: `None` for an empty square.
fn parse_row(text: &str, row: usize) -> Result<Vec<Option<Side>>, FenError> {
    let mut squares = Vec::new();
    let mut run = 0usize;
    for found in text.chars() {
        if let Some(digit) = found.to_digit(10) {
            // A zero may only follow another digit.
            if digit == 0 && run == 0 {
                return Err(FenError::Character { found, row });
            }
            run = run * 10 + digit as usize;
            if run > 99 {
                return Err(FenError::Run { row });
            }
            continue;
        }
        squares.resize(squares.len() + std::mem::take(&mut run), None);
        squares.push(Some(match found {
            'P' => Side::White,
            'p' => Side::Black,
            _ => return Err(FenError::Character { found, row }),
        }));
    }
    squares.resize(squares.len() + run, None);
    Ok(squares)
}

fn parse_rows(text: &str) -> Result<Vec<Vec<Option<Side>>>, FenError> {
    let rows = text
        .split('/')
        .enumerate()
        .map(|(index, row)| parse_row(row, index + 1))
        .collect::<Result<Vec<_>, _>>()?;
    let expected = rows[0].len();
    if let Some(row) = rows.iter().position(|row| row.len() != expected) {
        return Err(FenError::Width {
            row: row + 1,
            found: rows[row].len(),
            expected,
        });
    }
    if !super::position::is_playable(expected, rows.len()) {
        return Err(FenError::Size {
            files: expected,
            ranks: rows.len(),
        });
    }
    Ok(rows)
}

impl<B: Bits> Position<B> {
    fn name_of(&self, square: u8) -> String {
        square_name(self.geometry().file(square), self.geometry().rank(square))
    }

    fn piece_on(&self, square: u8) -> Option<Side> {
        Side::BOTH
            .into_iter()
            .find(|&side| self.pieces(side).has(square))
    }

    /// The position with every piece mapped elsewhere, and `turn` to move.
    fn mapped(&self, turn: Side, place: impl Fn(u8, u8, Side) -> (u8, u8, Side)) -> Self {
        let geometry = &self.geometry;
        let mut next = Self {
            pieces: [B::EMPTY; 2],
            side: turn,
            ..*self
        };
        for side in Side::BOTH {
            for square in self.pieces(side).squares() {
                let (file, rank, side) = place(geometry.file(square), geometry.rank(square), side);
                next.pieces[side.index()] |= B::bit(geometry.square(file, rank));
            }
        }
        next.key = next.computed_key();
        next
    }
}

impl<B: Bits> Notation for Position<B> {
    fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut fields = without_operations(fen).split_ascii_whitespace();
        let rows = parse_rows(fields.next().ok_or(FenError::Empty)?)?;
        let fields = parse_fields(&fields.collect::<Vec<_>>())?;
        let geometry = Geometry::<B>::new(rows[0].len(), rows.len())?;
        let mut pieces = [B::EMPTY; 2];
        for (rank, row) in (0u8..).zip(rows.iter().rev()) {
            for (file, piece) in (0u8..).zip(row) {
                if let Some(side) = piece {
                    pieces[side.index()] |= B::bit(geometry.square(file, rank));
                }
            }
        }
        Self::new(geometry, pieces, fields.side, fields.ply)
    }

    fn fen(&self) -> String {
        let letter = |file, rank| {
            let piece = self.piece_on(self.geometry().square(file, rank));
            piece.map(|side| if side == Side::White { 'P' } else { 'p' })
        };
        let text = rows_and_side(self.board_size(), letter, self.side_to_move());
        // Every move is irreversible, so the half-move clock is always 0.
        format!("{text} 0 {}", self.plies_played() / 2 + 1)
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let squares = split_move(text, self.board_size())?;
        let [from, to] = squares.map(|(file, rank)| self.geometry().square(file, rank));
        if self.outcome() != Outcome::Ongoing {
            return Err(MoveError::GameOver(text.to_owned()));
        }
        if !self.pieces(self.side_to_move()).has(from) {
            return Err(MoveError::NoPiece {
                text: text.to_owned(),
                side: self.side_to_move(),
                square: self.name_of(from),
            });
        }
        let mv = Move::new(from, to);
        if self.is_legal(mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal(text.to_owned()))
        }
    }

    fn move_text(&self, mv: Move) -> String {
        format!("{}{}", self.name_of(mv.from()), self.name_of(mv.to()))
    }

    fn diagram(&self) -> String {
        let (files, ranks) = self.board_size();
        let mut text = String::new();
        for rank in (0..ranks).rev() {
            let _ = write!(text, "{:>3} ", rank + 1);
            for file in 0..files {
                text.push_str(match self.piece_on(self.geometry().square(file, rank)) {
                    None => " .",
                    Some(Side::White) => " P",
                    Some(Side::Black) => " p",
                });
            }
            text.push('\n');
        }
        text.push_str("    ");
        for file in 0..files {
            let _ = write!(text, "{:>2}", file_name(file));
        }
        text.push('\n');
        text
    }

    fn mirrored(&self) -> Self {
        self.mapped(self.side, |file, rank, side| {
            (self.geometry.files() - 1 - file, rank, side)
        })
    }

    fn flipped(&self) -> Self {
        let mut next = self.mapped(!self.side, |file, rank, side| {
            (file, self.geometry.ranks() - 1 - rank, !side)
        });
        // The move keeps its number, and White makes the first half of it.
        next.ply ^= 1;
        next
    }

    fn ending(&self) -> Option<Ending> {
        if self.outcome() == Outcome::Ongoing {
            return None;
        }
        Some(
            if Side::BOTH.into_iter().any(|side| self.has_arrived(side)) {
                Ending::Arrived
            } else if Side::BOTH
                .into_iter()
                .any(|side| self.pieces(side).is_empty())
            {
                Ending::NoPieces
            } else {
                Ending::Blocked
            },
        )
    }

    fn board_size(&self) -> (u8, u8) {
        (self.geometry().files(), self.geometry().ranks())
    }

    fn captures(&self, mv: Move) -> Vec<String> {
        let taken = self.is_capture(mv).then(|| self.name_of(mv.to()));
        taken.into_iter().collect()
    }

    fn without_each(&self) -> Vec<(String, Self)> {
        let without = |square: u8| {
            let mut next = *self;
            for pieces in &mut next.pieces {
                *pieces &= !B::bit(square);
            }
            next.key = next.computed_key();
            (self.name_of(square), next)
        };
        let occupied = self.pieces(Side::White) | self.pieces(Side::Black);
        occupied.squares().map(without).collect()
    }
}
