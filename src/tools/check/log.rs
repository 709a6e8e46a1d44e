//! The log of checks: a row for each that came to its end, so that what is called
//! checked can be shown.

use crate::tools::files::{file_error, overwrites};
use crate::tools::version;
use chrono::{SecondsFormat, Utc};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

const COLUMNS: &str =
    "file\tsha256\tpetard\tkept\tfrom\tto\tleaves\tnodes\tpositions\tmemory\tresumed\tdate\n";

/// What a check has found out. A whole certificate has no leaves and needs no nodes.
#[derive(Default)]
pub(super) struct LogEntry {
    /// Positions of the file.
    pub(super) kept: usize,
    /// The leaves that hold.
    pub(super) checked: Range<usize>,
    /// How many the certificate has.
    pub(super) leaves: usize,
    /// Nodes to prove them.
    pub(super) nodes: u64,
    /// Positions of their proofs.
    pub(super) positions: u64,
    /// `--memory`: with 0 each leaf holds by itself, otherwise if all others do.
    pub(super) memory: u32,
    /// Whether an earlier run, perhaps of another version, has done a part of it.
    pub(super) is_resumed: bool,
}

/// A file to which rows are added.
pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens it, before the work begins. It may be none of `others`.
    pub(super) fn open(path: &Path, others: &[&Path]) -> Result<Self, Box<dyn Error>> {
        if let Some(other) = others.iter().find(|other| overwrites(path, other)) {
            let error = format!("it would overwrite '{}'", other.display());
            return Err(file_error(path, &error));
        }
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(|error| file_error(path, &error))?;
        let path = path.to_owned();
        Ok(Self { path, file })
    }

    /// Adds a row about the certificate `name`, and the names of the columns if there are none.
    pub(super) fn add(
        &mut self,
        name: &Path,
        data: &[u8],
        entry: &LogEntry,
    ) -> Result<(), Box<dyn Error>> {
        let mut rows = String::new();
        if self.file.metadata().is_ok_and(|data| data.len() == 0) {
            rows += COLUMNS;
        }
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        rows += &name.replace(['\t', '\n'], " ");
        rows.push('\t');
        for byte in Sha256::digest(data) {
            write!(rows, "{byte:02x}")?;
        }
        let Range { start, end } = entry.checked;
        let resumed = if entry.is_resumed { "yes" } else { "no" };
        let date = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        writeln!(
            rows,
            "\t{}\t{}\t{start}\t{end}\t{}\t{}\t{}\t{}\t{resumed}\t{date}",
            version(),
            entry.kept,
            entry.leaves,
            entry.nodes,
            entry.positions,
            entry.memory,
        )?;
        // In one piece: another process may be adding its own.
        let written = self.file.write_all(rows.as_bytes());
        written.map_err(|error| file_error(&self.path, &error))
    }
}
