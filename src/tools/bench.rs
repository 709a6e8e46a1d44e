//! `petard bench`: the signature of search and evaluation, and their speed.

use super::console::print;
use super::evaluation::Evaluation;
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
pub struct Bench {
    /// The game (breakthrough or freeling), the depth in plies, or both
    #[arg(value_name = "VARIANT|DEPTH", num_args = 0..=2, value_parser = parse_choice)]
    choices: Vec<Choice>,
    #[command(flatten)]
    evaluation: Evaluation,
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    Variant(Variant),
    Depth(u32),
}

fn parse_choice(text: &str) -> Result<Choice, String> {
    match text.parse() {
        Ok(depth) => Ok(Choice::Depth(depth)),
        Err(_) => parse_variant(text).map(Choice::Variant),
    }
}

impl Bench {
    /// Runs it.
    ///
    /// # Errors
    /// If the requested network cannot be loaded.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let source = self.evaluation.source()?;
        let (mut variant, mut depth) = (Variant::STANDARD, BENCH_DEPTH);
        for &choice in &self.choices {
            match choice {
                Choice::Variant(chosen) => variant = chosen,
                Choice::Depth(chosen) => depth = chosen,
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
