//! The subcommands of the binary.

mod ablation;
mod bench;
mod check;
pub mod checker;
mod checkpoint;
mod console;
pub(crate) mod datagen;
mod evaluation;
mod files;
mod job;
mod solve;

pub(crate) use ablation::Ablation;
pub(crate) use bench::Bench;
pub(crate) use bench::Perft;
pub(crate) use check::Check;
pub(crate) use datagen::Datagen;
pub(crate) use solve::Solve;

use crate::engine::{VARIANTS, Variant};
use crate::eval::nnue::Simd;
use std::time::Duration;

/// Reads a number of seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "not a number of seconds".to_owned())
}

/// Reads a number of seconds that is not 0.
fn parse_interval(text: &str) -> Result<Duration, String> {
    let time = parse_seconds(text)?;
    (!time.is_zero())
        .then_some(time)
        .ok_or_else(|| "must be more than 0".to_owned())
}

/// Reads the name of a variant.
fn parse_variant(name: &str) -> Result<Variant, String> {
    Variant::by_name(name).ok_or_else(|| {
        let names = VARIANTS.map(|(known, _)| known).join(", ");
        format!("unknown variant '{name}'; choose from {names}")
    })
}

/// The version, the commit it was built from if known, and the vector
/// instructions that networks use on this machine.
pub(crate) fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let simd = Simd::detect().name();
    match option_env!("PETARD_COMMIT") {
        Some(commit) => format!("{version} (commit {commit}, {simd})"),
        None => format!("{version} ({simd})"),
    }
}
