//! The engine as a library and as a process that speaks the protocol.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod engine;
mod extensions;
mod freeling_play;
mod hosted;
mod lifecycle;
mod protocol;
mod robustness;
#[cfg(feature = "serve")]
mod serve;
mod transcripts;
