//! Evaluation and search.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod evaluation;
mod mates;
mod player;
mod reported;
mod search;
mod truth;
