//! The subcommands of the binary.

mod bench;
pub mod datagen;
mod perft;

pub use bench::Bench;
pub use datagen::{Datagen, Features};
pub use perft::Perft;
