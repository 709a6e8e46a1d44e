//! `petard check`: whether a certificate proves what it says.
//!
//! Written from the rules and from the section "Certificates" of `protocol.md`
//! alone. Nothing in this folder uses anything of the engine, and a test sees
//! to that: a checker that shared a mistake with the solver would be none.
//! `scripts/check_certificate.py` does the same once more, slowly.

mod board;
mod file;
mod index;

use super::console::{Status, print};
use board::{Numbers, Step, after_reply};
use clap::Args;
use file::Certificate;
use index::Index;
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, available_parallelism, scope};
use std::time::{Duration, Instant};

/// Checks a certificate that `petard solve --certificate` has written, and
/// tells the position and what is proven of it. The checker shares no code with
/// the solver.
///
/// Exit status: 0 it is proven; 1 the certificate is refused, or cannot be
/// read; 2 wrong arguments.
#[derive(Debug, Args)]
pub struct Check {
    /// The certificate
    file: PathBuf,
    /// Threads; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Tell nothing of the progress
    #[arg(long, short)]
    quiet: bool,
}

/// What a certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The position, as it stands in the file.
    pub fen: String,
    /// Files and ranks of its board.
    pub board: (u32, u32),
    /// Whether White wins it.
    pub white_wins: bool,
    /// Whether the side to move wins it.
    pub side_to_move_wins: bool,
    /// How many positions were checked.
    pub positions: usize,
    /// How deep the checker had to look, in plies.
    pub depth: u32,
}

/// How often the progress is told.
const REPORT: Duration = Duration::from_millis(500);

/// Entries that a thread takes at a time.
const BATCH: usize = 1 << 10;

impl Check {
    /// Runs it.
    ///
    /// # Errors
    /// If the file cannot be read, or proves nothing.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let name = self.file.display();
        let start = Instant::now();
        let data = std::fs::read(&self.file).map_err(|fault| format!("'{name}': {fault}"))?;
        let cores = || available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or_else(cores, usize::from);
        let mut status = Status::new(self.quiet);
        let proven = check(&data, threads, &mut |done, all| {
            let seconds = start.elapsed().as_secs_f64().max(0.001);
            status.show(&format!(
                "{done} of {all} positions, {:.0} a second",
                done as f64 / seconds
            ));
        });
        status.end();
        let proven = proven.map_err(|fault| format!("'{name}' REFUSED: {fault}"))?;
        let winner = if proven.white_wins { "white" } else { "black" };
        let which = if proven.side_to_move_wins {
            "to move"
        } else {
            "not to move"
        };
        Ok(print(&format!(
            "{}\nproven: {winner} wins (the side {which})\n{}x{}, {} positions, wins within {} plies searched, {:.1} s\n",
            proven.fen,
            proven.board.0,
            proven.board.1,
            proven.positions,
            proven.depth,
            start.elapsed().as_secs_f64()
        ))?)
    }
}

/// What the data prove. The progress is told how many positions have been
/// checked, and of how many.
///
/// # Errors
/// Why they prove nothing.
pub fn check(
    data: &[u8],
    threads: usize,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Proven, String> {
    let certificate = file::parse(data)?;
    let checker = Checker {
        index: Index::new(&certificate.positions),
        certificate,
    };
    checker.check_root()?;
    checker.check_entries(threads.max(1), progress)?;
    let certificate = checker.certificate;
    Ok(Proven {
        board: (certificate.board.files, certificate.board.ranks),
        white_wins: certificate.winner_is_white,
        side_to_move_wins: certificate.winner_moves,
        positions: certificate.positions.len(),
        depth: certificate.depth,
        fen: certificate.fen,
    })
}

struct Checker {
    certificate: Certificate,
    index: Index,
}

impl Checker {
    /// Whether the position to prove is covered.
    fn check_root(&self) -> Result<(), String> {
        let Certificate { board, men, .. } = &self.certificate;
        if !board.is_possible(*men) {
            return Err("in the position to prove both sides have won".to_owned());
        }
        let numbers = board.numbers(*men);
        let holds = match board.result(*men) {
            // A game that is over is won by whom the rules say.
            Some(won) => won,
            None if self.certificate.winner_moves => {
                self.is_known(numbers) || board.wins_within(*men, self.certificate.depth)
            }
            None => self.covers_replies(*men, numbers),
        };
        if holds {
            Ok(())
        } else {
            Err("the position to prove is not covered".to_owned())
        }
    }

    /// Whether all replies of the loser lead to positions that are good.
    fn covers_replies(&self, men: board::Men, numbers: Numbers) -> bool {
        let Certificate { board, depth, .. } = &self.certificate;
        // What is in the file is found sooner than a win by searching.
        let is_known =
            |reply: Step| self.is_known(board.numbers_after_reply(numbers, men.0, reply));
        board.all_replies(men, |reply| {
            is_known(reply) || board.wins_within(after_reply(men, reply), *depth)
        })
    }

    fn is_known(&self, numbers: Numbers) -> bool {
        let number = numbers[0].min(numbers[1]);
        self.index.has(&self.certificate.positions, number)
    }

    /// Whether an entry's move is legal and wins, or leaves only good replies.
    fn check_entry(&self, index: usize) -> Result<(), String> {
        let Certificate {
            board,
            positions,
            moves,
            ..
        } = &self.certificate;
        let number = positions[index];
        let men = board
            .men(number)
            .ok_or("it has more squares than the board")?;
        let numbers = board.numbers(men);
        if numbers[1] < number {
            return Err("its mirror image has a smaller number".to_owned());
        }
        if board.result(men).is_some() {
            return Err("the game is over in it".to_owned());
        }
        let code = u32::from(moves[index]);
        let step = board
            .step(men, code / 3, code % 3)
            .ok_or_else(|| format!("move {code} is not legal in it"))?;
        let (winner, loser) = men;
        if board.ends(loser, step) {
            return Ok(());
        }
        let next = (winner ^ (step.start | step.target), loser & !step.target);
        let numbers = board.numbers_after_step(numbers, loser, step);
        if self.covers_replies(next, numbers) {
            Ok(())
        } else {
            Err(format!("a reply to move {code} refutes it"))
        }
    }

    /// Checks all entries, by so many threads.
    fn check_entries(
        &self,
        threads: usize,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), String> {
        let all = self.certificate.positions.len();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let start = next.fetch_add(BATCH, Relaxed);
                if start >= all {
                    return Ok(());
                }
                for index in start..all.min(start + BATCH) {
                    if let Err(fault) = self.check_entry(index) {
                        // The others need not go on.
                        next.store(all, Relaxed);
                        let number = self.certificate.positions[index];
                        return Err(format!("entry {index}, position {number}: {fault}"));
                    }
                }
            }
        };
        scope(|scope| {
            // Threads that cannot be started leave more to the others.
            let start = |_| Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (0..threads).map_while(start).collect();
            if others.is_empty() {
                return work();
            }
            let mut told = Instant::now();
            while !others.iter().all(|other| other.is_finished()) {
                std::thread::park_timeout(Duration::from_millis(5));
                if told.elapsed() >= REPORT {
                    told = Instant::now();
                    progress(next.load(Relaxed).min(all), all);
                }
            }
            others.into_iter().try_for_each(|other| match other.join() {
                Ok(result) => result,
                Err(_) => Err("the checker has failed".to_owned()),
            })
        })
    }
}
