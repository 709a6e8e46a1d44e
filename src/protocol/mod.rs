//! The protocol: text in, text out. `protocol.md` is its specification.

mod carrier;
mod command;
mod envelope;
mod go;
mod hosted;
mod input;
mod json;
mod line_log;
mod options;
mod output;
mod parse;
mod policy;
mod run;
mod session;
mod words;

pub use carrier::Output;
pub use command::{Command, Form};
pub use go::{Clocks, Go};
pub use hosted::HostedSession;
pub use parse::{COMMANDS, parse};
pub use policy::Policy;
pub use run::{run, run_with};
