//! The games that the engine plays: which evaluation each has, and what its
//! scores mean.

use super::event::Chances;
use super::opening_book::{BookMove, OpeningBook};
use crate::base::{Score, is_loss, is_win};
use crate::eval::nnue::Nnue;
use crate::eval::{AnyEval, EvalSource, Evaluator};
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Notation, freeling};
use crate::search::ProbedResults;
use crate::solve::{Progress, ProofBook, ProofLimits, ProvenMove, Solution, SolveError, Solver};

/// A game with all that the engine needs to play it.
pub(crate) trait Playable: Notation {
    /// The evaluation the search runs with.
    type Evaluator: Evaluator<Self> + 'static;

    /// An evaluator, set up for this position. The source says which, if the
    /// game has several.
    fn evaluator(&self, source: &EvalSource) -> Self::Evaluator;

    /// What a score means, from the mover's view.
    fn chances(score: Score) -> Chances;

    /// Whether there are proofs for the game and this board.
    fn has_proofs(&self) -> bool {
        false
    }

    /// Tries to prove who wins, with a table of this many bytes.
    fn solve(
        &self,
        _limits: &ProofLimits,
        _bytes: usize,
        _stop: &dyn Fn() -> bool,
        _progress: &mut dyn FnMut(&Progress),
    ) -> Result<Solution, SolveError> {
        Err(SolveError::Game(Self::NAME))
    }

    /// What an opening book has about the position's moves, best first.
    fn book_moves(&self, _book: &OpeningBook) -> Vec<BookMove> {
        Vec::new()
    }

    /// What a book of proofs says about the position.
    fn book_lookup(&self, _book: &ProofBook, _is_late: &dyn Fn() -> bool) -> Option<ProvenMove> {
        None
    }

    /// What the prover finds out about a position on a book's board within
    /// this many nodes, and how many it took.
    fn book_prove(
        &self,
        _book: &ProofBook,
        _nodes: Option<u64>,
        _stop: &dyn Fn() -> bool,
    ) -> (Option<ProvenMove>, u64) {
        (None, 0)
    }

    /// What the prover knows so far, for a search.
    fn book_probe(&self, _book: &ProofBook) -> Option<ProbedResults<Self>> {
        None
    }
}

/// The largest board with proofs, in squares.
const PROVABLE_SQUARES: u32 = 80;

/// The scale of estimates: a score of x centipawns is a win with probability
/// `1 / (1 + 10^(-x / CENTIPAWN_SCALE))`, as with rating differences. The
/// networks are trained on results under this same formula.
const CENTIPAWN_SCALE: f64 = 400.0;

/// The probability of a win that a score stands for, in a game without
/// draws. Proven results are 1 and 0.
fn win_probability(score: Score) -> f64 {
    if is_win(score) {
        1.0
    } else if is_loss(score) {
        0.0
    } else {
        1.0 / (1.0 + 10f64.powf(-f64::from(score) / CENTIPAWN_SCALE))
    }
}

impl<B: Bits> Playable for Position<B> {
    type Evaluator = AnyEval<B>;

    fn evaluator(&self, source: &EvalSource) -> Self::Evaluator {
        source.breakthrough(self)
    }

    fn chances(score: Score) -> Chances {
        let win = (win_probability(score) * 1000.0).round() as u32;
        Chances {
            win,
            draw: 0,
            loss: 1000 - win,
        }
    }

    fn has_proofs(&self) -> bool {
        let (files, ranks) = self.board_size();
        u32::from(files) * u32::from(ranks) <= PROVABLE_SQUARES
    }

    fn solve(
        &self,
        limits: &ProofLimits,
        bytes: usize,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Solution, SolveError> {
        let solver = Solver::new(self.geometry(), bytes)?;
        Ok(solver.solve(self, limits, stop, progress))
    }

    fn book_moves(&self, book: &OpeningBook) -> Vec<BookMove> {
        book.moves(self)
    }

    fn book_lookup(&self, book: &ProofBook, is_late: &dyn Fn() -> bool) -> Option<ProvenMove> {
        book.lookup(self, is_late)
    }

    fn book_prove(
        &self,
        book: &ProofBook,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> (Option<ProvenMove>, u64) {
        // Without memory for it, the search goes on as on any other board.
        book.prove(self, nodes, stop).unwrap_or((None, 0))
    }

    fn book_probe(&self, book: &ProofBook) -> Option<ProbedResults<Self>> {
        Some(ProbedResults::new(book.probe::<B>()?))
    }
}

/// Half the width, in centipawns, of the range of scores around 0 that mean a
/// draw rather than a win: fitted to games that petard played against itself.
const FREELING_DRAW_MARGIN: Score = 150;

impl Playable for freeling::Position {
    type Evaluator = Nnue<Self>;

    fn evaluator(&self, source: &EvalSource) -> Self::Evaluator {
        source.freeling(self)
    }

    fn chances(score: Score) -> Chances {
        // Proven results are not estimates, so the margin does not apply.
        let margin = if is_win(score) || is_loss(score) {
            0
        } else {
            FREELING_DRAW_MARGIN
        };
        let thousandths = |score| (win_probability(score) * 1000.0).round() as u32;
        let win = thousandths(score - margin);
        let loss = thousandths(-score - margin);
        Chances {
            win,
            draw: 1000 - win - loss,
            loss,
        }
    }
}
