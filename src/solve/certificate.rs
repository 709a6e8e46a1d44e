//! Certificates: proofs written down for checkers that trust nothing but the
//! rules. `docs/certificates.md` describes the files: whole ones (version 1), and
//! short ones (version 2) with the winner's move only in positions that are expensive
//! to prove; a prover proves the rest again. Short ones, and the drafts of them, are
//! lines of text, numbers in LEB128, and a checksum.

use crate::base::Side;
use crate::game::Notation as _;
use crate::game::breakthrough::{Bits, Geometry, Perspective, Position, Step};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::str::FromStr;
use thiserror::Error;
use unsigned_varint::{decode, encode};

/// How deep a checker may be asked to look: within how many plies the winner
/// must win in positions that a certificate leaves out. Only odd ones count.
pub const DEPTHS: RangeInclusive<u8> = 1..=9;

const WHOLE_TITLE: &str = "breakthrough certificate 1";
const SHORT_TITLE: &str = "breakthrough certificate 2";

/// One winning move for every position that the winner can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    header: String,
    /// Positions and moves, in ascending order of position.
    entries: Vec<(u128, u16)>,
}

impl Certificate {
    pub(super) fn new<B: Bits>(
        position: &Position<B>,
        winner: Side,
        depth: u8,
        mut entries: Vec<(u128, u16)>,
    ) -> Self {
        entries.sort_unstable();
        let header = format!(
            "{WHOLE_TITLE}\nfen {}\nwinner {winner}\ndepth {depth}\nentries {}\n\n",
            position.fen(),
            entries.len()
        );
        Self { header, entries }
    }

    /// The number of positions.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the checker has to find everything itself.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// No more bytes than this are written.
    pub(crate) fn max_bytes(&self) -> usize {
        self.header.len() + self.entries.len() * 2 * encode::u128_buffer().len()
    }

    /// Writes it, in the format that `docs/certificates.md` describes: a text header,
    /// then pairs of position and move, positions ascending, as numbers in LEB128.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(self.header.as_bytes())?;
        write_entries(output, &self.entries)
    }
}

/// A winning move for every position that is expensive to prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShortCertificate {
    /// The position to prove.
    pub(crate) fen: String,
    /// Who wins it.
    pub(crate) winner: Side,
    /// Wins within this many plies are left to the checker.
    pub(crate) depth: u8,
    /// What is left out is proven within this many nodes.
    pub(crate) leaf_nodes: u64,
    /// Positions and moves, in ascending order of position.
    pub(crate) entries: Vec<(u128, u16)>,
}

impl ShortCertificate {
    /// How its file begins.
    pub(crate) const TITLE: &str = SHORT_TITLE;

    /// The contents of the file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut output = CertificateWriter::new(
            SHORT_TITLE,
            &[
                ("fen", self.fen.clone()),
                ("winner", self.winner.to_string()),
                ("depth", self.depth.to_string()),
                ("leaf-nodes", self.leaf_nodes.to_string()),
                ("entries", self.entries.len().to_string()),
            ],
        );
        output.entries(&self.entries);
        output.finish()
    }

    /// Parses a file; checks its form, not its truth.
    pub(crate) fn from_bytes(data: &[u8]) -> Result<Self, FileError> {
        let mut input = CertificateReader::new(data, SHORT_TITLE)?;
        let fen = input.text("fen")?.to_owned();
        let winner = winner(&mut input)?;
        let depth = input.value("depth")?;
        let leaf_nodes = input.value("leaf-nodes")?;
        let count = input.value("entries")?;
        let entries = read_entries(&mut input, count)?;
        input.end()?;
        Ok(Self {
            fen,
            winner,
            depth,
            leaf_nodes,
            entries,
        })
    }
}

pub(super) fn winner(input: &mut CertificateReader<'_>) -> Result<Side, FileError> {
    let text = input.text("winner")?;
    let side = Side::BOTH.into_iter().find(|side| side.to_string() == text);
    side.ok_or(FileError::Header("winner"))
}

/// Positions ascending, each as the difference from the one before, and moves.
fn write_entries(output: &mut impl Write, entries: &[(u128, u16)]) -> io::Result<()> {
    let mut last = 0;
    for &(position, step) in entries {
        for number in [position - last, u128::from(step)] {
            output.write_all(encode::u128(number, &mut encode::u128_buffer()))?;
        }
        last = position;
    }
    Ok(())
}

pub(super) fn read_entries(
    input: &mut CertificateReader<'_>,
    count: usize,
) -> Result<Vec<(u128, u16)>, FileError> {
    let mut last = 0u128;
    let mut entries = Vec::new();
    for _ in 0..count {
        let difference = input.number()?;
        last = last.checked_add(difference).ok_or(FileError::Numbers)?;
        let step = u16::try_from(input.number()?).map_err(|_| FileError::Numbers)?;
        if difference == 0 {
            return Err(FileError::Numbers);
        }
        entries.push((last, step));
    }
    Ok(entries)
}

/// Why a file was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(crate) enum FileError {
    #[error("it does not begin with '{0}'")]
    Title(&'static str),
    #[error("its header has no valid line '{0} ...'")]
    Header(&'static str),
    #[error("its position is invalid: {0}")]
    Position(#[from] crate::game::FenError),
    #[error("it is damaged: its checksum is wrong")]
    Damaged,
    #[error("its numbers are malformed")]
    Numbers,
    #[error("it is for {0}")]
    Other(String),
}

const SUM: usize = 4;

pub(super) struct CertificateWriter(Vec<u8>);

impl CertificateWriter {
    pub(super) fn new(title: &str, lines: &[(&str, String)]) -> Self {
        let mut text = format!("{title}\n");
        for (name, value) in lines {
            text += &format!("{name} {value}\n");
        }
        text.push('\n');
        Self(text.into_bytes())
    }

    pub(super) fn number(&mut self, number: u128) {
        let mut buffer = encode::u128_buffer();
        self.0.extend_from_slice(encode::u128(number, &mut buffer));
    }

    pub(super) fn entries(&mut self, entries: &[(u128, u16)]) {
        // Memory takes all that is written.
        let _ = write_entries(&mut self.0, entries);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let sum = crc32fast::hash(&self.0);
        self.0.extend_from_slice(&sum.to_le_bytes());
        self.0
    }
}

pub(super) struct CertificateReader<'a> {
    lines: std::str::Split<'a, char>,
    body: &'a [u8],
}

impl<'a> CertificateReader<'a> {
    /// Opens a file that must start with this title and be undamaged.
    pub(super) fn new(data: &'a [u8], title: &'static str) -> Result<Self, FileError> {
        let start = data.strip_prefix(title.as_bytes());
        if start.is_none_or(|rest| rest.first() != Some(&b'\n')) {
            return Err(FileError::Title(title));
        }
        let (whole, sum) = data.split_at(data.len() - SUM.min(data.len()));
        if sum != crc32fast::hash(whole).to_le_bytes() {
            return Err(FileError::Damaged);
        }
        let end = whole.windows(2).position(|pair| pair == b"\n\n");
        let end = end.ok_or(FileError::Numbers)?;
        let head = std::str::from_utf8(&whole[..end]).map_err(|_| FileError::Numbers)?;
        let mut lines = head.split('\n');
        lines.next();
        Ok(Self {
            lines,
            body: &whole[end + 2..],
        })
    }

    /// The value of the next line, which must have this name.
    pub(super) fn text(&mut self, name: &'static str) -> Result<&'a str, FileError> {
        let line = self.lines.next().unwrap_or_default();
        let value = line.strip_prefix(name);
        value
            .and_then(|value| value.strip_prefix(' '))
            .ok_or(FileError::Header(name))
    }

    pub(super) fn value<T: FromStr>(&mut self, name: &'static str) -> Result<T, FileError> {
        self.text(name)?
            .parse()
            .map_err(|_| FileError::Header(name))
    }

    pub(super) fn number(&mut self) -> Result<u128, FileError> {
        let (number, rest) = decode::u128(self.body).map_err(|_| FileError::Numbers)?;
        self.body = rest;
        Ok(number)
    }

    pub(super) fn end(mut self) -> Result<(), FileError> {
        if self.body.is_empty() && self.lines.next().is_none() {
            Ok(())
        } else {
            Err(FileError::Numbers)
        }
    }
}

/// A step in the format's encoding; mirrored if the mirror image is written.
pub(super) fn move_code<B: Bits>(
    geometry: &Geometry<B>,
    is_mirrored: bool,
    Step { from, to }: Step,
) -> u16 {
    let files = u16::from(geometry.files());
    let (mut file, rank) = (
        u16::from(geometry.file(from)),
        u16::from(geometry.rank(from)),
    );
    let mut direction = u16::from(geometry.file(to)) + 1 - file;
    if is_mirrored {
        file = files - 1 - file;
        direction = 2 - direction;
    }
    3 * (rank * files + file) + direction
}

/// The step of a code, if it is legal for the side to move.
pub(super) fn legal_step<B: Bits>(
    geometry: &Geometry<B>,
    view: Perspective<B>,
    is_mirrored: bool,
    code: u16,
) -> Option<Step> {
    let Step { from, to } = coded_step(geometry, is_mirrored, code)?;
    let is_blocked = geometry.file(from) == geometry.file(to) && view.enemy.has(to);
    (view.own.has(from) && !view.own.has(to) && !is_blocked).then_some(Step { from, to })
}

/// The inverse of [`move_code`]; `None` if it leads off the board.
pub(super) fn coded_step<B: Bits>(
    geometry: &Geometry<B>,
    is_mirrored: bool,
    code: u16,
) -> Option<Step> {
    let files = u16::from(geometry.files());
    let (square, mut direction) = (code / 3, code % 3);
    let (mut file, rank) = (square % files, square / files);
    if is_mirrored {
        file = files - 1 - file;
        direction = 2 - direction;
    }
    let target = (file + direction).checked_sub(1)?;
    if target >= files || rank + 1 >= u16::from(geometry.ranks()) {
        return None;
    }
    Some(Step {
        from: geometry.square(file as u8, rank as u8),
        to: geometry.square(target as u8, rank as u8 + 1),
    })
}
