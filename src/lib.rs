//! An engine for the board game Breakthrough (Dan Troyka, 2000).
//!
//! Start with [`engine::Engine`]: an object that plays and analyses, never
//! prints and never blocks. Its results arrive as [`engine::Event`]s.
//!
//! ```
//! use petard::engine::{Engine, Event, Limits};
//!
//! let (sender, events) = std::sync::mpsc::channel();
//! let mut engine = Engine::new(move |event| sender.send(event).unwrap())?;
//! engine.play(["b2b3", "g7g6"])?;
//! engine.go(Limits { depth: Some(6), ..Limits::default() }, &[])?;
//! for event in events {
//!     match event {
//!         Event::Info(info) => println!("depth {}: {} {:?}", info.depth, info.score, info.line),
//!         Event::Best { best, .. } => {
//!             println!("best: {best:?}");
//!             break;
//!         }
//!         _ => {}
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The other modules are what the engine is built from, usable on their own:
//! [`game`] has the rules, [`eval`] the evaluations,
//! [`solve`] the prover. [`protocol`] is the engine as a UCI-like program.
#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(any(test, fuzzing))]
extern crate self as petard;

pub(crate) mod base;
#[cfg(feature = "cli")]
pub mod command;
#[cfg(any(test, fuzzing))]
#[allow(clippy::unwrap_used)]
#[path = "../tests/common/mod.rs"]
mod common;
pub mod engine;
pub mod eval;
#[cfg(all(test, feature = "cli"))]
#[path = "../tests/fuzz/mod.rs"]
mod fuzz;
/// What `fuzz/` runs.
#[cfg(all(any(test, fuzzing), feature = "cli"))]
#[allow(clippy::unwrap_used, missing_docs)]
#[path = "../tests/fuzz/targets/mod.rs"]
pub mod fuzz_targets;
pub mod game;
pub mod protocol;
pub(crate) mod search;
#[cfg(feature = "serve")]
pub mod serve;
pub mod solve;
#[cfg(feature = "cli")]
mod tools;

#[cfg(feature = "cli")]
pub use tools::checker;
/// For fuzzing.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use tools::datagen::records;

/// Tests the example in README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
