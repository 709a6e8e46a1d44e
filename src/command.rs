//! The command `petard`: the protocol on standard input and output, and tools.
//! The binary only calls this, and other packages can ship it too.

#[cfg(feature = "serve")]
mod serve;

use crate::base::use_one_arena;
use crate::{protocol, tools};
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::{Shell, generate_to};
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{BufReader, ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// An engine for the board game Breakthrough. Without a command it speaks its
/// UCI-like protocol on standard input and output.
#[derive(Debug, Parser)]
#[command(version = tools::version())]
struct Arguments {
    #[command(subcommand)]
    tool: Option<Tool>,
}

#[derive(Debug, Subcommand)]
enum Tool {
    Bench(tools::Bench),
    Ablation(tools::Ablation),
    Perft(tools::Perft),
    Datagen(tools::Datagen),
    Solve(tools::Solve),
    Check(tools::Check),
    Manual(Manual),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
}

/// For someone who starts the program in a terminal and sees nothing happen.
/// A program that talks to it gets nothing but the protocol.
fn greet() {
    if stdin().is_terminal() && stdout().is_terminal() {
        let version = env!("CARGO_PKG_VERSION");
        let board = if cfg!(feature = "serve") {
            "; 'petard serve' opens a board in the browser"
        } else {
            ""
        };
        let _ = writeln!(
            stderr(),
            "petard {version}, a Breakthrough engine. Type 'help' for its commands, 'quit' to exit{board}."
        );
    }
}

/// The shells that completions are written for.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Write man pages and shell completions
///
/// Writes the man pages of petard and its tools, and completions for bash, zsh
/// and fish, into a folder.
#[derive(Debug, Args)]
struct Manual {
    /// The folder, created if it does not exist
    folder: PathBuf,
}

impl Manual {
    fn run(&self, command: clap::Command) -> Result<(), Box<dyn Error>> {
        let error = |error: std::io::Error| format!("'{}': {error}", self.folder.display());
        fs::create_dir_all(&self.folder).map_err(error)?;
        // Without vector instructions: the pages may be read on another machine
        // than the one that writes them.
        let mut command = command.version(env!("CARGO_PKG_VERSION"));
        clap_mangen::generate_to(command.clone(), &self.folder).map_err(error)?;
        for shell in SHELLS {
            generate_to(shell, &mut command, "petard", &self.folder).map_err(error)?;
        }
        Ok(())
    }
}

fn execute(arguments: Arguments) -> Result<ExitCode, Box<dyn Error>> {
    match arguments.tool {
        None => {
            greet();
            let policy = protocol::Policy::default();
            protocol::run(policy, BufReader::new(stdin()), stdout())?;
        }
        Some(Tool::Bench(bench)) => bench.run()?,
        Some(Tool::Ablation(ablation)) => ablation.run()?,
        Some(Tool::Perft(perft)) => perft.run()?,
        Some(Tool::Datagen(datagen)) => return datagen.run(),
        Some(Tool::Solve(solve)) => return solve.run(),
        Some(Tool::Check(check)) => return check.run(),
        Some(Tool::Manual(manual)) => manual.run(Arguments::command())?,
        #[cfg(feature = "serve")]
        Some(Tool::Serve(serve)) => serve.run()?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the reader of the output has gone away.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Prints the answer to `--help` or `--version`, or what is wrong with the
/// arguments.
fn print_answer(answer: &clap::Error) -> Result<ExitCode, Box<dyn Error>> {
    answer.print()?;
    stdout().flush()?;
    Ok(ExitCode::from(
        u8::try_from(answer.exit_code()).unwrap_or(1),
    ))
}

/// Runs the command with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    use_one_arena();
    // Diagnostics go to standard error: standard output is the protocol's.
    let filter = env_logger::Env::default().default_filter_or("warn");
    let _ = env_logger::Builder::from_env(filter).try_init();
    let done = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => execute(arguments),
        Err(answer) => print_answer(&answer),
    };
    match done {
        Ok(status) => status,
        // A reader that has stopped reading has all it wants.
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(stderr(), "petard: {error}");
            ExitCode::FAILURE
        }
    }
}
