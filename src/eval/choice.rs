//! Which evaluation positions of Troyka's game get.

use super::handcrafted::Handcrafted;
use super::nnue::{General, Network, NetworkFile, Nnue, Simd, built_in, built_in_general};
use super::{Evaluator, Term};
use crate::base::{Score, Side};
use crate::game::troyka::{Bits, Position};
use crate::game::{Game as _, Move};
use std::sync::Arc;

/// The evaluations that are to be used: networks, at most one for a board, one
/// for all other boards, and where there is none the handcrafted one.
#[derive(Clone, Debug)]
pub struct EvalSource {
    boards: Vec<Arc<Network>>,
    general: Option<Arc<General>>,
}

impl EvalSource {
    /// The handcrafted evaluation on every board.
    pub const HANDCRAFTED: Self = Self {
        boards: Vec::new(),
        general: None,
    };

    /// The built-in networks.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            boards: built_in().to_vec(),
            general: built_in_general().cloned(),
        }
    }

    /// The same with this network, in place of another for its board; one for
    /// every board takes the place of all.
    #[must_use]
    pub fn with(mut self, network: impl Into<NetworkFile>) -> Self {
        match network.into() {
            NetworkFile::Board(network) => {
                let board = network.shape().board();
                self.boards.retain(|other| other.shape().board() != board);
                self.boards.push(network);
            }
            NetworkFile::General(network) => {
                self.boards.clear();
                self.general = Some(network);
            }
        }
        self
    }

    /// The same with all networks run with these instructions.
    #[must_use]
    pub fn with_simd(mut self, simd: Simd) -> Self {
        for network in &mut self.boards {
            *network = Arc::new(Network::clone(network).with_simd(simd));
        }
        if let Some(network) = &mut self.general {
            *network = Arc::new(network.with_simd(simd));
        }
        self
    }

    /// The network for a board of so many files and ranks, if there is one.
    #[must_use]
    pub fn network(&self, files: u8, ranks: u8) -> Option<Arc<Network>> {
        let own = self
            .boards
            .iter()
            .find(|network| network.shape().board() == (files, ranks));
        let general = || self.general.as_ref()?.network(files, ranks);
        own.cloned().or_else(general)
    }
}

impl Default for EvalSource {
    fn default() -> Self {
        Self::built_in()
    }
}

/// The evaluation of a position of Troyka's game, whichever was chosen.
#[derive(Clone, Debug)]
pub enum TroykaEval<B> {
    /// The handcrafted one.
    Handcrafted(Handcrafted<B>),
    /// A network.
    Network(Nnue<B>),
}

impl<B: Bits> TroykaEval<B> {
    /// The evaluation that the source has for a board like this, started at
    /// this position.
    #[must_use]
    pub fn new(source: &EvalSource, position: &Position<B>) -> Self {
        let geometry = position.geometry();
        source
            .network(geometry.files(), geometry.ranks())
            .and_then(|network| Nnue::new(network, position))
            .map_or_else(
                || Self::Handcrafted(Handcrafted::new(position)),
                Self::Network,
            )
    }
}

impl<B: Bits> Evaluator<Position<B>> for TroykaEval<B> {
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
            evaluation.push_pass();
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Self::Network(evaluation) = self {
            evaluation.pop();
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &Position<B>) -> Score {
        match self {
            Self::Handcrafted(evaluation) => evaluation.evaluate(position),
            Self::Network(evaluation) => evaluation.evaluate(position),
        }
    }

    /// The first term tells which evaluation it is, and the whole value.
    fn explain(&mut self, position: &Position<B>) -> Vec<Term> {
        match self {
            Self::Handcrafted(evaluation) => {
                let value = evaluation.evaluate(position);
                let whole = Term {
                    name: "handcrafted evaluation".to_owned(),
                    white: position.men(Side::White).count() as i32,
                    black: position.men(Side::Black).count() as i32,
                    value: match position.side_to_move() {
                        Side::White => value,
                        Side::Black => -value,
                    },
                };
                let mut terms = evaluation.explain(position);
                terms.insert(0, whole);
                terms
            }
            Self::Network(evaluation) => evaluation.explain(position),
        }
    }
}
