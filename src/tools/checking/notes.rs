//! What a long check has done so far, in a file of text from which the same
//! command goes on.

use super::super::files::{Draft, fault};
use std::error::Error;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The first line.
const TITLE: &str = "petard check 1";

/// All leaves before one, and what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How many leaves have been checked, from the first on.
    pub leaves: usize,
    /// Nodes to prove them.
    pub nodes: u64,
    /// Positions of their certificates.
    pub positions: u64,
    /// Nanoseconds to go through these, on one core.
    pub checking: u64,
}

/// What stands in the file; nothing if there is none. It must be about the
/// certificate with this checksum.
///
/// # Errors
/// If it cannot be read, is something else, or is about another certificate.
pub fn read(path: &Path, sum: u32) -> Result<Done, Box<dyn Error>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Done::default()),
        Err(error) => return Err(fault(path, &error)),
    };
    let lines: Vec<&str> = text.lines().collect();
    let [title, certificate, done] = lines[..] else {
        return Err(fault(path, &"it is no record of a check"));
    };
    if title != TITLE {
        return Err(fault(path, &"it is no record of a check"));
    }
    if certificate != format!("certificate {sum:08x}") {
        return Err(fault(path, &"it is about another certificate"));
    }
    let numbers = done
        .split(' ')
        .map(str::parse)
        .collect::<Result<Vec<u64>, _>>();
    match numbers.as_deref() {
        Ok(&[leaves, nodes, positions, checking]) => Ok(Done {
            leaves: leaves as usize,
            nodes,
            positions,
            checking,
        }),
        _ => Err(fault(path, &"it is no record of a check")),
    }
}

/// Writes it.
///
/// # Errors
/// If that fails.
pub fn write(path: &Path, sum: u32, done: &Done) -> Result<(), Box<dyn Error>> {
    Draft::begin(path)?.finish(|output| {
        writeln!(output, "{TITLE}\ncertificate {sum:08x}")?;
        let Done {
            leaves,
            nodes,
            positions,
            checking,
        } = done;
        writeln!(output, "{leaves} {nodes} {positions} {checking}")
    })
}
