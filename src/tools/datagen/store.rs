//! A growing file of positions: what is in it, and what must not be added
//! twice.

use super::super::files::file_error;
use super::record::{Header, Record, Records};
use std::collections::HashSet;
use std::error::Error;
use std::fs::{File, TryLockError};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// What is wrong with a file of positions of another kind than requested.
pub const WRONG_KIND: &str = "it holds positions of another board or game";

/// What is in the file, and what must not be added twice.
pub struct Store {
    /// The file.
    pub output: BufWriter<File>,
    /// What kind of positions it holds.
    pub header: Header,
    seen: HashSet<u64>,
    /// Games in the file.
    pub games: u64,
    /// Positions in the file.
    pub positions: u64,
    /// Positions left out because they were there already.
    pub dropped: u64,
}

impl Store {
    /// Opens a file, or creates one.
    ///
    /// # Errors
    /// If it cannot be written, holds something else, or another process is
    /// writing it; the error names it.
    pub fn open(path: &Path, header: Header) -> Result<Self, Box<dyn Error>> {
        Self::read(path, header).map_err(|error| file_error(path, &error))
    }

    fn read(path: &Path, header: Header) -> Result<Self, Box<dyn Error>> {
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
        let mut input = BufReader::new(File::open(path)?);
        let found = Header::read(&mut input)?;
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
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
        Ok(store)
    }

    /// Appends the positions of a game, except those already there; returns whether
    /// there are any others.
    ///
    /// # Errors
    /// If writing fails.
    pub fn add(&mut self, records: &[Record]) -> std::io::Result<bool> {
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
