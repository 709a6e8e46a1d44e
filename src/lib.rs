#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod base;
pub mod engine;
pub mod eval;
pub mod game;
pub mod protocol;
pub mod search;
pub mod solve;
pub mod tools;
