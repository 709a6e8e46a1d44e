//! The file of positions that `petard datagen` writes and that training reads.
//!
//! A file is a header of 16 bytes and records of 16 bytes, all numbers little
//! endian. Header: the 8 bytes `PETARDD1` (the last is the version), files,
//! ranks, six zeros. Record:
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | occupied squares, bit `8 * rank + file`, both counted from 0 |
//! | 8-11 | owners: bit i is set if the i-th lowest occupied square is Black's |
//! | 12-13 | score in centipawns from the mover's view, signed |
//! | 14 | ply of the game, at most 255 |
//! | 15 | bit 0 Black to move; bits 1-2 result for White: 0 lost, 1 drawn, 2 won; bit 3 first record of a game; bit 4 the best move is a capture |

use crate::base::{Score, Side};
use crate::game::Game as _;
use crate::game::troyka::{Bits, Geometry, Position};
use std::io::{self, ErrorKind, Read, Write};

/// The first eight bytes of a file.
const MAGIC: [u8; 8] = *b"PETARDD1";

/// Bytes of the header, and of a record.
pub const RECORD_BYTES: usize = 16;

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

/// A position with what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The squares of White's and Black's men.
    pub men: [u64; 2],
    /// The side to move.
    pub side: Side,
    /// The search's score in centipawns from the mover's view.
    pub score: i16,
    /// The ply of the game; later ones count as 255.
    pub ply: u8,
    /// The game's result.
    pub result: GameResult,
    /// Whether this is the first record of its game.
    pub is_first: bool,
    /// Whether the best move is a capture.
    pub is_noisy: bool,
}

impl Record {
    /// The record of a position of at most 32 men.
    #[must_use]
    pub fn new(position: &Position<u64>, score: Score, ply: usize, is_noisy: bool) -> Self {
        Self {
            men: Side::BOTH.map(|side| position.men(side)),
            side: position.side_to_move(),
            score: score.clamp(-32_000, 32_000) as i16,
            ply: ply.min(255) as u8,
            result: GameResult::Drawn,
            is_first: false,
            is_noisy,
        }
    }

    /// The record as it stands in a file.
    #[must_use]
    pub fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let occupied = self.men[0] | self.men[1];
        let owners = (0u32..)
            .zip(occupied.squares())
            .filter(|&(_, square)| self.men[1].has(square))
            .fold(0u32, |owners, (index, _)| owners | 1 << (index & 31));
        let flags = self.side as u8
            | (self.result as u8) << 1
            | u8::from(self.is_first) << 3
            | u8::from(self.is_noisy) << 4;
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&occupied.to_le_bytes());
        bytes[8..12].copy_from_slice(&owners.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.score.to_le_bytes());
        bytes[14] = self.ply;
        bytes[15] = flags;
        bytes
    }

    /// The inverse of [`Record::to_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: [u8; RECORD_BYTES]) -> Self {
        let number = |range: std::ops::Range<usize>| {
            bytes[range]
                .iter()
                .rev()
                .fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        let occupied = number(0..8);
        let owners = number(8..12);
        let mut men = [0u64; 2];
        for (index, square) in occupied.squares().enumerate() {
            men[(owners >> (index & 31) & 1) as usize] |= 1 << square;
        }
        let flags = bytes[15];
        Self {
            men,
            side: Side::BOTH[usize::from(flags & 1)],
            score: number(12..14) as u16 as i16,
            ply: bytes[14],
            result: match flags >> 1 & 3 {
                0 => GameResult::Lost,
                1 => GameResult::Drawn,
                _ => GameResult::Won,
            },
            is_first: flags >> 3 & 1 != 0,
            is_noisy: flags >> 4 & 1 != 0,
        }
    }

    /// The position, on a board of this shape. `None` if it is not one.
    #[must_use]
    pub fn position(&self, geometry: Geometry<u64>) -> Option<Position<u64>> {
        Position::new(geometry, self.men, self.side, u16::from(self.ply)).ok()
    }
}

/// Writes the header of a file of positions of this board.
///
/// # Errors
/// If the output fails.
pub fn write_header(output: &mut impl Write, files: u8, ranks: u8) -> io::Result<()> {
    let mut header = [0; RECORD_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8] = files;
    header[9] = ranks;
    output.write_all(&header)
}

/// Reads the header: the board's shape.
///
/// # Errors
/// If this is not such a file.
pub fn read_header(input: &mut impl Read) -> io::Result<Geometry<u64>> {
    let fault = |text: String| io::Error::new(ErrorKind::InvalidData, text);
    let mut header = [0; RECORD_BYTES];
    input.read_exact(&mut header)?;
    if header[..8] != MAGIC {
        return Err(fault("not a file of petard positions".to_owned()));
    }
    Geometry::new(header[8].into(), header[9].into()).map_err(|error| fault(error.to_string()))
}

/// Iterator over the records of a file whose header has been read.
#[derive(Debug)]
pub struct Records<R>(pub R);

impl<R: Read> Iterator for Records<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = [0; RECORD_BYTES];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => Some(Ok(Record::from_bytes(bytes))),
            // A run that was killed may leave part of a record at the end.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => None,
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let position = Position::<u64>::start(8, 8).unwrap();
        let mut record = Record::new(&position, -1234, 300, true);
        assert_eq!(record.ply, 255);
        for (result, is_first) in [(GameResult::Won, true), (GameResult::Lost, false)] {
            (record.result, record.is_first) = (result, is_first);
            assert_eq!(Record::from_bytes(record.to_bytes()), record);
        }
    }

    #[test]
    fn a_file_is_read_back_and_a_torn_end_is_dropped() {
        let position = Position::<u64>::start(6, 6).unwrap();
        let record = Record::new(&position, 7, 3, false);
        let mut file = Vec::new();
        write_header(&mut file, 6, 6).unwrap();
        file.extend(record.to_bytes());
        file.extend([1, 2, 3]);
        let mut input = file.as_slice();
        let geometry = read_header(&mut input).unwrap();
        let records: Vec<Record> = Records(input).map(Result::unwrap).collect();
        assert_eq!(records, [record]);
        assert_eq!(records[0].position(geometry).unwrap().key(), position.key());
        assert!(read_header(&mut [0u8; 16].as_slice()).is_err());
    }
}
