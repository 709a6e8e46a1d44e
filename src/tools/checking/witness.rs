//! The prover as a witness: it proves each leaf anew and writes the proof down.

use crate::game::troyka::{Bits, Position};
use crate::game::{FenError, Notation as _};
use crate::solve::LeafProver;
use crate::tools::check::Witness;

/// A prover for the leaves of one board.
pub struct Prover<B> {
    prover: LeafProver<B>,
    depth: u8,
}

impl<B: Bits> Prover<B> {
    /// One for the leaves of a file that says that they take so many nodes, and
    /// may take so many here; wins within `depth` plies are left to the checker.
    fn new(start: &Position<B>, (nodes, most): (u64, u64), depth: u8) -> Result<Self, String> {
        let prover = LeafProver::new(start.geometry(), nodes).map_err(|fault| fault.to_string())?;
        Ok(Self {
            prover: prover.with_most(most),
            depth,
        })
    }
}

/// A witness that counts its work.
pub trait Counted: Witness {
    /// Nodes searched so far.
    fn nodes(&self) -> u64;
}

impl<B: Bits> Witness for Prover<B> {
    fn certificate(&mut self, fen: &str) -> Result<Vec<u8>, String> {
        let position = Position::<B>::from_fen(fen).map_err(|fault| fault.to_string())?;
        let certificate = self.prover.certificate(&position, self.depth);
        let certificate = certificate.map_err(|fault| fault.to_string())?;
        let mut data = Vec::new();
        certificate
            .write(&mut data)
            .map_err(|fault| fault.to_string())?;
        Ok(data)
    }
}

impl<B: Bits> Counted for Prover<B> {
    fn nodes(&self) -> u64 {
        self.prover.nodes()
    }
}

/// A prover for the board of this position: what a leaf takes by the file, and
/// what it may take.
pub fn witness(fen: &str, nodes: (u64, u64), depth: u8) -> Result<Box<dyn Counted>, String> {
    match Position::<u64>::from_fen(fen) {
        Ok(start) => Ok(Box::new(Prover::new(&start, nodes, depth)?)),
        Err(FenError::TooLarge(..)) => {
            let start = Position::<u128>::from_fen(fen).map_err(|fault| fault.to_string())?;
            Ok(Box::new(Prover::new(&start, nodes, depth)?))
        }
        Err(fault) => Err(fault.to_string()),
    }
}
