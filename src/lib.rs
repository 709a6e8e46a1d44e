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
//! The other modules are usable on their own: [`game`] has the rules, [`solve`] the
//! prover. [`protocol`] is the engine as a UCI-like program.
#![cfg_attr(test, allow(clippy::unwrap_used))]
#![cfg_attr(not(test), deny(unreachable_pub))]
// Without the tools, much of what they need is not used.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(any(test, fuzzing))]
extern crate self as petard;

mod base;
#[cfg(feature = "cli")]
pub mod command;
#[cfg(any(test, fuzzing))]
#[allow(clippy::unwrap_used)]
#[path = "../tests/common/mod.rs"]
mod common;
pub mod engine;
mod eval;
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
mod search;
#[cfg(feature = "serve")]
mod serve;
pub mod solve;
#[cfg(feature = "cli")]
mod tools;

#[cfg(feature = "serve")]
pub use serve::data_file;
#[cfg(feature = "cli")]
pub use tools::checker;

/// Tests the example in README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
