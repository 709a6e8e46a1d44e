//! The subcommands of the binary.

mod bench;
mod perft;

pub use bench::Bench;
pub use perft::Perft;
