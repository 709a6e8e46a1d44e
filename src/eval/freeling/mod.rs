//! The evaluation of Freeling's game: a linear sum of counted features, fitted
//! to the results of self-play.

mod features;
mod weights;

pub use features::{FEATURES, GROUPS, Group, count};
use weights::{TEMPO, WEIGHTS};

use super::{Evaluator, Term};
use crate::base::{MATE_BOUND, Score, Side};
use crate::game::Game;
use crate::game::freeling::Position;

/// The evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Freeling;

impl Evaluator<Position> for Freeling {
    fn reset(&mut self, _position: &Position) {}

    #[inline]
    fn evaluate(&mut self, position: &Position) -> Score {
        let mut sum = 0;
        count(position, |side, feature, number| {
            let value = WEIGHTS[feature] * number;
            sum += if side == Side::White { value } else { -value };
        });
        let view = if position.side_to_move() == Side::White {
            sum
        } else {
            -sum
        };
        // Weights are in hundredths of a centipawn.
        ((view + TEMPO) / 100).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    fn explain(&mut self, position: &Position) -> Vec<Term> {
        let mut counts = [[0; FEATURES]; 2];
        count(position, |side, feature, number| {
            counts[side.index()][feature] += number;
        });
        let mut terms: Vec<Term> = GROUPS
            .iter()
            .map(|group| {
                let total = |side: usize| counts[side][group.range()].iter().sum();
                let value: Score = group
                    .range()
                    .map(|feature| WEIGHTS[feature] * (counts[0][feature] - counts[1][feature]))
                    .sum();
                Term {
                    name: group.name.to_owned(),
                    white: total(0),
                    black: total(1),
                    value: value / 100,
                }
            })
            .collect();
        let white = position.side_to_move() == Side::White;
        let tempo = TEMPO / 100;
        terms.push(Term {
            name: "tempo".to_owned(),
            white: i32::from(white),
            black: i32::from(!white),
            value: if white { tempo } else { -tempo },
        });
        terms
    }
}
