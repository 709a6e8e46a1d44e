//! Building a short certificate: from the root down, each position is kept with
//! a winning move unless a prover that knows nothing decides it within a few
//! nodes. What has been found so far can be saved at any time, and another
//! process can go on from there.

use super::certificate::{
    CertificateReader, CertificateWriter, FileError, ShortCertificate, coded_step, move_code,
    read_entries, winner,
};
use super::keys::KeyMap;
use super::leaf_prover::LeafProver;
use super::shared::board_move;
use super::solver::Solver;
use super::types::{Progress, ProofLimits, StepResult};
use crate::base::{OutOfMemory, Side, check_available, start_threads};
use crate::game::breakthrough::{Geometry, Position, StaticSolver, Step};
use crate::game::{Game as _, Move, Notation as _, Outcome};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::scope;
use thiserror::Error;

const DRAFT: &str = "breakthrough certificate draft 1";

/// A short certificate that is not complete.
pub(crate) struct CertificateBuilder {
    position: Position<u128>,
    winner: Side,
    depth: u8,
    leaf_nodes: u64,
    /// Whether its leaves share their proofs.
    shares_leaves: bool,
    /// The kept positions, and the winner's move in each.
    entries: BTreeMap<u128, u16>,
    /// Positions that were decided quickly.
    leaves: HashSet<u128>,
    /// Positions that were not, the next one last, and all ever considered.
    open: Vec<u128>,
    seen: HashSet<u128>,
    nodes: u64,
}

/// How far a builder has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BuilderCounts {
    /// Positions with a move.
    pub(crate) kept: usize,
    /// Positions that are left to the prover.
    pub(crate) leaves: usize,
    /// Positions still to be decided.
    pub(crate) open: usize,
    /// Nodes spent.
    pub(crate) nodes: u64,
}

impl fmt::Display for BuilderCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kept, leaves, open, ..
        } = self;
        write!(f, "{kept} positions, {leaves} leaves, {open} open")
    }
}

/// Why a builder cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum BuildError {
    #[error("{0} is lost for the side that was said to win: the certificate so far is wrong")]
    Lost(String),
    #[error("stopped before the certificate was begun")]
    Stopped,
    #[error("certificate: {0}")]
    Memory(#[from] OutOfMemory),
}

impl CertificateBuilder {
    /// Starts from a position that `winner` wins. Wins within `depth` plies and
    /// positions proven within `leaf_nodes` nodes are left to the checker.
    pub(crate) fn begin(
        solver: &Solver,
        position: &Position<u128>,
        winner: Side,
        depth: u8,
        provers: &[LeafProver],
        leaf_nodes: u64,
    ) -> Result<Self, BuildError> {
        let mut builder = Self::empty(position, winner, depth, leaf_nodes);
        builder.shares_leaves = provers.iter().any(LeafProver::remembers);
        if position.outcome() != Outcome::Ongoing {
            return Ok(builder);
        }
        if winner != position.side_to_move() {
            let replies = solver.open_replies(position, depth);
            let is_done = builder.consider(replies, provers)?;
            return is_done.then_some(builder).ok_or(BuildError::Stopped);
        }
        if let Some(number) = solver.number_if_open(position, depth) {
            if !builder.consider(vec![number], provers)? {
                return Err(BuildError::Stopped);
            }
            // A solver that had already proven where its move leads has hardly
            // searched the position itself. It is kept all the same.
            if builder.shares_leaves && builder.leaves.remove(&number) {
                builder.open.push(number);
            }
        }
        Ok(builder)
    }

    fn empty(position: &Position<u128>, winner: Side, depth: u8, leaf_nodes: u64) -> Self {
        Self {
            position: *position,
            winner,
            depth,
            leaf_nodes,
            shares_leaves: false,
            entries: BTreeMap::new(),
            leaves: HashSet::new(),
            open: Vec::new(),
            seen: HashSet::new(),
            nodes: 0,
        }
    }

    /// Who wins.
    pub(crate) const fn winner(&self) -> Side {
        self.winner
    }

    /// How far it has got.
    pub(crate) fn counts(&self) -> BuilderCounts {
        BuilderCounts {
            kept: self.entries.len(),
            leaves: self.leaves.len(),
            open: self.open.len(),
            nodes: self.nodes,
        }
    }

    /// Finds the winner's move in the next open position, and considers the
    /// replies. The solver's table is used and filled.
    pub(crate) fn advance(
        &mut self,
        solver: &Solver,
        provers: &[LeafProver],
        limits: &ProofLimits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<StepResult, BuildError> {
        let Some(&number) = self.open.last() else {
            return Ok(StepResult::Done);
        };
        let geometry = self.position.geometry();
        let position = kept_position(geometry, number).ok_or_else(|| self.lost(number))?;
        let before = solver.nodes();
        let mv = match solver.prove(&position, limits, stop, progress) {
            None => None,
            Some(false) => return Err(self.lost(number)),
            Some(true) => solver.winning_move(&position, u64::MAX, stop),
        };
        self.nodes += solver.nodes() - before;
        let Some(mv) = mv else {
            return Ok(StepResult::CutOff);
        };
        // The number is that of the position itself, so the move is not mirrored.
        let (from, to) = (mv.from(), mv.to());
        let code = move_code(geometry, false, Step { from, to });
        let next = position.play(mv);
        let replies = match next.outcome() {
            Outcome::Ongoing => solver.open_replies(&next, self.depth),
            _ => Vec::new(),
        };
        self.open.pop();
        if !self.consider(replies, provers)? {
            self.open.push(number);
            return Ok(StepResult::CutOff);
        }
        self.entries.insert(number, code);
        Ok(StepResult::More)
    }

    /// The most bytes that its lists may take for this many more positions.
    fn room(&self, more: usize) -> usize {
        let sets = [&self.leaves, &self.seen];
        let grown = |set: &HashSet<u128>| match set.capacity() - set.len() {
            free if free < more => 4 * (set.capacity() + more) * size_of::<u128>(),
            _ => 0,
        };
        sets.into_iter().map(grown).sum::<usize>() + (self.open.len() + more) * size_of::<u128>()
    }

    fn lost(&self, number: u128) -> BuildError {
        let position = kept_position(self.position.geometry(), number);
        BuildError::Lost(position.map_or_else(|| format!("position {number}"), |p| p.fen()))
    }

    /// Decides the positions that take few nodes, and puts the others on the
    /// list, the first one last. Returns whether that is done: if the provers were
    /// stopped, only leaves are kept.
    fn consider(
        &mut self,
        mut numbers: Vec<u128>,
        provers: &[LeafProver],
    ) -> Result<bool, BuildError> {
        check_available(self.room(numbers.len()))?;
        numbers.retain(|&number| self.seen.insert(number));
        let before: u64 = provers.iter().map(LeafProver::nodes).sum();
        let decided = decide_all(self.position.geometry(), &numbers, provers);
        self.nodes += provers.iter().map(LeafProver::nodes).sum::<u64>() - before;
        if provers.iter().any(LeafProver::is_stopped) {
            // Leaves stay leaves; the others may only have lacked time.
            for (number, wins) in numbers.into_iter().zip(decided) {
                if wins == Some(true) {
                    self.leaves.insert(number);
                } else {
                    self.seen.remove(&number);
                }
            }
            return Ok(false);
        }
        for (number, wins) in numbers.into_iter().zip(decided).rev() {
            match wins {
                Some(true) => {
                    self.leaves.insert(number);
                }
                Some(false) => return Err(self.lost(number)),
                None => self.open.push(number),
            }
        }
        Ok(true)
    }

    /// The winner's first move in the position, if it is known.
    pub(crate) fn first_move(&self) -> Option<Move> {
        let position = &self.position;
        let geometry = position.geometry();
        let map = KeyMap::<u128>::new(&StaticSolver::new(geometry));
        let keys = map.keys(position.perspective());
        let code = *self.entries.get(&keys.key())?;
        let step = coded_step(geometry, keys.is_mirrored(), code)?;
        let is_white = position.side_to_move() == Side::White;
        Some(board_move(geometry, geometry, is_white, step))
    }

    /// The certificate, once nothing is open.
    pub(crate) fn certificate(&self) -> Option<ShortCertificate> {
        self.open.is_empty().then(|| ShortCertificate {
            fen: self.position.fen(),
            winner: self.winner,
            depth: self.depth,
            leaf_nodes: self.leaf_nodes,
            entries: self
                .entries
                .iter()
                .map(|(&key, &step)| (key, step))
                .collect(),
        })
    }

    /// Whether its leaves share their proofs.
    pub(crate) const fn shares_leaves(&self) -> bool {
        self.shares_leaves
    }

    /// What has been found so far, to resume from later.
    pub(crate) fn draft(&self) -> Vec<u8> {
        let mut output = CertificateWriter::new(
            DRAFT,
            &[
                ("fen", self.position.fen()),
                ("winner", self.winner.to_string()),
                ("depth", self.depth.to_string()),
                ("leaf-nodes", self.leaf_nodes.to_string()),
                ("shared-leaves", self.shares_leaves.to_string()),
                ("entries", self.entries.len().to_string()),
                ("leaves", self.leaves.len().to_string()),
                ("open", self.open.len().to_string()),
                ("nodes", self.nodes.to_string()),
            ],
        );
        let entries: Vec<_> = self
            .entries
            .iter()
            .map(|(&key, &step)| (key, step))
            .collect();
        output.entries(&entries);
        let mut leaves: Vec<u128> = self.leaves.iter().copied().collect();
        leaves.sort_unstable();
        for number in leaves.iter().chain(&self.open) {
            output.number(*number);
        }
        output.finish()
    }

    /// Resumes from a draft for the same position, depth and nodes of a leaf.
    pub(crate) fn resume(
        position: &Position<u128>,
        depth: u8,
        leaf_nodes: u64,
        data: &[u8],
    ) -> Result<Self, FileError> {
        let mut input = CertificateReader::new(data, DRAFT)?;
        let fen = input.text("fen")?;
        let winner = winner(&mut input)?;
        let of: (u8, u64) = (input.value("depth")?, input.value("leaf-nodes")?);
        if (fen, of) != (position.fen().as_str(), (depth, leaf_nodes)) {
            let what = format!("{fen}, depth {}, leaves of {} nodes", of.0, of.1);
            return Err(FileError::Other(what));
        }
        let mut builder = Self::empty(position, winner, depth, leaf_nodes);
        builder.shares_leaves = input.value("shared-leaves")?;
        let [entries, leaves, open]: [usize; 3] = [
            input.value("entries")?,
            input.value("leaves")?,
            input.value("open")?,
        ];
        builder.nodes = input.value("nodes")?;
        builder.entries = read_entries(&mut input, entries)?.into_iter().collect();
        for _ in 0..leaves {
            builder.leaves.insert(input.number()?);
        }
        for _ in 0..open {
            builder.open.push(input.number()?);
        }
        input.end()?;
        builder.seen = builder.entries.keys().copied().collect();
        builder.seen.extend(&builder.leaves);
        builder.seen.extend(&builder.open);
        Ok(builder)
    }
}

fn kept_position(geometry: &Geometry<u128>, number: u128) -> Option<Position<u128>> {
    let view = KeyMap::<u128>::view(geometry, number)?;
    Position::new(*geometry, [view.own, view.enemy], Side::White, 0).ok()
}

/// Who wins each of the positions, using all provers; each answer is the same
/// whichever of them finds it.
fn decide_all(
    geometry: &Geometry<u128>,
    numbers: &[u128],
    provers: &[LeafProver],
) -> Vec<Option<bool>> {
    let decided: Vec<Mutex<Option<bool>>> = numbers.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = |prover: &LeafProver| {
        while let Some((slot, &number)) = {
            let index = next.fetch_add(1, Relaxed);
            decided.get(index).zip(numbers.get(index))
        } {
            // As it is written down, so that mirror images are treated alike.
            let position = kept_position(geometry, number);
            if let (Ok(mut slot), Some(position)) = (slot.lock(), position) {
                *slot = prover.decide(&position);
            }
        }
    };
    scope(|scope| {
        let (first, others) = provers.split_at(provers.len().min(1));
        // Those that cannot be started leave more work to the others.
        let decide = |index: usize| -> Box<dyn FnOnce() + Send> {
            let (prover, work) = (&others[index], &work);
            Box::new(move || work(prover))
        };
        let _ = start_threads(scope, others.len(), 0, decide);
        first.iter().for_each(work);
    });
    decided
        .into_iter()
        .map(|slot| slot.into_inner().unwrap_or(None))
        .collect()
}
