//! The handcrafted evaluation of Breakthrough: a linear sum of counted
//! features, in the spirit of the founding article's twelve and of Lorentz and
//! Horey's Wanderer (safe pieces, advancement, key squares).
//!
//! Everything is counted in sets of squares and in distance to the goal, so
//! one set of weights serves every board size.

mod features;
mod weights;

pub use features::{FEATURES, Zones, column_holes, count};
use weights::{TEMPO, WEIGHTS};

use super::{Evaluator, Term};
use crate::base::{MATE_BOUND, Score, Side};
use crate::game::Game;
use crate::game::breakthrough::{Bits, Position};

/// The evaluation. Holds the sets of squares that depend on the board's shape.
#[derive(Clone, Debug)]
pub struct Handcrafted<B> {
    zones: Zones<B>,
}

impl<B: Bits> Handcrafted<B> {
    /// An evaluation for boards of the position's shape.
    #[must_use]
    pub fn new(position: &Position<B>) -> Self {
        Self {
            zones: Zones::new(position.geometry()),
        }
    }
}

impl<B: Bits> Evaluator<Position<B>> for Handcrafted<B> {
    fn reset(&mut self, position: &Position<B>) {
        self.zones = Zones::new(position.geometry());
    }

    #[inline]
    fn evaluate(&mut self, position: &Position<B>) -> Score {
        let mut sum = 0;
        count(position, &self.zones, |side, feature, number| {
            let value = WEIGHTS[feature] * number;
            sum += if side == Side::White { value } else { -value };
        });
        // Weights are in hundredths of a centipawn.
        let view = if position.side_to_move() == Side::White {
            sum
        } else {
            -sum
        };
        ((view + TEMPO) / 100).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    fn explain(&mut self, position: &Position<B>) -> Vec<Term> {
        let mut counts = [[0; FEATURES]; 2];
        count(position, &self.zones, |side, feature, number| {
            counts[side.index()][feature] += number;
        });
        let mut terms: Vec<Term> = features::GROUPS
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
        let white_moves = position.side_to_move() == Side::White;
        terms.push(Term {
            name: "tempo".to_owned(),
            white: i32::from(white_moves),
            black: i32::from(!white_moves),
            value: if white_moves {
                TEMPO / 100
            } else {
                -TEMPO / 100
            },
        });
        terms
    }
}
