//! Which evaluation positions of Troyka's game get.

use super::handcrafted::Handcrafted;
use super::nnue::{Network, Nnue, built_in};
use super::{Evaluator, Term};
use crate::base::Score;
use crate::game::Move;
use crate::game::troyka::{Bits, Position};
use std::sync::Arc;

/// The evaluation that is to be used: a network or the handcrafted one. A
/// network plays on the 8x8 board; all other boards are valued by hand.
#[derive(Clone, Debug)]
pub struct EvalSource(Option<Arc<Network>>);

impl EvalSource {
    /// The handcrafted evaluation on every board.
    pub const HANDCRAFTED: Self = Self(None);

    /// The built-in network, or the handcrafted evaluation where there is
    /// none.
    #[must_use]
    pub fn built_in() -> Self {
        Self(built_in())
    }

    /// The network, if there is one.
    #[must_use]
    pub const fn network(&self) -> Option<&Arc<Network>> {
        self.0.as_ref()
    }
}

impl Default for EvalSource {
    fn default() -> Self {
        Self::built_in()
    }
}

impl From<Arc<Network>> for EvalSource {
    fn from(network: Arc<Network>) -> Self {
        Self(Some(network))
    }
}

/// The evaluation of a position of Troyka's game, whichever was chosen.
#[derive(Clone, Debug)]
pub enum Chosen<B> {
    /// The handcrafted one.
    Handcrafted(Handcrafted<B>),
    /// A network.
    Network(Nnue),
}

impl<B: Bits> Chosen<B> {
    /// The evaluation that the source has for a board like this, started at
    /// this position.
    #[must_use]
    pub fn new(source: &EvalSource, position: &Position<B>) -> Self {
        source
            .network()
            .and_then(|network| Nnue::new(Arc::clone(network), position))
            .map_or_else(
                || Self::Handcrafted(Handcrafted::new(position)),
                Self::Network,
            )
    }
}

impl<B: Bits> Evaluator<Position<B>> for Chosen<B> {
    fn reset(&mut self, position: &Position<B>) {
        match self {
            Self::Handcrafted(evaluation) => evaluation.reset(position),
            Self::Network(evaluation) => evaluation.reset(position),
        }
    }

    #[inline]
    fn push(&mut self, parent: &Position<B>, mv: Move, child: &Position<B>) {
        if let Self::Network(evaluation) = self {
            evaluation.push(parent, mv, child);
        }
    }

    #[inline]
    fn push_pass(&mut self) {
        if let Self::Network(evaluation) = self {
            Evaluator::<Position<B>>::push_pass(evaluation);
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Self::Network(evaluation) = self {
            Evaluator::<Position<B>>::pop(evaluation);
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &Position<B>) -> Score {
        match self {
            Self::Handcrafted(evaluation) => evaluation.evaluate(position),
            Self::Network(evaluation) => evaluation.evaluate(position),
        }
    }

    fn explain(&mut self, position: &Position<B>) -> Vec<Term> {
        match self {
            Self::Handcrafted(evaluation) => evaluation.explain(position),
            Self::Network(evaluation) => evaluation.explain(position),
        }
    }
}
