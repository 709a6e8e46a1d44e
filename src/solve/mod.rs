//! Proofs: who wins a position of Breakthrough, proven.
//!
//! Depth-first proof-number search (`dfpn`) on exact keys (`keys`) and a table
//! that cannot mistake one position for another (`table`), with the theorems of
//! [`crate::game::breakthrough::StaticSolver`] at the leaves. A proof can be written
//! down as a [`Certificate`] that an independent program can check.
//!
//! ```
//! use petard::game::breakthrough::Position;
//! use petard::solve::{ProofLimits, Solver};
//!
//! let start = Position::<u64>::start(4, 5)?;
//! let solver = Solver::new(start.geometry(), 1 << 24)?;
//! let solution = solver.solve(&start, &ProofLimits::default(), &|| false, &mut |_| {});
//! assert_eq!(solution.side_to_move_wins, Some(false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod book;
mod builder;
mod certificate;
mod collect;
mod dfpn;
mod keys;
mod leaf_prover;
mod learner;
mod numbers;
mod prove;
mod saved;
mod shared;
mod solver;
mod table;
mod types;

pub(crate) use book::built_in_proof;
pub(crate) use book::{ProofBook, ProvenMove};
pub(crate) use builder::{BuildError, BuilderCounts, CertificateBuilder};
#[cfg(any(test, fuzzing))]
pub(crate) use certificate::FileError;
pub(crate) use certificate::ShortCertificate;
pub use certificate::{Certificate, DEPTHS};
pub(crate) use leaf_prover::LeafProver;
pub(crate) use saved::{LoadMode, Spent, saved_bytes};
pub use solver::Solver;
pub(crate) use types::{LeafError, OpenedNode, Prospect, StepResult};
pub use types::{Progress, ProofLimits, Solution, SolveError};

#[cfg(test)]
mod tests;
