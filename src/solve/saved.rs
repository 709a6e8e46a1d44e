//! Tables in files, so that a search of hours can go on where another stopped.
//!
//! All numbers are little endian. A header of 48 bytes: `PETARDT1`, files and
//! ranks of the board (a byte each), six zero bytes (in the table of a check, which
//! begins with `PETARDC1`, the certificate's checksum and two), and four words of 64 bits:
//! how many weights were learned, how many words the table has, the nodes and
//! the milliseconds spent so far. Then the weights (`f32`), the words as they
//! are in memory, and the CRC-32 of all that (as zlib's): a damaged disk
//! must not make a proof. A file is trusted as much as the program itself; if you
//! trust neither, ask for a certificate.

use super::table::{BUCKET, Buckets};
use bytemuck::{Pod, Zeroable, bytes_of, bytes_of_mut, cast_slice, cast_slice_mut};
use std::io::{self, Read, Write};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use thiserror::Error;

/// How the files of proofs and of checks start; the last byte is the version.
const MAGIC: [[u8; 8]; 2] = [*b"PETARDT1", *b"PETARDC1"];

/// What a table assumes without proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumptions {
    None,
    /// The claims of the certificate with this checksum, true or not.
    Claims(u32),
}

impl Assumptions {
    fn marks(self) -> ([u8; 8], [u8; 6]) {
        let mut of = [0; 6];
        match self {
            Self::None => (MAGIC[0], of),
            Self::Claims(certificate) => {
                of[..4].copy_from_slice(&certificate.to_le_bytes());
                (MAGIC[1], of)
            }
        }
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    board: [u8; 2],
    /// The certificate whose claims it assumes, if any.
    of: [u8; 6],
    /// Weights, words, nodes, milliseconds; little endian.
    numbers: [u64; 4],
}

const CHUNK: usize = 1 << 15;

/// What earlier runs have spent on a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Positions searched.
    pub(crate) nodes: u64,
    /// Time taken.
    pub(crate) time: Duration,
}

/// Why a table could not be loaded from a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum SavedError {
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("it is not a proof table of this version")]
    Magic,
    #[error("its contents depend on the claims of a certificate, which may be false")]
    Claims,
    #[error("its contents do not depend on the claims of this certificate")]
    NoClaims,
    #[error("it is for a board of {0}x{1}")]
    Board(u8, u8),
    #[error("its table has {found} MB, more than the {present} asked for")]
    Size {
        /// Megabytes of this solver's table.
        present: u64,
        /// Megabytes of the one in the file.
        found: u64,
    },
    #[error("it is damaged: its checksum is wrong, or it has trailing data")]
    Damaged,
}

/// How much of a table is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadMode {
    /// All of it: a larger one is refused.
    Whole,
    /// Of a larger one, the positions that were the most expensive.
    Part,
}

/// The size in bytes of the table in a file that begins like this.
pub(crate) fn saved_bytes(mut input: impl Read) -> Result<u64, SavedError> {
    let mut header = Header::zeroed();
    input.read_exact(bytes_of_mut(&mut header))?;
    if !MAGIC.contains(&header.magic) {
        return Err(SavedError::Magic);
    }
    Ok(u64::from_le(header.numbers[1]).saturating_mul(8))
}

pub(super) struct Contents<'a> {
    pub(super) board: (u8, u8),
    pub(super) assumptions: Assumptions,
    pub(super) weights: Vec<f32>,
    /// The table; only the part in use is written.
    pub(super) buckets: &'a Buckets,
}

impl Contents<'_> {
    /// Writes it, with what has been spent on it.
    pub(super) fn write(&self, mut out: impl Write, spent: Spent) -> io::Result<()> {
        let mut sum = crc32fast::Hasher::new();
        let mut put = |bytes: &[u8]| {
            sum.update(bytes);
            out.write_all(bytes)
        };
        let numbers = [
            self.weights.len() as u64,
            self.buckets.words().len() as u64,
            spent.nodes,
            spent.time.as_millis() as u64,
        ];
        let (magic, of) = self.assumptions.marks();
        put(bytes_of(&Header {
            magic,
            board: self.board.into(),
            of,
            numbers: numbers.map(u64::to_le),
        }))?;
        let weights = self.weights.iter().map(|weight| weight.to_bits().to_le());
        put(cast_slice(&weights.collect::<Vec<u32>>()))?;
        let mut buffer = Vec::with_capacity(CHUNK);
        for words in self.buckets.words().chunks(CHUNK) {
            buffer.clear();
            buffer.extend(words.iter().map(|word| word.load(Relaxed).to_le()));
            put(cast_slice(&buffer))?;
        }
        out.write_all(&sum.finalize().to_le_bytes())?;
        out.flush()
    }

    /// Fills the weights and the table, which must be empty, from what
    /// [`Contents::write`] wrote. The buckets of a table of another size go to
    /// `import_bucket`: its number of words, the index of the bucket, the bucket.
    pub(super) fn read(
        &mut self,
        mut input: impl Read,
        mode: LoadMode,
        import_bucket: &dyn Fn(usize, usize, &[u64]),
    ) -> Result<Spent, SavedError> {
        let mut sum = crc32fast::Hasher::new();
        let mut take = |bytes: &mut [u8]| {
            input.read_exact(bytes)?;
            sum.update(bytes);
            io::Result::Ok(())
        };
        let mut header = Header::zeroed();
        take(bytes_of_mut(&mut header))?;
        if !MAGIC.contains(&header.magic) {
            return Err(SavedError::Magic);
        }
        match self.assumptions {
            Assumptions::None if header.magic != MAGIC[0] => return Err(SavedError::Claims),
            Assumptions::Claims(_) if (header.magic, header.of) != self.assumptions.marks() => {
                return Err(SavedError::NoClaims);
            }
            _ => {}
        }
        if header.board != <[u8; 2]>::from(self.board) {
            return Err(SavedError::Board(header.board[0], header.board[1]));
        }
        let [weights, words, nodes, milliseconds] = header.numbers.map(u64::from_le);
        let capacity = self.buckets.capacity() * BUCKET;
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        if words > capacity && mode == LoadMode::Whole {
            return Err(SavedError::Size {
                present: (capacity as u64) >> 17,
                found: (words as u64) >> 17,
            });
        }
        if words < BUCKET || !words.is_power_of_two() {
            return Err(SavedError::Magic);
        }
        if weights != self.weights.len() as u64 {
            return Err(SavedError::Magic);
        }
        take(cast_slice_mut(&mut self.weights))?;
        for weight in &mut self.weights {
            *weight = f32::from_bits(u32::from_le(weight.to_bits()));
        }
        self.buckets.use_words(words);
        let table = self.buckets.words();
        // Both are powers of two, so all parts have the same size.
        let mut numbers = vec![0; CHUNK.min(words)];
        for start in (0..words).step_by(CHUNK) {
            take(cast_slice_mut(&mut numbers))?;
            numbers
                .iter_mut()
                .for_each(|number| *number = u64::from_le(*number));
            if words != table.len() {
                for (bucket, index) in numbers.chunks(BUCKET).zip(start / BUCKET..) {
                    import_bucket(words, index, bucket);
                }
                continue;
            }
            for (word, &number) in table[start..].iter().zip(&numbers) {
                // Memory that stays empty is not touched.
                if number != 0 {
                    word.store(number, Relaxed);
                }
            }
        }
        let mut last = Vec::new();
        input.take(5).read_to_end(&mut last)?;
        if last != sum.finalize().to_le_bytes() {
            return Err(SavedError::Damaged);
        }
        Ok(Spent {
            nodes,
            time: Duration::from_millis(milliseconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn contents(buckets: &Buckets) -> Contents<'_> {
        Contents {
            board: (4, 5),
            assumptions: Assumptions::None,
            weights: vec![0.0; 3],
            buckets,
        }
    }

    fn table(words: usize) -> Buckets {
        let bits = (words / BUCKET).ilog2();
        Buckets::new(bits, bits).expect("a megabyte")
    }

    fn written(size: usize) -> (Vec<u8>, Spent) {
        let words = table(size);
        for (index, word) in (0u64..).zip(words.words()) {
            word.store(index.wrapping_mul(0x9e37_79b9_7f4a_7c15), Relaxed);
        }
        let mut kept = contents(&words);
        kept.weights = vec![1.5, -2.25, 0.0];
        let spent = Spent {
            nodes: 1 << 40,
            time: Duration::from_millis(1234),
        };
        let mut file = Vec::new();
        kept.write(&mut file, spent).expect("memory takes all");
        (file, spent)
    }

    /// For where no bucket may be handed on.
    fn nobody(_: usize, _: usize, _: &[u64]) {
        panic!("a table of the same size is taken as it is");
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let (file, spent) = written(2 * CHUNK);
        let words = table(2 * CHUNK);
        let mut back = contents(&words);
        let read = back.read(&file[..], LoadMode::Whole, &nobody);
        assert_eq!(read.expect("it is whole"), spent);
        assert_eq!(back.weights, [1.5, -2.25, 0.0]);
        let mut again = Vec::new();
        back.write(&mut again, spent).expect("memory takes all");
        assert!(again == file);
    }

    /// Checks that a table is loaded by buckets into one of `present` words.
    fn is_handed_on(present: usize, mode: LoadMode) {
        let size = 2 * CHUNK;
        let (file, spent) = written(size);
        let words = table(present);
        // One that is already used at its full size, since its numbers need it.
        let mut back = contents(&words);
        let handed_on = RefCell::new(Vec::new());
        let import_bucket = |words: usize, index: usize, bucket: &[u64]| {
            assert_eq!((words, bucket.len()), (size, BUCKET));
            assert_eq!(handed_on.borrow().len(), index * BUCKET);
            handed_on.borrow_mut().extend_from_slice(bucket);
        };
        let read = back.read(&file[..], mode, &import_bucket);
        assert_eq!(read.expect("it is whole"), spent);
        let place = size_of::<Header>() + 4 * back.weights.len();
        let bytes = handed_on.into_inner();
        let bytes = bytes.iter().flat_map(|word| word.to_le_bytes());
        assert!(bytes.eq(file[place..place + 8 * size].iter().copied()));
        assert!(words.words().iter().all(|word| word.load(Relaxed) == 0));
    }

    #[test]
    fn a_table_of_another_size_is_handed_on_bucket_by_bucket() {
        is_handed_on(4 * CHUNK, LoadMode::Whole);
        is_handed_on(4 * CHUNK, LoadMode::Part);
        is_handed_on(CHUNK / 2, LoadMode::Part);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (file, _) = written(2 * CHUNK);
        let read = |size: usize, board: (u8, u8), bytes: &[u8]| {
            let words = table(size);
            let mut back = contents(&words);
            back.board = board;
            back.read(bytes, LoadMode::Whole, &nobody)
                .expect_err("it must be refused")
        };
        let size = 2 * CHUNK;
        assert!(matches!(read(size, (5, 4), &file), SavedError::Board(4, 5)));
        assert!(matches!(
            read(CHUNK, (4, 5), &file),
            SavedError::Size { .. }
        ));
        // No table has this many words.
        let mut odd = file.clone();
        odd[24] ^= 8;
        assert!(matches!(read(2 * size, (4, 5), &odd), SavedError::Magic));
        let mut other = file.clone();
        other[0] = b'Q';
        assert!(matches!(read(size, (4, 5), &other), SavedError::Magic));
        let short = &file[..file.len() - 1];
        assert!(matches!(read(size, (4, 5), short), SavedError::Damaged));
        let shorter = &file[..file.len() - 9];
        assert!(matches!(read(size, (4, 5), shorter), SavedError::Read(_)));
        let mut longer = file.clone();
        longer.push(0);
        assert!(matches!(read(size, (4, 5), &longer), SavedError::Damaged));
        let damaged = |place: usize| {
            let mut bytes = file.clone();
            bytes[place] ^= 4;
            read(size, (4, 5), &bytes)
        };
        for place in [50, 4096, file.len() - 2] {
            assert!(matches!(damaged(place), SavedError::Damaged), "{place}");
        }
        // No file of this version has so many weights.
        assert!(matches!(damaged(16), SavedError::Magic));
    }
}
