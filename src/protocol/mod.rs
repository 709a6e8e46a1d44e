//! The protocol: text in, text out. `protocol.md` is its specification.

mod command;
mod json;
mod lines;
mod output;
mod queue;
mod run;
mod session;

pub use command::{COMMANDS, Clocks, Command, CommandError, Go, OutputFormat, parse};
pub use lines::Output;
pub use run::{HostedSession, Policy, run, run_with};
