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

use crate::base::Score;
use crate::tools::console::rounded;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

mod article_search;

/// One search to one depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Nodes, over all iterations.
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
    /// The score it found, from the mover's view.
    pub(crate) score: Score,
    /// The share of interior nodes that ended in a cut, if counted.
    pub(crate) cut_rate: Option<f64>,
}

/// One depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The depth in plies.
    pub(crate) depth: u32,
    /// Plain alpha-beta, if it was run.
    pub(crate) a1: Option<Sample>,
    /// The article's full set, if it was run.
    pub(crate) a2: Option<Sample>,
    pub(crate) petard: Sample,
}

/// What the article measured at one depth, on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Published {
    depth: u32,
    a1_nodes: u64,
    a1_ms: u64,
    a2_nodes: u64,
    a2_ms: u64,
}

const fn published(depth: u32, a1_nodes: u64, a1_ms: u64, a2_nodes: u64, a2_ms: u64) -> Published {
    Published {
        depth,
        a1_nodes,
        a1_ms,
        a2_nodes,
        a2_ms,
    }
}

/// The article's table.
const PUBLISHED: [Published; 6] = [
    published(2, 192, 12, 25, 29),
    published(3, 1_152, 59, 115, 58),
    published(4, 12_389, 358, 526, 225),
    published(5, 77_288, 3_502, 2_564, 837),
    published(6, 804_367, 23_152, 3_568, 1_090),
    published(7, 5_751_094, 245_487, 62_536, 22_491),
];

/// The lines above the rows.
pub(crate) const HEAD: &str = "      | the article, on its 2009 machine              | A1: plain alpha-beta           | A2: the article's full set         | petard
depth |  A1 nodes   A1 ms  A2 nodes   A2 ms  saved  |        nodes       ms    cuts |      nodes       ms  saved   cuts |        nodes       ms  saved";

/// The lines below the rows.
const LEGEND: &str = "
nodes: positions entered, over all iterations. saved: percent of A1's nodes not needed.
cuts: percent of nodes above depth 0, game not over, that ended in a beta cutoff.";

/// The share of A1's nodes that another search did not need, in percent.
fn saved(nodes: u64, a1_nodes: u64) -> f64 {
    100.0 * (1.0 - nodes as f64 / a1_nodes as f64)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{share:.1}"))
}

fn time_text(time: Duration) -> String {
    let ms = milliseconds(time);
    if ms < 100.0 {
        format!("{ms:.2}")
    } else {
        grouped(ms.round() as u64)
    }
}

impl Row {
    fn published(&self) -> Option<&'static Published> {
        PUBLISHED.iter().find(|known| known.depth == self.depth)
    }

    /// What a search saved against A1 of the same row, in percent.
    fn saved(&self, sample: Option<Sample>) -> Option<f64> {
        Some(saved(sample?.nodes, self.a1?.nodes))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |number: fn(&Published) -> u64| {
            self.published()
                .map_or("-".to_owned(), |known| grouped(number(known)))
        };
        let known_saved = self
            .published()
            .map(|known| saved(known.a2_nodes, known.a1_nodes));
        let nodes =
            |sample: Option<Sample>| sample.map_or("-".to_owned(), |sample| grouped(sample.nodes));
        let time =
            |sample: Option<Sample>| sample.map_or("-".to_owned(), |sample| time_text(sample.time));
        let cuts = |sample: Option<Sample>| {
            percent(sample.and_then(|sample| sample.cut_rate.map(|rate| 100.0 * rate)))
        };
        let (a1, a2, petard) = (self.a1, self.a2, Some(self.petard));
        write!(
            f,
            "{:>5} | {:>9} {:>7} {:>9} {:>7} {:>6}  ",
            self.depth,
            known(|known| known.a1_nodes),
            known(|known| known.a1_ms),
            known(|known| known.a2_nodes),
            known(|known| known.a2_ms),
            percent(known_saved),
        )?;
        write!(f, "| {:>12} {:>8} {:>7} ", nodes(a1), time(a1), cuts(a1))?;
        write!(
            f,
            "| {:>10} {:>8} {:>6} {:>6} ",
            nodes(a2),
            time(a2),
            percent(self.saved(a2)),
            cuts(a2)
        )?;
        write!(
            f,
            "| {:>12} {:>8} {:>6}",
            nodes(petard),
            time(petard),
            percent(self.saved(petard))
        )
    }
}

/// One search as JSON.
fn sample_json(row: &Row, sample: Sample) -> Value {
    json!({
        "nodes": sample.nodes,
        "ms": rounded(milliseconds(sample.time), 3),
        "saved_percent": row.saved(Some(sample)).map(|share| rounded(share, 2)),
        "cut_rate": sample.cut_rate.map(|rate| rounded(rate, 4)),
        "score": sample.score,
    })
}

fn row_json(row: &Row) -> Value {
    let article = row.published().map(|known| {
        json!({
            "a1_nodes": known.a1_nodes,
            "a1_ms": known.a1_ms,
            "a2_nodes": known.a2_nodes,
            "a2_ms": known.a2_ms,
        })
    });
    let sample = |sample| sample_json(row, sample);
    json!({
        "depth": row.depth,
        "article": article,
        "a1": row.a1.map(sample),
        "a2": row.a2.map(sample),
        "petard": sample(row.petard),
    })
}

/// All of it as one JSON object.
pub(crate) fn json(fen: &str, rows: &[Row]) -> Value {
    json!({"fen": fen, "rows": rows.iter().map(row_json).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests;

use super::console::print;
use crate::engine::{Board, Engine, Event, Variant};
use crate::game::breakthrough::Position;
use crate::game::{Game as _, Notation};
use crate::search::Limits;
use article_search::{ArticleResult, Full, plain};
use clap::Args;
use std::error::Error;
use std::sync::mpsc::channel;

/// The move that the article plays before measuring.
const FIRST_MOVE: &str = "a2a3";

/// The size of A2's table in megabytes.
const TABLE_MEGABYTES: usize = 16;

/// Measure what each search technique saves, as an article did in 2009
///
/// Repeats the measurement of the 2009 article: nodes and time to
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
    pub(crate) fn run(&self) -> Result<(), Box<dyn Error>> {
        let start = Position::<u64>::start(8, 8)?;
        let position = start.play(start.parse_move(FIRST_MOVE)?);
        let board = Board::start(Variant::STANDARD)?.with_moves([FIRST_MOVE])?;
        let mut full = Full::new(TABLE_MEGABYTES, true)?;
        let mut rows = Vec::new();
        print(&format!("{}\n", HEAD))?;
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
        print(&format!("{}\n", LEGEND))?;
        if self.json {
            print(&format!("{}\n", json(&position.fen(), &rows)))?;
        }
        Ok(())
    }
}

fn sample(found: ArticleResult) -> Sample {
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
    engine.set_board(board.clone());
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
