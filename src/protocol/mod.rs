//! The protocol: text in, text out. `protocol.md` is its specification.

mod command;
mod json;
mod lines;
mod output;
mod policy;
mod queue;
mod run;
mod session;

pub use command::{COMMANDS, Clocks, Command, CommandError, Go, OutputFormat, parse};
pub use lines::Output;
pub use policy::Policy;
pub use run::{HostedSession, run, run_with};
