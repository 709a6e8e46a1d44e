//! Why networks are refused.

use crate::base::OutOfMemory;
use std::io;
use thiserror::Error;

/// Why a network was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum NetworkError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// It does not start like a network file.
    #[error("it is not a petard network")]
    Magic,
    /// It has a different version.
    #[error("it is a petard network of another version ('{}')", .0.escape_ascii())]
    Version(u8),
    /// Its header is wrong or unsupported.
    #[error("its header is wrong: {0}")]
    Shape(String),
    /// It is not as long as its header says.
    #[error("it has {found} bytes, expected {expected}: it is truncated or has trailing data")]
    Length {
        /// What the header says.
        expected: usize,
        /// What there is; files are read to at most one byte past their expected end.
        found: usize,
    },
    /// Its bytes are not those that were written.
    #[error("it is damaged: its checksum is {found:08x}, expected {expected:08x}")]
    Checksum {
        /// What the header says.
        expected: u32,
        /// What the file has.
        found: u32,
    },
    /// Its weights do not fit the arithmetic.
    #[error("its weights are too large: {0}")]
    Weights(String),
}
