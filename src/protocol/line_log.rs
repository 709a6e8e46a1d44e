//! The log of all lines of a session, in a file if one is set.

use crate::engine::regular_file;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Where lines are logged, besides the program's own log.
#[derive(Debug, Default)]
pub(super) struct LineLog {
    file: Option<File>,
}

impl LineLog {
    /// Appends to this file from now on; an empty path means no file.
    ///
    /// # Errors
    /// If it cannot be opened or is not a regular file. The previous log file
    /// stays in use.
    pub fn open(&mut self, path: &str) -> io::Result<()> {
        self.file = if path.is_empty() {
            None
        } else {
            regular_file(Path::new(path))?;
            Some(File::options().create(true).append(true).open(path)?)
        };
        Ok(())
    }

    /// Logs a line, received (`>`) or sent (`<`).
    pub fn write(&mut self, direction: &str, line: &str) {
        log::debug!("{direction} {line}");
        if let Some(file) = &mut self.file
            && let Err(fault) = writeln!(file, "{direction} {line}")
        {
            log::warn!("the log file cannot be written: {fault}");
            self.file = None;
        }
    }
}
