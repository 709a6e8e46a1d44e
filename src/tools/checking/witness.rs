//! The prover as a witness: it proves each leaf and writes the proof down.

use super::super::files::fault;
use crate::game::troyka::{Bits, Position};
use crate::game::{FenError, Notation as _};
use crate::solve::{Certificate, LeafProver, Solver, Spent};
use crate::tools::check::{Known, Short, Witness};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// How leaves are to be proven.
pub struct Terms {
    /// How many nodes a leaf takes at most, by the file.
    pub nodes: u64,
    /// How many it may take.
    pub most_nodes: u64,
    /// Wins within so many plies are left to the checker.
    pub depth: u8,
    /// Memory for what earlier leaves have taught the provers; 0 if they shall
    /// forget them.
    pub bytes: usize,
    /// The table of a proof, saved by `petard solve`, that they begin with.
    pub table: Option<PathBuf>,
}

/// A witness that counts its work.
pub trait Counted: Witness {
    /// Nodes searched so far.
    fn nodes(&self) -> u64;
}

/// Provers that work at the same time.
pub trait Provers: Sync {
    /// One for a thread.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn witness(&self) -> Result<Box<dyn Counted + '_>, String>;
    /// Lets all that remember give up what they are at.
    fn halt(&self);
    /// Writes what they remember; they must not be at work.
    ///
    /// # Errors
    /// If writing fails.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// The provers of one board.
struct Board<B> {
    start: Position<B>,
    terms: Terms,
    /// What they have in common, if they remember.
    solver: Option<Solver<B>>,
}

impl<B: Bits> Board<B> {
    fn new(start: Position<B>, terms: Terms, short: &Short) -> Result<Self, String> {
        let solver = match &terms.table {
            Some(path) => Some(load(&start, path)?),
            None if terms.bytes > 0 => Some(
                Solver::new(start.geometry(), terms.bytes).map_err(|fault| fault.to_string())?,
            ),
            None => None,
        };
        let solver = solver.map(Solver::at_full_size);
        // Without memory no leaf may rest on them.
        if let Some(solver) = &solver
            && terms.bytes > 0
        {
            solver.take_for_granted(short.claims());
        }
        Ok(Self {
            start,
            terms,
            solver,
        })
    }
}

/// A solver that knows what is in the file.
fn load<B: Bits>(start: &Position<B>, path: &Path) -> Result<Solver<B>, String> {
    let told = |error: &dyn std::fmt::Display| fault(path, error).to_string();
    let file = File::open(path).map_err(|error| told(&error))?;
    let bytes = file.metadata().map_err(|error| told(&error))?.len();
    // Its words are a power of two, and most of the file.
    let solver = Solver::new(start.geometry(), bytes as usize).map_err(|error| told(&error))?;
    let input = BufReader::with_capacity(1 << 20, file);
    solver.load(input).map_err(|error| told(&error))?;
    Ok(solver)
}

impl<B: Bits> Provers for Board<B> {
    fn witness(&self) -> Result<Box<dyn Counted + '_>, String> {
        let terms = &self.terms;
        Ok(match &self.solver {
            Some(solver) => Box::new(Sharing {
                solver,
                terms,
                nodes: 0,
            }),
            None => {
                let prover = LeafProver::new(self.start.geometry(), terms.nodes);
                let prover = prover.map_err(|fault| fault.to_string())?;
                Box::new(Alone {
                    prover: prover.with_most(terms.most_nodes),
                    depth: terms.depth,
                })
            }
        })
    }

    fn halt(&self) {
        self.solver.iter().for_each(Solver::halt);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.solver {
            Some(solver) => solver.save(out, Spent::default()),
            None => Ok(()),
        }
    }
}

/// A prover that forgets each leaf.
struct Alone<B> {
    prover: LeafProver<B>,
    depth: u8,
}

/// One that shares what it finds out with the others.
struct Sharing<'a, B> {
    solver: &'a Solver<B>,
    terms: &'a Terms,
    nodes: u64,
}

fn parsed<B: Bits>(fen: &str) -> Result<Position<B>, String> {
    Position::<B>::from_fen(fen).map_err(|fault| fault.to_string())
}

fn written(certificate: &Certificate) -> Result<Vec<u8>, String> {
    let mut data = Vec::new();
    let result = certificate.write(&mut data);
    result.map(|()| data).map_err(|fault| fault.to_string())
}

impl<B: Bits> Witness for Alone<B> {
    fn certificate(&mut self, fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, String> {
        let certificate = self.prover.certificate(&parsed(fen)?, self.depth, known);
        written(&certificate.map_err(|fault| fault.to_string())?)
    }
}

impl<B: Bits> Witness for Sharing<'_, B> {
    fn certificate(&mut self, fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, String> {
        let Terms {
            most_nodes, depth, ..
        } = *self.terms;
        let made = self.solver.certify(&parsed(fen)?, most_nodes, depth, known);
        let (certificate, nodes) = made.map_err(|fault| fault.to_string())?;
        self.nodes += nodes;
        written(&certificate)
    }
}

impl<B: Bits> Counted for Alone<B> {
    fn nodes(&self) -> u64 {
        self.prover.nodes()
    }
}

impl<B: Bits> Counted for Sharing<'_, B> {
    fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// Provers for a short certificate.
///
/// # Errors
/// If there are none for it, not enough memory, or no such table.
pub fn provers(short: &Short, terms: Terms) -> Result<Box<dyn Provers>, String> {
    let fen = &short.proven().fen;
    match Position::<u64>::from_fen(fen) {
        Ok(start) => Ok(Box::new(Board::new(start, terms, short)?)),
        Err(FenError::TooLarge(..)) => {
            Ok(Box::new(Board::<u128>::new(parsed(fen)?, terms, short)?))
        }
        Err(fault) => Err(fault.to_string()),
    }
}
