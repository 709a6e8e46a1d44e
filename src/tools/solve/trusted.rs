//! A certificate that need not be proven again.

use crate::game::Notation as _;
use crate::game::troyka::{Bits, Geometry, Position};
use crate::solve::{ShortCertificate, Solver};
use crate::tools::files::fault;
use std::error::Error;
use std::path::Path;

/// A short certificate, accepted as it is.
pub struct Trusted {
    certificate: ShortCertificate,
    /// Its checksum.
    sum: u32,
}

impl Trusted {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, is not a short certificate, or is for another board.
    pub fn read<B: Bits>(path: &Path, geometry: &Geometry<B>) -> Result<Self, Box<dyn Error>> {
        let data = std::fs::read(path).map_err(|error| fault(path, &error))?;
        let certificate = ShortCertificate::from_bytes(&data)
            .map_err(|error| fault(path, &format!("cannot read the short certificate: {error}")))?;
        let start = Position::<u128>::from_fen(&certificate.fen);
        let (files, ranks) = start.map_err(|error| fault(path, &error))?.board_size();
        if (files, ranks) != (geometry.files(), geometry.ranks()) {
            return Err(fault(
                path,
                &format!("it is for a board of {files}x{ranks}"),
            ));
        }
        // The file ends with its checksum.
        let sum = crc32fast::hash(&data[..data.len().saturating_sub(4)]);
        Ok(Self { certificate, sum })
    }

    /// A solver whose table rests on it.
    pub fn basis_of<B: Bits>(&self, solver: Solver<B>) -> Solver<B> {
        solver.resting_on(self.sum)
    }

    /// Tells the solver what it proves.
    pub fn teach<B: Bits>(&self, solver: &Solver<B>) {
        solver.accept(&self.certificate);
    }

    /// What the answer rests on.
    pub fn notice(&self) -> String {
        let count = self.certificate.entries.len();
        format!("taking {count} positions of the certificate and its leaves for granted")
    }
}
