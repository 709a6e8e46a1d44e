//! Files that are read: regular ones, and whole only if they begin as they should.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Refuses what exists but is not a regular file: opening a pipe waits for its
/// other end, perhaps for ever.
pub(crate) fn regular_file(path: &Path) -> io::Result<()> {
    let is_other = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if is_other || cfg!(windows) && names_device(path) {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(())
}

/// Whether Windows takes the path for a device, which it does in every folder
/// and with every extension.
fn names_device(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_uppercase();
    match stem.strip_prefix("COM").or(stem.strip_prefix("LPT")) {
        Some(port) => ["1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"].contains(&port),
        None => ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str()),
    }
}

/// Reads a file that begins with a title. Of any other file, such as a
/// solver's table of many gigabytes, it reads only the start, enough to refuse it.
pub(crate) fn read_titled(path: &str, title: &str) -> io::Result<Vec<u8>> {
    let path = Path::new(path);
    regular_file(path)?;
    let mut file = File::open(path)?;
    let title = title.as_bytes();
    let mut data = Vec::new();
    let mut start = (&mut file).take(title.len() as u64);
    start.read_to_end(&mut data)?;
    if data == title {
        file.read_to_end(&mut data)?;
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_takes_for_devices_are_known() {
        for name in [
            "NUL",
            "games/con",
            "com1.txt",
            "Aux .nnue",
            "LPT9",
            "nul:x",
            "COM²",
        ] {
            assert!(names_device(Path::new(name)), "{name}");
        }
        for name in [
            "null",
            "com",
            "com0",
            "com10",
            "my.nul",
            "con/games.bin",
            "",
            "..",
        ] {
            assert!(!names_device(Path::new(name)), "{name}");
        }
    }
}
