//! The protocol: text in, text out. `protocol.md` is its specification.

mod command;
mod envelope;
mod go;
mod input;
mod options;
mod output;
mod session;

pub use command::{Command, Start, parse};
pub use go::{Clocks, Go};
pub use session::run;
