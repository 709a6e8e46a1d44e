//! Leaves of short certificates: positions that a prover which knows nothing
//! settles within a few nodes, always the same way.

use super::certificate::Certificate;
use super::collect::Known;
use super::{Prover, SolveError, Solver};
use crate::base::Side;
use crate::game::breakthrough::{Bits, Geometry, Perspective, Position, StaticSolver};
use crate::game::{Game as _, Outcome};
use std::sync::Arc;

/// Bytes of table per node of a leaf: no entry has to be evicted.
const BYTES: u64 = 64;

/// The least bytes of table that give numbers enough digits on any board.
const LEAST: (u64, u64) = (1 << 18, 1 << 22);

/// The first of these is enough for up to this many squares.
const SMALL_BOARD: u32 = 30;

/// The most bytes of table.
const MOST: u64 = 1 << 28;

/// A prover that forgets everything before each position, so that what it
/// finds, and in how many nodes, depends on nothing else; or one that knows what
/// a solver or itself has found out before.
pub struct LeafProver<B> {
    prover: Box<dyn Prover<B>>,
    /// The most nodes of a leaf.
    nodes: u64,
    /// Whether it knows what has been found out before.
    shares: bool,
    /// Whether it should give up.
    stop: StopFlag,
}

/// Asked every so often, by whichever thread searches.
type StopFlag = Arc<dyn Fn() -> bool + Send + Sync>;

impl<B: Bits> LeafProver<B> {
    /// A prover for leaves of at most `nodes` nodes.
    ///
    /// # Errors
    /// If the board has more than 80 squares, or there is not enough memory.
    pub fn new(geometry: &Geometry<B>, nodes: u64) -> Result<Self, SolveError> {
        let squares = u32::from(geometry.files()) * u32::from(geometry.ranks());
        let least = if squares <= SMALL_BOARD {
            LEAST.0
        } else {
            LEAST.1
        };
        let bytes = nodes.saturating_mul(BYTES).clamp(least, MOST);
        let prover = super::prover(StaticSolver::new(geometry), bytes as usize)?;
        Ok(Self {
            prover,
            nodes,
            shares: false,
            stop: Arc::new(|| false),
        })
    }

    /// A prover that knows what a solver has found out: what that has already
    /// proven is a leaf if no visit of it took more than `nodes` nodes. Only
    /// one such prover may search at a time, and not while the solver does.
    #[must_use]
    pub fn sharing(solver: &Solver<B>, nodes: u64) -> Self {
        Self {
            prover: solver.prover.share(),
            nodes,
            shares: true,
            stop: Arc::new(|| false),
        }
    }

    /// The same, but it forgets only when told to ([`LeafProver::forget`]): what it
    /// has proven within `nodes` nodes is a leaf, and helps with what comes next.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self {
            shares: true,
            ..self
        }
    }

    /// Forgets what has been found out, by a solver that it shares with too.
    pub fn forget(&self) {
        self.prover.forget();
    }

    /// Whether it knows what has been found out before.
    pub(super) fn is_sharing(&self) -> bool {
        self.shares
    }

    /// The same with another node limit, but not another table: what is settled
    /// takes as many nodes as before.
    #[must_use]
    pub fn with_most(self, nodes: u64) -> Self {
        Self { nodes, ..self }
    }

    /// The same, but it gives up, and finds out nothing more, once `stop` says so.
    #[must_use]
    pub fn stopped_by(self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let stop = Arc::new(stop);
        Self { stop, ..self }
    }

    /// Whether it has been told to give up.
    pub(super) fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// Whether the side to move wins; `None` if that takes more nodes, or it was
    /// told to give up. The game must not be over.
    pub(super) fn settle_view(&self, view: Perspective<B>) -> Option<bool> {
        if self.is_stopped() {
            return None;
        }
        if self.shares {
            return match self.prover.known(view) {
                Some((wins, work)) => (!wins || work <= self.nodes).then_some(wins),
                None => self.prover.settle(view, self.nodes, &*self.stop),
            };
        }
        self.prover.forget();
        self.prover.settle(view, self.nodes, &*self.stop)
    }

    /// Whether the side to move wins; `None` if that takes more nodes than a
    /// leaf may, or it was told to give up.
    #[must_use]
    pub fn settle(&self, position: &Position<B>) -> Option<bool> {
        match position.outcome() {
            Outcome::Ongoing => self.settle_view(position.perspective()),
            outcome => Some(outcome == Outcome::Win(position.side_to_move())),
        }
    }

    /// The proof that the side to move wins, as a whole certificate. Wins within
    /// `depth` plies are left to its checker, and so are positions it already knows
    /// to be won: `known` is asked about up to 128 at once, by number, and answers
    /// with one bit each, the lowest for the first.
    ///
    /// # Errors
    /// If it takes more nodes than a leaf may, or the side to move has lost, or the
    /// prover was told to give up.
    pub fn certificate(
        &self,
        position: &Position<B>,
        depth: u8,
        known: &mut Known<'_>,
    ) -> Result<Certificate, LeafFault> {
        match self.settle(position) {
            Some(true) => {}
            Some(false) => return Err(LeafFault::Lost),
            None => return Err(LeafFault::Open(self.nodes)),
        }
        let entries = if position.outcome() == Outcome::Ongoing {
            let view = position.perspective();
            let entries = self.prover.collect(view, true, depth, &*self.stop, known);
            entries.ok_or(LeafFault::Open(self.nodes))?
        } else {
            Vec::new()
        };
        let winner: Side = position.side_to_move();
        Ok(Certificate::new(position, winner, depth, entries))
    }

    /// Positions searched so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.prover.nodes()
    }
}

impl<B: Bits> Solver<B> {
    /// Grows the table to its full size.
    #[must_use]
    pub fn at_full_size(self) -> Self {
        self.prover.grow_to_the_end();
        self
    }

    /// Makes running calls of [`Solver::certify`] end soon, without a proof, and
    /// later ones at once, until [`Solver::prove`] is called.
    pub fn halt(&self) {
        self.prover.halt();
    }

    /// The proof that the side to move wins, as a whole certificate, from all that
    /// the table holds and at most `nodes` nodes; and how many it took. Wins within
    /// `depth` plies are left to its checker, and so are positions it already knows
    /// to be won (`known` is as for [`LeafProver::certificate`]). The table must be
    /// [at its full size](Solver::at_full_size); then several threads may do this
    /// at the same time.
    ///
    /// # Errors
    /// If it takes more nodes, or the side to move has lost, or it was halted.
    pub fn certify(
        &self,
        position: &Position<B>,
        nodes: u64,
        depth: u8,
        known: &mut Known<'_>,
    ) -> Result<(Certificate, u64), LeafFault> {
        let winner: Side = position.side_to_move();
        if let Outcome::Win(side) = position.outcome() {
            let certificate = Certificate::new(position, winner, depth, Vec::new());
            let is_won = side == winner;
            return is_won.then_some((certificate, 0)).ok_or(LeafFault::Lost);
        }
        let view = position.perspective();
        let (entries, spent) = self.prover.certify(view, nodes, depth, known);
        let fault = || match self.prover.known(view) {
            Some((false, _)) => LeafFault::Lost,
            _ => LeafFault::Open(nodes),
        };
        let entries = entries.ok_or_else(fault)?;
        Ok((Certificate::new(position, winner, depth, entries), spent))
    }
}

/// Why a position is not a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeafFault {
    /// It takes more nodes.
    #[error("it is not proven within {0} nodes")]
    Open(u64),
    /// The side to move has lost.
    #[error("it is lost for the side that should win")]
    Lost,
}
