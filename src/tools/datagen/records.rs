//! The file of positions that `petard datagen` writes and that training reads, and
//! the positions of both games as its records.
//!
//! A file is a header of 16 bytes and records of equal length, all numbers
//! little endian. RecordHeader: the 8 bytes `PETARDD2` (the last is the version),
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
use crate::engine::Playable;
use crate::game::breakthrough::{Bits, Geometry};
use crate::game::{Game, Move, breakthrough, freeling};
use crate::solve::LeafProver;
use crate::tools::files::file_error;
use arrayvec::ArrayVec;
use std::collections::HashSet;
use std::error::Error;
use std::fs::{File, TryLockError};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

const MAGIC: [u8; 8] = *b"PETARDD2";
/// How files of the first version began.
const EARLIER: [u8; 8] = *b"PETARDD1";
const HEADER_BYTES: usize = 16;
/// Bytes of a record after its sets.
const TAIL_BYTES: usize = 5;

/// Sets of squares, bit `files * rank + file`.
type Sets = ArrayVec<u128, 4>;

/// The games whose positions are recorded, by their number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RecordedGame {
    Breakthrough = 0,
    /// Freeling's game.
    Freeling = 1,
}

impl RecordedGame {
    /// How many sets of squares make up a position.
    pub(crate) const fn sets(self) -> usize {
        match self {
            Self::Breakthrough => 2,
            Self::Freeling => 4,
        }
    }

    /// Whether the game has such a board.
    pub(crate) fn has_board(self, (files, ranks): (u8, u8)) -> bool {
        match self {
            Self::Breakthrough => Geometry::<u128>::new(files.into(), ranks.into()).is_ok(),
            Self::Freeling => (files, ranks) == (freeling::FILES, freeling::RANKS),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum GameResult {
    /// White lost.
    Lost = 0,
    /// Nobody won.
    Drawn = 1,
    /// White won.
    Won = 2,
}

impl GameResult {
    /// The result of a game that this side won, or nobody.
    pub(crate) const fn of(winner: Option<Side>) -> Self {
        match winner {
            Some(Side::White) => Self::Won,
            Some(Side::Black) => Self::Lost,
            None => Self::Drawn,
        }
    }
}

/// A position with its score and the result of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The sets of squares that make up the position.
    pub(crate) sets: Sets,
    /// The side to move.
    pub(crate) side: Side,
    /// The search's score in centipawns from the mover's view.
    pub(crate) score: i16,
    /// The ply of the game.
    pub(crate) ply: u16,
    /// The game's result.
    pub(crate) result: GameResult,
    /// Whether this is the first record of its game.
    pub(crate) is_first: bool,
    /// Whether the best move is a capture or sets off an explosion.
    pub(crate) is_noisy: bool,
    /// Whether the result is proven: correct play leads to it.
    pub(crate) is_proven: bool,
}

/// What the records of a file are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordHeader {
    /// Files of the board.
    pub(crate) files: u8,
    /// Ranks of the board.
    pub(crate) ranks: u8,
    /// The game.
    pub(crate) kind: RecordedGame,
}

impl RecordHeader {
    /// The header of a new file.
    pub(crate) const fn new(kind: RecordedGame, (files, ranks): (u8, u8)) -> Self {
        Self { files, ranks, kind }
    }

    /// Reads a header.
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Self> {
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
            0 => RecordedGame::Breakthrough,
            1 => RecordedGame::Freeling,
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
    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..11].copy_from_slice(&[self.files, self.ranks, self.kind as u8]);
        output.write_all(&bytes)
    }

    /// The length of a file with this many whole records.
    pub(crate) fn length(&self, records: u64) -> u64 {
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
    pub(crate) fn canonical_key(&self, record: &Record) -> u64 {
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
    pub(crate) fn to_bytes(self, record: &Record) -> Vec<u8> {
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

    /// The inverse of [`RecordHeader::to_bytes`].
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
    pub(crate) fn new(sets: Sets, side: Side, score: Score, ply: u16, is_noisy: bool) -> Self {
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
fn squares(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (square < 128).then_some(square)
    })
}

/// Iterator over the records of a file whose header has been read.
#[derive(Debug)]
pub(crate) struct Records<R>(pub RecordHeader, pub R);

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

/// Positions in a row that are not proven, going back from a game's end, before
/// the rest of the game is taken to be as hard.
const MAX_UNPROVEN: usize = 2;

/// Whether the side to move wins in the last of these positions, which follow one
/// another, in the last but one, and so on, as far back as is worth trying.
pub(crate) type Prove<G> = Box<dyn Fn(&[G]) -> Vec<Option<bool>> + Send>;

/// A game whose positions can be recorded.
pub(crate) trait Recorded: Playable {
    /// Its number in a file.
    const KIND: RecordedGame;

    /// The start position on a board; `None` if there is none.
    fn start_on(board: (usize, usize)) -> Option<Self>;

    /// The position's sets of squares and its ply.
    fn sets(&self) -> (Sets, u16);

    /// The position of a record; `None` if it is not valid.
    fn from_record(header: &RecordHeader, record: &Record) -> Option<Self>;

    /// Whether the move does something that a static evaluation cannot see.
    fn is_noisy(&self, mv: Move) -> bool {
        self.is_capture(mv)
    }

    /// Proves positions of this board, each within this many nodes.
    fn prove_within(&self, nodes: u64) -> Result<Prove<Self>, Box<dyn Error>>;

    /// The record of the position, whose result is not known yet.
    fn record(&self, score: Score, is_noisy: bool) -> Record {
        let (sets, ply) = self.sets();
        Record::new(sets, self.side_to_move(), score, ply, is_noisy)
    }
}

impl<B: Bits> Recorded for breakthrough::Position<B> {
    const KIND: RecordedGame = RecordedGame::Breakthrough;

    fn start_on((files, ranks): (usize, usize)) -> Option<Self> {
        Self::start(files, ranks).ok()
    }

    fn sets(&self) -> (Sets, u16) {
        let geometry = self.geometry();
        let files = u32::from(geometry.files());
        let set = |side| {
            let squares = self.pieces(side).squares();
            squares.fold(0, |set, square| {
                let (file, rank) = (geometry.file(square), geometry.rank(square));
                set | 1u128 << (u32::from(rank) * files + u32::from(file))
            })
        };
        (
            Side::BOTH.into_iter().map(set).collect(),
            self.plies_played(),
        )
    }

    fn from_record(header: &RecordHeader, record: &Record) -> Option<Self> {
        let geometry = Geometry::new(header.files.into(), header.ranks.into()).ok()?;
        let [white, black] = record.sets[..] else {
            return None;
        };
        // A damaged record must not be taken for another position.
        let is_outside = |square| square >= u32::from(header.files) * u32::from(header.ranks);
        if white & black != 0 || squares(white | black).any(is_outside) {
            return None;
        }
        let pieces = [white, black].map(|set| {
            squares(set).fold(B::EMPTY, |pieces, square| {
                let (rank, file) = (square as u8 / header.files, square as u8 % header.files);
                pieces | B::bit(geometry.square(file, rank))
            })
        });
        Self::new(geometry, pieces, record.side, record.ply).ok()
    }

    fn prove_within(&self, nodes: u64) -> Result<Prove<Self>, Box<dyn Error>> {
        let prover = LeafProver::new(self.geometry(), nodes)?.remembering();
        Ok(Box::new(move |positions| {
            prover.forget();
            let mut unproven = 0;
            let tried = positions.iter().rev().map_while(|position| {
                (unproven < MAX_UNPROVEN).then(|| {
                    let wins = prover.decide(position);
                    unproven = if wins.is_some() { 0 } else { unproven + 1 };
                    wins
                })
            });
            tried.collect()
        }))
    }
}

impl Recorded for freeling::Position {
    const KIND: RecordedGame = RecordedGame::Freeling;

    fn start_on(_board: (usize, usize)) -> Option<Self> {
        Some(Self::start())
    }

    fn sets(&self) -> (Sets, u16) {
        let pieces = Side::BOTH.map(|side| u128::from(self.pieces(side)));
        let pairs = Side::BOTH.map(|side| u128::from(self.pairs(side)));
        (
            pieces.into_iter().chain(pairs).collect(),
            self.plies_played(),
        )
    }

    fn from_record(_header: &RecordHeader, record: &Record) -> Option<Self> {
        let [white, black, white_pairs, black_pairs] = record.sets[..] else {
            return None;
        };
        let sets = [white, black, white_pairs, black_pairs].map(|set| set as u64);
        Self::new(
            [sets[0], sets[1]],
            [sets[2], sets[3]],
            record.side,
            0,
            record.ply,
        )
        .ok()
        .filter(|position| position.sets().0 == record.sets)
    }

    fn is_noisy(&self, mv: Move) -> bool {
        self.is_capture(mv) || self.explodes(mv)
    }

    fn prove_within(&self, _nodes: u64) -> Result<Prove<Self>, Box<dyn Error>> {
        Err("only positions of Breakthrough can be proven".into())
    }
}

/// What is wrong with a file of positions of another kind than requested.
pub(crate) const WRONG_KIND: &str = "it holds positions of another board or game";

/// What is in the file, and what must not be added twice.
pub(crate) struct RecordStore {
    /// The file.
    pub(crate) output: BufWriter<File>,
    /// What kind of positions it holds.
    pub(crate) header: RecordHeader,
    seen: HashSet<u64>,
    /// Games in the file.
    pub(crate) games: u64,
    /// Positions in the file.
    pub(crate) positions: u64,
    /// Positions left out because they were there already.
    pub(crate) dropped: u64,
}

impl RecordStore {
    /// Opens a file, or creates one.
    pub(crate) fn open(path: &Path, header: RecordHeader) -> Result<Self, Box<dyn Error>> {
        Self::read(path, header).map_err(|error| file_error(path, &error))
    }

    fn read(path: &Path, header: RecordHeader) -> Result<Self, Box<dyn Error>> {
        let mut store = Self {
            output: BufWriter::new(
                File::options()
                    .create(true)
                    .truncate(false)
                    .read(true)
                    .write(true)
                    .open(path)?,
            ),
            header,
            seen: HashSet::new(),
            games: 0,
            positions: 0,
            dropped: 0,
        };
        // Two processes writing one file would corrupt it.
        store
            .output
            .get_ref()
            .try_lock()
            .map_err(|error| match error {
                TryLockError::WouldBlock => "another process is writing to it".to_owned(),
                TryLockError::Error(error) => error.to_string(),
            })?;
        let length = store.output.get_ref().metadata()?.len();
        if length == 0 {
            header.write(&mut store.output)?;
            return Ok(store);
        }
        // The same handle: Windows keeps others out of a locked file.
        let mut input = BufReader::new(store.output.get_ref());
        let found = RecordHeader::read(&mut input)?;
        if found != header {
            return Err(WRONG_KIND.into());
        }
        for record in Records(found, input) {
            let record = record?;
            store.games += u64::from(record.is_first);
            store.positions += 1;
            store.seen.insert(header.canonical_key(&record));
        }
        // A partial record at the end is cut off.
        let whole = header.length(store.positions);
        store.output.get_ref().set_len(whole)?;
        let mut file = store.output.get_ref();
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        Ok(store)
    }

    /// Appends the positions of a game, except those already there; returns whether
    /// there are any others.
    pub(crate) fn add(&mut self, records: &[Record]) -> io::Result<bool> {
        let keys = records
            .iter()
            .map(|record| self.header.canonical_key(record));
        let new: Vec<bool> = keys.map(|key| self.seen.insert(key)).collect();
        if !new.contains(&true) {
            self.dropped += records.len() as u64;
            return Ok(false);
        }
        self.games += 1;
        for (index, (record, is_new)) in records.iter().zip(new).enumerate() {
            // The first one is written in any case: it is how games are counted.
            if !is_new && index > 0 {
                self.dropped += 1;
                continue;
            }
            self.output.write_all(&self.header.to_bytes(record))?;
            self.positions += 1;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
