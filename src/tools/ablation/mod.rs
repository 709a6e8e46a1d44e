//! `petard ablation`: what each search technique is worth, measured as in the
//! 2009 article.
//!
//! The position after 1.a2-a3, with Black to move, is searched to each depth by
//! plain alpha-beta (A1), by alpha-beta with the article's full set (A2), and
//! by petard. A1 and A2 share the article's evaluation, and all three share the
//! rules.
//!
//! **Depth and nodes.** A depth of N is N plies below that position, and every
//! position entered is a node: the root, inner nodes and leaves, in A2 and
//! petard over all iterations, with null moves and quiescence. The article does
//! not say how it counts. Its A1 needs 192 and 1,152 nodes for depths 2 and 3:
//! with 22 or more moves per position, three plies have at least 500 leaves, so
//! its depth 2 is two plies. Counting all nodes comes closest, with 89 and 916
//! here; leaves alone are 66 and 827. The remaining difference is due to the
//! order in which moves are generated, and the weights.

mod article_search;
mod report;
#[cfg(test)]
mod tests;

use super::console::print;
use crate::engine::{Board, Engine, Event, Variant};
use crate::game::breakthrough::Position;
use crate::game::{Game as _, Notation};
use crate::search::Limits;
use article_search::{Found, Full, plain};
use clap::Args;
use report::{Row, Sample};
use std::error::Error;
use std::sync::mpsc::channel;

/// The move that the article plays before measuring.
const FIRST_MOVE: &str = "a2a3";

/// The size of A2's table in megabytes.
const TABLE_MEGABYTES: usize = 16;

/// Measure what each search technique saves, as an article of 2009 did
///
/// Repeats the measurement of an article of 2009: nodes and time to
/// reach each depth from 2 on, after 1.a2-a3, by plain alpha-beta (A1), by
/// alpha-beta with iterative deepening, hash table, full move ordering and null
/// move (A2), and by petard on one thread, next to the article's own figures.
///
/// Exit status: 0 success, 1 error, 2 wrong arguments.
#[derive(Debug, Args)]
pub(crate) struct Ablation {
    /// Maximum depth in plies
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(2..=200))]
    depth: u32,
    /// Skip A1 beyond this depth, where it takes minutes to years
    #[arg(long, value_name = "N", default_value_t = 7)]
    a1_depth: u32,
    /// Skip A2 beyond this depth
    #[arg(long, value_name = "N", default_value_t = 9)]
    a2_depth: u32,
    /// Print one JSON object as the last line
    #[arg(long)]
    json: bool,
}

impl Ablation {
    /// Runs it.
    ///
    /// # Errors
    /// If there is no memory for a table, or a thread cannot be started.
    pub(crate) fn run(&self) -> Result<(), Box<dyn Error>> {
        let start = Position::<u64>::start(8, 8)?;
        let position = start.play(start.parse_move(FIRST_MOVE)?);
        let board = Board::start(Variant::STANDARD)?.with_moves([FIRST_MOVE])?;
        let mut full = Full::new(TABLE_MEGABYTES, true)?;
        let mut rows = Vec::new();
        print(&format!("{}\n", report::HEAD))?;
        for depth in 2..=self.depth {
            let row = Row {
                depth,
                a1: (depth <= self.a1_depth).then(|| sample(plain(&position, depth))),
                a2: (depth <= self.a2_depth).then(|| sample(full.search(&position, depth))),
                petard: petard(&board, depth)?,
            };
            print(&format!("{row}\n"))?;
            rows.push(row);
        }
        print(&format!("{}\n", report::LEGEND))?;
        if self.json {
            print(&format!("{}\n", report::json(&position.fen(), &rows)))?;
        }
        Ok(())
    }
}

fn sample(found: Found) -> Sample {
    Sample {
        nodes: found.work.nodes,
        time: found.time,
        score: found.score,
        cut_rate: Some(found.work.cut_rate()),
    }
}

/// petard's own search to this depth, on one thread with an empty table.
fn petard(board: &Board, depth: u32) -> Result<Sample, Box<dyn Error>> {
    let (news, events) = channel();
    // Nobody receives events after the end.
    let mut engine = Engine::new(move |event| drop(news.send(event)))?;
    engine.set_position(board.clone());
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    engine.go(limits, &[])?;
    let mut last = None;
    for event in events {
        match event {
            Event::Info(info) => last = Some(info),
            Event::Best { .. } => break,
            _ => {}
        }
    }
    let info = last.ok_or("the search reported nothing")?;
    Ok(Sample {
        nodes: info.nodes,
        time: info.time,
        score: info.score,
        cut_rate: None,
    })
}
