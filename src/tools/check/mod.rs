//! `petard check`: the command. The checker itself is in [`super::checker`] and
//! knows nothing about the engine; here the prover is called as its witness.

mod leaves;

use super::checker::{CheckError, Claim, Short, check, is_short};
use super::checkpoint::{Checkpoint, CheckpointSubject, MEMORY, RECORD, TABLE};
use super::console::{print, report_error, rounded};
use super::files::{file_error, overwrites};
use super::job::{INTERRUPTED, LongJob};
use super::{parse_interval, version};
use crate::base::{check_available, cores};
use chrono::{SecondsFormat, Utc};
use clap::Args;
use leaves::{Done, Resources, check_leaves};
use leaves::{ProverConfig, Provers};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How many times the nodes stated in the file a leaf may take: provers of
/// other versions search differently.
const NODE_FACTOR: u64 = 16;

/// The same for a prover with memory: leaves may assume each other's proofs,
/// and the first one pays for all.
const NODE_FACTOR_WITH_MEMORY: u64 = 1 << 16;

/// The memory that a check needs besides that of its options, in bytes: at least,
/// and per byte of the certificate. It is asked for before the work: that a small
/// allocation fails cannot be reported.
const MIN_MEMORY: usize = 24 << 20;
const MEMORY_FACTOR: usize = 16;

/// The most bytes per leaf in the provers' table.
const TABLE_BYTES_PER_LEAF: usize = 1 << 16;

/// Check a certificate that solve has written
///
/// Checks a certificate written by `petard solve --certificate`, and prints the
/// position and what is proven about it. The checker shares no code with the
/// solver. What a short certificate leaves out is proven again, leaf by leaf,
/// and the checker verifies each of these proofs.
///
/// Exit status: 0 proven (with --leaves: those leaves hold); 1 the certificate
/// is refused or cannot be read, memory or threads are short, or the results
/// cannot be saved; 2 wrong arguments; 130 interrupted.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The certificate to check
    file: PathBuf,
    /// Threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Resume the check of a short certificate from this file if it exists, and save
    /// it there at intervals and when interrupted (Ctrl-C, SIGTERM, SIGHUP): which
    /// leaves have been checked and, within --memory, what has been proven. The file is
    /// deleted when all are checked
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Save --resume's file at this interval [default: 60, or 20 times as long as
    /// saving takes]
    #[arg(long, value_name = "SECONDS", value_parser = parse_interval, requires = "resume")]
    save: Option<Duration>,
    /// Begin with the table of a proof on this board, saved by `petard solve
    /// --resume FILE`: what it knows need not be proven again. It is only read, and
    /// takes its own memory on top of --memory. The leaves are checked all the same
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Check only leaves FROM to TO of a short certificate, counted from 0; TO
    /// is not included, so 0-0 checks none, only the positions of the file
    #[arg(long, value_name = "FROM-TO", value_parser = parse_range)]
    leaves: Option<Range<usize>>,
    /// The most nodes a leaf may take; by default 65,536 times what the file
    /// says, or 16 times with --memory 0 and no --from
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    leaf_nodes: Option<u64>,
    /// Memory in MB for what has been proven and checked of a short certificate: the
    /// proofs of its leaves overlap, so what they share is checked only once, and each
    /// may assume the others. With 0, every leaf is proven and checked by itself
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(0..=1 << 24))]
    memory: u32,
    /// When the check is complete, add a row to this file (values separated by tabs):
    /// name and SHA-256 of the certificate, version of petard, leaves checked, nodes,
    /// positions, date
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print one JSON object as the last line
    #[arg(long)]
    json: bool,
    /// Do not report progress
    #[arg(long, short)]
    quiet: bool,
}

impl Check {
    pub(crate) fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        let length = std::fs::metadata(&self.file).map_or(0, |data| data.len());
        check_available(
            MIN_MEMORY.saturating_add(usize::try_from(length)?.saturating_mul(MEMORY_FACTOR)),
        )?;
        let data = std::fs::read(&self.file).map_err(|error| file_error(&self.file, &error))?;
        let mut log = self.open_log()?;
        if is_short(&data) {
            return self.check_short(&data, log.as_mut());
        }
        let is_about_leaves = self.leaves.is_some() || self.leaf_nodes.is_some();
        if is_about_leaves || self.resume.is_some() || self.from.is_some() {
            let name = self.file.display();
            return Err(format!("'{name}' is not a short certificate: it has no leaves").into());
        }
        let mut job = LongJob::begin(self.quiet, None)?;
        let start = Instant::now();
        let proven = check(&data, self.threads(), &mut |done, all| {
            job.show(|| {
                let speed = done as f64 / start.elapsed().as_secs_f64();
                format!("{done} of {all} positions, {speed:.0}/s")
            })
        });
        job.status.end();
        let proven = match proven {
            Ok(proven) => proven,
            Err(error) => return self.not_accepted(error),
        };
        let seconds = start.elapsed().as_secs_f64();
        print(&format!(
            "{}{}x{}, {} positions, wins within {} plies searched, {seconds:.1} s\n",
            claim(&proven),
            proven.board.0,
            proven.board.1,
            proven.positions,
            proven.depth,
        ))?;
        if self.json {
            let mut answer = summary(&proven, seconds);
            answer["proven"] = true.into();
            print(&format!("{answer}\n"))?;
        }
        if let Some(log) = &mut log {
            let entry = LogEntry {
                kept: proven.positions,
                ..LogEntry::default()
            };
            log.add(&self.file, &data, &entry)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn open_log(&self) -> Result<Option<Log>, Box<dyn Error>> {
        let others: Vec<_> = [&self.resume, &self.from].into_iter().flatten().collect();
        let others: Vec<_> = [&self.file]
            .into_iter()
            .chain(others)
            .map(PathBuf::as_path)
            .collect();
        self.log
            .as_ref()
            .map(|path| Log::open(path, &others))
            .transpose()
    }

    /// Reports why the certificate is not accepted.
    fn not_accepted(&self, error: CheckError) -> Result<ExitCode, Box<dyn Error>> {
        let name = self.file.display();
        match error {
            CheckError::Refused(error) => Err(format!("'{name}' REFUSED: {error}").into()),
            CheckError::Machine(error) => Err(error.into()),
            CheckError::Ended => {
                report_error(&format!("'{name}': interrupted, nothing is proven"));
                Ok(ExitCode::from(INTERRUPTED))
            }
        }
    }

    /// Makes sure that what is written overwrites nothing that is read.
    fn check_files(&self) -> Result<(), Box<dyn Error>> {
        let inputs = [Some(&self.file), self.from.as_ref()];
        for (output, input) in self.resume.iter().zip(inputs.into_iter().flatten()) {
            if overwrites(output, input) {
                let input = input.display();
                return Err(file_error(output, &format!("it would overwrite '{input}'")));
            }
        }
        Ok(())
    }

    /// The checker's memory in bytes. A table from a file takes memory of its own.
    const fn checker_bytes(&self) -> usize {
        let memory = (self.memory as usize) << 20;
        memory - if self.from.is_some() { 0 } else { memory / 2 }
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }

    /// Whatever an earlier run has found out, and how many leaves it has checked.
    fn resources(
        &self,
        short: &Short,
        certificate: u32,
        part: &Range<usize>,
        checkpoint: Option<&mut Checkpoint>,
    ) -> Result<(Resources, Done), Box<dyn Error>> {
        let remembers = self.memory > 0;
        let has_own_table = remembers && self.from.is_none();
        let (mut before, mut resumed, mut memory) = (Done::default(), None, None);
        if let Some(checkpoint) = checkpoint {
            let path = checkpoint.path().to_owned();
            checkpoint.load(&mut |section, input| {
                match section {
                    RECORD => before = Done::read(input)?,
                    TABLE if has_own_table => {
                        let config = self.prover_config(short, certificate);
                        resumed = Some(Provers::new(short, config, Some(input))?);
                    }
                    MEMORY if remembers => {
                        let filled = leaves::memory(short, part, self.checker_bytes())?;
                        filled
                            .iter()
                            .try_for_each(|memory| leaves::load(memory, input))?;
                        memory = Some(filled);
                    }
                    _ => {}
                }
                Ok(())
            })?;
            if before.leaves > part.len() {
                return Err(file_error(&path, &"it records more leaves than there are"));
            }
        }
        let provers = match resumed {
            Some(provers) => provers,
            None => Provers::new(short, self.prover_config(short, certificate), None)?,
        };
        let memory = match memory {
            Some(memory) => memory,
            None => leaves::memory(short, part, self.checker_bytes())?,
        };
        let resources = Resources {
            threads: self.threads(),
            provers,
            memory,
        };
        Ok((resources, before))
    }

    fn check_short(&self, data: &[u8], log: Option<&mut Log>) -> Result<ExitCode, Box<dyn Error>> {
        self.check_files()?;
        // Without the file's own checksum: with it, all intact files have the same CRC.
        let certificate = crc32fast::hash(&data[..data.len().saturating_sub(4)]);
        let subject = CheckpointSubject::Check(certificate, self.leaves.clone());
        let open = |path: &PathBuf| Checkpoint::open(path, subject.clone(), self.save);
        let checkpoint = self.resume.as_ref().map(open).transpose()?;
        let mut job = LongJob::begin(self.quiet, checkpoint)?;
        let start = Instant::now();
        let short = Short::new(data, self.threads(), &mut |done, all| {
            job.show(|| format!("{done} of {all} positions"))
        });
        let short = match short {
            Ok(short) => short,
            Err(error) => return self.not_accepted(error),
        };
        let part = self.leaves.clone().unwrap_or(0..short.leaves());
        if part.end > short.leaves() {
            return Err(format!("--leaves: there are only {} leaves", short.leaves()).into());
        }
        let checkpoint = job.checkpoint.as_mut();
        let (resources, before) = self.resources(&short, certificate, &part, checkpoint)?;
        let (all, error) = check_rest(&short, &part, &resources, before, &mut job);
        let is_complete = error.is_none() && all.leaves == part.len();
        // A leaf that was too expensive may hold with more nodes: what has been found
        // out is not lost. It is reported, even if it cannot be saved.
        let saved = match is_complete {
            true => Ok(()),
            false => job.save(&mut |writer| resources.save(&all, writer)),
        };
        if let Some(error) = error {
            saved.unwrap_or_else(|error| report_error(&error.to_string()));
            return self.not_accepted(error);
        }
        let is_resumed = before.leaves > 0;
        self.report(
            &short,
            &part,
            &all,
            is_resumed,
            start.elapsed(),
            is_complete,
        )?;
        if !is_complete {
            saved?;
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if let Some(log) = log {
            let entry = LogEntry {
                kept: short.proven().positions,
                checked: part,
                leaves: short.leaves(),
                nodes: all.nodes,
                positions: all.positions,
                memory: self.memory,
                is_resumed,
            };
            log.add(&self.file, data, &entry)?;
        }
        // Not before the result has been reported and logged.
        if let Some(checkpoint) = job.checkpoint {
            checkpoint.delete();
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What the provers may take.
    fn prover_config(&self, short: &Short, certificate: u32) -> ProverConfig {
        let factor = if self.memory > 0 || self.from.is_some() {
            NODE_FACTOR_WITH_MEMORY
        } else {
            NODE_FACTOR
        };
        let max_nodes = short.leaf_nodes().saturating_mul(factor);
        let memory = (self.memory as usize) << 20;
        ProverConfig {
            certificate,
            nodes: short.leaf_nodes(),
            max_nodes: self.leaf_nodes.unwrap_or(max_nodes),
            depth: short.proven().depth as u8,
            bytes: (memory / 2).min(short.leaves().saturating_mul(TABLE_BYTES_PER_LEAF)),
            from: self.from.clone(),
        }
    }

    fn report(
        &self,
        short: &Short,
        part: &Range<usize>,
        done: &Done,
        is_resumed: bool,
        time: Duration,
        is_complete: bool,
    ) -> Result<(), Box<dyn Error>> {
        let proven = short.proven();
        let all = short.leaves();
        let is_proven = is_complete && self.leaves.is_none();
        let mut text = if is_proven {
            claim(&proven)
        } else {
            let (start, end) = (part.start, part.start + done.leaves);
            let cut = if is_complete { "" } else { "interrupted: " };
            // The leaves checked before may have been checked with memory.
            let condition = if self.memory > 0 || is_resumed {
                " if the others do"
            } else {
                ""
            };
            format!(
                "{}\n{cut}leaves {start} to before {end} of {all} hold{condition}\n",
                proven.fen
            )
        };
        let speed = done.positions as f64 * 1e9 / done.checking.max(1) as f64;
        text += &format!(
            "{}x{}, {} positions kept, {} leaves of at most {} nodes: {} nodes to prove them, \
             {} positions checked, {speed:.0}/s per core, {:.1} s {}\n",
            proven.board.0,
            proven.board.1,
            proven.positions,
            done.leaves,
            short.leaf_nodes(),
            done.nodes,
            done.positions,
            time.as_secs_f64(),
            if is_resumed {
                "since it was resumed"
            } else {
                "in total"
            },
        );
        print(&text)?;
        if self.json {
            let mut answer = summary(&proven, time.as_secs_f64());
            answer["proven"] = is_proven.into();
            answer["leaf_nodes"] = short.leaf_nodes().into();
            answer["all_leaves"] = all.into();
            answer["leaves"] = done.leaves.into();
            answer["nodes"] = done.nodes.into();
            answer["checked"] = done.positions.into();
            print(&format!("{answer}\n"))?;
        }
        Ok(())
    }
}

/// Checks those leaves of a part that have not been checked before, and saves the
/// checkpoint between them. Returns what has been done in all, and why no more.
fn check_rest(
    short: &Short,
    part: &Range<usize>,
    resources: &Resources,
    before: Done,
    job: &mut LongJob,
) -> (Done, Option<CheckError>) {
    let range = part.start + before.leaves..part.end;
    let count = range.len();
    let start = Instant::now();
    let mut last = Done::default();
    let mut go_on = |done: &Done, gate: &leaves::Gate| {
        last = *done;
        let goes_on = job.show(|| {
            let (seconds, now) = (start.elapsed().as_secs_f64(), done.leaves);
            let left = seconds / now.max(1) as f64 * (count - now) as f64;
            format!("{now} of {count} leaves, about {left:.0} s left")
        });
        if goes_on && job.is_save_due() {
            let interrupt = job.interrupt.clone();
            let all = before + *done;
            let mut save = || job.save_so_far(&mut |writer| resources.save(&all, writer));
            gate.while_closed(|| interrupt.is_raised(), &mut save);
        }
        goes_on
    };
    let done = check_leaves(short, range, resources, &mut go_on);
    job.status.end();
    match done {
        Ok(done) => (before + done, None),
        Err(error) => (before + last, Some(error)),
    }
}

/// The position, and what is proven about it.
fn claim(proven: &Claim) -> String {
    let winner = if proven.white_wins { "white" } else { "black" };
    let which = if proven.side_to_move_wins {
        "to move"
    } else {
        "not to move"
    };
    format!("{}\nproven: {winner} wins (the side {which})\n", proven.fen)
}

fn summary(proven: &Claim, seconds: f64) -> serde_json::Value {
    json!({
        "board": format!("{}x{}", proven.board.0, proven.board.1),
        "fen": proven.fen,
        "winner": if proven.white_wins { "white" } else { "black" },
        "proven": false,
        "positions": proven.positions,
        "seconds": rounded(seconds, 3),
    })
}

/// Parses a range of numbers, excluding its end.
fn parse_range(text: &str) -> Result<Range<usize>, String> {
    let range = text.split_once('-').and_then(|(from, to)| {
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        (from <= to).then_some(from..to)
    });
    range.ok_or_else(|| "not a range such as 0-100".to_owned())
}

/// The columns of the log of checks, which has a row for each that came to its end, so
/// that what is called checked can be shown.
const COLUMNS: &str =
    "file\tsha256\tpetard\tkept\tfrom\tto\tleaves\tnodes\tpositions\tmemory\tresumed\tdate\n";

/// What a check has found out. A whole certificate has no leaves and needs no nodes.
#[derive(Default)]
struct LogEntry {
    /// Positions of the file.
    kept: usize,
    /// The leaves that hold.
    checked: Range<usize>,
    /// How many the certificate has.
    leaves: usize,
    /// Nodes to prove them.
    nodes: u64,
    /// Positions of their proofs.
    positions: u64,
    /// `--memory`: with 0 each leaf holds by itself, otherwise if all others do.
    memory: u32,
    /// Whether an earlier run, perhaps of another version, has done a part of it.
    is_resumed: bool,
}

/// A file to which rows are added.
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens it, before the work begins. It may be none of `others`.
    fn open(path: &Path, others: &[&Path]) -> Result<Self, Box<dyn Error>> {
        if let Some(other) = others.iter().find(|other| overwrites(path, other)) {
            let error = format!("it would overwrite '{}'", other.display());
            return Err(file_error(path, &error));
        }
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(|error| file_error(path, &error))?;
        let path = path.to_owned();
        Ok(Self { path, file })
    }

    /// Adds a row about the certificate `name`, and the names of the columns if there are none.
    fn add(&mut self, name: &Path, data: &[u8], entry: &LogEntry) -> Result<(), Box<dyn Error>> {
        let mut rows = String::new();
        if self.file.metadata().is_ok_and(|data| data.len() == 0) {
            rows += COLUMNS;
        }
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        rows += &name.replace(['\t', '\n'], " ");
        rows.push('\t');
        for byte in Sha256::digest(data) {
            write!(rows, "{byte:02x}")?;
        }
        let Range { start, end } = entry.checked;
        let resumed = if entry.is_resumed { "yes" } else { "no" };
        let date = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        writeln!(
            rows,
            "\t{}\t{}\t{start}\t{end}\t{}\t{}\t{}\t{}\t{resumed}\t{date}",
            version(),
            entry.kept,
            entry.leaves,
            entry.nodes,
            entry.positions,
            entry.memory,
        )?;
        // In one piece: another process may be adding its own.
        let written = self.file.write_all(rows.as_bytes());
        written.map_err(|error| file_error(&self.path, &error))
    }
}
