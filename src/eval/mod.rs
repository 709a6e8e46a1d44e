//! How good a position looks, without search.

pub(crate) mod article;
pub(crate) mod nnue;
mod source;
#[cfg(test)]
mod tests;

pub(crate) use source::{AnyEval, EvalSource};

use crate::base::Score;
use crate::game::{Game, Move};

/// A static evaluation of a game's positions.
///
/// The search reports every move it makes and takes back, so that an evaluation
/// can be updated incrementally. One that only looks at the position ignores
/// it.
pub(crate) trait Evaluator<G: Game>: Send {
    /// Starts afresh at a position.
    fn reset(&mut self, position: &G);

    /// A move has been played.
    fn push(&mut self, parent: &G, mv: Move, child: &G) {
        let _ = (parent, mv, child);
    }

    /// The turn has been passed without a move.
    fn push_pass(&mut self) {}

    /// The last move, or the last pass, has been taken back.
    fn pop(&mut self) {}

    /// Which search parameters suit it.
    fn tuning(&self) -> Tuning {
        Tuning::Wide
    }

    /// The value in centipawns from the mover's view, always within the bound
    /// of estimates.
    fn evaluate(&mut self, position: &G) -> Score;

    /// The value term by term, for people.
    fn explain(&mut self, position: &G) -> Vec<Term>;
}

/// For which kind of evaluation the values of search parameters are tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tuning {
    /// A network for Breakthrough: so close to deep searches that narrow
    /// margins are enough.
    Standard,
    /// A network for a board of few ranks of this game, where tactics decide
    /// earlier: wider margins and smaller reductions.
    Small,
    /// Any other evaluation: wider margins, smaller reductions.
    Wide,
}

impl Tuning {
    /// All kinds, in order.
    pub(crate) const ALL: [Self; 3] = [Self::Standard, Self::Small, Self::Wide];
}

/// One line of an explained evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it counts.
    pub name: String,
    /// How often White has it.
    pub white: i32,
    /// How often Black has it.
    pub black: i32,
    /// Its value from White's view, in centipawns.
    pub value: Score,
}
