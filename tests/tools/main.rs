//! Subcommands that are not tested elsewhere.
#![allow(clippy::unwrap_used)]

mod ablation;
mod command_line;
mod faults;
mod freeling_tools;
