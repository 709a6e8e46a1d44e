//! Files that tools write: opened before the work begins, written whole or not
//! at all, and named in every error.

use crate::base::regular_file;
use std::error::Error;
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// An error that names the file.
pub(crate) fn file_error(path: &Path, error: &dyn Display) -> Box<dyn Error> {
    format!("'{}': {error}", path.display()).into()
}

/// The links followed before a path is taken to lead nowhere.
const MAX_LINKS: usize = 40;

/// The file behind links, whether or not it exists, so that the links stay; else
/// the path as it is.
fn target_of(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return target,
        }
    }
    path.to_owned()
}

/// One name for each file, whether or not it exists.
fn canonical(path: &Path) -> Option<PathBuf> {
    let target = target_of(path);
    let folder = match target.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(fs::canonicalize(folder).ok()?.join(target.file_name()?))
}

/// Whether writing a file overwrites another: itself, or by its unfinished form.
pub(crate) fn overwrites(output: &Path, other: &Path) -> bool {
    let part = with_suffix(&target_of(output), PART);
    let other = canonical(other);
    other.is_some() && (canonical(output) == other || canonical(&part) == other)
}

/// The path with a suffix added to the name of the file.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The suffix of a file that is not complete.
const PART: &str = ".part";

/// A file that is created, or replaces an old one, once it is complete. Until
/// then it is `FILE.part`, locked so that no other petard writes it.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    path: PathBuf,
    /// The file that the path leads to, and its unfinished form.
    target: PathBuf,
    part: PathBuf,
    file: File,
}

impl AtomicFile {
    /// Makes sure that the file can be written, and that nobody else writes it.
    pub(crate) fn begin(path: &Path) -> Result<Self, Box<dyn Error>> {
        let target = target_of(path);
        if target.is_symlink() {
            return Err(file_error(path, &"too many symbolic links"));
        }
        if target.is_dir() {
            return Err(file_error(path, &"it is a folder"));
        }
        // It is replaced, and a device must not be.
        if regular_file(&target).is_err() {
            return Err(file_error(path, &"it is not a regular file"));
        }
        let part = with_suffix(&target, PART);
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&part)
                .map_err(|error| file_error(&part, &error))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(file_error(path, &"another process is writing to it"));
                }
                Err(TryLockError::Error(error)) => return Err(file_error(&part, &error)),
            }
            // Another process may have finished its own between the two steps:
            // then this is its file, and the next attempt creates a new one.
            if is_at(&file, &part) {
                file.set_len(0).map_err(|error| file_error(&part, &error))?;
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
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file and moves it into place. If that fails, the old one stays.
    pub(crate) fn finish(
        self,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<(), Box<dyn Error>> {
        let mut output = BufWriter::new(&self.file);
        write(&mut output)
            .and_then(|()| output.flush())
            .and_then(|()| self.file.sync_all())
            .map_err(|error| file_error(&self.path, &error))?;
        if !is_at(&self.file, &self.part) {
            return Err(file_error(
                &self.part,
                &"it has been replaced by something else",
            ));
        }
        fs::rename(&self.part, &self.target).map_err(|error| file_error(&self.path, &error))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // An unfinished file is of no use. After a rename there is none at
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

/// Whether the path refers to this very file.
#[cfg(not(unix))]
fn is_at(file: &File, path: &Path) -> bool {
    use same_file::Handle;
    let open = file.try_clone().and_then(Handle::from_file);
    matches!((open, Handle::from_path(path)), (Ok(open), Ok(named)) if open == named)
}
