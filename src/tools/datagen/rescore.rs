//! Rescoring of recorded positions: old games with the scores of a stronger
//! player.

use super::game::Player;
use super::record::{Header, Record, Records};
use super::recorded::Recorded;
use std::error::Error;
use std::io::{self, Read, Write};
use std::thread::Builder;

/// Records scored in a row with one table: a fixed number, so that the scores
/// do not depend on the number of threads.
const RUN: usize = 128;

/// Writes the input's records after the first `skip`, up to `most` in all, with
/// the scores and best moves of these players, and returns how many. Results
/// stay. When told to stop, it ends between two batches.
pub(super) fn rescore<G: Recorded>(
    header: Header,
    input: impl Read,
    output: &mut impl Write,
    players: &mut [Player<G>],
    (skip, most): (u64, u64),
    is_over: &dyn Fn() -> bool,
    report: &mut dyn FnMut(u64),
) -> Result<u64, Box<dyn Error>> {
    let mut records = Records(header, input);
    // A partial record at the end does not count.
    for _ in 0..skip {
        records.next().transpose()?;
    }
    let (mut written, left) = (0, most.saturating_sub(skip));
    while !is_over() {
        let size =
            (RUN * players.len() * 8).min(usize::try_from(left - written).unwrap_or(usize::MAX));
        let mut batch = records.by_ref().take(size).collect::<Result<Vec<_>, _>>()?;
        if batch.is_empty() {
            break;
        }
        judge(&header, players, &mut batch)?;
        for record in &batch {
            output.write_all(&header.to_bytes(record))?;
        }
        written += batch.len() as u64;
        report(written);
    }
    Ok(written)
}

/// Has the players score the batch in runs, each by one of them.
fn judge<G: Recorded>(
    header: &Header,
    players: &mut [Player<G>],
    batch: &mut [Record],
) -> Result<(), String> {
    let share = batch.len().div_ceil(RUN).div_ceil(players.len()) * RUN;
    std::thread::scope(|scope| {
        let work = batch
            .chunks_mut(share)
            .zip(players)
            .map(|(part, player)| {
                Builder::new().spawn_scoped(scope, move || {
                    let mut runs = part.chunks_mut(RUN);
                    runs.try_for_each(|run| player.judge(header, run))
                })
            })
            .collect::<io::Result<Vec<_>>>()
            .map_err(|error| format!("threads cannot be started: {error}"))?;
        work.into_iter().try_for_each(|thread| {
            let fault = |_| Err("a thread panicked".to_owned());
            thread.join().unwrap_or_else(fault)
        })
    })
}
