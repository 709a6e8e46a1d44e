//! Short certificates: the winner's move in the positions that are expensive to
//! prove. A prover proves the rest again. The section "Certificates" of
//! `protocol.md` describes the file, version 2.

use super::codec::{Input, Output};
use crate::base::Side;

pub use super::codec::FileError;

/// How a file starts.
const TITLE: &str = "breakthrough certificate 2";

/// A winning move for every position that is expensive to prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortCertificate {
    /// The position to prove.
    pub fen: String,
    /// Who wins it.
    pub winner: Side,
    /// Wins within this many plies are left to the checker.
    pub depth: u8,
    /// What is left out is proven within this many nodes.
    pub leaf_nodes: u64,
    /// Positions and moves, in ascending order of position.
    pub entries: Vec<(u128, u16)>,
}

impl ShortCertificate {
    /// How its file begins.
    pub const TITLE: &str = TITLE;

    /// The contents of the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut output = Output::new(
            TITLE,
            &[
                ("fen", self.fen.clone()),
                ("winner", self.winner.to_string()),
                ("depth", self.depth.to_string()),
                ("leaf-nodes", self.leaf_nodes.to_string()),
                ("entries", self.entries.len().to_string()),
            ],
        );
        write_entries(&mut output, &self.entries);
        output.finish()
    }

    /// Parses a file; checks its form, not its truth.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn from_bytes(data: &[u8]) -> Result<Self, FileError> {
        let mut input = Input::new(data, TITLE)?;
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

/// The line that names the winner.
pub(super) fn winner(input: &mut Input<'_>) -> Result<Side, FileError> {
    let text = input.text("winner")?;
    let side = Side::BOTH.into_iter().find(|side| side.to_string() == text);
    side.ok_or(FileError::Header("winner"))
}

/// Positions ascending, each as the difference from the one before, and moves.
pub(super) fn write_entries(output: &mut Output, entries: &[(u128, u16)]) {
    let mut last = 0;
    for &(position, step) in entries {
        output.number(position - last);
        output.number(u128::from(step));
        last = position;
    }
}

/// The inverse of [`write_entries`].
pub(super) fn read_entries(
    input: &mut Input<'_>,
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
