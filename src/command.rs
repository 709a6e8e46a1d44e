//! The command `petard`: the protocol on standard input and output, and tools.
//! The binary only calls this, and other packages can ship it too.

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
    Serve(board::Serve),
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

/// The command `serve`.
#[cfg(feature = "serve")]
mod board {
    use super::{Error, Write, stderr, stdout};
    use crate::base::cores;
    use crate::serve::{Config, Server, SessionLimits, memory, open_browser};
    use clap::Args;
    use std::net::{IpAddr, Ipv4Addr};
    use std::num::NonZeroUsize;
    use std::time::Duration;

    /// Open a board in the browser
    ///
    /// There you can play, analyse, prove and review games. Press Ctrl-C to stop.
    #[derive(Debug, Args)]
    pub(crate) struct Serve {
        /// Open the page in the browser: the one that the variable BROWSER names,
        /// or the default one
        #[arg(long)]
        open: bool,
        /// Port; by default 8650, or the next free one
        #[arg(long)]
        port: Option<u16>,
        /// Address to listen on. Any other than this machine's own admits
        /// everyone who can reach it
        #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
        listen: IpAddr,
        /// Another host name by which browsers may reach this server, such as
        /// a proxy's
        #[arg(long = "host", value_name = "NAME", value_parser = host_name)]
        hosts: Vec<String>,
        /// Maximum number of sessions at once; each open page takes one, and
        /// more while it proves or shows a match
        #[arg(long, value_name = "N", default_value = "16")]
        sessions: NonZeroUsize,
        /// The largest hash table of a session or a proof, in megabytes; by
        /// default an eighth of the memory
        #[arg(long, value_name = "MB")]
        max_hash: Option<NonZeroUsize>,
        /// Total size of the tables of all sessions, in megabytes; by default
        /// half of the memory
        #[arg(long, value_name = "MB")]
        memory: Option<NonZeroUsize>,
        /// Maximum search threads per session; by default one per core
        #[arg(long, value_name = "N")]
        max_threads: Option<NonZeroUsize>,
        /// Minutes after which an idle session is ended; the page starts a new
        /// one when it needs one
        #[arg(long, value_name = "MINUTES", default_value = "30", value_parser = minutes)]
        idle: Duration,
    }

    fn minutes(text: &str) -> Result<Duration, String> {
        let minutes: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
        Duration::try_from_secs_f64(60.0 * minutes)
            .ok()
            .filter(|time| !time.is_zero())
            .ok_or_else(|| "not a valid number of minutes".to_owned())
    }

    /// A name as in a `Host` header, without its port.
    fn host_name(text: &str) -> Result<String, String> {
        let is_address = text.starts_with('[') && text.ends_with(']');
        if text.is_empty() || text.contains('/') || (text.contains(':') && !is_address) {
            return Err("not a name without scheme and port, such as board.example".to_owned());
        }
        Ok(text.to_owned())
    }

    /// Opens the page in the browser that `BROWSER` names, or the default one.
    fn show(url: &str) {
        let named = std::env::var_os("BROWSER").unwrap_or_default();
        if let Err(error) = open_browser(url, &named) {
            let _ = writeln!(stderr(), "petard: could not open a browser: {error}");
        }
    }

    /// A size in megabytes: as requested, or else the default.
    fn size(requested: Option<NonZeroUsize>, default: usize) -> usize {
        requested.map_or(default.max(1), NonZeroUsize::get)
    }

    impl Serve {
        pub(super) fn run(self) -> Result<(), Box<dyn Error>> {
            let server = Server::bind(Config {
                address: self.listen,
                port: self.port,
                names: self.hosts,
                limits: SessionLimits {
                    sessions: self.sessions.get(),
                    max_hash: size(self.max_hash, memory() / 8),
                    memory: size(self.memory, memory() / 2),
                    max_threads: self.max_threads.map_or_else(cores, NonZeroUsize::get),
                    idle: self.idle,
                },
            })
            .map_err(|error| {
                let port = self
                    .port
                    .map_or_else(String::new, |port| format!(", port {port}"));
                format!("cannot listen on {}{port}: {error}", self.listen)
            })?;
            let url = server.url();
            if server.is_exposed() {
                writeln!(
                    stderr(),
                    "petard: warning: anyone who can reach {} can use this engine",
                    self.listen
                )?;
            }
            writeln!(stdout(), "The board is at {url} (Ctrl-C stops it)")?;
            if self.open {
                // It may take a while, and the page should not wait for it.
                std::thread::spawn(move || show(&url));
            }
            Ok(server.run()?)
        }
    }
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
