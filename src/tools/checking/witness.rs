//! The prover as a witness: it proves each leaf and writes the proof down.

use crate::game::troyka::{Bits, Position};
use crate::game::{FenError, Notation as _};
use crate::solve::LeafProver;
use crate::tools::check::Witness;

/// How leaves are to be proven.
pub struct Terms {
    /// How many nodes a leaf takes at most, by the file.
    pub nodes: u64,
    /// How many it may take.
    pub most_nodes: u64,
    /// Wins within so many plies are left to the checker.
    pub depth: u8,
    /// Memory for what earlier leaves have taught the prover; 0 if it shall
    /// forget them.
    pub bytes: usize,
}

/// A prover for the leaves of one board.
pub struct Prover<B> {
    prover: LeafProver<B>,
    depth: u8,
}

impl<B: Bits> Prover<B> {
    fn new(start: &Position<B>, terms: &Terms) -> Result<Self, String> {
        let geometry = start.geometry();
        let prover = if terms.bytes > 0 {
            LeafProver::remembering(geometry, terms.most_nodes, terms.bytes)
        } else {
            LeafProver::new(geometry, terms.nodes).map(|prover| prover.with_most(terms.most_nodes))
        };
        Ok(Self {
            prover: prover.map_err(|fault| fault.to_string())?,
            depth: terms.depth,
        })
    }
}

/// A witness that counts its work.
pub trait Counted: Witness {
    /// Nodes searched so far.
    fn nodes(&self) -> u64;
}

impl<B: Bits> Witness for Prover<B> {
    fn certificate(
        &mut self,
        fen: &str,
        known: &mut dyn FnMut(u128) -> bool,
    ) -> Result<Vec<u8>, String> {
        let position = Position::<B>::from_fen(fen).map_err(|fault| fault.to_string())?;
        let certificate = self.prover.certificate(&position, self.depth, known);
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

/// A prover for the board of this position.
///
/// # Errors
/// If there is none for it, or not enough memory.
pub fn witness(fen: &str, terms: &Terms) -> Result<Box<dyn Counted>, String> {
    match Position::<u64>::from_fen(fen) {
        Ok(start) => Ok(Box::new(Prover::new(&start, terms)?)),
        Err(FenError::TooLarge(..)) => {
            let start = Position::<u128>::from_fen(fen).map_err(|fault| fault.to_string())?;
            Ok(Box::new(Prover::new(&start, terms)?))
        }
        Err(fault) => Err(fault.to_string()),
    }
}
