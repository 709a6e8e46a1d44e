//! The prover as a witness: it proves each leaf and writes the proof down.

use crate::game::Notation as _;
use crate::game::breakthrough::Position;
use crate::solve::{LeafProver, LoadMode, Solver, saved_bytes};
use crate::tools::checker::{KnownNumbers, Short, Witness};
use crate::tools::checkpoint::Reader;
use crate::tools::files::file_error;
use std::error::Error;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
        // Without memory, no leaf may rest on the claims.
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
    pub(crate) fn witness(&self) -> Result<Prover<'_>, String> {
        let kind = match &self.solver {
            Some(solver) => ProverKind::Shared(solver, 0),
            None => {
                let prover = LeafProver::new(self.start.geometry(), self.config.nodes);
                let prover = prover.map_err(|error| error.to_string())?;
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
    pub(crate) fn own_solver(&self) -> Option<&Solver> {
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
    /// It shares what it finds with the others, and has searched so many nodes.
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
    fn certificate(&mut self, fen: &str, known: &mut KnownNumbers<'_>) -> Result<Vec<u8>, String> {
        let (position, depth) = (parsed(fen)?, self.config.depth);
        let made = match &mut self.kind {
            ProverKind::Independent(prover) => prover.certificate(&position, depth, known),
            ProverKind::Shared(solver, nodes) => solver
                .certify(&position, self.config.max_nodes, depth, known)
                .map(|(certificate, taken)| {
                    *nodes += taken;
                    certificate
                }),
        };
        let mut data = Vec::new();
        let written = made.map_err(|error| error.to_string())?.write(&mut data);
        written.map(|()| data).map_err(|error| error.to_string())
    }
}
