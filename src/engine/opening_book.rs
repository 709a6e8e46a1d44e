//! Opening books: positions from the start position on, with what long searches
//! found out about their moves. `docs/formats.md` describes the file, and
//! `scripts/opening_book.py` makes them.

use super::board_files::BoardFile;
use crate::base::{MATE, Score, Side};
use crate::game::breakthrough::{Bits, Position, parse_board_size};
use crate::game::{Game as _, Move, Notation as _};
use std::collections::HashMap;
use std::fmt::Display;
use thiserror::Error;

/// The first line of a file.
pub(super) const TITLE: &str = "petard opening book 1\n";

/// Bytes of an entry before its moves, without the position, and of a move.
const COUNTS: usize = 5;
const MOVE: usize = 4;

/// The built-in books, by the files and ranks of their boards.
const BUILT_IN: [((u8, u8), &[u8]); 3] = [
    ((6, 6), include_bytes!("opening_books/6x6.book")),
    ((7, 7), include_bytes!("opening_books/7x7.book")),
    ((8, 8), include_bytes!("opening_books/8x8.book")),
];

/// Why a file is refused.
#[derive(Debug, Error)]
pub(super) enum OpeningBookError {
    /// Another file, or another version.
    #[error("not an opening book of version 1")]
    Title,
    /// Bytes are missing or changed.
    #[error("the file is damaged: its checksum is wrong")]
    Checksum,
    /// It names no board.
    #[error("its board is not supported")]
    Board,
    /// A field of its head is missing or has no number.
    #[error("its header has no number of positions")]
    Positions,
    /// The entries do not fill it.
    #[error("its header has a different number of positions")]
    Length,
    /// A value that no position can have.
    #[error("a move has the value {0}, which is out of range")]
    Value(i16),
}

/// What a book has about a position.
#[derive(Clone, Debug)]
struct BookEntry {
    /// How many searched positions there are from it on, itself included.
    searches: u32,
    /// From, to, and the value to the side to move; best first.
    moves: Vec<(u8, u8, i16)>,
}

/// The own and the other pieces, as the side to move sees them, a1 first and then
/// along the ranks; of a position and its mirror image the smaller one.
type BookKey = [u128; 2];

/// An opening book of one board.
#[derive(Debug)]
pub(crate) struct OpeningBook {
    board: (u8, u8),
    entries: HashMap<BookKey, BookEntry>,
}

/// What a book says about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BookMove {
    /// The move.
    pub(crate) mv: Move,
    /// Its value to the side to move.
    pub(crate) score: Score,
    /// How many positions have been searched from there on; 0 if its value comes
    /// from a search of the position before it.
    pub(crate) searches: u32,
}

/// Takes this many bytes from the front.
fn take<'a>(data: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (front, rest) = data.split_at_checked(size)?;
    *data = rest;
    Some(front)
}

/// A number of the fewest bytes that hold the board, lowest first.
fn set(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

/// The value of a line of the head.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

fn board_of(head: &str) -> Option<(u8, u8)> {
    let (files, ranks) = parse_board_size(field(head, "board")?).ok()?;
    Some((u8::try_from(files).ok()?, u8::try_from(ranks).ok()?))
}

impl OpeningBook {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn new(data: &[u8]) -> Result<Self, OpeningBookError> {
        let body = data
            .strip_prefix(TITLE.as_bytes())
            .ok_or(OpeningBookError::Title)?;
        let (_, sum) = data.split_last_chunk().ok_or(OpeningBookError::Checksum)?;
        if crc32fast::hash(&data[..data.len() - sum.len()]) != u32::from_le_bytes(*sum) {
            return Err(OpeningBookError::Checksum);
        }
        let body = &body[..body.len().saturating_sub(sum.len())];
        let end = body.windows(2).position(|pair| pair == b"\n\n");
        let (head, mut rest) = body.split_at(end.ok_or(OpeningBookError::Positions)?);
        let head = str::from_utf8(head).map_err(|_| OpeningBookError::Positions)?;
        let board = board_of(head).ok_or(OpeningBookError::Board)?;
        let positions: usize = field(head, "positions")
            .and_then(|text| text.parse().ok())
            .ok_or(OpeningBookError::Positions)?;
        take(&mut rest, 2);
        let mut entries = HashMap::new();
        while !rest.is_empty() {
            let (key, entry) = read_entry(&mut rest, board).ok_or(OpeningBookError::Length)?;
            let is_value = |value: i16| i32::from(value).abs() < MATE;
            if let Some(&(_, _, value)) = entry.moves.iter().find(|mv| !is_value(mv.2)) {
                return Err(OpeningBookError::Value(value));
            }
            entries.insert(key, entry);
        }
        if entries.len() != positions {
            return Err(OpeningBookError::Length);
        }
        Ok(Self { board, entries })
    }

    /// What the book has about a position's moves, best first; empty if it does
    /// not know the position.
    pub(super) fn moves<B: Bits>(&self, position: &Position<B>) -> Vec<BookMove> {
        if position.board_size() != self.board {
            return Vec::new();
        }
        let (key, is_mirrored) = key_of(position);
        let Some(entry) = self.entries.get(&key) else {
            return Vec::new();
        };
        let is_symmetric = key == plain_key(position, !is_mirrored);
        let mut moves: Vec<BookMove> = Vec::new();
        for &(from, to, value) in &entry.moves {
            for is_mirrored in [is_mirrored, !is_mirrored] {
                let ends = [from, to].map(|square| square_of(position, square, is_mirrored));
                let mv = Move::new(ends[0], ends[1]);
                // The file is read, not trusted.
                if !position.is_legal(mv) || moves.iter().any(|found| found.mv == mv) {
                    continue;
                }
                moves.push(BookMove {
                    mv,
                    score: value.into(),
                    searches: self.searches(&position.play(mv)),
                });
                // Only in a symmetric position is the move's mirror image one of its moves.
                if !is_symmetric {
                    break;
                }
            }
        }
        moves
    }

    fn searches<B: Bits>(&self, position: &Position<B>) -> u32 {
        let entry = self.entries.get(&key_of(position).0);
        entry.map_or(0, |entry| entry.searches)
    }
}

impl BoardFile for OpeningBook {
    fn from_bytes(data: &[u8]) -> Result<Self, impl Display> {
        Self::new(data)
    }

    fn built_in(board: (u8, u8)) -> Option<&'static [u8]> {
        let found = BUILT_IN.iter().find(|(of, _)| *of == board);
        found.map(|(_, data)| *data)
    }

    fn board(&self) -> (u8, u8) {
        self.board
    }
}

fn read_entry(data: &mut &[u8], (files, ranks): (u8, u8)) -> Option<(BookKey, BookEntry)> {
    let squares = usize::from(files) * usize::from(ranks);
    let size = squares.div_ceil(8);
    let key = [set(take(data, size)?), set(take(data, size)?)];
    let counts = take(data, COUNTS)?;
    let (searches, count) = counts.split_first_chunk()?;
    let moves = take(data, MOVE * usize::from(count[0]))?.chunks_exact(MOVE);
    let moves = moves.map(|mv| {
        let is_square = |square: &u8| usize::from(*square) < squares;
        let is_move = mv[..2].iter().all(is_square);
        is_move.then(|| (mv[0], mv[1], i16::from_le_bytes([mv[2], mv[3]])))
    });
    Some((
        key,
        BookEntry {
            searches: u32::from_le_bytes(*searches),
            moves: moves.collect::<Option<_>>()?,
        },
    ))
}

/// The key of a position, and whether its files are reversed there.
fn key_of<B: Bits>(position: &Position<B>) -> (BookKey, bool) {
    let [plain, mirrored] = [false, true].map(|is_mirrored| plain_key(position, is_mirrored));
    // As Python compares the bytes.
    let bytes = |key: BookKey| key.map(u128::to_le_bytes);
    if bytes(mirrored) < bytes(plain) {
        (mirrored, true)
    } else {
        (plain, false)
    }
}

/// The two sets of a key, of the position itself or of its mirror image.
fn plain_key<B: Bits>(position: &Position<B>, is_mirrored: bool) -> BookKey {
    let side = position.side_to_move();
    [side, !side].map(|side| {
        let squares = position.pieces(side).squares();
        squares.fold(0, |set: u128, square| {
            set | 1 << number_of(position, square, is_mirrored)
        })
    })
}

/// A square's number in a key.
fn number_of<B: Bits>(position: &Position<B>, square: u8, is_mirrored: bool) -> u8 {
    let geometry = position.geometry();
    let place = (geometry.file(square), geometry.rank(square));
    let (file, rank) = turned(position, place, is_mirrored);
    rank * geometry.files() + file
}

/// The square of a number in a key.
fn square_of<B: Bits>(position: &Position<B>, number: u8, is_mirrored: bool) -> u8 {
    let geometry = position.geometry();
    let place = (number % geometry.files(), number / geometry.files());
    let (file, rank) = turned(position, place, is_mirrored);
    geometry.square(file, rank)
}

/// A file and a rank as the side to move sees them, perhaps in a mirror, or back.
fn turned<B: Bits>(position: &Position<B>, (file, rank): (u8, u8), is_mirrored: bool) -> (u8, u8) {
    let geometry = position.geometry();
    let file = if is_mirrored {
        geometry.files() - 1 - file
    } else {
        file
    };
    let rank = match position.side_to_move() {
        Side::White => rank,
        Side::Black => geometry.ranks() - 1 - rank,
    };
    (file, rank)
}
