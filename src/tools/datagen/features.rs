//! `petard features`: the feature counts of recorded positions, for fitting the
//! handcrafted evaluation's weights elsewhere.

use super::super::console::print;
use super::super::files::{Draft, fault, overwrites};
use super::record::{Header, Kind, Records};
use super::recorded::Recorded;
use crate::game::{breakthrough, freeling};
use clap::Args;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;

/// How a file of features begins.
const MAGIC: [u8; 8] = *b"PETARDF1";

/// Write the evaluation features of recorded positions
///
/// Writes the features of every position in a datagen file, of either game, as
/// needed to fit the handcrafted evaluation. The file starts with 16 bytes:
/// `PETARDF1`, the game as in the datagen file, a zero, the number of features
/// (2 bytes, little endian), four zeros. Then comes one row per position: the
/// features (own minus enemy, from the mover's view, a signed byte each), the
/// score in centipawns (2 bytes, little endian), the result from the mover's
/// view (0, 1, 2) and flags (bit 0: first of its game, bit 1: the best move is
/// a capture or sets off an explosion). Prints the number of features.
///
/// Exit status: 0 success, 1 error, 2 wrong arguments.
#[derive(Debug, Args)]
pub struct Features {
    /// A file written by datagen
    input: PathBuf,
    /// The file of features to write
    output: PathBuf,
}

impl Features {
    /// Runs it.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        if overwrites(&self.output, &self.input) {
            let input = self.input.display();
            return Err(fault(
                &self.output,
                &format!("it would overwrite '{input}'"),
            ));
        }
        let output = Draft::begin(&self.output)?;
        let bad = |error: io::Error| fault(&self.input, &error);
        let mut input = BufReader::new(File::open(&self.input).map_err(bad)?);
        let header = Header::read(&mut input).map_err(bad)?;
        let mut count = 0;
        output.finish(|output| {
            count = match header.kind {
                Kind::Breakthrough => rows::<breakthrough::Position<u128>>(header, input, output)?,
                Kind::Freeling => rows::<freeling::Position>(header, input, output)?,
            };
            Ok(())
        })?;
        Ok(print(&format!("{count} features\n"))?)
    }
}

/// Writes the header and a row per record; returns the number of features.
fn rows<G: Recorded>(
    header: Header,
    input: impl Read,
    output: &mut impl Write,
) -> io::Result<usize> {
    let mut head = [0; 16];
    head[..8].copy_from_slice(&MAGIC);
    head[8] = G::KIND as u8;
    head[10..12].copy_from_slice(&(G::FEATURES as u16).to_le_bytes());
    output.write_all(&head)?;
    for record in Records(header, input) {
        let record = record?;
        let position = G::from_record(&header, &record)
            .ok_or_else(|| io::Error::other("a record holds no valid position"))?;
        let mut row = vec![0i32; G::FEATURES];
        position.count_features(|side, feature, number| {
            row[feature] += if side == record.side { number } else { -number };
        });
        let byte = |number: i32| number.clamp(-127, 127) as i8 as u8;
        output.write_all(&row.into_iter().map(byte).collect::<Vec<_>>())?;
        output.write_all(&record.score.to_le_bytes())?;
        let flags = u8::from(record.is_first) | u8::from(record.is_noisy) << 1;
        output.write_all(&[record.result_for_mover(), flags])?;
    }
    Ok(G::FEATURES)
}
