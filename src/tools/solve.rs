//! `petard solve`: who wins a position, beyond doubt.

use super::kept_table::KeptTable;
use crate::game::troyka::{Bits, Position, parse_board_size};
use crate::game::{FenError, Move, MoveList, Notation};
use crate::solve::{
    DEPTHS, Limits, Opening, Progress, Prospect, Solution, SolveError, Solver, Spent,
};
use clap::Args;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::available_parallelism;
use std::time::Duration;

/// The exit status of a position that was not solved.
const NOT_SOLVED: u8 = 3;

/// Solves a position of Troyka's game: the winner, a winning move, and a line.
/// Exit status 0: solved, 3: not solved, 1: an error.
#[derive(Debug, Args)]
pub struct Solve {
    /// Solve the start position of this board, files x ranks
    #[arg(long, value_name = "WxH", default_value = "8x8", value_parser = parse_board_size)]
    board: (usize, usize),
    /// Solve this position, on any board
    #[arg(long, value_name = "FEN", conflicts_with = "board")]
    fen: Option<String>,
    /// Solve positions that come on standard input, a FEN a line, all on one
    /// board; each is answered by its JSON object, and the table is kept
    #[arg(long, conflicts_with_all = ["board", "fen", "all_moves", "certificate"])]
    stdin: bool,
    /// The game
    #[arg(long, default_value = "breakthrough", value_parser = ["breakthrough"])]
    variant: String,
    /// Threads; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Size of the table in MB, rounded down to a power of two; if not given, 16
    /// up to 25 squares, twice as much for each square more, or on at most five
    /// ranks for every three, up to 1024
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 22))]
    hash: Option<u64>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Give up after so many nodes; with one thread the same job gives the same
    /// answer every time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Go on from the table in this file, if there is one, and keep it there at
    /// the end, also when interrupted; nodes and times are then those of all
    /// runs. It is as large as --hash, which may grow between runs. With --stdin
    /// the end is that of the input
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Find all winning first moves
    #[arg(long)]
    all_moves: bool,
    /// Write a proof that scripts/check_certificate.py can check
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Leave wins within so many plies (odd) to the certificate's checker
    #[arg(long, value_name = "PLIES", default_value_t = 5)]
    certificate_depth: u8,
    /// With --json, if the winner is unknown: tell the numbers of moves also for
    /// all positions that took at least one in N of the nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    opened: Option<u64>,
    /// Print one JSON object as the last line
    #[arg(long)]
    json: bool,
    /// Tell nothing of the progress
    #[arg(long, short)]
    quiet: bool,
}

impl Solve {
    /// Runs it.
    ///
    /// # Errors
    /// If a position is not one or its board is too large, or the certificate
    /// cannot be written.
    pub fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        if !DEPTHS.contains(&self.certificate_depth) || self.certificate_depth.is_multiple_of(2) {
            return Err("--certificate-depth must be odd, from 1 to 9".into());
        }
        if self.stdin {
            return self.serve();
        }
        match self.position::<u64>() {
            Err(FenError::TooLarge(..)) => self.solve(&self.position::<u128>()?),
            position => self.solve(&position?),
        }
    }

    fn position<B: Bits>(&self) -> Result<Position<B>, FenError> {
        match &self.fen {
            Some(fen) => Position::from_fen(fen),
            None => Position::start(self.board.0, self.board.1),
        }
    }

    fn limits(&self) -> Limits {
        let cores = || available_parallelism().map_or(1, usize::from);
        Limits {
            threads: self.threads.map_or_else(cores, usize::from),
            time: self.time.map(|seconds| {
                Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
            }),
            nodes: self.nodes,
        }
    }

    /// A solver for the position's board. A table much larger than the proof
    /// needs would cost more time than it saves: memory that is touched for the
    /// first time is slow.
    fn solver<B: Bits>(&self, position: &Position<B>) -> Result<Solver<B>, SolveError> {
        let geometry = position.geometry();
        let squares = u32::from(geometry.files()) * u32::from(geometry.ranks());
        // Of the boards with so many squares those with five ranks are easiest.
        let doublings = match squares.saturating_sub(25) {
            more if geometry.ranks() <= 5 => more / 3,
            more => more,
        };
        let usual = 16 << doublings.min(6);
        Solver::new(geometry, (self.hash.unwrap_or(usual) as usize) << 20)
    }

    /// Solves what comes on standard input, until it ends.
    fn serve(&self) -> Result<ExitCode, Box<dyn Error>> {
        let Some(first) = stdin().lines().next().transpose()? else {
            return Ok(ExitCode::SUCCESS);
        };
        match Position::<u64>::from_fen(&first) {
            Err(FenError::TooLarge(..)) => self.serve_from(&Position::<u128>::from_fen(&first)?),
            position => self.serve_from(&position?),
        }
    }

    fn serve_from<B: Bits>(&self, first: &Position<B>) -> Result<ExitCode, Box<dyn Error>> {
        let solver = self.solver(first)?;
        let open = |path| KeptTable::open(path, &solver);
        let mut kept = self.table.as_deref().map(open).transpose()?;
        let mut spent = Spent::default();
        let end = self.answer_all(&solver, first, &mut spent);
        if let Some(kept) = &mut kept {
            kept.spent.nodes += spent.nodes;
            kept.spent.time += spent.time;
            kept.save(&solver)?;
        }
        end.map(|()| ExitCode::SUCCESS)
    }

    /// Answers the first position and all that follow on standard input, and
    /// counts what that takes.
    fn answer_all<B: Bits>(
        &self,
        solver: &Solver<B>,
        first: &Position<B>,
        spent: &mut Spent,
    ) -> Result<(), Box<dyn Error>> {
        let mut position = *first;
        let mut lines = stdin().lines();
        loop {
            if position.geometry() != first.geometry() {
                let (files, ranks) = first.board_size();
                let fen = position.fen();
                return Err(format!("'{fen}' is not on {files}x{ranks}, as the first was").into());
            }
            let solution = self.search(solver, &position, &|| false);
            spent.nodes += solution.nodes;
            spent.time += solution.time;
            let winning: Vec<Move> = solution.line.first().copied().into_iter().collect();
            let peak = peak_megabytes().unwrap_or(solver.table_bytes() as u64 >> 20);
            println!("{}", json(solver, &position, &solution, &winning, peak));
            stdout().flush()?;
            let Some(line) = lines.next().transpose()? else {
                return Ok(());
            };
            position = Position::from_fen(&line)?;
        }
    }

    fn search<B: Bits>(
        &self,
        solver: &Solver<B>,
        position: &Position<B>,
        stop: &dyn Fn() -> bool,
    ) -> Solution {
        solver.count_work(self.opened);
        let mut progress = |progress: &Progress| {
            if !self.quiet {
                eprintln!("{progress}");
            }
        };
        solver.solve(position, &self.limits(), stop, &mut progress)
    }

    /// What [`Solve::search`] finds out, going on from the table in the file
    /// and keeping it there.
    fn search_on<B: Bits>(
        &self,
        solver: &Solver<B>,
        position: &Position<B>,
        path: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<Solution, Box<dyn Error>> {
        let mut kept = KeptTable::open(path, solver)?;
        let mut solution = self.search(solver, position, stop);
        kept.spent.nodes += solution.nodes;
        kept.spent.time += solution.time;
        (solution.nodes, solution.time) = (kept.spent.nodes, kept.spent.time);
        kept.save(solver)?;
        Ok(solution)
    }

    fn solve<B: Bits>(&self, position: &Position<B>) -> Result<ExitCode, Box<dyn Error>> {
        let limits = self.limits();
        let solver = self.solver(position)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        if self.table.is_some() {
            // Without a table to keep, an interrupt simply ends the program.
            let handler = Arc::clone(&interrupted);
            ctrlc::set_handler(move || handler.store(true, Relaxed))?;
        }
        let stop = || interrupted.load(Relaxed);
        let solution = match &self.table {
            Some(path) => self.search_on(&solver, position, path, &stop)?,
            None => self.search(&solver, position, &stop),
        };
        let mut winning: Vec<Move> = solution.line.first().copied().into_iter().collect();
        if self.all_moves && solution.side_to_move_wins == Some(true) {
            winning = winning_moves(&solver, position, &limits, &stop);
        }
        report(position, &solution, &winning);
        if let (Some(path), Some(_)) = (&self.certificate, solution.side_to_move_wins) {
            let depth = self.certificate_depth;
            let certificate = solver.certificate(position, &solution, depth, &stop)?;
            let mut file = BufWriter::new(File::create(path)?);
            certificate.write(&mut file)?;
            file.flush()?;
            println!("certificate: {} positions", certificate.len());
        }
        let peak = peak_megabytes().unwrap_or(solver.table_bytes() as u64 >> 20);
        println!("peak memory: {peak} MB");
        if self.json {
            println!("{}", json(&solver, position, &solution, &winning, peak));
        }
        Ok(match solution.side_to_move_wins {
            Some(_) => ExitCode::SUCCESS,
            None => ExitCode::from(NOT_SOLVED),
        })
    }
}

/// All first moves that win, each searched within the limits; how many could
/// not be decided is told.
fn winning_moves<B: Bits>(
    solver: &Solver<B>,
    position: &Position<B>,
    limits: &Limits,
    stop: &dyn Fn() -> bool,
) -> Vec<Move> {
    let mut list = MoveList::new();
    crate::game::Game::moves(position, &mut list);
    let mut undecided = 0;
    list.retain(|mv| {
        let next = position.after(*mv);
        let wins = solver.prove(&next, limits, stop, &mut |_| {});
        undecided += usize::from(wins.is_none());
        wins == Some(false)
    });
    if undecided > 0 {
        eprintln!("petard: {undecided} first moves are not decided");
    }
    list.to_vec()
}

/// Who wins: the side to move is "first".
const fn winner(solution: &Solution) -> &'static str {
    match solution.side_to_move_wins {
        Some(true) => "first",
        Some(false) => "second",
        None => "unknown",
    }
}

fn line_texts<B: Bits>(position: &Position<B>, line: &[Move]) -> Vec<String> {
    let mut position = *position;
    line.iter()
        .map(|&mv| {
            let text = position.move_text(mv);
            position = position.after(mv);
            text
        })
        .collect()
}

fn report<B: Bits>(position: &Position<B>, solution: &Solution, winning: &[Move]) {
    let side = position.turn();
    print!("{}", position.diagram());
    println!("{}", position.fen());
    match solution.side_to_move_wins {
        None => println!("winner: unknown"),
        Some(wins) => {
            let winner_side = if wins { side } else { !side };
            let which = if wins { "to move" } else { "not to move" };
            println!(
                "winner: {winner_side} ({}, the side {which})",
                winner(solution)
            );
        }
    }
    if solution.side_to_move_wins == Some(true) {
        let texts: Vec<String> = winning.iter().map(|&mv| position.move_text(mv)).collect();
        println!("winning moves: {}", texts.join(" "));
    }
    if !solution.line.is_empty() {
        println!("line: {}", line_texts(position, &solution.line).join(" "));
        println!("plies: {}", solution.line.len());
    }
    println!("nodes: {}", solution.nodes);
    println!("time: {:.3} s", solution.time.as_secs_f64());
}

fn json<B: Bits>(
    solver: &Solver<B>,
    position: &Position<B>,
    solution: &Solution,
    winning: &[Move],
    peak: u64,
) -> String {
    // None of these texts holds a character that JSON would escape.
    let quoted = |text: &str| format!("\"{text}\"");
    let (files, ranks) = position.board_size();
    let line = line_texts(position, &solution.line);
    let best = line.first().map_or("null".to_owned(), |mv| quoted(mv));
    let plies = match solution.side_to_move_wins {
        None => "null".to_owned(),
        Some(_) => solution.line.len().to_string(),
    };
    let winning: Vec<String> = match solution.side_to_move_wins {
        Some(true) => winning
            .iter()
            .map(|&mv| quoted(&position.move_text(mv)))
            .collect(),
        _ => Vec::new(),
    };
    let number = |number: Option<u32>| number.map_or("null".to_owned(), |n| n.to_string());
    let Prospect { proof, disproof } = solution.prospect;
    let opened = match solution.side_to_move_wins {
        None => solver.opened(position),
        Some(_) => Vec::new(),
    };
    let opened: Vec<String> = opened
        .iter()
        .map(|Opening { line, moves }| {
            let after = line.iter().fold(*position, |next, &mv| next.after(mv));
            let moves: Vec<String> = moves
                .iter()
                .map(|&(mv, Prospect { proof, disproof })| {
                    let text = quoted(&after.move_text(mv));
                    format!("{text}: [{}, {}]", number(proof), number(disproof))
                })
                .collect();
            let line = line_texts(position, line).join(" ");
            format!("{}: {{{}}}", quoted(&line), moves.join(", "))
        })
        .collect();
    format!(
        "{{\"board\": \"{files}x{ranks}\", \"fen\": {}, \"winner\": \"{}\", \"move\": {best}, \"winning_moves\": [{}], \"plies\": {plies}, \"line\": \"{}\", \"proof\": {}, \"disproof\": {}, \"opened\": {{{}}}, \"nodes\": {}, \"seconds\": {:.3}, \"peak_mb\": {peak}}}",
        quoted(&position.fen()),
        winner(solution),
        winning.join(", "),
        line.join(" "),
        number(proof),
        number(disproof),
        opened.join(", "),
        solution.nodes,
        solution.time.as_secs_f64(),
    )
}

/// The most memory this process has used so far, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}
