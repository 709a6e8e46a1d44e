//! `petard perft`: counts leaves of the game tree.

use super::console::print;
use super::parse_variant;
use crate::engine::{Board, Event, Variant, nodes_per_second, parse_board};
use crate::search::Control;
use clap::Args;
use std::error::Error;
use std::time::Instant;

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
