//! The answers that programs read: one JSON object on one line.

use super::output::{ending, mate_moves, no_evaluation};
use crate::engine::{
    Effect, Ending, Engine, Explosion, LineStep, OpeningMove, Outcome, Side, Term,
};
use serde_json::{Map, Value, json};

/// The game so far and what the rules say about the position.
pub(super) fn display(engine: &Engine) -> String {
    let board = engine.board();
    let moves = board.moves();
    let (files, ranks) = board.size();
    json!({
        "variant": board.game(),
        "board": format!("{files}x{ranks}"),
        "start": board.beginning().fen(),
        "moves": moves,
        "undone": board.undone(),
        "ply": moves.len(),
        "fen": board.fen(),
        "key": format!("{:016x}", board.key()),
        "side": board.side_to_move().to_string(),
        "legal": board.legal_moves(),
        "wins": board.wins(),
        "threats": board.threats(),
        "outcome": outcome(board.outcome(), board.ending()),
        "refused": engine.valid_board().err().map(|error| error.to_string()),
        "results": results(engine),
        "book": engine.book_moves().iter().map(book_move).collect::<Vec<_>>(),
    })
    .to_string()
}

/// The moves that are known to win or to lose.
fn results(engine: &Engine) -> Map<String, Value> {
    let results = engine.results().into_iter();
    let word = |wins| if wins { "won" } else { "lost" };
    results.map(|(mv, wins)| (mv, word(wins).into())).collect()
}

fn book_move(found: &OpeningMove) -> Value {
    let mate = mate_moves(found.score);
    json!({
        "move": found.mv,
        "cp": mate.is_none().then_some(found.score),
        "mate": mate,
        "searches": found.searches,
    })
}

/// Who has won and why; null while the game goes on.
fn outcome(outcome: Outcome, reason: Option<Ending>) -> Value {
    let winner = match outcome {
        Outcome::Ongoing => return Value::Null,
        Outcome::Win(side) => Some(side.to_string()),
        Outcome::Draw => None,
    };
    json!({ "winner": winner, "reason": reason.map(ending) })
}

/// What moves would do, up to the first one that is not legal.
pub(super) fn line(engine: &Engine, moves: &[String]) -> String {
    let (fen, steps, error) = match engine.valid_board() {
        Err(error) => (None, Vec::new(), Some(error.to_string())),
        Ok(board) => {
            let (steps, error) = board.line(moves.iter().map(String::as_str));
            (
                Some(board.fen()),
                steps,
                error.map(|error| error.to_string()),
            )
        }
    };
    let steps: Vec<Value> = steps.iter().map(step).collect();
    json!({ "fen": fen, "moves": steps, "error": error }).to_string()
}

fn step(step: &LineStep) -> Value {
    json!({
        "move": step.mv,
        "captures": step.captures,
        "explosions": step.explosions.iter().map(explosion).collect::<Vec<_>>(),
        "fen": step.fen,
        "outcome": outcome(step.outcome, step.ending),
    })
}

fn explosion(explosion: &Explosion) -> Value {
    let shots = explosion.shots.iter();
    let shots = shots.map(|shot| json!({ "to": shot.to, "effect": effect(shot.effect) }));
    json!({
        "square": explosion.square,
        "shots": shots.collect::<Vec<_>>(),
        "pieces": explosion.pieces,
    })
}

const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Lands => "lands",
        Effect::Joins => "joins",
        Effect::Captures => "captures",
        Effect::Lost => "lost",
    }
}

/// The static evaluation and what each piece is worth to it.
pub(super) fn evaluation(engine: &Engine) -> String {
    let board = engine.board();
    let Some(evaluation) = engine.evaluate() else {
        return json!({ "error": no_evaluation(board) }).to_string();
    };
    let chances = evaluation.chances;
    let pieces = evaluation.pieces.into_iter();
    let pieces: Map<String, Value> = pieces
        .map(|(square, value)| (square, value.into()))
        .collect();
    let white = match board.side_to_move() {
        Side::White => evaluation.score,
        Side::Black => -evaluation.score,
    };
    json!({
        "fen": board.fen(),
        "side": board.side_to_move().to_string(),
        // The first term names it.
        "evaluation": evaluation.terms.first().map(|term| &term.name),
        "cp": evaluation.score,
        "wdl": [chances.win, chances.draw, chances.loss],
        "white": white,
        "pieces": pieces,
        "terms": evaluation.terms.iter().map(term).collect::<Vec<_>>(),
    })
    .to_string()
}

fn term(term: &Term) -> Value {
    json!({
        "term": term.name,
        "white": term.white,
        "black": term.black,
        "cp": term.value,
    })
}
