//! The engine as a library and as a process that speaks the protocol.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod engine;
mod extensions;
mod freeling_play;
mod hosted;
mod in_process;
mod lifecycle;
mod opening_book;
mod pondering;
mod proofs;
mod protocol;
mod races;
mod random_sessions;
mod refusals;
mod robustness;
#[cfg(feature = "serve")]
mod serve;
mod session_model;
mod transcripts;
