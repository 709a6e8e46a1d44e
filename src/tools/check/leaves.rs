//! Checks the leaves of a short certificate on several threads. Progress is
//! reported from the first leaf on, without gaps.

use crate::base::{OutOfMemory, check_available, start_threads};
use crate::game::Notation as _;
use crate::game::breakthrough::Position;
use crate::solve::{LeafError, LeafProver, LoadMode, Solver, Spent, saved_bytes};
use crate::tools::checker::{CheckError, CheckedPositions, KnownNumbers, Short, Witness};
use crate::tools::checkpoint::{MEMORY, RECORD, Reader, TABLE, Writer};
use crate::tools::files::file_error;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Read};
use std::ops::{Add, Range};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// How often the caller is asked whether to go on, and how often a thread reports.
const TICK: Duration = Duration::from_millis(50);

/// How often threads that wait for each other look again.
const WAIT: Duration = Duration::from_millis(1);

/// The most leaves that a thread takes at a time: neighbours have much in common.
const MAX_BATCH: usize = 256;

/// A next leaf at or above this number means that no more are to be checked.
const OVER: usize = usize::MAX / 2;

/// The leaves checked, from the first of a part on, and what that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// How many leaves have been checked.
    pub(crate) leaves: usize,
    /// Nodes searched to prove them.
    pub(crate) nodes: u64,
    /// Positions in their certificates.
    pub(crate) positions: u64,
    /// Nanoseconds to check these, on one core.
    pub(crate) checking: u64,
}

impl Add for Done {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            leaves: self.leaves + other.leaves,
            nodes: self.nodes + other.nodes,
            positions: self.positions + other.positions,
            checking: self.checking + other.checking,
        }
    }
}

impl Done {
    /// Reads it from its section of a checkpoint.
    pub(crate) fn read(input: &mut dyn Read) -> Result<Self, Box<dyn Error>> {
        let mut text = String::new();
        input.read_to_string(&mut text)?;
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[leaves, nodes, positions, checking]) => Ok(Self {
                leaves: leaves as usize,
                nodes,
                positions,
                checking,
            }),
            _ => Err("it is damaged".into()),
        }
    }
}

/// The resources for the work.
pub(crate) struct Resources {
    /// The number of threads.
    pub(crate) threads: usize,
    /// The provers of the leaves.
    pub(crate) provers: Provers,
    /// What has been checked already; `None` to check each leaf by itself.
    pub(crate) memory: Option<CheckedPositions>,
}

impl Resources {
    /// Writes what has been found out to a checkpoint. No thread may be at work.
    pub(crate) fn save(&self, done: &Done, writer: &mut Writer<'_>) -> io::Result<()> {
        let Done {
            leaves,
            nodes,
            positions,
            checking,
        } = done;
        writer.section(RECORD, |output| {
            writeln!(output, "{leaves} {nodes} {positions} {checking}")
        })?;
        if let Some(solver) = self.provers.own_solver() {
            writer.section(TABLE, |output| solver.save(output, Spent::default()))?;
        }
        let Some(memory) = &self.memory else {
            return Ok(());
        };
        writer.section(MEMORY, |output| {
            output.write_all(&memory.count().to_le_bytes())?;
            memory.save(output)
        })
    }
}

/// A memory of at most `bytes` for the leaves of a range; `None` for 0 bytes.
pub(crate) fn memory(
    short: &Short,
    range: &Range<usize>,
    bytes: usize,
) -> Result<Option<CheckedPositions>, String> {
    // All leaves together can hardly fill more.
    let all = (range.len() as u64).saturating_mul(short.leaf_nodes());
    let room = CheckedPositions::room(bytes, short.squares());
    let positions = room.min(all.try_into().unwrap_or(usize::MAX));
    let memory = (positions > 0).then(|| CheckedPositions::new(positions, short.squares()));
    let memory = memory.transpose();
    memory.map_err(|error| format!("not enough memory for {positions} positions: {error}"))
}

/// Fills a memory from its section of a checkpoint.
pub(crate) fn load(memory: &CheckedPositions, input: &mut dyn Read) -> io::Result<()> {
    let mut count = [0; 8];
    input.read_exact(&mut count)?;
    memory.load(u64::from_le_bytes(count), input)
}

/// Lets threads check leaves, or none of them for a while.
#[derive(Default)]
pub(crate) struct Gate {
    is_closed: AtomicBool,
    at_work: RwLock<()>,
}

impl Gate {
    fn pass<T>(&self, check: impl FnOnce() -> T) -> T {
        while self.is_closed.load(Relaxed) {
            sleep(WAIT);
        }
        let _leaf = self.at_work.read().unwrap_or_else(PoisonError::into_inner);
        check()
    }

    /// Calls `act` once no thread is at work on a leaf, unless `gives_up` first.
    pub(crate) fn while_closed<T>(
        &self,
        gives_up: impl Fn() -> bool,
        act: impl FnOnce() -> T,
    ) -> Option<T> {
        self.is_closed.store(true, Relaxed);
        let mut acted = None;
        while !gives_up() {
            if let Ok(_all) = self.at_work.try_write() {
                acted = Some(act());
                break;
            }
            sleep(WAIT);
        }
        self.is_closed.store(false, Relaxed);
        acted
    }
}

/// What a thread reports: the first of some leaves in a row, and what they cost. A
/// report per leaf would wake the receiver ten thousand times a second.
type LeafReport = (usize, Done);

/// What the leaf takes that a thread checks.
const LEAF_BYTES: usize = 6 << 20;

/// Checks the leaves of a range. `go_on` receives what has been done, not
/// counting leaves before the range, and ends the work by returning `false`; behind
/// the closed gate it may save. Returns what is done by then.
pub(crate) fn check_leaves(
    short: &Short,
    range: Range<usize>,
    resources: &Resources,
    go_on: &mut dyn FnMut(&Done, &Gate) -> bool,
) -> Result<Done, CheckError> {
    let threads = resources.threads.max(1);
    let batch = (range.len() / threads / 8).clamp(1, MAX_BATCH);
    let next = AtomicUsize::new(range.start);
    let gate = Gate::default();
    let (sender, receiver) = channel::<Result<LeafReport, CheckError>>();
    let work = |sender: std::sync::mpsc::Sender<_>| {
        let mut prover = match resources.provers.witness() {
            Ok(prover) => prover,
            Err(error) => return drop(sender.send(Err(error))),
        };
        let mut check = |index, done: &mut Done| {
            let before = prover.nodes();
            let leaf = short.check_leaf(index, &mut prover, resources.memory.as_ref())?;
            done.leaves += 1;
            done.nodes += prover.nodes() - before;
            done.positions += leaf.positions as u64;
            done.checking += leaf.time.as_nanos() as u64;
            Ok::<(), CheckError>(())
        };
        loop {
            let start = next.fetch_add(batch, Relaxed);
            let (mut first, mut done, mut reported) = (start, Done::default(), Instant::now());
            for index in start..start + batch {
                // Nobody receives any more after an error.
                if index >= range.end || next.load(Relaxed) >= OVER {
                    break;
                }
                if let Err(error) = gate.pass(|| check(index, &mut done)) {
                    return drop(sender.send(Err(error)));
                }
                if reported.elapsed() >= TICK {
                    let _ = sender.send(Ok((first, done)));
                    (first, done, reported) = (index + 1, Done::default(), Instant::now());
                }
            }
            // An empty report would stand in the way of the next leaf's own.
            let is_heard = done.leaves == 0 || sender.send(Ok((first, done))).is_ok();
            if !is_heard || next.load(Relaxed) >= range.end {
                return;
            }
        }
    };
    scope(|scope| {
        let started = start_threads(scope, threads, LEAF_BYTES, |_| {
            let (sender, work) = (sender.clone(), &work);
            Box::new(move || work(sender))
        });
        drop(sender);
        started.map_err(|error| CheckError::Machine(format!("cannot start a thread: {error}")))?;
        let mut done = Done::default();
        let mut ahead = BTreeMap::new();
        let end = loop {
            match receiver.recv_timeout(TICK) {
                Ok(Ok((first, part))) => {
                    ahead.insert(first, part);
                }
                Ok(Err(error)) => break Err(error),
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            while let Some(part) = ahead.remove(&(range.start + done.leaves)) {
                done = done + part;
            }
            if !go_on(&done, &gate) {
                break Ok(());
            }
        };
        // Threads at work abandon their leaf, or finish it, and find nothing
        // more to do.
        next.store(OVER, Relaxed);
        resources.provers.halt();
        drop(receiver);
        end.map(|()| done)
    })
}

/// How leaves are to be proven.
pub(crate) struct ProverConfig {
    /// The checksum of the certificate.
    pub(crate) certificate: u32,
    /// The most nodes a leaf takes, according to the file.
    pub(crate) nodes: u64,
    /// The most it may take.
    pub(crate) max_nodes: u64,
    /// Wins within this many plies are left to the checker.
    pub(crate) depth: u8,
    /// Bytes for what the provers have learned from earlier leaves; 0 to forget
    /// it.
    pub(crate) bytes: usize,
    /// The checkpoint of a proof whose table they start with: of whatever size.
    pub(crate) from: Option<PathBuf>,
}

/// Provers that work in parallel.
pub(crate) struct Provers {
    start: Position<u128>,
    config: ProverConfig,
    /// The solver they share, if they remember.
    solver: Option<Solver>,
    /// Whether those that forget should give up.
    halted: Arc<AtomicBool>,
}

impl Provers {
    /// Provers for a short certificate, with the table that an earlier run has left.
    pub(crate) fn new(
        short: &Short,
        config: ProverConfig,
        table: Option<&mut dyn Read>,
    ) -> Result<Self, Box<dyn Error>> {
        let start = parsed(&short.proven().fen)?;
        let solver = match &config.from {
            Some(path) => {
                let bytes = saved_size(&mut Reader::table(path)?);
                let bytes = bytes.map_err(|error| file_error(path, &error))?;
                let solver = Solver::new(start.geometry(), bytes)
                    .map_err(|error| file_error(path, &error))?;
                let loaded = solver.load(Reader::table(path)?, LoadMode::Whole);
                loaded.map_err(|error| file_error(path, &error))?;
                Some(solver.assuming(config.certificate))
            }
            None if config.bytes > 0 => {
                let solver = Solver::new(start.geometry(), config.bytes)?;
                let solver = solver.assuming(config.certificate);
                if let Some(table) = table {
                    solver.load(table, LoadMode::Whole)?;
                }
                Some(solver)
            }
            None => None,
        };
        let solver = solver.map(Solver::grow_to_capacity);
        // Without memory, no leaf may assume the claims.
        if let Some(solver) = &solver
            && config.bytes > 0
        {
            solver.assume_won(short.claims());
        }
        Ok(Self {
            start,
            config,
            solver,
            halted: Arc::default(),
        })
    }

    /// A prover for one thread.
    pub(crate) fn witness(&self) -> Result<Prover<'_>, CheckError> {
        let kind = match &self.solver {
            Some(solver) => ProverKind::Shared(solver, 0),
            None => {
                let prover = LeafProver::new(self.start.geometry(), self.config.nodes);
                let prover = prover.map_err(|error| CheckError::Machine(error.to_string()))?;
                let halted = Arc::clone(&self.halted);
                let prover = prover.stopped_by(move || halted.load(Relaxed));
                ProverKind::Independent(prover.with_node_limit(self.config.max_nodes))
            }
        };
        Ok(Prover {
            kind,
            config: &self.config,
        })
    }

    /// Makes the provers abandon their work.
    pub(crate) fn halt(&self) {
        self.halted.store(true, Relaxed);
        self.solver.iter().for_each(Solver::halt);
    }

    /// The solver whose table is worth saving.
    fn own_solver(&self) -> Option<&Solver> {
        self.solver.as_ref().filter(|_| self.config.from.is_none())
    }
}

/// The bytes of a table that is to be loaded.
fn saved_size(reader: &mut Reader) -> Result<usize, Box<dyn Error>> {
    let bytes = saved_bytes(&mut *reader)?;
    if bytes > reader.file_length() {
        return Err("it is cut short".into());
    }
    Ok(bytes as usize)
}

/// A prover of one thread.
pub(crate) struct Prover<'a> {
    kind: ProverKind<'a>,
    config: &'a ProverConfig,
}

enum ProverKind<'a> {
    /// It forgets each leaf.
    Independent(LeafProver),
    /// It shares what it finds with the others, and has searched this many nodes.
    Shared(&'a Solver, u64),
}

fn parsed(fen: &str) -> Result<Position<u128>, String> {
    Position::from_fen(fen).map_err(|error| error.to_string())
}

impl Prover<'_> {
    /// Nodes searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        match &self.kind {
            ProverKind::Independent(prover) => prover.nodes(),
            ProverKind::Shared(_, nodes) => *nodes,
        }
    }
}

impl Witness for Prover<'_> {
    fn certificate(
        &mut self,
        fen: &str,
        known: &mut KnownNumbers<'_>,
    ) -> Result<Vec<u8>, CheckError> {
        let (position, depth) = (parsed(fen)?, self.config.depth);
        let made = match &mut self.kind {
            ProverKind::Independent(prover) => prover.certificate(&position, depth, known),
            ProverKind::Shared(solver, nodes) => solver
                .win_certificate_within(&position, self.config.max_nodes, depth, known)
                .map(|(certificate, taken)| {
                    *nodes += taken;
                    certificate
                }),
        };
        let short = |error: OutOfMemory| CheckError::Machine(error.to_string());
        let certificate = made.map_err(|error| match error {
            LeafError::Memory(error) => short(error),
            error => CheckError::Refused(error.to_string()),
        })?;
        check_available(certificate.max_bytes()).map_err(short)?;
        let mut data = Vec::new();
        let written = certificate.write(&mut data);
        written.map_err(|error| CheckError::Machine(error.to_string()))?;
        Ok(data)
    }
}
