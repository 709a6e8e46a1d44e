//! The petard binary: the protocol on standard input and output, and tools.

use clap::{Parser, Subcommand};
use petard::{protocol, tools};
use std::error::Error;
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

/// An engine for the board game Breakthrough. Without a command it speaks its
/// UCI-like protocol on standard input and output.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    tool: Option<Tool>,
}

#[derive(Debug, Subcommand)]
enum Tool {
    /// Measure speed and print the signature of search and evaluation
    Bench(tools::Bench),
    /// Measure what the search's means save, as the founding article did
    Ablation(tools::Ablation),
    /// Count the leaves of the game tree
    Perft(tools::Perft),
    /// Play games against itself and record positions for fitting and training
    Datagen(tools::Datagen),
    /// Write the evaluation's features of recorded positions
    Features(tools::Features),
    /// Find out who wins a position, and prove it
    Solve(tools::Solve),
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    match Arguments::parse().tool {
        None => protocol::run(BufReader::new(stdin()), stdout())?,
        Some(Tool::Bench(bench)) => bench.run()?,
        Some(Tool::Ablation(ablation)) => ablation.run()?,
        Some(Tool::Perft(perft)) => perft.run()?,
        Some(Tool::Datagen(datagen)) => datagen.run()?,
        Some(Tool::Features(features)) => features.run()?,
        Some(Tool::Solve(solve)) => return solve.run(),
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    // Diagnostics go to standard error: standard output is the protocol's.
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run() {
        Ok(status) => status,
        Err(fault) => {
            eprintln!("petard: {fault}");
            ExitCode::FAILURE
        }
    }
}
