//! `petard features`: the counted features of recorded positions, for fitting
//! the handcrafted evaluation's weights outside.

use super::super::console::print;
use super::super::files::{Draft, fault};
use super::record::{GameResult, Records, read_header};
use crate::base::Side;
use crate::eval::handcrafted::{FEATURES, Zones, count};
use crate::game::troyka::Geometry;
use clap::Args;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;

/// Writes the features of every position of a datagen file: one row of bytes a
/// position, first the features (own less enemy, from the mover's view,
/// signed), then the score in centipawns (2 bytes, little endian), the result
/// from the mover's view (0, 1, 2) and the flags of the record. The number of
/// features is printed.
///
/// Exit status: 0 done, 1 an error, 2 wrong arguments.
#[derive(Debug, Args)]
pub struct Features {
    /// A file made by datagen
    input: PathBuf,
    /// The file of rows to write
    output: PathBuf,
}

impl Features {
    /// Runs it.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let output = Draft::begin(&self.output)?;
        let bad = |error: std::io::Error| fault(&self.input, &error);
        let mut input = BufReader::new(File::open(&self.input).map_err(bad)?);
        let geometry = read_header(&mut input).map_err(bad)?;
        output.finish(|output| rows(input, geometry, output))?;
        Ok(print(&format!("{FEATURES} features\n"))?)
    }
}

/// Writes the row of every record.
fn rows(input: impl Read, geometry: Geometry<u64>, output: &mut impl Write) -> io::Result<()> {
    let zones = Zones::new(&geometry);
    for record in Records(input) {
        let record = record?;
        let position = record
            .position(geometry)
            .ok_or_else(|| io::Error::other("a record holds no position"))?;
        let mut row = [0i8; FEATURES];
        count(&position, &zones, |side, feature, number| {
            let sign = if side == record.side { 1 } else { -1 };
            row[feature] += sign * number as i8;
        });
        output.write_all(&row.map(|number| number as u8))?;
        output.write_all(&record.score.to_le_bytes())?;
        let result = match (record.result, record.side) {
            (GameResult::Drawn, _) => 1,
            (GameResult::Won, Side::White) | (GameResult::Lost, Side::Black) => 2,
            _ => 0,
        };
        let flags = u8::from(record.is_first) | u8::from(record.is_noisy) << 1;
        output.write_all(&[result, flags])?;
    }
    Ok(())
}
