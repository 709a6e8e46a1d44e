//! The petard binary: the protocol on standard input and output, and tools.

use clap::{Parser, Subcommand};
use petard::{protocol, tools};
use std::error::Error;
use std::io::{BufReader, ErrorKind, Write, stderr, stdin, stdout};
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
    /// Measure what each search technique saves, as the founding article did
    Ablation(tools::Ablation),
    /// Count the leaves of the game tree
    Perft(tools::Perft),
    /// Play games against itself and record their positions, for fitting and training
    Datagen(tools::Datagen),
    /// Write the evaluation features of recorded positions
    Features(tools::Features),
    /// Prove who wins a position
    Solve(tools::Solve),
    /// Check a certificate that solve has written
    Check(tools::Check),
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    match Arguments::parse().tool {
        None => protocol::run(BufReader::new(stdin()), stdout())?,
        Some(Tool::Bench(bench)) => bench.run()?,
        Some(Tool::Ablation(ablation)) => ablation.run()?,
        Some(Tool::Perft(perft)) => perft.run()?,
        Some(Tool::Datagen(datagen)) => return datagen.run(),
        Some(Tool::Features(features)) => features.run()?,
        Some(Tool::Solve(solve)) => return solve.run(),
        Some(Tool::Check(check)) => check.run()?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the reader of the output has gone.
fn is_broken_pipe(fault: &(dyn Error + 'static)) -> bool {
    fault
        .downcast_ref::<std::io::Error>()
        .is_some_and(|fault| fault.kind() == ErrorKind::BrokenPipe)
}

fn main() -> ExitCode {
    // Diagnostics go to standard error: standard output is the protocol's.
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run() {
        Ok(status) => status,
        // Whoever reads no further has all that he wants.
        Err(fault) if is_broken_pipe(&*fault) => ExitCode::SUCCESS,
        Err(fault) => {
            let _ = writeln!(stderr(), "petard: {fault}");
            ExitCode::FAILURE
        }
    }
}
