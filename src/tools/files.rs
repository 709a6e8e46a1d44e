//! Files that tools write: opened before the work begins, written whole or not
//! at all, and named in every error.

use std::error::Error;
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// An error that names the file.
pub fn fault(path: &Path, fault: &dyn Display) -> Box<dyn Error> {
    format!("'{}': {fault}", path.display()).into()
}

/// Where a path leads, whether or not there is such a file.
fn place(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let folder = match path.parent()? {
            folder if folder.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    })
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    place(one).is_some_and(|one| place(other) == Some(one))
}

/// Whether writing a file, first as a draft, overwrites another.
pub fn overwrites(output: &Path, other: &Path) -> bool {
    is_same(output, other) || is_same(&part_of(&target_of(output)), other)
}

/// The file behind a link, so that the link stays; else the path as it is.
fn target_of(path: &Path) -> PathBuf {
    let target = path.is_symlink().then(|| fs::canonicalize(path).ok());
    target.flatten().unwrap_or_else(|| path.to_owned())
}

/// The path of a file beside this one, named like it with an ending more.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The draft of a file.
fn part_of(path: &Path) -> PathBuf {
    beside(path, ".part")
}

/// A file that is created, or replaces an old one, once it is complete. Until
/// then it is `FILE.part`, locked so that no other petard writes it.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// The file that the path leads to, and its draft.
    target: PathBuf,
    part: PathBuf,
    file: File,
}

impl Draft {
    /// Makes sure that the file can be written.
    ///
    /// # Errors
    /// If it cannot be written, or another process is writing it.
    pub fn begin(path: &Path) -> Result<Self, Box<dyn Error>> {
        if path.is_dir() {
            return Err(fault(path, &"it is a folder"));
        }
        // It is replaced, and a device must not be.
        if path.exists() && !path.is_file() {
            return Err(fault(path, &"it is not a regular file"));
        }
        let target = target_of(path);
        let part = part_of(&target);
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
                    return Err(fault(path, &"another process is writing to it"));
                }
                Err(TryLockError::Error(error)) => return Err(fault(&part, &error)),
            }
            // Another process may have finished its own between the two steps:
            // then this is its file, and the next attempt creates a new one.
            if is_at(&file, &part) {
                file.set_len(0).map_err(|error| fault(&part, &error))?;
                let path = path.to_owned();
                return Ok(Self {
                    path,
                    target,
                    part,
                    file,
                });
            }
        }
    }

    /// The path it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file and moves it into place.
    ///
    /// # Errors
    /// If writing fails, or something else has replaced the draft; the old file
    /// then stays.
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
            return Err(fault(&self.part, &"it has been replaced by something else"));
        }
        fs::rename(&self.part, &self.target).map_err(|error| fault(&self.path, &error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // An unfinished draft is of no use. After a rename there is none at
        // this path, or one that another process has begun.
        if is_at(&self.file, &self.part) {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Whether the path refers to this very file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Whether the path exists: outside Unix, an open file is not renamed.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
