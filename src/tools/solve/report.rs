//! How `petard solve` reports its answers.

use crate::game::troyka::{Bits, Position};
use crate::game::{Game as _, Move, Notation};
use crate::solve::{ExpandedNode, Prospect, Solution, Solver};
use crate::tools::console::rounded;
use serde_json::{Map, Value, json};

/// Who wins: the side to move is "first".
const fn winner(solution: &Solution) -> &'static str {
    match solution.side_to_move_wins {
        Some(true) => "first",
        Some(false) => "second",
        None => "unknown",
    }
}

fn line_texts<B: Bits>(position: &Position<B>, line: &[Move]) -> Vec<String> {
    let mut position = *position;
    line.iter()
        .map(|&mv| {
            let text = position.move_text(mv);
            position = position.play(mv);
            text
        })
        .collect()
}

/// What was found out, for people to read.
pub fn report<B: Bits>(position: &Position<B>, solution: &Solution, winning: &[Move]) -> String {
    let side = position.side_to_move();
    let mut text = format!("{}{}\n", position.diagram(), position.fen());
    match solution.side_to_move_wins {
        None => text += "winner: unknown\n",
        Some(wins) => {
            let winner_side = if wins { side } else { !side };
            let which = if wins { "to move" } else { "not to move" };
            let winner = winner(solution);
            text += &format!("winner: {winner_side} ({winner}, the side {which})\n");
        }
    }
    if solution.side_to_move_wins == Some(true) {
        let moves: Vec<String> = winning.iter().map(|&mv| position.move_text(mv)).collect();
        text += &format!("winning moves: {}\n", moves.join(" "));
    }
    if !solution.line.is_empty() {
        text += &format!("line: {}\n", line_texts(position, &solution.line).join(" "));
        text += &format!("plies: {}\n", solution.line.len());
    }
    text += &format!("nodes: {}\n", solution.nodes);
    text += &format!("time: {:.3} s\n", solution.time.as_secs_f64());
    text
}

/// The same for programs: a JSON object.
pub fn json<B: Bits>(
    solver: &Solver<B>,
    position: &Position<B>,
    solution: &Solution,
    winning: &[Move],
    peak: u64,
) -> Value {
    let (files, ranks) = position.board_size();
    let line = line_texts(position, &solution.line);
    let wins = solution.side_to_move_wins;
    let winning = if wins == Some(true) { winning } else { &[] };
    let opened = match wins {
        None => solver.expanded(position),
        Some(_) => Vec::new(),
    };
    let opened = opened.iter().map(|ExpandedNode { line, moves }| {
        let after = line.iter().fold(*position, |next, &mv| next.play(mv));
        let numbers = moves.iter().map(|&(mv, Prospect { proof, disproof })| {
            (after.move_text(mv), json!([proof, disproof]))
        });
        let line = line_texts(position, line).join(" ");
        (line, numbers.collect())
    });
    json!({
        "board": format!("{files}x{ranks}"),
        "fen": position.fen(),
        "winner": winner(solution),
        "move": line.first(),
        "winning_moves": winning.iter().map(|&mv| position.move_text(mv)).collect::<Vec<_>>(),
        "plies": wins.map(|_| line.len()),
        "line": line.join(" "),
        "proof": solution.prospect.proof,
        "disproof": solution.prospect.disproof,
        "opened": opened.collect::<Map<_, Value>>(),
        "nodes": solution.nodes,
        "seconds": rounded(solution.time.as_secs_f64(), 3),
        "peak_mb": peak,
    })
}

/// The most memory this process has used so far, in megabytes; the table's size
/// where the system does not report it.
pub fn peak_megabytes<B: Bits>(solver: &Solver<B>) -> u64 {
    peak().unwrap_or(solver.table_bytes() as u64 >> 20)
}

fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}
