//! The rules and text formats of both games.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod conformance;
mod freeling_chains;
mod freeling_examples;
mod freeling_rules;
mod notation;
mod troyka_rules;
mod troyka_sacrifices;
mod troyka_statics;
