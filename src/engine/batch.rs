//! Static values of many positions.

use super::board::Board;
use super::game_record::GameRecord;
use super::playable::Playable;
use crate::base::{MATE, Score};
use crate::eval::{EvalSource, Evaluator as _};
use crate::game::breakthrough::Position;
use crate::game::{Move, Outcome, freeling};
use std::fmt;

/// Positions after which an evaluator is reset: it keeps what it has computed for
/// all since.
const RESTART: usize = 32;

/// An evaluator carried from position to position, on one board at a time. A
/// network computes only what differs from the previous position.
struct Walk<G: Playable> {
    evaluator: G::Evaluator,
    last: G,
    steps: usize,
}

/// Evaluates positions one after the other, faster than [`Board::evaluate`] where
/// they are alike.
pub struct BatchEvaluator {
    source: EvalSource,
    small: Option<Walk<Position<u64>>>,
    large: Option<Walk<Position<u128>>>,
    freeling: Option<Walk<freeling::Position>>,
}

impl fmt::Debug for BatchEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchEvaluator").finish_non_exhaustive()
    }
}

/// The built-in network for a board of Breakthrough: files and ranks of a window, width
/// of an accumulator, output buckets; `None` where the game cannot be played.
pub fn network_shape(files: u8, ranks: u8) -> Option<(u8, u8, u16, u16)> {
    let network = EvalSource::built_in().network(files, ranks)?;
    let shape = network.shape();
    Some((
        shape.window_files,
        shape.window_ranks,
        shape.hidden,
        shape.buckets,
    ))
}

impl BatchEvaluator {
    /// An evaluator of positions of all games, by the built-in networks or by the 2009
    /// paper's evaluation.
    pub fn new(uses_article: bool) -> Self {
        let mut source = EvalSource::built_in();
        if uses_article {
            source = source.with_article();
        }
        Self {
            source,
            small: None,
            large: None,
            freeling: None,
        }
    }

    /// The static value in centipawns, from the mover's view; that of a proven
    /// result if the game is over.
    pub fn value(&mut self, board: &Board) -> Score {
        match board {
            Board::Small(game) => value(&mut self.small, &self.source, game),
            Board::Large(game) => value(&mut self.large, &self.source, game),
            Board::Freeling(game) => value(&mut self.freeling, &self.source, game),
        }
    }
}

fn value<G: Playable>(
    walk: &mut Option<Walk<G>>,
    source: &EvalSource,
    game: &GameRecord<G>,
) -> Score {
    let position = game.position();
    match game.outcome() {
        Outcome::Ongoing => {}
        Outcome::Draw => return 0,
        Outcome::Win(side) if side == position.side_to_move() => return MATE,
        Outcome::Win(_) => return -MATE,
    }
    match walk {
        Some(walk) if walk.last.board_size() == position.board_size() => {
            if walk.steps == RESTART {
                walk.evaluator.reset(position);
                walk.steps = 0;
            } else {
                // These evaluators do not look at the move itself.
                walk.evaluator.push(&walk.last, Move::NONE, position);
                walk.steps += 1;
            }
            walk.last.clone_from(position);
            walk.evaluator.evaluate(position)
        }
        _ => {
            let walk = walk.insert(Walk {
                evaluator: position.evaluator(source),
                last: position.clone(),
                steps: 0,
            });
            walk.evaluator.evaluate(position)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Variant;
    use super::*;

    #[test]
    fn a_batch_has_the_values_that_single_positions_have() {
        let source = EvalSource::default();
        let mut batch = BatchEvaluator::new(false);
        let boards = [
            Variant::STANDARD,
            Variant::Breakthrough { files: 9, ranks: 9 },
            Variant::Freeling,
            Variant::Breakthrough { files: 6, ranks: 6 },
        ];
        let mut boards = boards.map(|variant| Board::start(variant).unwrap());
        for step in 0..RESTART + 8 {
            for board in &mut boards {
                let moves = board.legal_moves();
                let expected = board.evaluate(&source).map(|evaluation| evaluation.score);
                let value = batch.value(board);
                match expected {
                    Some(expected) => assert_eq!(value, expected, "{}", board.fen()),
                    None => assert!([MATE, -MATE, 0].contains(&value)),
                }
                if !moves.is_empty() {
                    board.play(&moves[step * 7 % moves.len()]).unwrap();
                }
            }
        }
    }
}
