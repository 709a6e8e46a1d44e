//! `petard solve`: proves who wins a position.

mod growing;
mod kept_table;
mod preparing;
mod report;
mod run;
mod searching;

use super::console::print;
use super::files::{Draft, fault, overwrites};
use super::interrupt::{INTERRUPTED, Interrupt};
use crate::base::MachineMemory;
use crate::game::breakthrough::{Position, parse_board_size};
use crate::game::{FenError, Game as _, Notation};
use crate::solve::{DEPTHS, ProofLimits, Solution, SolveError, Solver};
use clap::{ArgGroup, Args};
use report::{FirstMoves, json, moves_report, peak_megabytes, report};
use run::Run;
use std::error::Error;
use std::io::stdin;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{available_parallelism, spawn};
use std::time::{Duration, Instant};

/// The exit status of a position that was not solved.
const NOT_SOLVED: u8 = 3;

/// The most nodes that a leaf of a short certificate may take, by its format.
const MOST_LEAF_NODES: u64 = 1_000_000_000;

/// Prove who wins a position
///
/// Prints the winner, a winning move, and a line, for positions of Breakthrough.
///
/// Exit status: 0 solved; 3 not solved, or certificate or list of all winning
/// moves incomplete (out of time or nodes, or interrupted); 1 error, also if solved but the table or
/// certificate cannot be written; 2 wrong arguments. With --stdin: 0 at the end
/// of the input, 130 interrupted.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("saved").args(["table", "leaf_nodes"]).multiple(true))]
pub struct Solve {
    /// Solve the start position of this board, files x ranks
    #[arg(long, value_name = "WxH", default_value = "8x8", value_parser = parse_board_size)]
    board: (usize, usize),
    /// Solve this position, on any board
    #[arg(long, value_name = "FEN", conflicts_with = "board")]
    fen: Option<String>,
    /// Solve positions from standard input, one FEN per line, all on one board;
    /// print a JSON object for each, and keep the table between them
    #[arg(long, conflicts_with_all = ["board", "fen", "first_move", "all_moves", "certificate"])]
    stdin: bool,
    /// The game
    #[arg(long, default_value = "breakthrough", value_parser = ["breakthrough"])]
    variant: String,
    /// Threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Maximum table size in MB, rounded down to a power of two; memory is used
    /// as the table fills. By default 16 for up to 25 squares, doubled for each
    /// square more (on at most five ranks, for every three more), up to 1024
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 22))]
    hash: Option<u64>,
    /// Stop after this many seconds, in the middle of a line or certificate too
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Stop after this many nodes; with one thread, the answer is the same
    /// every time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Resume from the table in this file if it exists, and save it there at the
    /// end, also when interrupted (Ctrl-C, SIGTERM, SIGHUP); nodes and times are
    /// then totals over all runs. The file is at most as large as --hash, which
    /// may grow between runs. With --stdin, it is saved at the end of the input
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// If --table's file does not exist yet, begin with the table in this one,
    /// which is only read; if it is larger than --hash, with the positions that
    /// were the most expensive to search
    #[arg(long, value_name = "FILE", requires = "table")]
    from: Option<PathBuf>,
    /// Take what this short certificate proves for granted: do not prove it again.
    /// It should have been checked with `petard check`. A --table saved with it can
    /// only be resumed with it
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
    /// from scratch settles within N nodes. What has been found so far is kept
    /// in FILE.draft, and the same command resumes from it
    #[arg(long, value_name = "N", requires = "certificate",
          value_parser = clap::value_parser!(u64).range(1..=MOST_LEAF_NODES))]
    leaf_nodes: Option<u64>,
    /// With --leaf-nodes: leave out what the solver, knowing all the rest, has
    /// proven within N nodes. The file is shorter and takes a fraction of the
    /// time to make, but a prover starting from scratch may need far more nodes
    /// for a leaf, and so may the engine when it plays by the file
    #[arg(long, requires = "leaf_nodes")]
    shared_leaves: bool,
    /// Save what has been found so far at this interval: while positions are
    /// solved, the table of --table; while a short certificate grows, its draft
    /// (every 60 seconds by default). Needs --table or --leaf-nodes
    #[arg(long, value_name = "SECONDS", value_parser = parse_interval,
          requires = "saved", conflicts_with = "stdin")]
    save: Option<Duration>,
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
    /// Runs it.
    ///
    /// # Errors
    /// If a position is invalid or its board is too large, or the certificate
    /// cannot be written.
    pub fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
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

    fn limits(&self) -> ProofLimits {
        let cores = || available_parallelism().map_or(1, usize::from);
        ProofLimits {
            threads: self.threads.map_or_else(cores, usize::from),
            time: self.time,
            nodes: self.nodes,
            ..ProofLimits::default()
        }
    }

    /// A solver for the position's board.
    fn solver(&self, position: &Position<u128>) -> Result<Solver, Box<dyn Error>> {
        let geometry = position.geometry();
        let squares = u32::from(geometry.files()) * u32::from(geometry.ranks());
        // Among boards with as many squares, those with five ranks are the easiest.
        let doublings = match squares.saturating_sub(25) {
            more if geometry.ranks() <= 5 => more / 3,
            more => more,
        };
        let usual = 16 << doublings.min(6);
        if let (Some(megabytes), Some(memory)) = (self.hash, MachineMemory::read())
            && megabytes > memory.available as u64
        {
            let available = memory.available;
            return Err(format!("--hash {megabytes}: only {available} MB are free").into());
        }
        let megabytes = self.hash.unwrap_or(usual) as usize;
        Ok(Solver::new(geometry, megabytes << 20)?)
    }

    /// Solves the positions on standard input, until it ends.
    fn serve(&self) -> Result<ExitCode, Box<dyn Error>> {
        let Some(first) = stdin().lines().next().transpose()? else {
            return Ok(ExitCode::SUCCESS);
        };
        let first = Position::from_fen(&first)?;
        self.check_files()?;
        let (solver, kept) = self.prepared(&first)?;
        let interrupt = Interrupt::listen()?;
        let mut run = Run::new(&solver, &interrupt, kept);
        let end = self.answer_all(&mut run, &first);
        run.save()?;
        end.map(|()| match interrupt.is_raised() {
            true => ExitCode::from(INTERRUPTED),
            false => ExitCode::SUCCESS,
        })
    }

    /// Answers the first position and all that follow on standard input.
    fn answer_all(&self, run: &mut Run<'_>, first: &Position<u128>) -> Result<(), Box<dyn Error>> {
        let (sender, lines) = channel();
        spawn(move || stdin().lines().try_for_each(|line| sender.send(line)));
        let mut position = *first;
        loop {
            if position.geometry() != first.geometry() {
                let (fen, (files, ranks)) = (position.fen(), first.board_size());
                return Err(format!("'{fen}' is not on {files}x{ranks} like the first").into());
            }
            run.solver.count_work(self.opened);
            let solution = self.search(run, &position, &self.limits());
            run.add(solution.nodes, solution.time);
            let moves = FirstMoves::one(solution.line.first().copied());
            let trusted = self.trust.as_deref();
            let answer = json(run.solver, &position, &solution, &moves, trusted);
            print(&format!("{answer}\n"))?;
            let line = loop {
                match lines.recv_timeout(Duration::from_millis(50)) {
                    _ if run.interrupt.is_raised() => return Ok(()),
                    Ok(line) => break line?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => {}
                }
            };
            position = Position::from_fen(&line)?;
        }
    }

    /// Makes sure that nothing that is written overwrites something else: the
    /// table, the certificate and its draft, and what is only read.
    fn check_files(&self) -> Result<(), Box<dyn Error>> {
        let short = self
            .certificate
            .as_deref()
            .filter(|_| self.leaf_nodes.is_some());
        let draft = short.map(growing::draft_path);
        let outputs = [&self.table, &self.certificate, &draft];
        for (index, output) in outputs.into_iter().enumerate() {
            let Some(output) = output else { continue };
            let mut others = outputs;
            others[index] = &self.from;
            let mut others = others.into_iter().chain([&self.trust]).flatten();
            if let Some(other) = others.find(|other| overwrites(output, other)) {
                let told = format!("'{}' would overwrite it", output.display());
                return Err(fault(other, &told));
            }
        }
        Ok(())
    }

    fn solve(&self, position: &Position<u128>) -> Result<ExitCode, Box<dyn Error>> {
        let tried_first = self.first_move(position)?;
        self.check_files()?;
        // Find out early what cannot be written: solving may take hours.
        let certificate = self.certificate.as_deref().map(Draft::begin).transpose()?;
        let begun = match (self.leaf_nodes, &self.certificate) {
            (Some(nodes), Some(path)) => growing::resumed(
                path,
                position,
                self.certificate_depth,
                (nodes, self.shared_leaves),
            )?,
            _ => None,
        };
        let (solver, kept) = self.prepared(position)?;
        let interrupt = Interrupt::listen()?;
        let mut run = Run::new(&solver, &interrupt, kept);
        let mut solution = match &begun {
            Some(growth) => growing::known(growth, position, run.total()),
            None => self.search_and_save(&mut run, position, tried_first),
        };
        let wins = solution.side_to_move_wins;
        let first = solution.line.first().copied();
        let mut moves = FirstMoves::one(first);
        let tries_all = self.all_moves && wins == Some(true);
        // The answer comes first, and whatever can be saved is saved, even if
        // the output is closed or one of the files cannot be written.
        let told = report(position, &solution, first.filter(|_| !tries_all));
        let mut done = vec![print(&told).map_err(Into::into)];
        // What follows may take longer than whoever waits for it has patience.
        if tries_all || certificate.is_some() && wins.is_some() && begun.is_none() {
            run.save_so_far();
        }
        if tries_all {
            moves = self.all_first_moves(&mut run, position, first);
            done.push(print(&moves_report(position, &moves)).map_err(Into::into));
        }
        let mut is_complete = wins.is_some() && moves.undecided.is_empty();
        if let (Some(draft), Some(wins)) = (certificate, wins) {
            let written = match self.leaf_nodes {
                None => self.write_certificate(draft, &run, position, &solution),
                Some(nodes) => {
                    let side = position.side_to_move();
                    let winner = if wins { side } else { !side };
                    self.grow(draft, begun, &mut run, (position, winner), nodes)
                }
            };
            done.push(written.map(|complete| is_complete &= complete));
        }
        done.push(run.save());
        let peak = peak_megabytes(&solver);
        let mut last = format!("peak memory: {peak} MB\n");
        if self.json {
            let total = run.total();
            (solution.nodes, solution.time) = (total.nodes, total.time);
            let trusted = self.trust.as_deref();
            let answer = json(&solver, position, &solution, &moves, trusted);
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

    /// Writes the certificate; returns whether there was time to make it.
    fn write_certificate(
        &self,
        draft: Draft,
        run: &Run<'_>,
        position: &Position<u128>,
        solution: &Solution,
    ) -> Result<bool, Box<dyn Error>> {
        let path = draft.path().to_owned();
        let end = self.end(run);
        let is_late = || end.is_some_and(|end| Instant::now() >= end);
        let stop = || run.interrupt.is_raised() || is_late();
        let depth = self.certificate_depth;
        let certificate = match run.solver.certificate(position, solution, depth, &stop) {
            Err(SolveError::Stopped) => {
                print("certificate: not complete, nothing is written\n")?;
                return Ok(false);
            }
            made => made.map_err(|error| fault(&path, &error))?,
        };
        draft.finish(|output| certificate.write(output))?;
        print(&format!("certificate: {} positions\n", certificate.len()))?;
        Ok(true)
    }
}

/// Reads how deep a checker may have to look.
fn parse_depth(text: &str) -> Result<u8, String> {
    let depth = text.parse().ok().filter(|depth| DEPTHS.contains(depth));
    depth
        .filter(|depth| depth % 2 == 1)
        .ok_or_else(|| "not an odd number from 1 to 9".to_owned())
}

/// Reads a number of seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "not a number of seconds".to_owned())
}

/// Reads a number of seconds that is not 0.
fn parse_interval(text: &str) -> Result<Duration, String> {
    let time = parse_seconds(text)?;
    (!time.is_zero())
        .then_some(time)
        .ok_or_else(|| "must be more than 0".to_owned())
}
