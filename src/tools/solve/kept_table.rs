//! The file that keeps a solver's table between runs.

use crate::game::troyka::Bits;
use crate::solve::{Solver, Spent};
use crate::tools::files::{Draft, fault};
use std::error::Error;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// A table's file, and what has been spent on it.
pub struct KeptTable {
    draft: Draft,
    /// Nodes and time of all runs.
    pub spent: Spent,
}

impl KeptTable {
    /// Loads the table from the file, if there is one, into a solver that has
    /// not searched yet.
    ///
    /// # Errors
    /// If the table does not fit, the file cannot be written, or another
    /// process is using it: better to know before spending hours.
    pub fn open<B: Bits>(path: &Path, solver: &Solver<B>) -> Result<Self, Box<dyn Error>> {
        let draft = Draft::begin(path)?;
        let spent = match File::open(path) {
            Ok(file) => solver
                .load(file)
                .map_err(|error| fault(path, &format!("cannot load the table: {error}")))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Spent::default(),
            Err(error) => return Err(fault(path, &error)),
        };
        Ok(Self { draft, spent })
    }

    /// Writes the table, and stays ready to write it again.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save_so_far<B: Bits>(self, solver: &Solver<B>) -> Result<Self, Box<dyn Error>> {
        let (spent, path) = (self.spent, self.draft.path().to_owned());
        self.save(solver)?;
        let draft = Draft::begin(&path)?;
        Ok(Self { draft, spent })
    }

    /// Writes the table; the old file stays until the new one is complete.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save<B: Bits>(self, solver: &Solver<B>) -> Result<(), Box<dyn Error>> {
        let spent = self.spent;
        self.draft.finish(|output| solver.save(output, spent))
    }
}
