//! The encoding of certificates: lines of text, numbers in LEB128, and a
//! checksum.

use std::str::FromStr;
use thiserror::Error;
use unsigned_varint::{decode, encode};

/// Why a file was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is some other file.
    #[error("it does not begin with '{0}'")]
    Title(&'static str),
    /// A line of the header is missing or malformed.
    #[error("its header has no valid line '{0} ...'")]
    Header(&'static str),
    /// The position is invalid.
    #[error("its position is invalid: {0}")]
    Position(#[from] crate::game::FenError),
    /// Its checksum is wrong.
    #[error("it is damaged: its checksum is wrong")]
    Damaged,
    /// The numbers are malformed.
    #[error("its numbers are malformed")]
    Numbers,
    /// It is for something other than what was asked for.
    #[error("it is for {0}")]
    Other(String),
}

/// Bytes of the checksum at the end.
const SUM: usize = 4;

/// A file being written.
pub struct Output(Vec<u8>);

impl Output {
    /// Starts with the lines of the header.
    pub fn new(title: &str, lines: &[(&str, String)]) -> Self {
        let mut text = format!("{title}\n");
        for (name, value) in lines {
            text += &format!("{name} {value}\n");
        }
        text.push('\n');
        Self(text.into_bytes())
    }

    /// Adds a number.
    pub fn number(&mut self, number: u128) {
        let mut buffer = encode::u128_buffer();
        self.0.extend_from_slice(encode::u128(number, &mut buffer));
    }

    /// The whole file, with the checksum.
    pub fn finish(mut self) -> Vec<u8> {
        let sum = crc32fast::hash(&self.0);
        self.0.extend_from_slice(&sum.to_le_bytes());
        self.0
    }
}

/// A file being read.
pub struct Input<'a> {
    lines: std::str::Split<'a, char>,
    body: &'a [u8],
}

impl<'a> Input<'a> {
    /// Opens a file that must start with this title and be undamaged.
    ///
    /// # Errors
    /// If it is something else, or damaged.
    pub fn new(data: &'a [u8], title: &'static str) -> Result<Self, FileError> {
        let start = data.strip_prefix(title.as_bytes());
        if start.is_none_or(|rest| rest.first() != Some(&b'\n')) {
            return Err(FileError::Title(title));
        }
        let (whole, sum) = data.split_at(data.len() - SUM.min(data.len()));
        if sum != crc32fast::hash(whole).to_le_bytes() {
            return Err(FileError::Damaged);
        }
        let end = whole.windows(2).position(|pair| pair == b"\n\n");
        let end = end.ok_or(FileError::Numbers)?;
        let head = std::str::from_utf8(&whole[..end]).map_err(|_| FileError::Numbers)?;
        let mut lines = head.split('\n');
        lines.next();
        Ok(Self {
            lines,
            body: &whole[end + 2..],
        })
    }

    /// The value of the next line, which must have this name.
    pub fn text(&mut self, name: &'static str) -> Result<&'a str, FileError> {
        let line = self.lines.next().unwrap_or_default();
        let value = line.strip_prefix(name);
        value
            .and_then(|value| value.strip_prefix(' '))
            .ok_or(FileError::Header(name))
    }

    /// The same, parsed.
    pub fn value<T: FromStr>(&mut self, name: &'static str) -> Result<T, FileError> {
        self.text(name)?
            .parse()
            .map_err(|_| FileError::Header(name))
    }

    /// The next number of the body.
    pub fn number(&mut self) -> Result<u128, FileError> {
        let (number, rest) = decode::u128(self.body).map_err(|_| FileError::Numbers)?;
        self.body = rest;
        Ok(number)
    }

    /// Makes sure that nothing follows.
    pub fn end(mut self) -> Result<(), FileError> {
        if self.body.is_empty() && self.lines.next().is_none() {
            Ok(())
        } else {
            Err(FileError::Numbers)
        }
    }
}
