//! Files that tools write: tried before the work begins, whole or not at all,
//! and named by every message.

use std::error::Error;
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What is wrong with a file, by name.
pub fn fault(path: &Path, fault: &dyn Display) -> Box<dyn Error> {
    format!("'{}': {fault}", path.display()).into()
}

/// A file that will take the place of another, or be new, once it is whole.
/// Until then it is `FILE.part`, and locked: no other petard writes it.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    part: PathBuf,
    file: File,
}

impl Draft {
    /// Sees to it that the file can be written.
    ///
    /// # Errors
    /// If it cannot be written, or another process is about to.
    pub fn begin(path: &Path) -> Result<Self, Box<dyn Error>> {
        if path.is_dir() {
            return Err(fault(path, &"it is a folder"));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&part)
                .map_err(|error| fault(&part, &error))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(fault(path, &"another process is writing it"));
                }
                Err(TryLockError::Error(error)) => return Err(fault(&part, &error)),
            }
            // Another process may have finished it between the two steps: then
            // this is its file, and the next try makes a new one.
            if is_at(&file, &part) {
                file.set_len(0).map_err(|error| fault(&part, &error))?;
                let path = path.to_owned();
                return Ok(Self { path, part, file });
            }
        }
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes it and puts it in its place.
    ///
    /// # Errors
    /// If writing fails, or something else was put where it was being written;
    /// then what was there stays.
    pub fn finish(
        self,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<(), Box<dyn Error>> {
        let mut output = BufWriter::new(&self.file);
        write(&mut output)
            .and_then(|()| output.flush())
            .and_then(|()| self.file.sync_all())
            .map_err(|error| fault(&self.path, &error))?;
        if !is_at(&self.file, &self.part) {
            return Err(fault(&self.part, &"something else was written there"));
        }
        fs::rename(&self.part, &self.path).map_err(|error| fault(&self.path, &error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What was not finished is of no use; after a rename this is nobody's,
        // or one that another process has begun.
        if is_at(&self.file, &self.part) {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Whether the path leads to this very file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Whether the path leads to a file: an open one is not renamed elsewhere.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
