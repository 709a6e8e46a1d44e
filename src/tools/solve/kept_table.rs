//! The file that keeps a solver's table between runs.

use crate::solve::{LoadMode, SavedError, Solver, Spent};
use crate::tools::console::tell;
use crate::tools::files::{Draft, fault};
use std::error::Error;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A table's file, and what has been spent on it.
pub struct KeptTable {
    path: PathBuf,
    /// The next file, unless the last one could not be written.
    draft: Option<Draft>,
    /// Nodes and time of all runs.
    pub spent: Spent,
}

impl KeptTable {
    /// Loads the table from the file, or if there is none yet what fits of the
    /// one in `start`, into a solver that has not searched yet.
    ///
    /// # Errors
    /// If the table does not fit, the file cannot be written, or another
    /// process is using it: better to know before spending hours.
    pub fn open(
        path: &Path,
        start: Option<&Path>,
        solver: &Solver,
    ) -> Result<Self, Box<dyn Error>> {
        let draft = Some(Draft::begin(path)?);
        let told =
            |path, error: SavedError| fault(path, &format!("cannot load the table: {error}"));
        let spent = match (File::open(path), start) {
            (Ok(file), _) => solver
                .load(file, LoadMode::Whole)
                .map_err(|error| told(path, error))?,
            (Err(error), _) if error.kind() != ErrorKind::NotFound => {
                return Err(fault(path, &error));
            }
            (Err(_), Some(start)) => {
                let file = File::open(start).map_err(|error| fault(start, &error))?;
                solver
                    .load(file, LoadMode::Part)
                    .map_err(|error| told(start, error))?
            }
            (Err(_), None) => Spent::default(),
        };
        let path = path.to_owned();
        Ok(Self { path, draft, spent })
    }

    /// Writes the table, and stays ready to write it again. A fault is told:
    /// hours of work must not end for it, and the next attempt may succeed.
    pub fn save_so_far(&mut self, solver: &Solver) {
        let saved = self.save(solver);
        let ready = Draft::begin(&self.path).map(|draft| self.draft = Some(draft));
        if let Err(fault) = saved.and(ready) {
            tell(&format!("{fault}; trying again later"));
        }
    }

    /// Writes the table; the old file stays until the new one is complete.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&mut self, solver: &Solver) -> Result<(), Box<dyn Error>> {
        let draft = match self.draft.take() {
            Some(draft) => draft,
            None => Draft::begin(&self.path)?,
        };
        draft.finish(|output| solver.save(output, self.spent))
    }
}
