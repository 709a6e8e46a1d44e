//! Provers of the positions that a short certificate leaves out.

use super::certificate::Certificate;
use super::collect::KnownWins;
use super::solver::Solver;
use super::types::{LeafError, SolveError};
use crate::game::breakthrough::{Bits, Geometry, Position};
use crate::game::{Game as _, Notation as _, Outcome};
use std::sync::Arc;

/// Bytes of table per node of a leaf: no entry has to be evicted.
const NODE_BYTES: u64 = 64;

/// Bytes of table that give numbers enough digits.
const MIN_BYTES: u64 = 1 << 22;

/// Up to this many squares, fewer bytes do.
const SMALL_BOARD: u32 = 30;
const MIN_BYTES_OF_SMALL_BOARD: u64 = 1 << 18;

const MAX_BYTES: u64 = 1 << 28;

/// A prover that forgets everything before each position, so that what it
/// finds, and in how many nodes, depends on nothing else; or one that knows what
/// a solver or itself has found out before.
pub(crate) struct LeafProver {
    solver: Solver,
    nodes: u64,
    remembers: bool,
    /// Asked every so often, by whichever thread searches.
    stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl LeafProver {
    /// A prover for leaves of at most `nodes` nodes.
    pub(crate) fn new<B: Bits>(geometry: &Geometry<B>, nodes: u64) -> Result<Self, SolveError> {
        let squares = u32::from(geometry.files()) * u32::from(geometry.ranks());
        let min_bytes = if squares <= SMALL_BOARD {
            MIN_BYTES_OF_SMALL_BOARD
        } else {
            MIN_BYTES
        };
        let bytes = nodes.saturating_mul(NODE_BYTES).clamp(min_bytes, MAX_BYTES);
        Ok(Self {
            solver: Solver::new(geometry, bytes as usize)?,
            nodes,
            remembers: false,
            stop: Arc::new(|| false),
        })
    }

    /// A prover that knows what a solver has found out: what that has already
    /// proven is a leaf if no visit of it took more than `nodes` nodes. Only
    /// one such prover may search at a time, and not while the solver does.
    pub(crate) fn with_table_of(solver: &Solver, nodes: u64) -> Self {
        Self {
            solver: solver.with_same_table(),
            nodes,
            remembers: true,
            stop: Arc::new(|| false),
        }
    }

    /// Makes it forget only on demand ([`LeafProver::forget`]): what it
    /// has proven within `nodes` nodes is a leaf, and helps with what comes next.
    pub(crate) fn remembering(self) -> Self {
        Self {
            remembers: true,
            ..self
        }
    }

    /// Forgets what has been found out, by the solver whose table it uses too.
    pub(crate) fn forget(&self) {
        self.solver.forget();
    }

    pub(super) fn remembers(&self) -> bool {
        self.remembers
    }

    /// Sets another node limit, but not another table: what is decided
    /// takes as many nodes as before.
    pub(crate) fn with_node_limit(self, nodes: u64) -> Self {
        Self { nodes, ..self }
    }

    /// Makes it give up, and find out nothing more, once `stop` says so.
    pub(crate) fn stopped_by(self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let stop = Arc::new(stop);
        Self { stop, ..self }
    }

    /// Whether it has been stopped.
    pub(super) fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// Whether the side to move wins; `None` if that takes more nodes than a
    /// leaf may, it was stopped, or the position is on another board.
    pub(crate) fn decide<B: Bits>(&self, position: &Position<B>) -> Option<bool> {
        if let Outcome::Win(side) = position.outcome() {
            return Some(side == position.side_to_move());
        }
        if self.is_stopped() || position.board_size() != self.solver.board {
            return None;
        }
        if !self.remembers {
            self.solver.forget();
        } else if let Some((wins, work)) = self.solver.result_without_search(position) {
            return (!wins || work <= self.nodes).then_some(wins);
        }
        self.solver.prove_within(position, self.nodes, &*self.stop)
    }

    /// The proof that the side to move wins, as a whole certificate. Wins within
    /// `depth` plies are left to its checker, and so are those that it knows. All this takes at most as many
    /// nodes as a leaf may: to find a win may be much cheaper than to write it down.
    pub(crate) fn certificate<B: Bits>(
        &self,
        position: &Position<B>,
        depth: u8,
        known: &mut KnownWins<'_>,
    ) -> Result<Certificate, LeafError> {
        let before = self.nodes();
        match self.decide(position) {
            Some(true) => {}
            Some(false) => return Err(LeafError::Lost),
            None => return Err(LeafError::Open(self.nodes)),
        }
        let left = self.nodes.saturating_sub(self.nodes() - before);
        let (solver, stop) = (&self.solver, &*self.stop);
        let made = solver.certificate_within(position, true, depth, Some(left), stop, known)?;
        made.ok_or(LeafError::Open(self.nodes))
    }

    /// Positions searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.solver.nodes()
    }
}
