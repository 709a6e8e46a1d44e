//! `petard features`: the counted features of recorded positions, for fitting
//! the handcrafted evaluation's weights outside.

use super::record::{GameResult, Records, read_header};
use crate::base::Side;
use crate::eval::handcrafted::{FEATURES, Zones, count};
use clap::Args;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;

/// Writes the features of every position of a datagen file: one row of bytes a
/// position, first the features (own less enemy, from the mover's view,
/// signed), then the score in centipawns (2 bytes, little endian), the result
/// from the mover's view (0, 1, 2) and the flags of the record. The number of
/// features is printed.
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
        let mut input = BufReader::new(File::open(&self.input)?);
        let geometry = read_header(&mut input)?;
        let zones = Zones::new(&geometry);
        let mut output = BufWriter::new(File::create(&self.output)?);
        for record in Records(input) {
            let record = record?;
            let position = record
                .position(geometry)
                .ok_or("a record holds no position")?;
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
        output.flush()?;
        println!("{FEATURES} features");
        Ok(())
    }
}
