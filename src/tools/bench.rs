//! `petard bench`: the signature of search and evaluation, and their speed.

use super::EvaluationOptions;
use super::console::print;
use super::parse_variant;
use crate::engine::{BENCH_DEPTH, Board, Event, Variant, bench, nodes_per_second, parse_board};
use crate::search::Control;
use clap::Args;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

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
        )?;
        Ok(print(&format!(
            "{} nodes {} nps\n",
            result.nodes,
            result.nodes_per_second()
        ))?)
    }
}

/// Count the leaves of the game tree
///
/// They are the lines of play of exactly DEPTH plies. The last line is `Nodes
/// searched: N`.
///
/// Exit status: 0 success, 1 error, 2 wrong arguments.
#[derive(Debug, Args)]
pub(crate) struct Perft {
    /// Depth in plies
    depth: u32,
    /// The game, from its start position unless --fen is given: breakthrough,
    /// breakthrough5, breakthrough6, breakthrough7 or freeling
    #[arg(long, value_name = "NAME", value_parser = parse_variant, conflicts_with = "board")]
    variant: Option<Variant>,
    /// Start from this position, on any board
    #[arg(long, value_name = "FEN", conflicts_with = "board")]
    fen: Option<String>,
    /// Start from the start position of this board, files x ranks
    #[arg(long, value_name = "WxH", value_parser = parse_board)]
    board: Option<Variant>,
    /// Show the count for each first move
    #[arg(long)]
    divide: bool,
}

impl Perft {
    pub(crate) fn run(&self) -> Result<(), Box<dyn Error>> {
        let variant = self.variant.or(self.board).unwrap_or(Variant::STANDARD);
        let board = match &self.fen {
            Some(fen) => Board::from_fen(variant, fen)?,
            None => Board::start(variant)?,
        };
        let start = Instant::now();
        let Event::Perft { split, total, .. } = board.perft(self.depth, &Control::new(false))
        else {
            unreachable!("perft ends with its own event");
        };
        let time = start.elapsed();
        let mut text = String::new();
        if self.divide {
            for (mv, count) in split {
                text += &format!("{mv}: {count}\n");
            }
            text += "\n";
        }
        text += &format!("Time: {} ms\n", time.as_millis());
        text += &format!("Leaves per second: {}\n", nodes_per_second(total, time));
        text += &format!("Nodes searched: {total}\n");
        Ok(print(&text)?)
    }
}
