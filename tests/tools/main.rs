//! Subcommands that are not tested elsewhere.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod ablation;
mod command_line;
mod faults;
mod freeling_tools;
