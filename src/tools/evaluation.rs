//! The options that choose a tool's evaluation.

use crate::base::check_available;
use crate::engine::NETWORK_BYTES;
use crate::eval::EvalSource;
use crate::eval::nnue::{NetworkFile, Simd};
use clap::{Args, ValueEnum};
use std::error::Error;
use std::path::PathBuf;

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
