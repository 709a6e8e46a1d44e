//! What a run begins with: the table of earlier ones, and a certificate that need
//! not be proven again.

use super::Solve;
use super::kept_table::KeptTable;
use crate::game::Notation as _;
use crate::game::breakthrough::Position;
use crate::solve::{ShortCertificate, Solver};
use crate::tools::console::tell;
use crate::tools::files::fault;
use std::error::Error;
use std::path::Path;

/// Reads a short certificate for this board; returns its checksum too.
///
/// # Errors
/// If it cannot be read, is not a short certificate, or is for another board.
fn read(path: &Path, board: (u8, u8)) -> Result<(ShortCertificate, u32), Box<dyn Error>> {
    let data = std::fs::read(path).map_err(|error| fault(path, &error))?;
    let certificate = ShortCertificate::from_bytes(&data)
        .map_err(|error| fault(path, &format!("cannot read the short certificate: {error}")))?;
    let start = Position::<u128>::from_fen(&certificate.fen);
    let (files, ranks) = start.map_err(|error| fault(path, &error))?.board_size();
    if (files, ranks) != board {
        let told = format!("it is for a board of {files}x{ranks}");
        return Err(fault(path, &told));
    }
    // The file ends with its checksum.
    let sum = crc32fast::hash(&data[..data.len().saturating_sub(4)]);
    Ok((certificate, sum))
}

impl Solve {
    /// A solver for the position's board that knows the table in its file and what
    /// is trusted.
    pub(super) fn prepared(
        &self,
        position: &Position<u128>,
    ) -> Result<(Solver, Option<KeptTable>), Box<dyn Error>> {
        let trusted = self.trust.as_deref();
        let trusted = trusted.map(|path| read(path, position.board_size()));
        let trusted = trusted.transpose()?;
        let mut solver = self.solver(position)?;
        if let Some((_, sum)) = trusted {
            solver = solver.assuming(sum);
        }
        let open = |path| KeptTable::open(path, self.from.as_deref(), &solver);
        let kept = self.table.as_deref().map(open).transpose()?;
        if let Some((certificate, _)) = &trusted {
            solver.assume_certificate(certificate);
            if !self.quiet {
                let count = certificate.entries.len();
                tell(&format!(
                    "taking {count} positions of the certificate and its leaves for granted"
                ));
            }
        }
        Ok((solver, kept))
    }
}
