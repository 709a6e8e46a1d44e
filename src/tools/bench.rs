//! `petard bench`: the signature of search and evaluation, and their speed.

use super::console::print;
use super::evaluation::EvaluationOptions;
use super::parse_variant;
use crate::engine::{BENCH_DEPTH, Variant, bench};
use crate::search::Control;
use clap::Args;
use std::error::Error;
use std::sync::Arc;

/// Measure speed and print the signature of search and evaluation
///
/// Searches a fixed set of positions; the last line is `N nodes M nps`, and N
/// is the same for the same search and evaluation on every machine.
///
/// Exit status: 0 success, 1 error, 2 wrong arguments.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The game (breakthrough or freeling), the depth in plies, or both
    #[arg(value_name = "VARIANT|DEPTH", num_args = 0..=2, value_parser = parse_argument)]
    arguments: Vec<BenchArgument>,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

#[derive(Clone, Copy, Debug)]
enum BenchArgument {
    Variant(Variant),
    Depth(u32),
}

fn parse_argument(text: &str) -> Result<BenchArgument, String> {
    match text.parse() {
        Ok(depth) => Ok(BenchArgument::Depth(depth)),
        Err(_) => parse_variant(text).map(BenchArgument::Variant),
    }
}

impl Bench {
    pub(crate) fn run(&self) -> Result<(), Box<dyn Error>> {
        let source = self.evaluation.source()?;
        let (mut variant, mut depth) = (Variant::STANDARD, BENCH_DEPTH);
        for &argument in &self.arguments {
            match argument {
                BenchArgument::Variant(chosen) => variant = chosen,
                BenchArgument::Depth(chosen) => depth = chosen,
            }
        }
        let result = bench(
            variant,
            depth,
            &source,
            &Arc::new(Control::new(false)),
            &mut |number, of| log::info!("position {number} of {of}"),
        );
        Ok(print(&format!(
            "{} nodes {} nps\n",
            result.nodes,
            result.nodes_per_second()
        ))?)
    }
}
