//! Which evaluation a position gets.

use super::freeling::Freeling;
use super::handcrafted::Handcrafted;
use super::nnue::{
    General, Inputs, Network, NetworkFile, Nnue, Simd, built_in, built_in_general, count,
};
use super::{Evaluator, Term, Tuning};
use crate::base::{Score, Side};
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Move, Notation as _, freeling};
use std::sync::Arc;

/// The most ranks of a small board ([`Tuning::Small`]).
const SMALL_BOARD: u8 = 6;

/// The evaluations to use: networks, at most one per game and board, one for
/// all other boards of Breakthrough, and the handcrafted one where there is
/// none.
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

    /// The same with this network instead of any other for its game and board;
    /// one for every board replaces all of Breakthrough.
    #[must_use]
    pub fn with(mut self, network: impl Into<NetworkFile>) -> Self {
        match network.into() {
            NetworkFile::Board(network) => {
                let shape = *network.shape();
                self.boards.retain(|other| !other.shape().is_as_for(&shape));
                self.boards.push(network);
            }
            NetworkFile::General(network) => {
                let height = Position::<u64>::HEIGHT;
                self.boards.retain(|other| other.shape().height != height);
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

    /// The network for a board of Breakthrough, if there is one.
    #[must_use]
    pub fn network(&self, files: u8, ranks: u8) -> Option<Arc<Network>> {
        let general = || self.general.as_ref()?.network(files, ranks);
        self.own::<Position<u64>>((files, ranks)).or_else(general)
    }

    /// The network for Freeling's game, if there is one.
    #[must_use]
    pub fn freeling_network(&self) -> Option<Arc<Network>> {
        self.own::<freeling::Position>((freeling::FILES, freeling::RANKS))
    }

    /// The network for this game and board alone.
    fn own<P: Inputs>(&self, board: (u8, u8)) -> Option<Arc<Network>> {
        let mut networks = self.boards.iter();
        let own = networks.find(|network| network.shape().is_for::<P>(board));
        own.cloned()
    }
}

impl Default for EvalSource {
    fn default() -> Self {
        Self::built_in()
    }
}

/// The evaluation of a game's positions, whichever was chosen: the handcrafted
/// one `H` or a network.
#[derive(Clone, Debug)]
pub enum Chosen<P: Inputs, H> {
    /// The handcrafted one.
    Handcrafted(H),
    /// A network.
    Network(Nnue<P>),
}

/// The evaluation of a position of Breakthrough.
pub type BreakthroughEval<B> = Chosen<Position<B>, Handcrafted<B>>;

/// The evaluation of a position of Freeling's game.
pub type FreelingEval = Chosen<freeling::Position, Freeling>;

impl<B: Bits> BreakthroughEval<B> {
    /// The source's evaluation for a board like this, started at this position.
    #[must_use]
    pub fn new(source: &EvalSource, position: &Position<B>) -> Self {
        let (files, ranks) = position.board_size();
        let tuning = if ranks <= SMALL_BOARD {
            Tuning::Small
        } else {
            Tuning::Standard
        };
        let network = source.network(files, ranks);
        Self::of(network, position, tuning, || Handcrafted::new(position))
    }
}

impl FreelingEval {
    /// The source's evaluation for the game, started at this position. Narrow
    /// margins do not suit its network: they lose 117 +/- 50 Elo.
    #[must_use]
    pub fn new(source: &EvalSource, position: &freeling::Position) -> Self {
        Self::of(source.freeling_network(), position, Tuning::Wide, || {
            Freeling
        })
    }
}

impl<P: Inputs, H> Chosen<P, H> {
    /// The network, which such search parameters suit, or else the handcrafted one.
    fn of(
        network: Option<Arc<Network>>,
        position: &P,
        tuning: Tuning,
        by_hand: impl FnOnce() -> H,
    ) -> Self {
        network
            .and_then(|network| Nnue::new(network, position))
            .map_or_else(
                || Self::Handcrafted(by_hand()),
                |network| Self::Network(network.with_tuning(tuning)),
            )
    }
}

impl<P: Inputs, H: Evaluator<P>> Evaluator<P> for Chosen<P, H> {
    fn reset(&mut self, position: &P) {
        match self {
            Self::Handcrafted(evaluation) => evaluation.reset(position),
            Self::Network(evaluation) => evaluation.reset(position),
        }
    }

    fn tuning(&self) -> Tuning {
        match self {
            Self::Handcrafted(evaluation) => evaluation.tuning(),
            Self::Network(evaluation) => evaluation.tuning(),
        }
    }

    #[inline]
    fn push(&mut self, parent: &P, mv: Move, child: &P) {
        match self {
            Self::Handcrafted(evaluation) => evaluation.push(parent, mv, child),
            Self::Network(evaluation) => evaluation.push(parent, mv, child),
        }
    }

    #[inline]
    fn push_pass(&mut self) {
        match self {
            Self::Handcrafted(evaluation) => evaluation.push_pass(),
            Self::Network(evaluation) => evaluation.push_pass(),
        }
    }

    #[inline]
    fn pop(&mut self) {
        match self {
            Self::Handcrafted(evaluation) => evaluation.pop(),
            Self::Network(evaluation) => evaluation.pop(),
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &P) -> Score {
        match self {
            Self::Handcrafted(evaluation) => evaluation.evaluate(position),
            Self::Network(evaluation) => evaluation.evaluate(position),
        }
    }

    /// The first term names the evaluation and gives the whole value.
    fn explain(&mut self, position: &P) -> Vec<Term> {
        match self {
            Self::Handcrafted(evaluation) => {
                let value = evaluation.evaluate(position);
                let whole = Term {
                    name: "handcrafted evaluation".to_owned(),
                    white: count(&position.pieces_of(Side::White)) as i32,
                    black: count(&position.pieces_of(Side::Black)) as i32,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_parameters_suit_the_evaluation() {
        let tuning = |source: &EvalSource, files, ranks| {
            let position = Position::<u128>::start(files, ranks).unwrap();
            BreakthroughEval::new(source, &position).tuning()
        };
        let built_in = EvalSource::built_in();
        for (files, ranks, expected) in [
            (6, 6, Tuning::Small),
            (10, 6, Tuning::Small),
            (5, 7, Tuning::Standard),
            (7, 7, Tuning::Standard),
            (8, 8, Tuning::Standard),
            (10, 10, Tuning::Standard),
        ] {
            assert_eq!(tuning(&built_in, files, ranks), expected, "{files}x{ranks}");
            let by_hand = tuning(&EvalSource::HANDCRAFTED, files, ranks);
            assert_eq!(by_hand, Tuning::Wide, "{files}x{ranks}");
        }
        let start = freeling::Position::start();
        let freeling = FreelingEval::new(&built_in, &start).tuning();
        assert_eq!(freeling, Tuning::Wide);
    }
}
