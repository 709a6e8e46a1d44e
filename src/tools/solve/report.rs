//! How `petard solve` reports its answers.

use crate::base::peak_memory;
use crate::engine::line_texts;
use crate::game::breakthrough::Position;
use crate::game::{Game as _, Move, Notation, Outcome};
use crate::solve::{OpenedNode, Prospect, Solution, Solver};
use crate::tools::console::rounded;
use serde_json::{Map, Value, json};
use std::path::Path;

/// First moves of a position that the side to move wins.
#[derive(Debug, Default)]
pub(crate) struct FirstMoves {
    pub(crate) winning: Vec<Move>,
    /// Those that were to be decided and are not.
    pub(crate) undecided: Vec<Move>,
}

impl FirstMoves {
    /// The one of an answer, if it has one.
    pub(crate) fn one(mv: Option<Move>) -> Self {
        Self {
            winning: mv.into_iter().collect(),
            undecided: Vec::new(),
        }
    }
}

/// Who wins: the side to move is "first".
const fn winner(solution: &Solution) -> &'static str {
    match solution.side_to_move_wins {
        Some(true) => "first",
        Some(false) => "second",
        None => "unknown",
    }
}

fn move_texts(position: &Position<u128>, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| position.move_text(mv)).collect()
}

/// Whether the line leads to the end of the game.
fn ends(position: &Position<u128>, line: &[Move]) -> bool {
    let last = line.iter().fold(*position, |next, &mv| next.play(mv));
    last.outcome() != Outcome::Ongoing
}

/// All first moves that win, and those left undecided, for people to read.
pub(crate) fn moves_report(position: &Position<u128>, moves: &FirstMoves) -> String {
    let FirstMoves { winning, undecided } = moves;
    let mut text = format!(
        "winning moves: {}\n",
        move_texts(position, winning).join(" ")
    );
    if !undecided.is_empty() {
        text += &format!(
            "undecided moves: {}\n",
            move_texts(position, undecided).join(" ")
        );
    }
    text
}

/// What was found out, for people to read; `first_move` is a winning one, if the
/// side to move wins, and unless all of them follow.
pub(crate) fn report(
    position: &Position<u128>,
    solution: &Solution,
    first_move: Option<Move>,
) -> String {
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
    // There may be none: the game is over, or a limit came before the move.
    if let (Some(true), Some(mv)) = (solution.side_to_move_wins, first_move) {
        text += &format!("a winning move: {}\n", position.move_text(mv));
    }
    if !solution.line.is_empty() {
        text += &format!("line: {}\n", line_texts(position, &solution.line).join(" "));
        if ends(position, &solution.line) {
            text += &format!("plies: {}\n", solution.line.len());
        }
    }
    text += &format!("nodes: {}\n", solution.nodes);
    text += &format!("time: {:.3} s\n", solution.time.as_secs_f64());
    text
}

/// The same for programs: a JSON object; `trusted` is the certificate it assumes.
pub(crate) fn json(
    solver: &Solver,
    position: &Position<u128>,
    solution: &Solution,
    moves: &FirstMoves,
    trusted: Option<&Path>,
) -> Value {
    let (files, ranks) = position.board_size();
    let line = line_texts(position, &solution.line);
    let wins = solution.side_to_move_wins;
    let winning: &[Move] = if wins == Some(true) {
        &moves.winning
    } else {
        &[]
    };
    let is_whole = wins.is_some() && ends(position, &solution.line);
    let opened = match wins {
        None => solver.opened(position),
        Some(_) => Vec::new(),
    };
    let opened = opened.iter().map(|OpenedNode { line, moves }| {
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
        "winning_moves": move_texts(position, winning),
        "undecided_moves": move_texts(position, &moves.undecided),
        "plies": is_whole.then_some(line.len()),
        "line": line.join(" "),
        "proof": solution.prospect.proof,
        "disproof": solution.prospect.disproof,
        "opened": opened.collect::<Map<_, Value>>(),
        "nodes": solution.nodes,
        "seconds": rounded(solution.time.as_secs_f64(), 3),
        "peak_mb": peak_megabytes(solver),
        "trusted": trusted.map(|path| path.to_string_lossy()),
    })
}

/// The most memory this process has used so far, in megabytes; the table's size
/// where the system does not report it.
pub(crate) fn peak_megabytes(solver: &Solver) -> usize {
    peak_memory().unwrap_or(solver.table_bytes() >> 20)
}
