//! `petard solve`: proves who wins a position.

mod certificate;
mod report;
mod run;

use super::console::{print, report_error};
use super::files::{AtomicFile, file_error, overwrites};
use super::job::INTERRUPTED;
use super::{parse_interval, parse_seconds};
use crate::game::breakthrough::{Position, parse_board_size};
use crate::game::{FenError, Game as _, Move, Notation};
use crate::solve::{DEPTHS, Spent};
use clap::Args;
use report::{FirstMoves, json, moves_report, peak_megabytes, report};
use run::Run;
use serde_json::json as object;
use std::error::Error;
use std::io::{self, ErrorKind, stdin};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::spawn;
use std::time::Duration;

/// The exit status of a position that was not solved.
const NOT_SOLVED: u8 = 3;

/// The most nodes that a leaf of a short certificate may take, by its format.
const MAX_LEAF_NODES: u64 = 1_000_000_000;

/// Prove who wins a position
///
/// Prints the winner, a winning move, and a line, for positions of Breakthrough.
///
/// Exit status: 0 solved; 3 not solved, or certificate or list of all winning
/// moves incomplete (out of time or nodes, or interrupted); 1 error, also if solved but a file
/// cannot be written; 2 wrong arguments. With --stdin: 0 at the end of the input, 1 if a
/// line was refused, 130 interrupted.
#[derive(Debug, Args)]
pub struct Solve {
    /// Solve the start position of this board, files x ranks
    #[arg(long, value_name = "WxH", default_value = "8x8", value_parser = parse_board_size)]
    board: (usize, usize),
    /// Solve this position, on any board
    #[arg(long, value_name = "FEN", conflicts_with = "board")]
    fen: Option<String>,
    /// Solve positions from standard input, one FEN per line, all on one board;
    /// print a JSON object for each, and keep the table between them. A line that is
    /// not such a position is reported with its number, and the rest is solved
    #[arg(long, conflicts_with_all = ["board", "fen", "first_move", "all_moves", "certificate"])]
    stdin: bool,
    /// Threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Maximum table size in MB, rounded down to a power of two; memory is used as
    /// the table fills. The default grows with the board: 16 for 5x5, 128 for 4x7,
    /// 1024 for 6x6 and larger
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 22))]
    hash: Option<u64>,
    /// Stop after this many seconds, in the middle of a line or certificate too
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Stop after this many nodes; with one thread, the answer is the same
    /// every time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Resume from this file if it exists, and save it at intervals and at the end,
    /// also when interrupted (Ctrl-C, SIGTERM, SIGHUP): the table, which serves all
    /// positions of a board, and a short certificate that is not complete. Nodes and
    /// times are then totals over all runs. --hash may grow between runs
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Save --resume's file at this interval [default: 60, or 20 times as long as
    /// saving takes]
    #[arg(long, value_name = "SECONDS", value_parser = parse_interval, requires = "resume")]
    save: Option<Duration>,
    /// Begin with the table of another proof, saved with --resume: of this file, which
    /// is only read. If it is larger than --hash, with the positions that were the most
    /// expensive to search. Not read if --resume's file exists already
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Assume what this short certificate proves: do not prove it again. It should
    /// have been checked with `petard check`. What --resume saves with it can only be
    /// resumed with it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "from"])]
    trust: Option<PathBuf>,
    /// Prove this move first, and search for others only if it loses. Without a
    /// guess, the work is divided among the first moves until one is ahead
    #[arg(long, value_name = "MOVE")]
    first_move: Option<String>,
    /// Find all winning first moves, as far as --time and --nodes allow
    #[arg(long)]
    all_moves: bool,
    /// Write a proof that `petard check` and scripts/check_certificate.py can check
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Leave wins within this many plies (odd) to the certificate's checker
    #[arg(long, value_name = "PLIES", default_value_t = 5, value_parser = parse_depth)]
    certificate_depth: u8,
    /// Write a short certificate: leave out positions that a prover starting
    /// from scratch decides within N nodes. It takes long: --resume keeps what has
    /// been found so far
    #[arg(long, value_name = "N", requires = "certificate",
          value_parser = clap::value_parser!(u64).range(1..=MAX_LEAF_NODES))]
    leaf_nodes: Option<u64>,
    /// With --leaf-nodes: leave out what the solver, knowing all the rest, has
    /// proven within N nodes. The file is shorter and takes a fraction of the
    /// time to make, but a prover starting from scratch may need far more nodes
    /// for a leaf, and so may the engine when it plays by the file
    #[arg(long, requires = "leaf_nodes")]
    shared_leaves: bool,
    /// With --json, if the winner is unknown: also report the proof numbers of
    /// the moves in all positions that took at least 1/N of the nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    opened: Option<u64>,
    /// Print one JSON object as the last line
    #[arg(long)]
    json: bool,
    /// Do not report progress
    #[arg(long, short)]
    quiet: bool,
}

impl Solve {
    pub(crate) fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        if self.stdin {
            return self.serve();
        }
        self.solve(&self.position()?)
    }

    fn position(&self) -> Result<Position<u128>, FenError> {
        match &self.fen {
            Some(fen) => Position::from_fen(fen),
            None => Position::start(self.board.0, self.board.1),
        }
    }

    /// Solves the positions on standard input, until it ends.
    fn serve(&self) -> Result<ExitCode, Box<dyn Error>> {
        let mut input = Input::begin();
        while let Some(line) = input.next(&|| false)? {
            match Position::from_fen(&line) {
                Ok(first) => return self.serve_board(&first, input),
                Err(error) => input.refuse(&error.to_string())?,
            }
        }
        input.end()
    }

    fn serve_board(
        &self,
        first: &Position<u128>,
        mut input: Input,
    ) -> Result<ExitCode, Box<dyn Error>> {
        self.check_files()?;
        let mut run = Run::begin(self, first)?;
        let end = self.answer_all(&mut run, first, &mut input);
        run.save()?;
        end?;
        match run.job.interrupt.is_raised() {
            true => Ok(ExitCode::from(INTERRUPTED)),
            false => input.end(),
        }
    }

    /// Answers the first position and all that follow on standard input.
    fn answer_all(
        &self,
        run: &mut Run<'_>,
        first: &Position<u128>,
        input: &mut Input,
    ) -> Result<(), Box<dyn Error>> {
        let mut next = Some(*first);
        loop {
            if let Some(position) = next {
                run.spent = Spent::default();
                let mut solution = run.search(&position, None);
                (solution.nodes, solution.time) = (run.spent.nodes, run.spent.time);
                let moves = FirstMoves::one(solution.line.first().copied());
                let trusted = self.trust.as_deref();
                let answer = json(&run.solver, &position, &solution, &moves, trusted);
                print(&format!("{answer}\n"))?;
            }
            let interrupt = run.job.interrupt.clone();
            let Some(line) = input.next(&|| interrupt.is_raised())? else {
                return Ok(());
            };
            next = match Position::from_fen(&line) {
                Ok(position) if position.geometry() == first.geometry() => Some(position),
                Ok(_) => {
                    let (files, ranks) = first.board_size();
                    input.refuse(&format!(
                        "'{line}' is not on {files}x{ranks} like the first"
                    ))?;
                    None
                }
                Err(error) => {
                    input.refuse(&error.to_string())?;
                    None
                }
            };
        }
    }

    /// Makes sure that nothing that is written overwrites something else: the
    /// checkpoint, the certificate, and what is only read.
    fn check_files(&self) -> Result<(), Box<dyn Error>> {
        let outputs = [&self.resume, &self.certificate];
        for (output, other) in [(outputs[0], outputs[1]), (outputs[1], outputs[0])] {
            let Some(output) = output else { continue };
            let mut others = [other, &self.from, &self.trust].into_iter().flatten();
            if let Some(other) = others.find(|other| overwrites(output, other)) {
                let error = format!("'{}' would overwrite it", output.display());
                return Err(file_error(other, &error));
            }
        }
        Ok(())
    }

    /// The move to prove first, if there is one.
    fn first_move(&self, position: &Position<u128>) -> Result<Option<Move>, Box<dyn Error>> {
        let parse = |text: &String| position.parse_move(text);
        let first = self.first_move.as_ref().map(parse).transpose();
        first.map_err(|error| format!("--first-move: {error}").into())
    }

    fn solve(&self, position: &Position<u128>) -> Result<ExitCode, Box<dyn Error>> {
        let tried_first = self.first_move(position)?;
        self.check_files()?;
        // Find out early what cannot be written: solving may take hours.
        let certificate = self.certificate.as_deref().map(AtomicFile::begin);
        let certificate = certificate.transpose()?;
        let mut run = Run::begin(self, position)?;
        let is_known = run.growth.is_some();
        let mut solution = match run.known(position) {
            Some(known) => known,
            None => run.search(position, tried_first),
        };
        let wins = solution.side_to_move_wins;
        let first = solution.line.first().copied();
        let mut moves = FirstMoves::one(first);
        let tries_all = self.all_moves && wins == Some(true);
        // The answer comes first, and whatever can be saved is saved, even if
        // the output is closed or one of the files cannot be written.
        let answer = report(position, &solution, first.filter(|_| !tries_all));
        let mut done = vec![print(&answer).map_err(Into::into)];
        // What follows may take long.
        if tries_all || certificate.is_some() && wins.is_some() && !is_known {
            run.save_so_far();
        }
        if tries_all {
            moves = run.all_first_moves(position, first);
            done.push(print(&moves_report(position, &moves)).map_err(Into::into));
        }
        let mut is_complete = wins.is_some() && moves.undecided.is_empty();
        if let (Some(file), Some(wins)) = (certificate, wins) {
            let written = match self.leaf_nodes {
                None => run.write_certificate(file, position, &solution, self.certificate_depth),
                Some(nodes) => {
                    let side = position.side_to_move();
                    let winner = if wins { side } else { !side };
                    run.grow(file, self, (position, winner), nodes)
                }
            };
            done.push(written.map(|complete| is_complete &= complete));
        }
        done.push(run.save());
        let peak = peak_megabytes(&run.solver);
        let mut last = format!("peak memory: {peak} MB\n");
        if self.json {
            (solution.nodes, solution.time) = (run.total.nodes, run.total.time);
            let trusted = self.trust.as_deref();
            let answer = json(&run.solver, position, &solution, &moves, trusted);
            last += &format!("{answer}\n");
        }
        done.push(print(&last).map_err(Into::into));
        done.into_iter().collect::<Result<(), _>>()?;
        Ok(if is_complete {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NOT_SOLVED)
        })
    }
}

/// The lines of standard input, with their numbers.
struct Input {
    lines: Receiver<io::Result<String>>,
    number: u64,
    refused: u64,
}

impl Input {
    fn begin() -> Self {
        let (sender, lines) = channel();
        spawn(move || stdin().lines().try_for_each(|line| sender.send(line)));
        Self {
            lines,
            number: 0,
            refused: 0,
        }
    }

    /// The next line, or `None` at the end or once the caller gives up. What is not
    /// text is refused.
    fn next(&mut self, gives_up: &dyn Fn() -> bool) -> Result<Option<String>, Box<dyn Error>> {
        loop {
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                _ if gives_up() => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(line) => {
                    self.number += 1;
                    match line {
                        Ok(line) => return Ok(Some(line)),
                        Err(error) if error.kind() == ErrorKind::InvalidData => {
                            self.refuse(&error.to_string())?;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
    }

    /// Reports that the line is not a position to solve, to programs and people.
    fn refuse(&mut self, error: &str) -> Result<(), Box<dyn Error>> {
        self.refused += 1;
        report_error(&format!("line {}: {error}", self.number));
        let answer = object!({"line": self.number, "error": error});
        Ok(print(&format!("{answer}\n"))?)
    }

    fn end(&self) -> Result<ExitCode, Box<dyn Error>> {
        match self.refused {
            0 => Ok(ExitCode::SUCCESS),
            _ => Ok(ExitCode::FAILURE),
        }
    }
}

/// Reads how deep a checker may have to look.
fn parse_depth(text: &str) -> Result<u8, String> {
    let depth = text.parse().ok().filter(|depth| DEPTHS.contains(depth));
    depth
        .filter(|depth| depth % 2 == 1)
        .ok_or_else(|| "not an odd number from 1 to 9".to_owned())
}
