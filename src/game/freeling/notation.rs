//! The text of positions, squares and moves.

use super::board::{FILES, RANKS, SQUARES, WALLS, square_name, squares};
use super::explosion;
use super::position::Position;
use super::rules::PASS;
use crate::base::Side;
use crate::game::text::{file_name, parse_fields, rows_and_side, split_move, without_operations};
use crate::game::{Ending, Explosion, FenError, Game as _, Move, MoveError, Notation, Outcome};
use std::fmt::Write as _;

/// What a letter stands for: whose pieces, and whether a pair.
fn stack_of(letter: char) -> Option<(Side, bool)> {
    match letter {
        'P' => Some((Side::White, false)),
        'p' => Some((Side::Black, false)),
        'D' => Some((Side::White, true)),
        'd' => Some((Side::Black, true)),
        _ => None,
    }
}

/// The stacks of a position's rows.
#[derive(Default)]
struct Stacks {
    pieces: [u64; 2],
    pairs: [u64; 2],
}

impl Stacks {
    /// Reads one row, the `row`-th of the text counted from 1.
    fn read(&mut self, text: &str, row: usize) -> Result<(), FenError> {
        let (mut file, mut run) = (0usize, 0usize);
        let first = usize::from(FILES) * (usize::from(RANKS) - row);
        for found in text.chars() {
            if let Some(digit) = found.to_digit(10) {
                run = run * 10 + digit as usize;
                match run {
                    0 => return Err(FenError::Character { found, row }),
                    1..=99 => {}
                    _ => return Err(FenError::Run { row }),
                }
                continue;
            }
            let (side, pair) = stack_of(found).ok_or(FenError::Character { found, row })?;
            file += std::mem::take(&mut run);
            if file < usize::from(FILES) {
                let bit = 1 << (first + file);
                self.pieces[side.index()] |= bit;
                self.pairs[side.index()] |= if pair { bit } else { 0 };
            }
            file += 1;
        }
        let (found, expected) = (file + run, usize::from(FILES));
        if found == expected {
            Ok(())
        } else {
            Err(FenError::Width {
                row,
                found,
                expected,
            })
        }
    }
}

impl Position {
    /// The letter for what stands on a square.
    fn letter(&self, square: u8) -> Option<char> {
        let on = |set: u64| set >> square & 1 != 0;
        if on(self.pieces(Side::White)) {
            Some(if on(self.pairs(Side::White)) {
                'D'
            } else {
                'P'
            })
        } else if on(self.pieces(Side::Black)) {
            Some(if on(self.pairs(Side::Black)) {
                'd'
            } else {
                'p'
            })
        } else {
            None
        }
    }
}

/// A set with each of its squares mapped to another.
fn mapped(set: u64, place: impl Fn(u8) -> u8) -> u64 {
    squares(set).fold(0, |image, square| image | 1 << place(square))
}

impl Notation for Position {
    fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut fields = without_operations(fen).split_ascii_whitespace();
        let texts: Vec<&str> = fields.next().ok_or(FenError::Empty)?.split('/').collect();
        if texts.len() != usize::from(RANKS) {
            return Err(FenError::Rows {
                found: texts.len(),
                expected: usize::from(RANKS),
            });
        }
        let mut rows = Stacks::default();
        for (index, text) in texts.iter().enumerate() {
            rows.read(text, index + 1)?;
        }
        let fields = parse_fields(&fields.collect::<Vec<_>>())?;
        Self::new(
            rows.pieces,
            rows.pairs,
            fields.side,
            fields.clock,
            fields.ply,
        )
    }

    fn fen(&self) -> String {
        let letter = |file, rank| self.letter(rank * FILES + file);
        let text = rows_and_side((FILES, RANKS), letter, self.side_to_move());
        let full_moves = self.plies_played() / 2 + 1;
        format!("{text} {} {full_moves}", self.clock())
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let over = || MoveError::GameOver(text.to_owned());
        if text.eq_ignore_ascii_case("pass") || text == "0000" {
            return if self.outcome() == Outcome::Ongoing {
                Ok(PASS)
            } else {
                Err(over())
            };
        }
        let squares = split_move(text, (FILES, RANKS))?;
        let [from, to] = squares.map(|(file, rank)| rank * FILES + file);
        if self.outcome() != Outcome::Ongoing {
            return Err(over());
        }
        if self.pieces(self.side_to_move()) >> from & 1 == 0 {
            return Err(MoveError::NoPiece {
                text: text.to_owned(),
                side: self.side_to_move(),
                square: square_name(from),
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
        if mv == PASS {
            return "pass".to_owned();
        }
        format!("{}{}", square_name(mv.from()), square_name(mv.to()))
    }

    /// Walls are drawn as `=` around their squares.
    fn diagram(&self) -> String {
        let mut text = String::new();
        for rank in (0..RANKS).rev() {
            let _ = write!(text, "{:>3}  ", rank + 1);
            let wall = WALLS >> (rank * FILES) & 1 != 0;
            let gap = if wall { '=' } else { ' ' };
            for file in 0..FILES {
                text.push(gap);
                text.push(self.letter(rank * FILES + file).unwrap_or('.'));
            }
            text.push_str(if wall { "=\n" } else { "\n" });
        }
        text.push_str("     ");
        for file in 0..FILES {
            let _ = write!(text, "{:>2}", file_name(file));
        }
        text.push('\n');
        text
    }

    fn mirrored(&self) -> Self {
        let mirror = |set| {
            mapped(set, |square| {
                square / FILES * FILES + FILES - 1 - square % FILES
            })
        };
        let mut next = Self {
            pieces: self.pieces.map(mirror),
            pairs: self.pairs.map(mirror),
            ..*self
        };
        next.key = next.computed_key();
        next
    }

    fn flipped(&self) -> Self {
        let flip = |set| {
            mapped(set, |square| {
                SQUARES - FILES - square / FILES * FILES + square % FILES
            })
        };
        let mut next = Self {
            pieces: [flip(self.pieces[1]), flip(self.pieces[0])],
            pairs: [flip(self.pairs[1]), flip(self.pairs[0])],
            side: !self.side,
            // The move keeps its number, and White makes the first half of it.
            ply: self.ply ^ 1,
            ..*self
        };
        next.key = next.computed_key();
        next
    }

    fn ending(&self) -> Option<Ending> {
        if self.outcome() == Outcome::Ongoing {
            return None;
        }
        Some(
            if Side::BOTH.into_iter().any(|side| self.has_arrived(side)) {
                Ending::Arrived
            } else if self.pieces(self.side_to_move()) == 0 {
                Ending::NoPieces
            } else {
                Ending::Blocked
            },
        )
    }

    fn board_size(&self) -> (u8, u8) {
        (FILES, RANKS)
    }

    fn captures(&self, mv: Move) -> Vec<String> {
        let enemy = !self.side;
        let taken = self.pieces(enemy) & !self.play(mv).pieces(enemy);
        squares(taken).map(square_name).collect()
    }

    fn explosions(&self, mv: Move) -> Vec<Explosion> {
        explosion::explosions(self, mv)
    }

    fn without_each(&self) -> Vec<(String, Self)> {
        let without = |square: u8| {
            let others = !(1 << square);
            let mut next = Self {
                pieces: self.pieces.map(|pieces| pieces & others),
                pairs: self.pairs.map(|pairs| pairs & others),
                ..*self
            };
            next.key = next.computed_key();
            (square_name(square), next)
        };
        squares(self.occupied()).map(without).collect()
    }
}
