//! One run of `petard solve`: what it begins with, its searches, and what it leaves.

use super::options::Solve;
use super::report::FirstMoves;
use crate::base::MachineMemory;
use crate::game::breakthrough::{Geometry, Position};
use crate::game::{Game as _, Move, MoveList, Notation as _};
use crate::solve::{
    CertificateBuilder, LoadMode, Progress, ProofLimits, Prospect, ShortCertificate, Solution,
    Solver, Spent, StepResult,
};
use crate::tools::checkpoint::{CERTIFICATE, Checkpoint, CheckpointSubject, Reader, TABLE, Writer};
use crate::tools::console::report_error;
use crate::tools::files::file_error;
use crate::tools::job::LongJob;
use std::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Nodes that every first move gets in the first round.
const FIRST_ROUND: u64 = 1 << 16;

pub(crate) struct Run<'a> {
    pub(crate) command: &'a Solve,
    pub(crate) solver: Solver,
    pub(crate) job: LongJob,
    /// A short certificate that is not complete.
    pub(crate) unfinished: Option<CertificateBuilder>,
    /// Nodes and time of this run and of those that it resumes.
    pub(crate) total: Spent,
    /// Those that the limits count: of this run, or with --stdin of the position.
    pub(crate) spent: Spent,
}

/// The work of one slice, which returns its nodes too.
type Slice<'a, 'b> = dyn FnMut(&mut Run<'a>, &ProofLimits) -> (StepResult, u64) + 'b;

/// Reads a short certificate for this board; returns its checksum too.
fn read_trusted(
    path: &Path,
    geometry: &Geometry<u128>,
) -> Result<(ShortCertificate, u32), Box<dyn Error>> {
    let data = std::fs::read(path).map_err(|error| file_error(path, &error))?;
    let certificate = ShortCertificate::from_bytes(&data).map_err(|error| {
        file_error(path, &format!("cannot read the short certificate: {error}"))
    })?;
    let start = Position::<u128>::from_fen(&certificate.fen);
    let (files, ranks) = start
        .map_err(|error| file_error(path, &error))?
        .board_size();
    if (files, ranks) != (geometry.files(), geometry.ranks()) {
        let error = format!("it is for a board of {files}x{ranks}");
        return Err(file_error(path, &error));
    }
    // The file ends with its checksum.
    let sum = crc32fast::hash(&data[..data.len().saturating_sub(4)]);
    Ok((certificate, sum))
}

fn load(solver: &Solver, input: impl Read, mode: LoadMode) -> Result<Spent, Box<dyn Error>> {
    let loaded = solver.load(input, mode);
    loaded.map_err(|error| format!("cannot load the table: {error}").into())
}

/// The progress as it looks before the move, as if there were no other.
fn before_move(after: &Progress) -> Progress {
    Progress {
        proof: after.disproof,
        disproof: after.proof,
        ..*after
    }
}

impl<'a> Run<'a> {
    /// A run with a solver for the position's board that knows what an earlier run
    /// has left and what is trusted.
    pub(crate) fn begin(
        command: &'a Solve,
        position: &Position<u128>,
    ) -> Result<Self, Box<dyn Error>> {
        let trusted = command.trust.as_deref();
        let trusted = trusted.map(|path| read_trusted(path, position.geometry()));
        let trusted = trusted.transpose()?;
        let mut solver = new_solver(position.geometry(), command.hash)?;
        if let Some((_, sum)) = trusted {
            solver = solver.assuming(sum);
        }
        let open = |path: &PathBuf| Checkpoint::open(path, CheckpointSubject::Proof, command.save);
        let mut checkpoint = command.resume.as_ref().map(open).transpose()?;
        let (mut total, mut unfinished) = (Spent::default(), None);
        let resumes = checkpoint.as_ref().is_some_and(Checkpoint::exists);
        if let Some(checkpoint) = &mut checkpoint {
            let path = checkpoint.path().to_owned();
            checkpoint.load(&mut |section, input| {
                match section {
                    TABLE => total = load(&solver, input, LoadMode::Whole)?,
                    CERTIFICATE => unfinished = Some(resumed(command, position, &path, input)?),
                    _ => {}
                }
                Ok(())
            })?;
        }
        if let (Some(path), false) = (&command.from, resumes) {
            let loaded = load(&solver, Reader::table(path)?, LoadMode::Part);
            total = loaded.map_err(|error| file_error(path, &error))?;
        }
        if let Some((certificate, _)) = &trusted {
            solver.assume_certificate(certificate);
            if !command.quiet {
                let count = certificate.entries.len();
                report_error(&format!(
                    "assuming {count} positions of the certificate and its leaves"
                ));
            }
        }
        Ok(Self {
            command,
            solver,
            job: LongJob::begin(command.quiet, checkpoint)?,
            unfinished,
            total,
            spent: Spent::default(),
        })
    }

    /// Adds what a part of the work has taken.
    pub(crate) fn add(&mut self, nodes: u64, time: Duration) {
        for spent in [&mut self.total, &mut self.spent] {
            spent.nodes += nodes;
            spent.time += time;
        }
    }

    /// Saves the checkpoint, if there is one; an error is only reported.
    pub(crate) fn save_so_far(&mut self) {
        let (solver, unfinished, total) = (&self.solver, &self.unfinished, self.total);
        self.job
            .save_so_far(&mut |writer| write(writer, solver, unfinished.as_ref(), total));
    }

    /// Saves the checkpoint at the end, if there is one.
    pub(crate) fn save(&mut self) -> Result<(), Box<dyn Error>> {
        let (solver, unfinished, total) = (&self.solver, &self.unfinished, self.total);
        self.job
            .save(&mut |writer| write(writer, solver, unfinished.as_ref(), total))
    }

    /// How much time the run has left.
    fn time_left(&self) -> Option<Duration> {
        let limit = self.command.time;
        limit.map(|limit| limit.saturating_sub(self.spent.time))
    }

    /// What says when to stop work that begins now and does not count yet: when the
    /// run is interrupted or out of time.
    pub(crate) fn stop_flag(&self) -> impl Fn() -> bool + Clone + Send + Sync + use<> {
        let interrupt = self.job.interrupt.clone();
        let left = self.time_left();
        let end = left.and_then(|left| Instant::now().checked_add(left));
        move || interrupt.is_raised() || end.is_some_and(|end| Instant::now() >= end)
    }

    fn nodes_left(&self) -> Option<u64> {
        let limit = self.command.nodes;
        limit.map(|limit| limit.saturating_sub(self.spent.nodes))
    }

    /// Whether work with this many nodes left is over: interrupted, or out of nodes
    /// or time.
    fn is_over(&self, nodes_left: Option<u64>) -> bool {
        self.job.interrupt.is_raised()
            || nodes_left == Some(0)
            || self.time_left() == Some(Duration::ZERO)
    }

    /// Works in slices until it is done, with at most this many nodes; returns
    /// whether it is. If not, nodes, time or anything else is missing, such as
    /// threads. Saves the checkpoint between slices.
    pub(crate) fn work(&mut self, nodes: Option<u64>, do_slice: &mut Slice<'a, '_>) -> bool {
        let last = nodes.map(|nodes| self.spent.nodes.saturating_add(nodes));
        let nodes_left = |run: &Self| last.map(|last| last.saturating_sub(run.spent.nodes));
        loop {
            let (left, interval) = (self.time_left(), self.job.save_interval());
            let slice = ProofLimits {
                threads: self.command.threads(),
                nodes: nodes_left(self),
                time: left.into_iter().chain(interval).min(),
                line_time: Some(left.unwrap_or(Duration::MAX)),
                ..ProofLimits::default()
            };
            let start = Instant::now();
            let (result, taken) = do_slice(self, &slice);
            let time = start.elapsed();
            self.add(taken, time);
            let goes_on = match result {
                StepResult::Done => return true,
                StepResult::More => true,
                // There is more to do only if its time was up.
                StepResult::CutOff => slice.time.is_some_and(|limit| time >= limit),
            };
            if !goes_on || self.is_over(nodes_left(self)) {
                return false;
            }
            if self.job.is_save_due() {
                self.save_so_far();
            }
        }
    }

    /// Determines who wins a position, if requested by one move before all others.
    pub(crate) fn search(
        &mut self,
        position: &Position<u128>,
        mut first: Option<Move>,
    ) -> Solution {
        self.solver.count_opened(self.command.opened);
        let mut last = None;
        self.work(self.nodes_left(), &mut |run, slice| {
            let mut solution = match first {
                Some(mv) => run.search_after(position, mv, slice),
                None => run.search_slice(position, slice, |progress| *progress),
            };
            let nodes = solution.nodes;
            let step = match solution.side_to_move_wins {
                Some(false) if first.take().is_some() => {
                    // It loses, and the others have not been tried.
                    solution.side_to_move_wins = None;
                    solution.line.clear();
                    solution.prospect = Prospect::UNKNOWN;
                    StepResult::More
                }
                Some(_) => StepResult::Done,
                None => StepResult::CutOff,
            };
            last = Some(solution);
            (step, nodes)
        });
        let (nodes, time) = (self.total.nodes, self.total.time);
        let unknown = Solution {
            side_to_move_wins: None,
            line: Vec::new(),
            prospect: Prospect::UNKNOWN,
            nodes,
            time,
        };
        let last = last.unwrap_or(unknown);
        Solution {
            nodes,
            time,
            ..last
        }
    }

    /// Searches the position after a move; the answer and the progress are
    /// those of the position before it, as if there were no other move.
    fn search_after(
        &mut self,
        position: &Position<u128>,
        mv: Move,
        slice: &ProofLimits,
    ) -> Solution {
        let mut solution = self.search_slice(&position.play(mv), slice, before_move);
        solution.side_to_move_wins = solution.side_to_move_wins.map(|wins| !wins);
        if solution.side_to_move_wins == Some(true) {
            solution.line.insert(0, mv);
        }
        solution.prospect = solution.prospect.exchanged();
        solution
    }

    /// Searches within a slice. The progress counts what the run has spent before.
    fn search_slice(
        &mut self,
        position: &Position<u128>,
        slice: &ProofLimits,
        seen: impl Fn(&Progress) -> Progress,
    ) -> Solution {
        let before = self.spent.time;
        let (interrupt, status) = (&self.job.interrupt, &mut self.job.status);
        let mut progress = |progress: &Progress| {
            let time = before + progress.time;
            status.show(&seen(&Progress { time, ..*progress }).to_string());
        };
        let stop = || interrupt.is_raised();
        let solution = self.solver.solve(position, slice, &stop, &mut progress);
        self.job.status.end();
        solution
    }

    /// Whether this move wins, as far as the limits of the run and this many nodes
    /// allow.
    fn prove_move(&mut self, position: &Position<u128>, mv: Move, nodes: u64) -> Option<bool> {
        if self.is_over(self.nodes_left()) {
            return None;
        }
        let (name, next) = (position.move_text(mv), position.play(mv));
        let nodes = self.nodes_left().map_or(nodes, |left| left.min(nodes));
        let mut wins = None;
        self.work(Some(nodes), &mut |run, slice| {
            let (before, spent) = (run.solver.nodes(), run.spent.time);
            let (interrupt, status) = (&run.job.interrupt, &mut run.job.status);
            let mut progress = |progress: &Progress| {
                let time = spent + progress.time;
                let seen = before_move(&Progress { time, ..*progress });
                status.show(&format!("{name}: {seen}"));
            };
            let stop = || interrupt.is_raised();
            let reply_wins = run.solver.prove(&next, slice, &stop, &mut progress);
            wins = reply_wins.map(|wins| !wins);
            let step = match wins {
                Some(_) => StepResult::Done,
                None => StepResult::CutOff,
            };
            (step, run.solver.nodes() - before)
        });
        wins
    }

    /// Tries all first moves of a position that is won, by this move among
    /// others. They take turns, each time with twice as many nodes: what is
    /// found out about the easier ones helps with the others.
    pub(crate) fn all_first_moves(
        &mut self,
        position: &Position<u128>,
        first_move: Option<Move>,
    ) -> FirstMoves {
        let mut list = MoveList::new();
        position.moves(&mut list);
        let is_won = |mv: &Move| Some(*mv) == first_move;
        let (mut winning, mut undecided): (Vec<_>, Vec<_>) = list.iter().copied().partition(is_won);
        let mut budget = FIRST_ROUND;
        while !undecided.is_empty() && !self.is_over(self.nodes_left()) {
            let before = self.spent.nodes;
            undecided.retain(|&mv| {
                let wins = self.prove_move(position, mv, budget);
                if let Some(wins) = wins {
                    let word = if wins { "wins" } else { "loses" };
                    let text = format!("{} {word}", position.move_text(mv));
                    self.job.status.show_lasting(&text);
                    winning.extend(wins.then_some(mv));
                }
                wins.is_none()
            });
            // Something is missing, such as threads, that no round can make up for.
            if self.spent.nodes - before < budget / 2 {
                break;
            }
            budget = budget.saturating_mul(2);
        }
        self.job.status.end();
        // In the order in which moves are generated.
        winning.sort_by_key(|mv| list.iter().position(|other| other == mv));
        FirstMoves { winning, undecided }
    }
}

/// Writes the checkpoint of a run.
fn write(
    writer: &mut Writer<'_>,
    solver: &Solver,
    unfinished: Option<&CertificateBuilder>,
    total: Spent,
) -> io::Result<()> {
    if let Some(unfinished) = unfinished {
        writer.section(CERTIFICATE, |output| output.write_all(&unfinished.draft()))?;
    }
    writer.section(TABLE, |output| solver.save(output, total))
}

/// A solver for a board, with a table of this many megabytes.
fn new_solver(geometry: &Geometry<u128>, hash: Option<u64>) -> Result<Solver, Box<dyn Error>> {
    let squares = u32::from(geometry.files()) * u32::from(geometry.ranks());
    // Among boards with as many squares, those with five ranks are the easiest.
    let doublings = match squares.saturating_sub(25) {
        more if geometry.ranks() <= 5 => more / 3,
        more => more,
    };
    let default = 16 << doublings.min(6);
    if let (Some(megabytes), Some(memory)) = (hash, MachineMemory::read())
        && megabytes > memory.available as u64
    {
        let available = memory.available;
        return Err(format!("--hash {megabytes}: only {available} MB are free").into());
    }
    let megabytes = hash.unwrap_or(default) as usize;
    Ok(Solver::new(geometry, megabytes << 20)?)
}

/// Reads the short certificate that an earlier run has begun.
fn resumed(
    command: &Solve,
    position: &Position<u128>,
    path: &Path,
    input: &mut dyn Read,
) -> Result<CertificateBuilder, Box<dyn Error>> {
    let Some(leaf_nodes) = command.leaf_nodes else {
        return Err(
            "there is a certificate in it that is not complete: resume it, or begin with \
                 the table alone (--from)"
                .into(),
        );
    };
    let mut data = Vec::new();
    input.read_to_end(&mut data)?;
    let unfinished =
        CertificateBuilder::resume(position, command.certificate_depth, leaf_nodes, &data);
    let unfinished = unfinished.map_err(|error| format!("cannot resume: {error}"))?;
    if unfinished.shares_leaves() != command.shared_leaves {
        let with = if command.shared_leaves {
            "without"
        } else {
            "with"
        };
        return Err(format!("it was begun {with} --shared-leaves").into());
    }
    report_error(&format!(
        "resuming from '{}': {}",
        path.display(),
        unfinished.counts()
    ));
    Ok(unfinished)
}
