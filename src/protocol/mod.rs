//! The protocol: text in, text out. `protocol.md` is its specification.

mod command;
mod envelope;
mod options;
mod output;
mod session;

pub use command::{Clocks, Command, Go, Start, parse};
pub use session::run;
