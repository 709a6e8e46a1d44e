//! The subcommands of the binary.

mod ablation;
mod bench;
pub mod check;
mod checking;
mod console;
pub mod datagen;
mod evaluation;
mod files;
mod interrupt;
mod manual;
mod perft;
mod solve;
mod version;

pub use ablation::Ablation;
pub use bench::Bench;
pub use checking::Check;
pub use datagen::Datagen;
pub use manual::Manual;
pub use perft::Perft;
pub use solve::Solve;
pub use version::version;

use crate::engine::{VARIANTS, Variant};

/// Reads the name of a variant.
fn parse_variant(name: &str) -> Result<Variant, String> {
    Variant::by_name(name).ok_or_else(|| {
        let names = VARIANTS.map(|(known, _)| known).join(", ");
        format!("unknown variant '{name}'; choose from {names}")
    })
}
