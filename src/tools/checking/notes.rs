//! What a long check has done so far, in a text file from which the same
//! command resumes.

use super::super::files::{Draft, fault};
use std::error::Error;
use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::ops::{Add, Range};
use std::path::Path;

/// The first line.
const TITLE: &str = "petard check 2";

/// The leaves checked, from the first of a part on, and what that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How many leaves have been checked.
    pub leaves: usize,
    /// Nodes searched to prove them.
    pub nodes: u64,
    /// Positions in their certificates.
    pub positions: u64,
    /// Nanoseconds to check these, on one core.
    pub checking: u64,
}

impl Add for Done {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            leaves: self.leaves + other.leaves,
            nodes: self.nodes + other.nodes,
            positions: self.positions + other.positions,
            checking: self.checking + other.checking,
        }
    }
}

/// What a check is about: a certificate, by its checksum, and the part of its
/// leaves if not all of them.
pub struct Subject {
    pub sum: u32,
    pub part: Option<Range<usize>>,
}

impl Subject {
    /// The whole certificate.
    pub const fn whole(&self) -> Self {
        Self {
            sum: self.sum,
            part: None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "certificate {:08x}", self.sum)?;
        match &self.part {
            Some(part) => write!(f, " leaves {}-{}", part.start, part.end),
            None => Ok(()),
        }
    }
}

/// Reads the file; nothing is done yet if there is none.
///
/// # Errors
/// If it cannot be read, is not a record, or is about another check.
pub fn read(path: &Path, subject: &Subject) -> Result<Done, Box<dyn Error>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Done::default()),
        Err(error) => return Err(fault(path, &error)),
    };
    let lines: Vec<&str> = text.lines().collect();
    let [title, certificate, done, sum] = lines[..] else {
        return Err(fault(path, &"it is not a record of a check"));
    };
    if title != TITLE {
        return Err(fault(path, &"it is not a record of a check"));
    }
    let told = text.strip_suffix(&format!("{sum}\n")).unwrap_or_default();
    if sum != checksum(told) {
        return Err(fault(path, &"its checksum is wrong: it is damaged"));
    }
    if certificate != subject.to_string() {
        let is_same = certificate.starts_with(&subject.whole().to_string());
        let other = if is_same {
            "part of the certificate"
        } else {
            "certificate"
        };
        return Err(fault(path, &format_args!("it is for another {other}")));
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
        _ => Err(fault(path, &"it is not a record of a check")),
    }
}

/// Writes the file.
///
/// # Errors
/// If writing fails.
pub fn write(path: &Path, subject: &Subject, done: &Done) -> Result<(), Box<dyn Error>> {
    let Done {
        leaves,
        nodes,
        positions,
        checking,
    } = done;
    let text = format!("{TITLE}\n{subject}\n{leaves} {nodes} {positions} {checking}\n");
    let sum = checksum(&text);
    Draft::begin(path)?.finish(|output| writeln!(output, "{text}{sum}"))
}

/// The last line, after this text.
fn checksum(text: &str) -> String {
    format!("checksum {:08x}", crc32fast::hash(text.as_bytes()))
}
