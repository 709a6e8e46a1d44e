//! The solver, its certificates and its command.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod checks;
mod mixed_up;
mod prove;
mod runs;
mod shared_leaves;
mod short_files;
mod tables;
mod together;
mod trusted;
