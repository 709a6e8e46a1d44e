//! The files of networks: their headers, and what is refused.

use super::general::General;
use super::network::{Network, Shape};
use crate::base::{OutOfMemory, ask_for};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// How every file begins, its version apart.
const MAGIC: [u8; 7] = *b"PETARDN";
pub(super) const HEADER_BYTES: usize = 32;
/// Where the checksum stands.
const CHECKSUM_AT: usize = 20;
/// The most that a network's scale can be.
const MOST_SCALE: i32 = 1_000_000;

/// Why a network was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// It does not begin as a network does.
    #[error("it is not a petard network")]
    Magic,
    /// It is of another version.
    #[error("it is a petard network of another version ('{}')", .0.escape_ascii())]
    Version(u8),
    /// Its header is not one that this program can follow.
    #[error("its header is wrong: {0}")]
    Shape(String),
    /// It is not as long as its header says.
    #[error("it has {found} bytes, expected {expected}: it is cut off or has something behind it")]
    Length {
        /// What the header says.
        expected: usize,
        /// What there is; a little more stands for anything more.
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

/// A network as a file holds it.
#[derive(Clone, Debug)]
pub enum NetworkFile {
    /// One for a single board.
    Board(Arc<Network>),
    /// One for every board.
    General(Arc<General>),
}

impl NetworkFile {
    /// Reads a network's file.
    ///
    /// # Errors
    /// If it cannot be read or is no sound network; the error names the fault.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        (&mut file)
            .take(HEADER_BYTES as u64)
            .read_to_end(&mut bytes)?;
        // No more is read than a sound file has, and one byte to see its end.
        let rest = Header::from_bytes(&bytes)?.payload_bytes + 1;
        file.take(rest as u64).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// If they are no sound network; the error names the fault.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (header, payload) = open(bytes)?;
        // The weights once more, and small things.
        ask_for(bytes.len() + (1 << 20))?;
        Ok(match header.kind {
            Kind::Board(shape) => {
                let network = Network::from_payload(shape, header.scale, payload)?;
                Self::Board(Arc::new(network))
            }
            Kind::General(parts) => {
                let general = General::from_payload(parts, header.scale, payload);
                general.check()?;
                Self::General(Arc::new(general))
            }
        })
    }
}

impl From<Arc<Network>> for NetworkFile {
    fn from(network: Arc<Network>) -> Self {
        Self::Board(network)
    }
}

impl From<Arc<General>> for NetworkFile {
    fn from(general: Arc<General>) -> Self {
        Self::General(general)
    }
}

/// What a network is for.
pub(super) enum Kind {
    Board(Shape),
    General(super::general::Parts),
}

/// The header, checked in itself.
pub(super) struct Header {
    pub kind: Kind,
    pub scale: i32,
    checksum: u32,
    payload_bytes: usize,
}

impl Header {
    fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let Some((magic, rest)) = bytes.split_first_chunk::<7>() else {
            return Err(NetworkError::Magic);
        };
        if *magic != MAGIC {
            return Err(NetworkError::Magic);
        }
        let version = match rest.first() {
            None => b'1',
            Some(&version @ (b'1' | b'2')) => version,
            Some(&other) => return Err(NetworkError::Version(other)),
        };
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(NetworkError::Length {
                expected: HEADER_BYTES,
                found: bytes.len(),
            });
        };
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let (kind, payload_bytes, zeros) = if version == b'1' {
            let shape = Shape {
                board_files: bytes[14],
                board_ranks: bytes[15],
                window_files: bytes[8],
                window_ranks: bytes[9],
                hidden: short(10),
                buckets: short(12),
            };
            shape.check()?;
            (Kind::Board(shape), shape.payload_bytes(), long(28))
        } else {
            let parts = super::general::Parts {
                window_files: bytes[8],
                window_ranks: bytes[9],
                hidden: short(10),
                buckets: short(12),
                end_classes: bytes[14],
                edge_classes: bytes[15],
                file_steps: bytes[28],
                rank_steps: bytes[29],
            };
            parts.check()?;
            (
                Kind::General(parts),
                parts.payload_bytes(),
                short(30).into(),
            )
        };
        let fault = |text| Err(NetworkError::Shape(text));
        let scale = long(16) as i32;
        if !(1..=MOST_SCALE).contains(&scale) {
            return fault(format!("a scale of {scale}"));
        }
        if zeros != 0 {
            return fault("bytes that must be zero are not".to_owned());
        }
        let told = long(24);
        if told as usize != payload_bytes {
            return fault(format!(
                "a payload of {told} bytes, {payload_bytes} for its shape"
            ));
        }
        Ok(Self {
            kind,
            scale,
            checksum: long(CHECKSUM_AT),
            payload_bytes,
        })
    }
}

/// The header and the payload of a file, which is whole and undamaged.
pub(super) fn open(bytes: &[u8]) -> Result<(Header, &[u8]), NetworkError> {
    let header = Header::from_bytes(bytes)?;
    let (expected, found) = (HEADER_BYTES + header.payload_bytes, bytes.len());
    if expected != found {
        return Err(NetworkError::Length { expected, found });
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..CHECKSUM_AT]);
    sum.update(&bytes[CHECKSUM_AT + 4..]);
    let (expected, found) = (header.checksum, sum.finalize());
    if expected != found {
        return Err(NetworkError::Checksum { expected, found });
    }
    Ok((header, &bytes[HEADER_BYTES..]))
}
