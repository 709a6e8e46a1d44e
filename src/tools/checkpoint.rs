//! The checkpoint of a long job: one file from which the same command resumes.
//!
//! Two lines, `petard checkpoint 1` and what the job is about, come first. Then
//! sections: a line with the name, chunks, each a length of 4 bytes (lowest first)
//! and as many bytes, and a chunk of length 0. A line `end` and the CRC-32 of all
//! that (as zlib's, 4 bytes, lowest first) come last. The file is trusted like the
//! program itself.

use super::console::report_error;
use super::files::{AtomicFile, file_error};
use crc32fast::Hasher;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const TITLE: &str = "petard checkpoint 1";
const END: &str = "end";

/// How the files began that version 0.2 kept for this: the tables of proofs and of
/// checks, the record and the memory of a check, the draft of a certificate.
const EARLIER: [&[u8]; 4] = [
    b"PETARDT1",
    b"PETARDC1",
    b"petard check ",
    b"breakthrough certificate draft ",
];

/// Bytes in a chunk at most.
const CHUNK: usize = 1 << 20;

/// How often a checkpoint is saved by default.
const INTERVAL: Duration = Duration::from_secs(60);

/// By default, saving takes at most one part in this many of the time.
const MIN_INTERVALS: u32 = 20;

/// What a job is about: its checkpoint serves no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckpointSubject {
    /// Proofs, which share the table of a board.
    Proof,
    /// The check of a short certificate, by its checksum, and of the part of its
    /// leaves if not of all.
    Check(u32, Option<Range<usize>>),
}

impl fmt::Display for CheckpointSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proof => write!(f, "proof"),
            Self::Check(certificate, part) => {
                write!(f, "check of certificate {certificate:08x}")?;
                match part {
                    Some(part) => write!(f, " leaves {}-{}", part.start, part.end),
                    None => Ok(()),
                }
            }
        }
    }
}

impl CheckpointSubject {
    /// What is wrong with a checkpoint that is about something else.
    fn mismatch(&self, found: &str) -> String {
        let kind = |text: &str| text.split(' ').next() == found.split(' ').next();
        match self {
            Self::Check(certificate, _) if kind(&self.to_string()) => {
                let whole = Self::Check(*certificate, None).to_string();
                let part = if found.starts_with(&whole) {
                    "part of the certificate"
                } else {
                    "certificate"
                };
                format!("it is for another {part}")
            }
            Self::Check(..) => "it is the checkpoint of a proof, not of a check".to_owned(),
            Self::Proof => "it is the checkpoint of a check, not of a proof".to_owned(),
        }
    }
}

/// Computes a checksum of all that passes through it.
struct Summed<T>(T, Hasher);

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.update(&buffer[..count]);
        Ok(count)
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.0.write(buffer)?;
        self.1.update(&buffer[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "it is damaged")
}

/// What a reader says where a file ends too soon.
fn cut_short(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => io::Error::new(ErrorKind::InvalidData, "it is cut short"),
        _ => error,
    }
}

/// What takes in a section of a checkpoint.
type Load<'a> = dyn FnMut(&str, &mut Reader) -> Result<(), Box<dyn Error>> + 'a;

/// Reads a checkpoint; as a [`Read`], the content of the section it has come to.
pub(crate) struct Reader {
    input: Summed<BufReader<File>>,
    /// What is left of the chunk.
    left: usize,
    is_in_section: bool,
    length: u64,
}

impl Reader {
    /// Opens a file; returns what it is about too.
    fn open(path: &Path) -> io::Result<(Self, String)> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut input = BufReader::with_capacity(CHUNK, file);
        let begins = input.fill_buf()?;
        let bad = |text| io::Error::new(ErrorKind::InvalidData, text);
        if EARLIER.iter().any(|title| begins.starts_with(title)) {
            return Err(bad(
                "it was kept by an earlier version, and this one cannot resume from it",
            ));
        }
        if !begins.starts_with(format!("{TITLE}\n").as_bytes()) {
            return Err(bad("it is not a checkpoint of petard solve or check"));
        }
        let mut reader = Self {
            input: Summed(input, Hasher::new()),
            left: 0,
            is_in_section: false,
            length,
        };
        reader.line()?;
        let subject = reader.line()?;
        Ok((reader, subject))
    }

    /// The table in the checkpoint of a proof: a reader that has come to it.
    pub(crate) fn table(path: &Path) -> Result<Self, Box<dyn Error>> {
        let named = |error: io::Error| file_error(path, &error);
        let (mut reader, _) = Self::open(path).map_err(named)?;
        while let Some(section) = reader.next_section().map_err(named)? {
            if section == TABLE {
                return Ok(reader);
            }
        }
        Err(file_error(path, &"there is no table in it"))
    }

    /// The length of the whole file.
    pub(crate) const fn file_length(&self) -> u64 {
        self.length
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        loop {
            let mut byte = [0];
            self.input.read_exact(&mut byte).map_err(cut_short)?;
            if byte == [b'\n'] {
                return String::from_utf8(line).map_err(|_| damaged());
            }
            line.extend(byte);
            if line.len() > 1 << 10 {
                return Err(damaged());
            }
        }
    }

    /// Goes on to the next section, and returns its name; `None` if there is none
    /// and the file is whole.
    fn next_section(&mut self) -> io::Result<Option<String>> {
        io::copy(self, &mut io::sink())?;
        let name = self.line()?;
        if name != END {
            self.is_in_section = true;
            return Ok(Some(name));
        }
        let sum = self.input.1.clone().finalize();
        let mut last = Vec::new();
        self.input.read_to_end(&mut last)?;
        match last == sum.to_le_bytes() {
            true => Ok(None),
            false if last.len() < 4 => Err(cut_short(ErrorKind::UnexpectedEof.into())),
            false => Err(damaged()),
        }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_in_section {
            return Ok(0);
        }
        if self.left == 0 {
            let mut length = [0; 4];
            self.input.read_exact(&mut length).map_err(cut_short)?;
            self.left = u32::from_le_bytes(length) as usize;
            if self.left > CHUNK {
                return Err(damaged());
            }
            if self.left == 0 {
                self.is_in_section = false;
                return Ok(0);
            }
        }
        let wanted = buffer.len().min(self.left);
        let count = self.input.read(&mut buffer[..wanted])?;
        if count == 0 && wanted > 0 {
            return Err(cut_short(ErrorKind::UnexpectedEof.into()));
        }
        self.left -= count;
        Ok(count)
    }
}

/// The sections of checkpoints.
pub(crate) const TABLE: &str = "table";
/// A short certificate that is not complete.
pub(crate) const CERTIFICATE: &str = "certificate";
/// The leaves that have been checked, and what that took.
pub(crate) const RECORD: &str = "record";
/// What a checker has checked.
pub(crate) const MEMORY: &str = "memory";

/// Writes the sections of a checkpoint.
pub(crate) struct Writer<'a>(Summed<&'a mut dyn Write>);

impl Writer<'_> {
    /// Writes a section.
    pub(crate) fn section(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        writeln!(self.0, "{name}")?;
        let mut content = BufWriter::with_capacity(CHUNK, Chunks(&mut self.0));
        write(&mut content)?;
        content.flush()?;
        drop(content);
        self.0.write_all(&0u32.to_le_bytes())
    }
}

/// Writes what it gets as chunks.
struct Chunks<'a, W>(&'a mut W);

impl<W: Write> Write for Chunks<'_, W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = buffer.len().min(CHUNK);
        if count > 0 {
            self.0.write_all(&(count as u32).to_le_bytes())?;
            self.0.write_all(&buffer[..count])?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The checkpoint of a job at work.
pub(crate) struct Checkpoint {
    path: PathBuf,
    subject: CheckpointSubject,
    /// What an earlier run has left, until it is loaded.
    found: Option<Reader>,
    /// The next file, unless the last one could not be written.
    next: Option<AtomicFile>,
    /// How often it is saved, if the user says so.
    interval: Option<Duration>,
    saved: Instant,
    took: Duration,
}

impl Checkpoint {
    /// Opens the checkpoint of a job, and makes sure that it can be saved: better to
    /// know that before hours of work.
    pub(crate) fn open(
        path: &Path,
        subject: CheckpointSubject,
        interval: Option<Duration>,
    ) -> Result<Self, Box<dyn Error>> {
        let next = Some(AtomicFile::begin(path)?);
        let found = match Reader::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            found => Some(found.map_err(|error| file_error(path, &error))?),
        };
        if let Some((_, found)) = &found
            && *found != subject.to_string()
        {
            return Err(file_error(path, &subject.mismatch(found)));
        }
        Ok(Self {
            path: path.to_owned(),
            subject,
            found: found.map(|(reader, _)| reader),
            next,
            interval,
            saved: Instant::now(),
            took: Duration::ZERO,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is an earlier run to resume.
    pub(crate) const fn exists(&self) -> bool {
        self.found.is_some()
    }

    /// Hands each section of what an earlier run has left to `load`.
    pub(crate) fn load(&mut self, load: &mut Load<'_>) -> Result<(), Box<dyn Error>> {
        let Some(mut reader) = self.found.take() else {
            return Ok(());
        };
        let named = |error: io::Error| file_error(&self.path, &error);
        while let Some(section) = reader.next_section().map_err(named)? {
            load(&section, &mut reader).map_err(|error| file_error(&self.path, &error))?;
        }
        Ok(())
    }

    /// How often it is saved.
    pub(crate) fn interval(&self) -> Duration {
        let default = INTERVAL.max(self.took * MIN_INTERVALS);
        self.interval.unwrap_or(default)
    }

    /// Whether it is time to save it again.
    pub(crate) fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.interval()
    }

    /// Saves it on the way. An error is only reported: hours of work must not end
    /// for it, and the next attempt may succeed.
    pub(crate) fn save_so_far(&mut self, write: &mut dyn FnMut(&mut Writer<'_>) -> io::Result<()>) {
        let start = Instant::now();
        let saved = self.save(write);
        let ready = AtomicFile::begin(&self.path).map(|next| self.next = Some(next));
        if let Err(error) = saved.and(ready) {
            report_error(&format!("{error}; trying again later"));
        }
        (self.saved, self.took) = (Instant::now(), start.elapsed());
    }

    /// Saves it; the old one stays until the new one is complete.
    pub(crate) fn save(
        &mut self,
        write: &mut dyn FnMut(&mut Writer<'_>) -> io::Result<()>,
    ) -> Result<(), Box<dyn Error>> {
        let file = match self.next.take() {
            Some(file) => file,
            None => AtomicFile::begin(&self.path)?,
        };
        file.finish(|output| {
            let mut writer = Writer(Summed(output, Hasher::new()));
            writeln!(writer.0, "{TITLE}\n{}", self.subject)?;
            write(&mut writer)?;
            writeln!(writer.0, "{END}")?;
            let Summed(output, sum) = writer.0;
            output.write_all(&sum.finalize().to_le_bytes())
        })
    }

    /// Deletes it: there is nothing left to resume.
    pub(crate) fn delete(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
