//! What an interrupted check has found out, in files next to its record: the
//! provers' table and the checker's memory.

use super::super::files::{Draft, beside, fault};
use super::notes::Subject;
use super::witness::Provers;
use crate::tools::check::Memory;
use crc32fast::Hasher;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The first line of the memory's file.
const TITLE: &str = "petard check memory 1";

/// The files, if wanted.
pub struct Kept {
    /// The file of the provers' table.
    pub table: Option<PathBuf>,
    /// The file of the checker's memory.
    pub memory: Option<PathBuf>,
}

impl Kept {
    /// The files that belong to a record.
    pub fn beside(record: Option<&PathBuf>, table: bool, memory: bool) -> Self {
        let named = |ending| Some(beside(record?, ending));
        Self {
            table: table.then(|| named(".check-table")).flatten(),
            memory: memory.then(|| named(".check-memory")).flatten(),
        }
    }

    /// Loads the memory's file, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is about another certificate.
    pub fn load(&self, memory: Option<&Memory>, subject: &Subject) -> Result<(), Box<dyn Error>> {
        let (Some(path), Some(memory)) = (&self.memory, memory) else {
            return Ok(());
        };
        match File::open(path) {
            Ok(file) => load(memory, subject, file).map_err(|error| fault(path, &error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(fault(path, &error)),
        }
    }

    /// Writes both files, the second one even if the first cannot be written.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(
        &self,
        provers: &dyn Provers,
        memory: Option<&Memory>,
        subject: &Subject,
    ) -> Result<(), Box<dyn Error>> {
        let table = self.table.as_deref().map_or(Ok(()), |path| {
            Draft::begin(path)?.finish(|output| provers.save(output))
        });
        let memory = self.memory.as_deref().zip(memory);
        let memory = memory.map_or(Ok(()), |(path, memory)| {
            Draft::begin(path)?.finish(|output| save(memory, subject, output))
        });
        table.and(memory)
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.table.iter().chain(&self.memory).map(PathBuf::as_path)
    }
}

/// Writes three lines (title, certificate, number of positions), the positions,
/// and a checksum of it all.
fn save(memory: &Memory, subject: &Subject, output: &mut dyn Write) -> io::Result<()> {
    let mut output = Summed(output, Hasher::new());
    let (certificate, count) = (subject.whole(), memory.count());
    writeln!(output, "{TITLE}\n{certificate}\n{count}")?;
    memory.save(&mut output)?;
    let sum = output.1.finalize();
    output.0.write_all(&sum.to_le_bytes())
}

fn load(memory: &Memory, subject: &Subject, file: File) -> io::Result<()> {
    let bad = |text: &str| io::Error::new(ErrorKind::InvalidData, text);
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut head = String::new();
    for _ in 0..3 {
        (&mut file).take(1 << 10).read_line(&mut head)?;
    }
    let lines: Vec<&str> = head.lines().collect();
    let [TITLE, certificate, count] = lines[..] else {
        return Err(bad("it is not the memory of a check"));
    };
    if certificate != subject.whole().to_string() {
        return Err(bad("it is for another certificate"));
    }
    let count = count.parse();
    let count = count.map_err(|_| bad("it is not the memory of a check"))?;
    let mut sum = Hasher::new();
    sum.update(head.as_bytes());
    let mut input = Summed(file, sum);
    let ends = |error: io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => bad("it is cut short"),
        _ => error,
    };
    memory.load(count, &mut input).map_err(ends)?;
    let Summed(mut file, sum) = input;
    let mut last = Vec::new();
    file.read_to_end(&mut last)?;
    if last != sum.finalize().to_le_bytes() {
        return Err(bad("it is damaged"));
    }
    Ok(())
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
