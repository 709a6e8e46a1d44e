//! The subcommands of the binary.

mod bench;
pub mod datagen;
mod perft;
mod solve;

pub use bench::Bench;
pub use datagen::{Datagen, Features};
pub use perft::Perft;
pub use solve::Solve;
