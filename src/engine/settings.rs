//! An engine's settings.

use super::board::Variant;
use super::opening_book;
use super::strength::ELO_RANGE;
use crate::base::{Budget, Host, Score, read_titled, regular_file};
use crate::eval::nnue::NetworkFile;
use crate::solve::ShortCertificate;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Reads the file that an option names.
pub type ReadFile = fn(&str) -> io::Result<Vec<u8>>;

/// A network read from a file.
#[derive(Clone, Debug)]
pub(super) struct EvalFile {
    pub(super) path: String,
    pub(super) network: NetworkFile,
}

impl EvalFile {
    /// Reads it; the error says why it cannot be used.
    pub(super) fn read(path: &str) -> Result<Self, String> {
        regular_file(Path::new(path)).map_err(|error| error.to_string())?;
        let network = NetworkFile::load(Path::new(path)).map_err(|error| error.to_string())?;
        let path = path.to_owned();
        Ok(Self { path, network })
    }
}

/// Reads the file of a proof from disk.
fn proof_from_disk(path: &str) -> io::Result<Vec<u8>> {
    read_titled(path, ShortCertificate::TITLE)
}

/// Reads the file of an opening book from disk.
pub(super) fn opening_book_from_disk(path: &str) -> io::Result<Vec<u8>> {
    read_titled(path, opening_book::TITLE)
}

/// An engine's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Size of the hash table in megabytes.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Best lines to report.
    pub multi_pv: usize,
    /// Time kept back from every deadline.
    pub overhead: Duration,
    /// The game and board that the start position belongs to.
    pub variant: Variant,
    /// Whether to play at `elo` instead of full strength.
    pub limit_strength: bool,
    /// The rating to play at, if strength is limited.
    pub elo: i32,
    /// Whether a front end should show chances beside scores.
    pub show_chances: bool,
    /// Whether networks are used, on boards that have one.
    pub uses_network: bool,
    /// Whether options may name files on this machine.
    pub has_files: bool,
    /// Reads the file of a proof; `None` reads it from disk, if options may name
    /// files.
    pub read_proof: Option<ReadFile>,
    /// The largest hash table that an option may ask for, in megabytes; `None`
    /// leaves it to the machine.
    pub max_hash: Option<usize>,
    /// The most threads that an option may ask for; `None` leaves it to the engine.
    pub max_threads: Option<usize>,
    /// Where the engine's work runs.
    pub host: Host,
    /// Whether to play by an opening book.
    pub own_book: bool,
    /// How many centipawns a move of the book may give up.
    pub book_variety: Score,
    /// The memory that the tables of several engines may take together.
    pub memory: Option<Arc<Budget>>,
}

impl Settings {
    /// The rating to play at; `None` means full strength.
    pub(crate) fn rating(&self) -> Option<i32> {
        self.limit_strength.then_some(self.elo)
    }

    pub(super) fn proof_reader(&self) -> ReadFile {
        self.read_proof.unwrap_or(proof_from_disk)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash: 64,
            threads: 1,
            multi_pv: 1,
            overhead: Duration::from_millis(10),
            variant: Variant::STANDARD,
            limit_strength: false,
            elo: ELO_RANGE.1,
            show_chances: false,
            uses_network: true,
            has_files: true,
            read_proof: None,
            max_hash: None,
            max_threads: None,
            host: Host::System,
            own_book: false,
            book_variety: 0,
            memory: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_proof_is_read_to_its_end() {
        let path = std::env::temp_dir().join(format!("petard-read-{}", std::process::id()));
        let read = || proof_from_disk(path.to_str().unwrap()).unwrap();
        let proof = format!("{}\nfen", ShortCertificate::TITLE);
        std::fs::write(&path, &proof).unwrap();
        assert_eq!(read(), proof.as_bytes());
        std::fs::write(&path, "x".repeat(1 << 20)).unwrap();
        assert!(read().len() < 100);
        std::fs::write(&path, "").unwrap();
        assert!(read().is_empty());
        std::fs::remove_file(&path).unwrap();
    }
}
