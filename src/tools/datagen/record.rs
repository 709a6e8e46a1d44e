//! The file of positions that `petard datagen` writes and that fitting and
//! training read.
//!
//! A file is a header of 16 bytes and records of equal length, all numbers
//! little endian. Header: the 8 bytes `PETARDD2` (the last is the version),
//! files W, ranks H, the game (0 Breakthrough's, 1 Freeling's), five zeros. Record,
//! with `S = ceil(W * H / 8)` bytes per set of squares, bit `W * rank + file`,
//! both counted from 0:
//!
//! | bytes | what |
//! |---|---|
//! | S each | the sets: White's and Black's pieces; in Freeling's game, then White's and Black's pairs |
//! | 2 | score in centipawns from the mover's view, signed |
//! | 2 | ply of the game |
//! | 1 | bit 0 Black to move; bits 1-2 result for White: 0 lost, 1 drawn, 2 won; bit 3 first record of a game; bit 4 the best move is a capture or sets off an explosion; bit 5 the result is proven |

use crate::base::{Score, Side};
use crate::game::breakthrough::Geometry;
use crate::game::freeling;
use arrayvec::ArrayVec;
use std::io::{self, ErrorKind, Read, Write};

const MAGIC: [u8; 8] = *b"PETARDD2";
/// How files of the first version began.
const EARLIER: [u8; 8] = *b"PETARDD1";
const HEADER_BYTES: usize = 16;
/// Bytes of a record after its sets.
const TAIL_BYTES: usize = 5;

/// Sets of squares, bit `files * rank + file`.
pub type Sets = ArrayVec<u128, 4>;

/// The games whose positions are recorded, by their number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Breakthrough.
    Breakthrough = 0,
    /// Freeling's game.
    Freeling = 1,
}

impl Kind {
    /// How many sets of squares make up a position.
    #[must_use]
    pub const fn sets(self) -> usize {
        match self {
            Self::Breakthrough => 2,
            Self::Freeling => 4,
        }
    }

    /// Whether the game has such a board.
    #[must_use]
    pub fn has_board(self, (files, ranks): (u8, u8)) -> bool {
        match self {
            Self::Breakthrough => Geometry::<u128>::new(files.into(), ranks.into()).is_ok(),
            Self::Freeling => (files, ranks) == (freeling::FILES, freeling::RANKS),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GameResult {
    /// White lost.
    Lost = 0,
    /// Nobody won.
    Drawn = 1,
    /// White won.
    Won = 2,
}

impl GameResult {
    /// The result of a game that this side won, or nobody.
    #[must_use]
    pub const fn of(winner: Option<Side>) -> Self {
        match winner {
            Some(Side::White) => Self::Won,
            Some(Side::Black) => Self::Lost,
            None => Self::Drawn,
        }
    }
}

/// A position with its score and the result of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The sets of squares that make up the position.
    pub sets: Sets,
    /// The side to move.
    pub side: Side,
    /// The search's score in centipawns from the mover's view.
    pub score: i16,
    /// The ply of the game.
    pub ply: u16,
    /// The game's result.
    pub result: GameResult,
    /// Whether this is the first record of its game.
    pub is_first: bool,
    /// Whether the best move is a capture or sets off an explosion.
    pub is_noisy: bool,
    /// Whether the result is proven: correct play leads to it.
    pub is_proven: bool,
}

/// What the records of a file are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Files of the board.
    pub files: u8,
    /// Ranks of the board.
    pub ranks: u8,
    /// The game.
    pub kind: Kind,
}

impl Header {
    /// The header of a new file.
    #[must_use]
    pub const fn new(kind: Kind, (files, ranks): (u8, u8)) -> Self {
        Self { files, ranks, kind }
    }

    /// Reads a header.
    ///
    /// # Errors
    /// If it is not such a file.
    pub fn read(input: &mut impl Read) -> io::Result<Self> {
        let invalid = |text: String| io::Error::new(ErrorKind::InvalidData, text);
        let mut bytes = [0; HEADER_BYTES];
        input
            .read_exact(&mut bytes)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => invalid("not a file of petard positions".to_owned()),
                _ => error,
            })?;
        if bytes[..8] == EARLIER {
            return Err(invalid(
                "positions in format 1, which is no longer read: generate them again".to_owned(),
            ));
        }
        if bytes[..8] != MAGIC {
            return Err(invalid("not a file of petard positions".to_owned()));
        }
        let [files, ranks, game] = [bytes[8], bytes[9], bytes[10]];
        let kind = match game {
            0 => Kind::Breakthrough,
            1 => Kind::Freeling,
            _ => return Err(invalid(format!("positions of unknown game {game}"))),
        };
        if !kind.has_board((files, ranks)) {
            return Err(invalid(format!(
                "positions of unsupported board {files}x{ranks}"
            )));
        }
        Ok(Self { files, ranks, kind })
    }

    /// Writes the header.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..11].copy_from_slice(&[self.files, self.ranks, self.kind as u8]);
        output.write_all(&bytes)
    }

    /// The length of a file with this many whole records.
    #[must_use]
    pub fn length(&self, records: u64) -> u64 {
        HEADER_BYTES as u64 + records * self.record_bytes() as u64
    }

    fn set_bytes(&self) -> usize {
        (usize::from(self.files) * usize::from(self.ranks)).div_ceil(8)
    }

    fn record_bytes(&self) -> usize {
        self.kind.sets() * self.set_bytes() + TAIL_BYTES
    }

    /// The same squares with the files reversed. Bits beyond the board, as in a
    /// damaged record, are dropped.
    fn mirrored(&self, set: u128) -> u128 {
        let (files, ranks) = (u32::from(self.files), u32::from(self.ranks));
        let board = u128::MAX >> (u128::BITS - files * ranks);
        squares(set & board).fold(0, |image, square| {
            image | 1 << (square - square % files + files - 1 - square % files)
        })
    }

    /// A hash of the position that is the same for its mirror image.
    #[must_use]
    pub fn canonical_key(&self, record: &Record) -> u64 {
        let hash = |of: &dyn Fn(u128) -> u128| {
            let mut key = record.side as u64;
            for &set in &record.sets {
                let set = of(set);
                for word in [set as u64, (set >> 64) as u64] {
                    key = (key ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    key ^= key >> 29;
                }
            }
            key
        };
        hash(&|set| set).min(hash(&|set| self.mirrored(set)))
    }

    /// The record as written to a file.
    #[must_use]
    pub fn to_bytes(&self, record: &Record) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.record_bytes());
        for set in &record.sets {
            bytes.extend(&set.to_le_bytes()[..self.set_bytes()]);
        }
        bytes.extend(record.score.to_le_bytes());
        bytes.extend(record.ply.to_le_bytes());
        bytes.push(
            record.side as u8
                | (record.result as u8) << 1
                | u8::from(record.is_first) << 3
                | u8::from(record.is_noisy) << 4
                | u8::from(record.is_proven) << 5,
        );
        bytes
    }

    /// The inverse of [`Header::to_bytes`].
    fn decoded(&self, bytes: &[u8]) -> Record {
        let number = |bytes: &[u8]| {
            let digits = bytes.iter().rev();
            digits.fold(0u128, |number, &byte| number << 8 | u128::from(byte))
        };
        let (sets, rest) = bytes.split_at(bytes.len() - TAIL_BYTES);
        let sets = sets.chunks_exact(self.set_bytes()).map(number).collect();
        let (score, ply) = (number(&rest[..2]), number(&rest[2..4]));
        let flags = bytes[bytes.len() - 1];
        Record {
            sets,
            side: Side::BOTH[usize::from(flags & 1)],
            score: score as u16 as i16,
            ply: ply as u16,
            result: match flags >> 1 & 3 {
                0 => GameResult::Lost,
                1 => GameResult::Drawn,
                _ => GameResult::Won,
            },
            is_first: flags >> 3 & 1 != 0,
            is_noisy: flags >> 4 & 1 != 0,
            is_proven: flags >> 5 & 1 != 0,
        }
    }
}

impl Record {
    /// A record whose result is not known yet.
    #[must_use]
    pub fn new(sets: Sets, side: Side, score: Score, ply: u16, is_noisy: bool) -> Self {
        Self {
            sets,
            side,
            score: score.clamp(-32_000, 32_000) as i16,
            ply,
            result: GameResult::Drawn,
            is_first: false,
            is_noisy,
            is_proven: false,
        }
    }
}

/// The squares of a set, lowest first.
pub(super) fn squares(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (square < 128).then_some(square)
    })
}

/// Iterator over the records of a file whose header has been read.
#[derive(Debug)]
pub struct Records<R>(pub Header, pub R);

impl<R: Read> Iterator for Records<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = vec![0; self.0.record_bytes()];
        match self.1.read_exact(&mut bytes) {
            Ok(()) => Some(Ok(self.0.decoded(&bytes))),
            // A run that was killed may leave part of a record at the end.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => None,
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests;
