//! The subcommands of the binary, and the options that several of them have.

mod ablation;
mod bench;
mod check;
pub mod checker;
mod checkpoint;
mod console;
pub(crate) mod datagen;
mod files;
mod job;
mod solve;

pub(crate) use ablation::Ablation;
pub(crate) use bench::Bench;
pub(crate) use bench::Perft;
pub(crate) use check::Check;
pub(crate) use datagen::Datagen;
pub(crate) use solve::Solve;

use crate::base::check_available;
use crate::engine::{NETWORK_BYTES, VARIANTS, Variant};
use crate::eval::EvalSource;
use crate::eval::nnue::{NetworkFile, Simd};
use clap::{Args, ValueEnum};
use std::error::Error;
use std::path::PathBuf;
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

/// The evaluation of a game.
#[derive(Debug, Args)]
pub(crate) struct EvaluationOptions {
    /// Network file to use instead of the built-in network for its game and board,
    /// or instead of all networks of Breakthrough if it is for every board
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Evaluate with networks, or Breakthrough with the twelve features of the
    /// 2009 article
    #[arg(long, value_name = "KIND", default_value = "network")]
    evaluation: EvaluationKind,
    /// Vector instructions for networks: portable, avx2, avx512 or neon
    /// [default: the widest available]
    #[arg(long, value_name = "SET")]
    simd: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EvaluationKind {
    Network,
    Article,
}

impl EvaluationOptions {
    /// The requested evaluation.
    pub(crate) fn source(&self) -> Result<EvalSource, Box<dyn Error>> {
        check_available(NETWORK_BYTES)?;
        let mut source = EvalSource::built_in();
        if let Some(path) = &self.eval_file {
            let network = NetworkFile::load(path)
                .map_err(|error| format!("{} refused: {error}", path.display()))?;
            source = source.with(network);
        }
        if self.evaluation == EvaluationKind::Article {
            source = source.with_article();
        }
        if let Some(name) = &self.simd {
            let simd = Simd::by_name(name).ok_or_else(|| {
                let names: Vec<_> = Simd::available().iter().map(|simd| simd.name()).collect();
                format!(
                    "vector instructions '{name}' are unavailable; choose from {}",
                    names.join(", ")
                )
            })?;
            source = source.with_simd(simd);
        }
        Ok(source)
    }
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
