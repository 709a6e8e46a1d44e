//! Proofs: who wins a position of Breakthrough, proven.
//!
//! Depth-first proof-number search (`dfpn`) on exact keys (`keys`) and a table
//! that cannot mistake one position for another (`table`), with the theorems of
//! [`crate::game::breakthrough::StaticSolver`] at the leaves. A proof can be written
//! down as a [`Certificate`] that an independent program can check.
//!
//! ```
//! use petard::game::breakthrough::Position;
//! use petard::solve::{Limits, Solver};
//!
//! let start = Position::<u64>::start(4, 5)?;
//! let solver = Solver::new(start.geometry(), 1 << 24)?;
//! let solution = solver.solve(&start, &Limits::default(), &|| false, &mut |_| {});
//! assert_eq!(solution.side_to_move_wins, Some(false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod answers;
mod book;
mod buckets;
mod built_in;
mod certificate;
mod choice;
mod codec;
mod collect;
mod dfpn;
mod growth;
mod keys;
mod leaf;
mod learner;
mod line;
mod mixing;
mod numbers;
mod profile;
mod prover;
mod remembered;
mod saved;
mod search;
mod shared;
mod short;
mod stop;
mod table;
mod teaching;
mod wide;

pub use answer::{ExpandedNode, Limits, Progress, Prospect, Solution, SolveError};
pub use book::{Known, ProofBook};
pub use built_in::built_in_proof;
pub use certificate::{Certificate, DEPTHS};
pub use growth::{Advance, Growth, GrowthError};
pub use leaf::{LeafFault, LeafProver};
pub use saved::{Extent, SavedError, Spent, saved_bytes};
pub use short::{FileError, ShortCertificate};

use crate::base::{Instant, Side};
use crate::game::breakthrough::{Bits, Geometry, Position, StaticSolver};
use crate::game::{Game as _, Move, Outcome};
use prover::{Prover, prover};
use saved::Basis;
use std::io::{self, Read, Write};
use std::time::Duration;

/// Solves positions on one board, keeping what it has learnt in a table.
pub struct Solver<B> {
    statics: StaticSolver<B>,
    prover: Box<dyn Prover<B>>,
    /// What the table rests on.
    basis: Basis,
}

impl<B: Bits> Solver<B> {
    /// A solver for a board, with a table of at most `bytes` bytes, or the
    /// least that the keys of such a board need: 16 MB at 40 squares, less on
    /// smaller boards. Memory is used as the table fills.
    ///
    /// # Errors
    /// If the board has more than 80 squares, or there is not enough memory.
    pub fn new(geometry: &Geometry<B>, bytes: usize) -> Result<Self, SolveError> {
        let statics = StaticSolver::new(geometry);
        let prover = prover(statics, bytes)?;
        Ok(Self {
            statics,
            prover,
            basis: Basis::Rules,
        })
    }

    /// The same with a table that rests on the claims of the certificate with this
    /// checksum: only such a solver loads it when it is saved.
    #[must_use]
    pub fn resting_on(self, certificate: u32) -> Self {
        let basis = Basis::Claims(certificate);
        Self { basis, ..self }
    }

    /// Finds out who wins a position on the solver's board, and a line.
    pub fn solve(
        &self,
        position: &Position<B>,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Solution {
        self.solve_part(position, limits, limits.time, stop, progress)
    }

    /// The same as a part of a longer search, in which the limit of time is the end
    /// of the part: the search for the line may take longer, up to `whole` from the
    /// beginning of the part.
    pub fn solve_part(
        &self,
        position: &Position<B>,
        limits: &Limits,
        whole: Option<Duration>,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Solution {
        let start = Instant::now();
        let before = self.prover.nodes();
        let wins = self.prove(position, limits, stop, progress);
        let prospect = match wins {
            Some(true) => Prospect::new(0, numbers::INFINITE),
            Some(false) => Prospect::new(numbers::INFINITE, 0),
            None => self.prover.root(),
        };
        let spent = self.prover.nodes() - before;
        let left = limits.nodes.map(|nodes| nodes.saturating_sub(spent));
        let is_late = || whole.is_some_and(|whole| start.elapsed() >= whole);
        let line = match wins {
            Some(wins) if position.outcome() == Outcome::Ongoing => self
                .prover
                .line(position.perspective(), wins, left, stop, &is_late)
                .into_iter()
                .enumerate()
                .map(|(ply, step)| self.board_move(position, ply, step))
                .collect(),
            _ => Vec::new(),
        };
        Solution {
            side_to_move_wins: wins,
            line,
            prospect,
            nodes: self.prover.nodes() - before,
            time: start.elapsed(),
        }
    }

    /// Whether the side to move wins, without a line.
    pub fn prove(
        &self,
        position: &Position<B>,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<bool> {
        debug_assert_eq!(position.geometry(), self.statics.geometry());
        match position.outcome() {
            Outcome::Ongoing => self
                .prover
                .prove(position.perspective(), limits, stop, progress),
            outcome => Some(outcome == Outcome::Win(position.side_to_move())),
        }
    }

    /// Counts the work of searches from now on, so that [`Solver::expanded`]
    /// lists all positions that took at least one in `parts` of the nodes.
    /// Earlier counts are discarded.
    pub fn count_work(&self, parts: Option<u64>) {
        self.prover.count_work(parts);
    }

    /// How far each move of a position is from a proof, as the last search left
    /// it, from the view of the side that makes it; and the same for the
    /// undecided positions below it that took their share of the nodes
    /// ([`Solver::count_work`]), each with the line that leads to it. The
    /// position itself comes first, none comes before one above it, and
    /// transpositions are listed once. Where nothing has been searched, or a
    /// full table has evicted the numbers, they are first guesses. Empty if the
    /// game is over.
    #[must_use]
    pub fn expanded(&self, position: &Position<B>) -> Vec<ExpandedNode> {
        if position.outcome() != Outcome::Ongoing {
            return Vec::new();
        }
        let expanded = self.prover.expanded(position.perspective());
        let told = expanded.into_iter().map(|(line, steps)| ExpandedNode {
            moves: steps
                .into_iter()
                .map(|(step, prospect)| (self.board_move(position, line.len(), step), prospect))
                .collect(),
            line: line
                .into_iter()
                .enumerate()
                .map(|(ply, step)| self.board_move(position, ply, step))
                .collect(),
        });
        told.collect()
    }

    /// The certificate of a position that [`Solver::solve`] has decided; wins
    /// within `depth` plies, one of [`DEPTHS`], are left to the checker.
    ///
    /// # Errors
    /// If the winner is not known, or the stop flag was raised.
    pub fn certificate(
        &self,
        position: &Position<B>,
        solution: &Solution,
        depth: u8,
        stop: &dyn Fn() -> bool,
    ) -> Result<Certificate, SolveError> {
        let wins = solution.side_to_move_wins.ok_or(SolveError::NotSolved)?;
        let entries = if position.outcome() == Outcome::Ongoing {
            self.prover
                .collect(position.perspective(), wins, depth, stop, &mut |_| 0)
                .ok_or(SolveError::Stopped)?
        } else {
            Vec::new()
        };
        let winner = if wins {
            position.side_to_move()
        } else {
            !position.side_to_move()
        };
        Ok(Certificate::new(position, winner, depth, entries))
    }

    /// Writes the table and what was learned, with what has been spent on it;
    /// no search may be running.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, out: impl Write, spent: Spent) -> io::Result<()> {
        let mut contents = self.prover.contents();
        contents.basis = self.basis;
        contents.write(out, spent)
    }

    /// Loads what [`Solver::save`] wrote into a solver that has not searched
    /// yet; returns what was spent on it.
    ///
    /// # Errors
    /// If it is for another board, rests on other claims, is larger and wanted
    /// whole, or damaged; this solver must not be used then.
    pub fn load(&self, input: impl Read, extent: Extent) -> Result<Spent, SavedError> {
        let mut contents = self.prover.contents();
        contents.basis = self.basis;
        let spent = contents.read(input, extent, &|words, index, bucket| {
            self.prover.take_over(words, index, bucket);
        })?;
        self.prover.relearn(contents.weights);
        Ok(spent)
    }

    /// Positions searched so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.prover.nodes()
    }

    /// The size of the table in bytes.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        self.prover.bytes()
    }

    /// Converts the step at a ply of a line from the position to a move on the
    /// board: the solver sees every step from the side that makes it.
    fn board_move(&self, position: &Position<B>, ply: usize, (from, to): (u8, u8)) -> Move {
        let is_white = (position.side_to_move() == Side::White) == ply.is_multiple_of(2);
        if is_white {
            return Move::new(from, to);
        }
        let (files, ranks) = (
            self.statics.geometry().files(),
            self.statics.geometry().ranks(),
        );
        let turned = |square: u8| B::bit(square).turned(files, ranks).lowest();
        Move::new(turned(from), turned(to))
    }
}
