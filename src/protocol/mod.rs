//! The protocol: text in, text out. `protocol.md` is its specification.

mod command;
mod json;
mod lines;
mod output;
mod queue;
mod run;
mod session;

#[cfg(any(test, fuzzing))]
pub(crate) use command::{Command, CommandError, parse};
pub use lines::Output;
pub use run::{HostedSession, Policy, run};
