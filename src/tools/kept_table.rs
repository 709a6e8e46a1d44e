//! The file that a solver's table is kept in from one run to the next.

use crate::game::troyka::Bits;
use crate::solve::{Solver, Spent};
use std::error::Error;
use std::fmt::Display;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A table's file, and what has been spent on it.
pub struct KeptTable {
    path: PathBuf,
    part: PathBuf,
    file: File,
    /// Nodes and time of all runs.
    pub spent: Spent,
}

impl KeptTable {
    /// Takes the table over from the file, if there is one, into a solver that
    /// has not searched yet.
    ///
    /// # Errors
    /// If the table does not fit, or none could be written in its place: that
    /// should be known before hours are spent.
    pub fn open<B: Bits>(path: &Path, solver: &Solver<B>) -> Result<Self, Box<dyn Error>> {
        let spent = match File::open(path) {
            Ok(file) => solver.load(file).map_err(|error| fault(path, &error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Spent::default(),
            Err(error) => return Err(fault(path, &error)),
        };
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|error| fault(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            part,
            file,
            spent,
        })
    }

    /// Writes the table; the old file stays until the new one is whole.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save<B: Bits>(&self, solver: &Solver<B>) -> Result<(), Box<dyn Error>> {
        solver
            .save(&self.file, self.spent)
            .and_then(|()| std::fs::rename(&self.part, &self.path))
            .map_err(|error| fault(&self.path, &error))
    }
}

fn fault(path: &Path, fault: &dyn Display) -> Box<dyn Error> {
    format!("the table '{}': {fault}", path.display()).into()
}
