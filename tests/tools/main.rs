//! The subcommands that have no other place here.
#![allow(clippy::unwrap_used)]

mod ablation;
mod command_line;
mod faults;
mod freeling_tools;
