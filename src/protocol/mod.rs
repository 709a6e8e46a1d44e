//! The protocol: text in, text out. `protocol.md` is its specification.

mod carrier;
mod command;
mod envelope;
mod go;
mod input;
mod line_log;
mod options;
mod output;
mod run;
mod session;

pub use carrier::Output;
pub use command::{Command, parse};
pub use go::{Clocks, Go};
pub use run::run;
