//! `petard check`: the command. The checker itself is in [`super::check`] and
//! knows nothing about the engine; here the prover is called as its witness.

mod kept;
mod leaves;
mod notes;
mod witness;

use super::check::{Fault, Proven, Short, check, is_short};
use super::console::{Status, print, rounded, tell};
use super::files::{fault, overwrites};
use super::interrupt::{INTERRUPTED, Interrupt};
use clap::Args;
use kept::Kept;
use leaves::{CheckFault, Means, check_leaves};
use notes::{Done, Subject};
use serde_json::json;
use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use witness::{Terms, provers};

/// How often progress is reported, and how often it is saved.
const REPORT: Duration = Duration::from_millis(500);
const SAVE: Duration = Duration::from_secs(5);

/// How many times the nodes stated in the file a leaf may take: provers of
/// other versions search differently.
const PATIENCE: u64 = 16;

/// The same for a prover with memory: leaves may rest on each other's proofs,
/// and the first one pays for all.
const PATIENCE_WITH_MEMORY: u64 = 1 << 16;

/// The most bytes per leaf in the provers' table.
const LEAF_BYTES: usize = 1 << 16;

/// Check a certificate that solve has written
///
/// Checks a certificate written by `petard solve --certificate`, and prints the
/// position and what is proven about it. The checker shares no code with the
/// solver. What a short certificate leaves out is proven again, leaf by leaf,
/// and the checker verifies each of these proofs.
///
/// Exit status: 0 proven (with --leaves: those leaves hold); 1 the certificate
/// is refused or cannot be read, memory or threads are short, or what was found
/// out cannot be saved; 2 wrong arguments; 130 interrupted.
#[derive(Debug, Args)]
pub struct Check {
    /// The certificate to check
    file: PathBuf,
    /// Threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Record in this file which leaves of a short certificate have been checked,
    /// and resume from it if it exists. It is deleted when all are checked
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Check only leaves FROM to TO of a short certificate, counted from 0; TO
    /// is not included, so 0-0 checks none, only the positions of the file
    #[arg(long, value_name = "FROM-TO", value_parser = parse_range)]
    leaves: Option<Range<usize>>,
    /// The most nodes a leaf may take; by default 65,536 times what the file
    /// says, or 16 times with --memory 0 and no --table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    leaf_nodes: Option<u64>,
    /// Memory in MB for what has been proven and checked of a short certificate: the
    /// proofs of its leaves overlap, so what they share is checked only once, and they
    /// may rest on each other. With 0, every leaf is proven and checked by itself
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(0..=1 << 24))]
    memory: u32,
    /// Table of a proof on this board, saved by `petard solve --table`: what it
    /// knows need not be proven again. Its memory comes on top of --memory. The
    /// leaves are checked all the same
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// With --resume FILE: if interrupted, also save what has been proven, in
    /// FILE.check-table (at most half the size of --memory), and resume from it
    #[arg(long, requires = "resume", conflicts_with = "table")]
    keep_table: bool,
    /// With --resume FILE: if interrupted, also save what has been checked, in
    /// FILE.check-memory (at most the size of --memory), and resume from it
    #[arg(long, requires = "resume")]
    keep_memory: bool,
    /// Print one JSON object as the last line
    #[arg(long)]
    json: bool,
    /// Do not report progress
    #[arg(long, short)]
    quiet: bool,
}

impl Check {
    /// Runs it.
    ///
    /// # Errors
    /// If the file cannot be read, or proves nothing.
    pub fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        let name = self.file.display();
        let data = std::fs::read(&self.file).map_err(|fault| format!("'{name}': {fault}"))?;
        if is_short(&data) {
            return self.check_short(&data);
        }
        let is_about_leaves = self.leaves.is_some() || self.leaf_nodes.is_some();
        if is_about_leaves || self.resume.is_some() || self.table.is_some() {
            return Err(format!("'{name}' is not a short certificate: it has no leaves").into());
        }
        let interrupt = Interrupt::listen()?;
        let (start, mut told) = (Instant::now(), Instant::now());
        let mut status = Status::new(self.quiet);
        let proven = check(&data, self.threads(), &mut |done, all| {
            if told.elapsed() >= REPORT {
                told = Instant::now();
                let speed = done as f64 / start.elapsed().as_secs_f64();
                status.show(&format!("{done} of {all} positions, {speed:.0}/s"));
            }
            !interrupt.is_raised()
        });
        status.end();
        let proven = match proven {
            Ok(proven) => proven,
            Err(fault) => return self.not_accepted(fault),
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
        Ok(ExitCode::SUCCESS)
    }

    /// Tells why the certificate is not accepted.
    fn not_accepted(&self, fault: Fault) -> Result<ExitCode, Box<dyn Error>> {
        let name = self.file.display();
        match fault {
            Fault::Refused(fault) => Err(format!("'{name}' REFUSED: {fault}").into()),
            Fault::Ended => {
                tell(&format!("'{name}': interrupted, nothing is proven"));
                Ok(ExitCode::from(INTERRUPTED))
            }
        }
    }

    /// Makes sure that what is written overwrites nothing that is read.
    fn check_files(&self, kept: &Kept) -> Result<(), Box<dyn Error>> {
        for output in self.resume.as_deref().into_iter().chain(kept.files()) {
            for input in [&self.file].into_iter().chain(&self.table) {
                if overwrites(output, input) {
                    let input = input.display();
                    return Err(fault(output, &format!("it would overwrite '{input}'")));
                }
            }
        }
        Ok(())
    }

    /// The files that keep what has been found out so far, if wanted.
    fn kept(&self) -> Kept {
        let remembers = self.memory > 0;
        Kept::beside(
            self.resume.as_ref(),
            self.keep_table && remembers,
            self.keep_memory && remembers,
        )
    }

    /// The checker's memory in bytes. A table from a file takes memory of its own.
    const fn checker_bytes(&self) -> usize {
        let memory = (self.memory as usize) << 20;
        memory - if self.table.is_some() { 0 } else { memory / 2 }
    }

    fn threads(&self) -> usize {
        let cores = || available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// What is to be checked, which leaves, and how much of that is done already.
    fn begin(
        &self,
        short: &Short,
        data: &[u8],
    ) -> Result<(Subject, Range<usize>, Done), Box<dyn Error>> {
        // Without the file's own checksum: with it, all intact files have the same CRC.
        let subject = Subject {
            sum: crc32fast::hash(&data[..data.len() - 4]),
            part: self.leaves.clone(),
        };
        let before = match &self.resume {
            Some(path) => notes::read(path, &subject)?,
            None => Done::default(),
        };
        let part = self.leaves.clone().unwrap_or(0..short.leaves());
        if part.end > short.leaves() {
            return Err(format!("--leaves: there are only {} leaves", short.leaves()).into());
        }
        if before.leaves > part.len() {
            return Err("--resume: the file records more leaves than there are".into());
        }
        Ok((subject, part, before))
    }

    fn check_short(&self, data: &[u8]) -> Result<ExitCode, Box<dyn Error>> {
        let kept = self.kept();
        self.check_files(&kept)?;
        let interrupt = Interrupt::listen()?;
        let (start, mut told) = (Instant::now(), Instant::now());
        let mut status = Status::new(self.quiet);
        let short = Short::new(data, self.threads(), &mut |done, all| {
            if told.elapsed() >= REPORT {
                told = Instant::now();
                status.show(&format!("{done} of {all} positions"));
            }
            !interrupt.is_raised()
        });
        let short = match short {
            Ok(short) => short,
            Err(fault) => return self.not_accepted(fault),
        };
        let (subject, part, before) = self.begin(&short, data)?;
        let range = part.start + before.leaves..part.end;
        let means = Means {
            threads: self.threads(),
            provers: &*provers(&short, self.terms(&short, &subject, &kept))?,
            memory: leaves::memory(&short, &range, self.checker_bytes())?,
        };
        kept.load(means.memory.as_ref(), &subject)?;
        let mut saved = Instant::now();
        let mut fault = None;
        let mut last = Done::default();
        let mut go_on = |done: &Done| {
            last = *done;
            if told.elapsed() >= REPORT {
                told = Instant::now();
                let seconds = start.elapsed().as_secs_f64();
                let (of, now) = (range.len(), done.leaves);
                let left = seconds / now.max(1) as f64 * (of - now) as f64;
                status.show(&format!("{now} of {of} leaves, about {left:.0} s left"));
            }
            if let Some(path) = &self.resume
                && saved.elapsed() >= SAVE
            {
                saved = Instant::now();
                fault = notes::write(path, &subject, &(before + *done)).err();
            }
            fault.is_none() && !interrupt.is_raised()
        };
        let done = check_leaves(&short, range.clone(), &means, &mut go_on);
        status.end();
        let all = before + *done.as_ref().unwrap_or(&last);
        let is_complete = done.is_ok() && all.leaves == part.len();
        // A leaf that was too dear may hold with more nodes: what has been found
        // out is not lost. What has been found out is told, even if it cannot be kept.
        let written = match &self.resume {
            Some(path) if !is_complete => {
                let record = notes::write(path, &subject, &all);
                let files = kept.save(means.provers, means.memory.as_ref(), &subject);
                record.and(files)
            }
            _ => Ok(()),
        };
        if let Err(fault) = done {
            written.unwrap_or_else(|fault| tell(&fault.to_string()));
            return match fault {
                CheckFault::Leaf(fault) => self.not_accepted(Fault::Refused(fault)),
                CheckFault::Machine(fault) => Err(fault.into()),
            };
        }
        let seconds = start.elapsed();
        self.report(
            &short,
            &part,
            (&all, before.leaves > 0),
            seconds,
            is_complete,
        )?;
        if !is_complete {
            fault.map_or(written, Err)?;
            return Ok(ExitCode::from(INTERRUPTED));
        }
        // Not before the result has been told; and without leaves, nothing has
        // been read that could be known to be this check's.
        if !part.is_empty() {
            let files = self.resume.as_deref().into_iter().chain(kept.files());
            files.for_each(|path| drop(std::fs::remove_file(path)));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What the provers may take.
    fn terms(&self, short: &Short, subject: &Subject, kept: &Kept) -> Terms {
        let patience = if self.memory > 0 || self.table.is_some() {
            PATIENCE_WITH_MEMORY
        } else {
            PATIENCE
        };
        let most = short.leaf_nodes().saturating_mul(patience);
        let memory = (self.memory as usize) << 20;
        Terms {
            certificate: subject.sum,
            nodes: short.leaf_nodes(),
            most_nodes: self.leaf_nodes.unwrap_or(most),
            depth: short.proven().depth as u8,
            bytes: (memory / 2).min(short.leaves().saturating_mul(LEAF_BYTES)),
            table: self.table.clone(),
            kept: kept.table.clone().filter(|path| path.exists()),
        }
    }

    fn report(
        &self,
        short: &Short,
        part: &Range<usize>,
        (done, is_resumed): (&Done, bool),
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
            let terms = if self.memory > 0 || is_resumed {
                " if the others do"
            } else {
                ""
            };
            format!(
                "{}\n{cut}leaves {start} to before {end} of {all} hold{terms}\n",
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

/// The position, and what is proven about it.
fn claim(proven: &Proven) -> String {
    let winner = if proven.white_wins { "white" } else { "black" };
    let which = if proven.side_to_move_wins {
        "to move"
    } else {
        "not to move"
    };
    format!("{}\nproven: {winner} wins (the side {which})\n", proven.fen)
}

fn summary(proven: &Proven, seconds: f64) -> serde_json::Value {
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
