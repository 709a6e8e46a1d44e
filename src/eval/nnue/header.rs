//! The headers of network files.

use super::shape::NetworkError;
use super::shape::{Parts, Shape};

/// How every file begins, apart from its version.
const MAGIC: [u8; 7] = *b"PETARDN";
pub(super) const HEADER_BYTES: usize = 32;
/// Where the checksum is.
const CHECKSUM_AT: usize = 20;
/// The largest scale a network can have.
const MAX_SCALE: i32 = 1_000_000;

pub(super) enum NetworkKind {
    Board(Shape),
    General(Parts),
}

/// A header that is valid in itself.
pub(super) struct FileHeader {
    pub(super) kind: NetworkKind,
    pub(super) scale: i32,
    checksum: u32,
    pub(super) payload_bytes: usize,
}

impl FileHeader {
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let Some((magic, rest)) = bytes.split_first_chunk::<7>() else {
            return Err(NetworkError::Magic);
        };
        if *magic != MAGIC {
            return Err(NetworkError::Magic);
        }
        let version = match rest.first() {
            None => b'1',
            Some(&version @ b'1'..=b'3') => version,
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
        let (kind, payload_bytes) = if version == b'2' {
            let parts = Parts {
                window_files: bytes[8],
                window_ranks: bytes[9],
                hidden: short(10),
                buckets: short(12),
                end_classes: bytes[14],
                edge_classes: bytes[15],
                file_steps: bytes[28],
                rank_steps: bytes[29],
                second_pairs: bytes[31],
            };
            parts.check()?;
            (NetworkKind::General(parts), parts.payload_bytes())
        } else {
            let has_stacks = version == b'3';
            let is_mirrored = bytes[30] == 1;
            let shape = Shape {
                height: if has_stacks { 2 } else { 1 },
                board_files: bytes[14],
                board_ranks: bytes[15],
                window_files: bytes[8],
                window_ranks: bytes[9],
                second_window: (has_stacks && short(28) != 0).then_some((bytes[28], bytes[29])),
                hidden: short(10),
                buckets: short(12),
                second_pairs: bytes[31],
                is_mirrored,
            };
            shape.check()?;
            if is_mirrored && !shape.has_halves() {
                let hidden = shape.hidden;
                return Err(NetworkError::Shape(format!(
                    "a mirrored accumulator of {hidden}"
                )));
            }
            (NetworkKind::Board(shape), shape.payload_bytes())
        };
        // The unused bits of the last bytes.
        let unused = match version {
            b'1' => [!0, !0, !1],
            b'2' => [0, 0, !0],
            _ => [0, 0, !1u8],
        };
        let error = |text| Err(NetworkError::Shape(text));
        let scale = long(16) as i32;
        if !(1..=MAX_SCALE).contains(&scale) {
            return error(format!("a scale of {scale}"));
        }
        if unused
            .iter()
            .zip(&bytes[28..])
            .any(|(bits, byte)| bits & byte != 0)
        {
            return error("bytes that must be zero are not".to_owned());
        }
        let declared = long(24);
        if declared as usize != payload_bytes {
            return error(format!(
                "a payload of {declared} bytes, expected {payload_bytes}"
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

/// The header and the payload of a file, checked to be whole and undamaged.
pub(super) fn open(bytes: &[u8]) -> Result<(FileHeader, &[u8]), NetworkError> {
    let header = FileHeader::from_bytes(bytes)?;
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
