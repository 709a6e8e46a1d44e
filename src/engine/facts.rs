//! What the rules and the evaluation say about a position, as the texts that
//! heads show.

use super::event::Chances;
use super::playable::Playable;
use crate::base::{Score, Side};
use crate::eval::{EvalSource, Evaluator, Term};
use crate::game::{Ending, Explosion, MoveList, Outcome};

/// A move of a line under examination, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The move as petard writes it.
    pub mv: String,
    /// The squares whose pieces it takes.
    pub captures: Vec<String>,
    /// The explosions that it sets off, in order.
    pub explosions: Vec<Explosion>,
    /// The position after it.
    pub fen: String,
    /// How the game stands then, repetitions included.
    pub outcome: Outcome,
    /// Why it is over, if it is.
    pub ending: Option<Ending>,
}

/// A static evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// From the mover's view, in centipawns.
    pub score: Score,
    /// The score as chances.
    pub chances: Chances,
    /// Its terms; the first names the evaluation and has the whole value.
    pub terms: Vec<Term>,
    /// What the pieces on each square are worth, from White's view in centipawns:
    /// the position's value minus its value without them. Squares without whose
    /// pieces the game would be over are left out.
    pub pieces: Vec<(String, Score)>,
}

/// The moves with which the side to move wins at once, sorted by text.
pub(super) fn wins<G: Playable>(position: &G) -> Vec<String> {
    let side = position.side_to_move();
    let mut list = MoveList::new();
    position.moves(&mut list);
    let mut wins: Vec<String> = list
        .iter()
        .filter(|&&mv| position.play(mv).outcome() == Outcome::Win(side))
        .map(|&mv| position.move_text(mv))
        .collect();
    wins.sort_unstable();
    wins
}

/// What the pieces on each square are worth, from White's view.
pub(super) fn piece_weights<G: Playable>(
    position: &G,
    source: &EvalSource,
) -> Vec<(String, Score)> {
    let mut evaluator = position.evaluator(source);
    let mut value_of = |position: &G| {
        evaluator.reset(position);
        let value = evaluator.evaluate(position);
        match position.side_to_move() {
            Side::White => value,
            Side::Black => -value,
        }
    };
    let whole = value_of(position);
    position
        .without_each()
        .into_iter()
        .filter(|(_, without)| without.outcome() == Outcome::Ongoing)
        .map(|(square, without)| (square, whole - value_of(&without)))
        .collect()
}
