//! A network: its file, what is refused, and the value of two accumulators.

use super::simd::{LANES, Lanes, Simd};
use super::windows::Windows;
use crate::base::{MATE_BOUND, OutOfMemory, Score, ask_for};
use crate::game::troyka::Geometry;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;

/// How every file begins, its version apart.
const MAGIC: [u8; 7] = *b"PETARDN";
/// The version of the file that this program reads.
const VERSION: u8 = b'1';
const HEADER_BYTES: usize = 32;
/// Where the checksum stands.
const CHECKSUM_AT: usize = 20;
/// The most that a network's scale can be.
const MOST_SCALE: i32 = 1_000_000;
/// What stands for 1 in an accumulator; the largest clipped value.
const ONE: i32 = 255;
/// What stands for 1 among the output weights.
const OUTPUT_ONE: i64 = 64;

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

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Files of the board it is for.
    pub board_files: u8,
    /// Ranks of the board it is for.
    pub board_ranks: u8,
    /// Files of a window.
    pub window_files: u8,
    /// Ranks of a window.
    pub window_ranks: u8,
    /// Width of an accumulator.
    pub hidden: u16,
    /// Sets of output weights.
    pub buckets: u16,
}

impl Shape {
    /// What is wrong with the shape, if anything is.
    fn check(&self) -> Result<(), NetworkError> {
        let Self {
            board_files,
            board_ranks,
            window_files: files,
            window_ranks: ranks,
            hidden,
            buckets,
        } = *self;
        let (across, upward) = (1..=board_files, 1..=board_ranks);
        let fault = if Geometry::<u64>::new(board_files.into(), board_ranks.into()).is_err() {
            format!("a board of {board_files}x{board_ranks} squares")
        } else if !across.contains(&files) || !upward.contains(&ranks) || files * ranks > 9 {
            format!("windows of {files}x{ranks} squares on a board of {board_files}x{board_ranks}")
        } else if hidden == 0 || hidden > 512 || usize::from(hidden) % LANES != 0 {
            format!("an accumulator of {hidden}")
        } else if !(1..=16).contains(&buckets) {
            format!("{buckets} output buckets")
        } else {
            return Ok(());
        };
        Err(NetworkError::Shape(fault))
    }

    /// Blocks of lanes in an accumulator.
    pub(super) fn blocks(&self) -> usize {
        usize::from(self.hidden) / LANES
    }

    /// How many contents a window can have.
    pub(super) fn patterns(&self) -> usize {
        3usize.pow(u32::from(self.window_files) * u32::from(self.window_ranks))
    }

    fn windows(&self) -> usize {
        let across = self.board_files + 1 - self.window_files;
        let upward = self.board_ranks + 1 - self.window_ranks;
        usize::from(across) * usize::from(upward)
    }

    /// The board it is for, files and ranks.
    #[must_use]
    pub const fn board(&self) -> (u8, u8) {
        (self.board_files, self.board_ranks)
    }

    /// By the number of men on the board, the output weights that are meant
    /// for it.
    fn bucket_of_men(&self) -> [u8; 65] {
        let (buckets, full) = (usize::from(self.buckets), 4 * usize::from(self.board_files));
        // Positions from outside may have more men than a game begins with.
        let bucket = |men: usize| (men.saturating_sub(1) * buckets / full).min(buckets - 1);
        std::array::from_fn(|men| bucket(men) as u8)
    }

    /// Bytes of a payload of this shape.
    fn payload_bytes(&self) -> usize {
        let (hidden, buckets) = (usize::from(self.hidden), usize::from(self.buckets));
        let rows = self.windows() * self.patterns();
        2 * hidden * (rows + 1 + 2 * buckets) + 4 * buckets
    }
}

/// Board, window, width and buckets: `8x8 3x2-64-8`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}x{} {}x{}-{}-{}",
            self.board_files,
            self.board_ranks,
            self.window_files,
            self.window_ranks,
            self.hidden,
            self.buckets
        )
    }
}

/// The header, checked in itself.
struct Header {
    shape: Shape,
    scale: i32,
    checksum: u32,
}

impl Header {
    fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let Some((magic, rest)) = bytes.split_first_chunk::<7>() else {
            return Err(NetworkError::Magic);
        };
        if *magic != MAGIC {
            return Err(NetworkError::Magic);
        }
        match rest.first() {
            None | Some(&VERSION) => {}
            Some(&other) => return Err(NetworkError::Version(other)),
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(NetworkError::Length {
                expected: HEADER_BYTES,
                found: bytes.len(),
            });
        };
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let shape = Shape {
            board_files: bytes[14],
            board_ranks: bytes[15],
            window_files: bytes[8],
            window_ranks: bytes[9],
            hidden: short(10),
            buckets: short(12),
        };
        shape.check()?;
        let fault = |text| Err(NetworkError::Shape(text));
        let scale = long(16) as i32;
        if !(1..=MOST_SCALE).contains(&scale) {
            return fault(format!("a scale of {scale}"));
        }
        if long(28) != 0 {
            return fault("bytes that must be zero are not".to_owned());
        }
        let (told, payload) = (long(24), shape.payload_bytes());
        if told as usize != payload {
            return fault(format!(
                "a payload of {told} bytes, {payload} for its shape"
            ));
        }
        Ok(Self {
            shape,
            scale,
            checksum: long(CHECKSUM_AT),
        })
    }

    fn file_bytes(&self) -> usize {
        HEADER_BYTES + self.shape.payload_bytes()
    }
}

/// The CRC-32 of all bytes but its own four; the header must be whole.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..CHECKSUM_AT]);
    sum.update(&bytes[CHECKSUM_AT + 4..]);
    sum.finalize()
}

/// A network, ready to run. Its weights fit the arithmetic whatever the
/// position.
#[derive(Clone)]
pub struct Network {
    shape: Shape,
    scale: i32,
    rows: Vec<Lanes>,
    bias: Vec<Lanes>,
    output: Vec<Lanes>,
    output_bias: Vec<i32>,
    windows: Windows,
    bucket_of_men: [u8; 65],
    simd: Simd,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({}, {:?})", self.shape, self.simd)
    }
}

impl Network {
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
        let rest = Header::from_bytes(&bytes)?.shape.payload_bytes() + 1;
        file.take(rest as u64).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// If they are no sound network; the error names the fault.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let header = Header::from_bytes(bytes)?;
        let (expected, found) = (header.file_bytes(), bytes.len());
        if expected != found {
            return Err(NetworkError::Length { expected, found });
        }
        let found = checksum(bytes);
        if header.checksum != found {
            let expected = header.checksum;
            return Err(NetworkError::Checksum { expected, found });
        }
        // The weights once more, and small things.
        ask_for(bytes.len() + (1 << 20))?;
        let payload = &bytes[HEADER_BYTES..];
        let shape = header.shape;
        let hidden_bytes = 2 * usize::from(shape.hidden);
        let (rows, rest) = payload.split_at(hidden_bytes * shape.windows() * shape.patterns());
        let (bias, rest) = rest.split_at(hidden_bytes);
        let (output, output_bias) = rest.split_at(2 * hidden_bytes * usize::from(shape.buckets));
        let network = Self {
            shape,
            scale: header.scale,
            rows: lanes(rows),
            bias: lanes(bias),
            output: lanes(output),
            output_bias: output_bias
                .chunks_exact(4)
                .map(|bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
                .collect(),
            windows: Windows::new(&shape),
            bucket_of_men: shape.bucket_of_men(),
            simd: Simd::detect(),
        };
        network.check_rows()?;
        network.check_output()?;
        Ok(network)
    }

    /// Refuses rows with which an accumulator could leave 16 bits.
    fn check_rows(&self) -> Result<(), NetworkError> {
        let hidden = usize::from(self.shape.hidden);
        let mut sums: Vec<u32> = vec![0; hidden];
        let mut add = |most: &[[u16; LANES]]| {
            for (sum, &most) in sums.iter_mut().zip(most.iter().flatten()) {
                *sum += u32::from(most);
            }
        };
        let sizes = |lanes: &Lanes| lanes.0.map(i16::unsigned_abs);
        add(&self.bias.iter().map(sizes).collect::<Vec<_>>());
        let blocks = self.shape.blocks();
        for window in self.rows.chunks_exact(self.shape.patterns() * blocks) {
            let mut most = vec![[0; LANES]; blocks];
            for row in window.chunks_exact(blocks) {
                for (most, lanes) in most.iter_mut().zip(row) {
                    for (most, size) in most.iter_mut().zip(sizes(lanes)) {
                        *most = size.max(*most);
                    }
                }
            }
            add(&most);
        }
        match sums.iter().position(|&sum| sum > i16::MAX as u32) {
            None => Ok(()),
            Some(unit) => Err(NetworkError::Weights(format!(
                "unit {unit} of the accumulator can reach {}, more than {}",
                sums[unit],
                i16::MAX
            ))),
        }
    }

    /// Refuses output weights with which the output could leave 32 bits.
    fn check_output(&self) -> Result<(), NetworkError> {
        for (bucket, weights) in self
            .output
            .chunks_exact(2 * self.shape.blocks())
            .enumerate()
        {
            let weights = || weights.iter().flat_map(|lanes| lanes.0);
            if let Some(weight) = weights().find(|weight| weight.unsigned_abs() > 127) {
                let fault = format!("an output weight of bucket {bucket} is {weight}, beyond 127");
                return Err(NetworkError::Weights(fault));
            }
            let sum: i64 = weights().map(|weight| i64::from(weight.abs())).sum();
            if sum * i64::from(ONE * ONE) > i64::from(i32::MAX) {
                let fault = format!("the output weights of bucket {bucket} add up to {sum}");
                return Err(NetworkError::Weights(fault));
            }
        }
        Ok(())
    }

    /// The same network run with these instructions; its values are the same.
    #[must_use]
    pub fn with_simd(mut self, simd: Simd) -> Self {
        self.simd = simd;
        self
    }

    /// How large it is.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The instructions it is run with.
    #[must_use]
    pub const fn simd(&self) -> Simd {
        self.simd
    }

    pub(super) fn rows(&self) -> &[Lanes] {
        &self.rows
    }

    pub(super) fn bias(&self) -> &[Lanes] {
        &self.bias
    }

    pub(super) const fn windows(&self) -> &Windows {
        &self.windows
    }

    /// Which output weights are meant for so many men on the board, at most
    /// 64.
    #[inline]
    pub(super) fn bucket(&self, men: u32) -> usize {
        usize::from(self.bucket_of_men[men as usize])
    }

    /// The value in centipawns of the accumulators of the mover and the other
    /// side, with so many men on the board.
    #[inline]
    pub(super) fn value(&self, mover: &[Lanes], other: &[Lanes], men: u32) -> Score {
        let bucket = self.bucket(men);
        let size = 2 * self.shape.blocks();
        let weights = &self.output[bucket * size..][..size];
        let out = self.simd.output(mover, other, weights);
        let out = i64::from(out / ONE) + i64::from(self.output_bias[bucket]);
        let value = out * i64::from(self.scale) / (i64::from(ONE) * OUTPUT_ONE);
        let most = i64::from(MATE_BOUND - 1);
        value.clamp(-most, most) as Score
    }
}

/// Numbers of two bytes, as blocks.
fn lanes(bytes: &[u8]) -> Vec<Lanes> {
    let block = |bytes: &[u8]| {
        let mut lanes = Lanes::ZERO;
        for (lane, bytes) in lanes.0.iter_mut().zip(bytes.chunks_exact(2)) {
            *lane = i16::from_le_bytes([bytes[0], bytes[1]]);
        }
        lanes
    };
    bytes.chunks_exact(2 * LANES).map(block).collect()
}
