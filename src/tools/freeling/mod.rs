//! `petard freeling`: fitting and testing the evaluation of Freeling's game.

mod arena;
mod data;
mod player;

use clap::{Args, Subcommand};
use std::error::Error;

/// Self-play for the evaluation of Freeling's game: positions to fit it to,
/// and matches between two sets of weights.
#[derive(Debug, Args)]
pub struct Freeling {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Play games against itself and write their positions and results
    Data(data::Data),
    /// Write the evaluation features of recorded positions
    Features(data::Features),
    /// Play a match between two sets of weights
    Match(arena::Match),
}

impl Freeling {
    /// Runs it.
    ///
    /// # Errors
    /// If a file cannot be read or written, or there is no memory for a table.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        match &self.task {
            Task::Data(data) => data.run(),
            Task::Features(features) => features.run(),
            Task::Match(arena) => arena.run(),
        }
    }
}
