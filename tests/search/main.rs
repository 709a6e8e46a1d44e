//! Evaluation and search.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod evaluation;
mod freeling_nnue;
mod general_nnue;
mod mates;
mod mirrored_nnue;
mod nnue;
mod player;
mod search;
mod told;
mod truth;
