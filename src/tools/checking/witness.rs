//! The prover as a witness: it proves each leaf and writes the proof down.

use super::super::files::fault;
use crate::game::Notation as _;
use crate::game::breakthrough::Position;
use crate::solve::{Certificate, LeafProver, LoadMode, Solver, Spent, saved_bytes};
use crate::tools::check::{Known, Short, Witness};
use std::fs::File;
use std::io::{self, BufReader, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How leaves are to be proven.
pub struct Terms {
    /// The checksum of the certificate.
    pub certificate: u32,
    /// The most nodes a leaf takes, according to the file.
    pub nodes: u64,
    /// The most it may take.
    pub most_nodes: u64,
    /// Wins within this many plies are left to the checker.
    pub depth: u8,
    /// Bytes for what the provers have learned from earlier leaves; 0 to forget
    /// it.
    pub bytes: usize,
    /// The table of a proof, saved by `petard solve`, that they start with: of
    /// whatever size.
    pub table: Option<PathBuf>,
    /// The table that an interrupted check of the certificate has kept: of that many
    /// bytes at most.
    pub kept: Option<PathBuf>,
}

/// A witness that counts its work.
pub trait Counted: Witness {
    /// Nodes searched so far.
    fn nodes(&self) -> u64;
}

/// Provers that work in parallel.
pub trait Provers: Sync {
    /// A prover for one thread.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn witness(&self) -> Result<Box<dyn Counted + '_>, String>;
    /// Makes the provers abandon their work.
    fn halt(&self);
    /// Writes what they remember; they must not be at work.
    ///
    /// # Errors
    /// If writing fails.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// The provers of one board.
struct Board {
    start: Position<u128>,
    terms: Terms,
    /// The solver they share, if they remember.
    solver: Option<Solver>,
    /// Whether those that forget should give up.
    halted: Arc<AtomicBool>,
}

impl Board {
    fn new(start: Position<u128>, terms: Terms, short: &Short) -> Result<Self, String> {
        let solver = match (&terms.table, &terms.kept) {
            (Some(path), _) => Some(load(&start, path, None)?),
            (None, Some(path)) => Some(load(&start, path, Some((terms.bytes, terms.certificate)))?),
            (None, None) if terms.bytes > 0 => Some(
                Solver::new(start.geometry(), terms.bytes).map_err(|fault| fault.to_string())?,
            ),
            (None, None) => None,
        };
        let solver = solver.map(|solver| solver.grow_to_capacity().assuming(terms.certificate));
        // Without memory, no leaf may rest on the claims.
        if let Some(solver) = &solver
            && terms.bytes > 0
        {
            solver.assume_won(short.claims());
        }
        Ok(Self {
            start,
            terms,
            solver,
            halted: Arc::default(),
        })
    }
}

/// A solver with the table loaded from the file: one that a check of this
/// certificate has kept, in a solver of this size, or else a proof's, in one that is
/// just large enough.
fn load(start: &Position<u128>, path: &Path, kept: Option<(usize, u32)>) -> Result<Solver, String> {
    let told = |error: &dyn std::fmt::Display| fault(path, error).to_string();
    let mut file = File::open(path).map_err(|error| told(&error))?;
    let length = file.metadata().map_err(|error| told(&error))?.len();
    let saved = saved_bytes(&file).map_err(|error| told(&error))?;
    if saved > length {
        return Err(told(&"it is cut short"));
    }
    file.rewind().map_err(|error| told(&error))?;
    let bytes = kept.map_or(saved as usize, |(bytes, _)| bytes);
    let mut solver = Solver::new(start.geometry(), bytes).map_err(|error| told(&error))?;
    if let Some((_, certificate)) = kept {
        solver = solver.assuming(certificate);
    }
    let input = BufReader::with_capacity(1 << 20, file);
    solver
        .load(input, LoadMode::Whole)
        .map_err(|error| told(&error))?;
    Ok(solver)
}

impl Provers for Board {
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
                let halted = Arc::clone(&self.halted);
                let prover = prover.stopped_by(move || halted.load(Relaxed));
                Box::new(Alone {
                    prover: prover.with_most(terms.most_nodes),
                    depth: terms.depth,
                })
            }
        })
    }

    fn halt(&self) {
        self.halted.store(true, Relaxed);
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
struct Alone {
    prover: LeafProver,
    depth: u8,
}

/// A prover that shares what it finds with the others.
struct Sharing<'a> {
    solver: &'a Solver,
    terms: &'a Terms,
    nodes: u64,
}

fn parsed(fen: &str) -> Result<Position<u128>, String> {
    Position::<u128>::from_fen(fen).map_err(|fault| fault.to_string())
}

fn written(certificate: &Certificate) -> Result<Vec<u8>, String> {
    let mut data = Vec::new();
    let result = certificate.write(&mut data);
    result.map(|()| data).map_err(|fault| fault.to_string())
}

impl Witness for Alone {
    fn certificate(&mut self, fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, String> {
        let certificate = self.prover.certificate(&parsed(fen)?, self.depth, known);
        written(&certificate.map_err(|fault| fault.to_string())?)
    }
}

impl Witness for Sharing<'_> {
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

impl Counted for Alone {
    fn nodes(&self) -> u64 {
        self.prover.nodes()
    }
}

impl Counted for Sharing<'_> {
    fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// Provers for a short certificate.
///
/// # Errors
/// If its board has no prover, memory is short, or the table cannot be loaded.
pub fn provers(short: &Short, terms: Terms) -> Result<Box<dyn Provers>, String> {
    let start = parsed(&short.proven().fen)?;
    Ok(Box::new(Board::new(start, terms, short)?))
}
