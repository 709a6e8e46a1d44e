//! Which evaluation a position gets.

use super::article;
use super::nnue::{General, Inputs, Network, NetworkFile, Nnue, Simd};
use super::{Evaluator, Term, Tuning};
use crate::base::Score;
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Move, Notation as _, freeling};
use std::sync::{Arc, LazyLock};

/// The most ranks of a small board ([`Tuning::Small`]).
const SMALL_BOARD: u8 = 6;

/// The files of the built-in networks for one board of Breakthrough each.
const BOARDS: [&[u8]; 4] = [
    include_bytes!("nnue/default-6x6.nnue"),
    include_bytes!("nnue/default-7x7.nnue"),
    include_bytes!("nnue/default-8x6.nnue"),
    include_bytes!("nnue/default-8x8.nnue"),
];
/// The files of those for every other board, and for Freeling's Breakthrough.
const GENERAL: &[u8] = include_bytes!("nnue/default.nnue");
const FREELING: &[u8] = include_bytes!("nnue/default-freeling.nnue");

static BUILT_IN: LazyLock<EvalSource> = LazyLock::new(|| {
    let load = |file| Arc::new(Network::from_bytes(file).expect("a test loads it"));
    // Each board is checked on first use; a test checks them all.
    let general = General::unchecked(GENERAL).expect("a test loads it");
    EvalSource {
        uses_article: false,
        boards: BOARDS.map(load).to_vec(),
        general: Arc::new(general),
        freeling: load(FREELING),
    }
});

/// The evaluations to use: networks, for Breakthrough at most one per board and
/// one for all other boards, or there the 2009 paper's evaluation instead.
#[derive(Clone, Debug)]
pub(crate) struct EvalSource {
    uses_article: bool,
    boards: Vec<Arc<Network>>,
    general: Arc<General>,
    freeling: Arc<Network>,
}

impl EvalSource {
    /// The built-in networks.
    pub(crate) fn built_in() -> Self {
        BUILT_IN.clone()
    }

    /// With the 2009 paper's evaluation of Breakthrough instead of networks.
    /// Freeling's Breakthrough keeps its network.
    pub(crate) fn with_article(mut self) -> Self {
        self.uses_article = true;
        self
    }

    /// With this network instead of any other for its game and board; one for
    /// every board replaces all of Breakthrough.
    pub(crate) fn with(mut self, network: impl Into<NetworkFile>) -> Self {
        match network.into() {
            NetworkFile::Board(network) if network.shape().height > Position::<u64>::HEIGHT => {
                self.freeling = network;
            }
            NetworkFile::Board(network) => {
                let board = network.shape().board();
                self.boards.retain(|other| other.shape().board() != board);
                self.boards.push(network);
            }
            NetworkFile::General(network) => {
                self.boards.clear();
                self.general = network;
            }
        }
        self
    }

    /// With all networks run with these instructions.
    pub(crate) fn with_simd(mut self, simd: Simd) -> Self {
        let with_simd = |network: &Arc<Network>| Arc::new(Network::clone(network).with_simd(simd));
        self.boards = self.boards.iter().map(with_simd).collect();
        self.freeling = with_simd(&self.freeling);
        self.general = Arc::new(self.general.with_simd(simd));
        self
    }

    /// The network for a board of Breakthrough, if the game can be played on it.
    pub(crate) fn network(&self, files: u8, ranks: u8) -> Option<Arc<Network>> {
        let mut boards = self.boards.iter();
        let own = boards.find(|network| network.shape().board() == (files, ranks));
        own.cloned().or_else(|| self.general.network(files, ranks))
    }

    /// The network for Freeling's Breakthrough, started at this position.
    /// Narrow margins do not suit it: they lose 117 +/- 50 Elo.
    pub(crate) fn freeling(&self, position: &freeling::Position) -> Nnue<freeling::Position> {
        Nnue::new(Arc::clone(&self.freeling), position, Tuning::Wide)
    }

    /// The evaluation for a board of Breakthrough like this, started at this
    /// position.
    pub(crate) fn breakthrough<B: Bits>(&self, position: &Position<B>) -> AnyEval<B> {
        let (files, ranks) = position.board_size();
        let tuning = if ranks <= SMALL_BOARD {
            Tuning::Small
        } else {
            Tuning::Standard
        };
        let network = (!self.uses_article).then(|| self.network(files, ranks));
        AnyEval(
            network
                .flatten()
                .map(|network| Nnue::new(network, position, tuning)),
        )
    }
}

impl Default for EvalSource {
    fn default() -> Self {
        Self::built_in()
    }
}

/// An evaluation of Breakthrough: a network, or the 2009 paper's if there is
/// none.
#[derive(Clone, Debug)]
pub(crate) struct AnyEval<B: Bits>(Option<Nnue<Position<B>>>);

impl<B: Bits> Evaluator<Position<B>> for AnyEval<B> {
    fn reset(&mut self, position: &Position<B>) {
        if let Self(Some(network)) = self {
            network.reset(position);
        }
    }

    fn tuning(&self) -> Tuning {
        self.0.as_ref().map_or(Tuning::Wide, Nnue::tuning)
    }

    #[inline]
    fn push(&mut self, parent: &Position<B>, mv: Move, child: &Position<B>) {
        if let Self(Some(network)) = self {
            network.push(parent, mv, child);
        }
    }

    #[inline]
    fn push_pass(&mut self) {
        if let Self(Some(network)) = self {
            network.push_pass();
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Self(Some(network)) = self {
            network.pop();
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &Position<B>) -> Score {
        match self {
            Self(Some(network)) => network.evaluate(position),
            Self(None) => article::estimate(position),
        }
    }

    fn explain(&mut self, position: &Position<B>) -> Vec<Term> {
        match self {
            Self(Some(network)) => network.explain(position),
            Self(None) => article::explain(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn search_parameters_suit_the_evaluation() {
        let tuning = |source: &EvalSource, files, ranks| {
            let position = Position::<u128>::start(files, ranks).unwrap();
            source.breakthrough(&position).tuning()
        };
        let built_in = EvalSource::built_in();
        let article = built_in.clone().with_article();
        for (files, ranks, expected) in [
            (6, 6, Tuning::Small),
            (10, 6, Tuning::Small),
            (5, 7, Tuning::Standard),
            (7, 7, Tuning::Standard),
            (8, 8, Tuning::Standard),
            (10, 10, Tuning::Standard),
        ] {
            assert_eq!(tuning(&built_in, files, ranks), expected, "{files}x{ranks}");
            let by_article = tuning(&article, files, ranks);
            assert_eq!(by_article, Tuning::Wide, "{files}x{ranks}");
        }
        let start = freeling::Position::start();
        assert_eq!(built_in.freeling(&start).tuning(), Tuning::Wide);
    }

    #[test]
    fn the_built_in_networks_load_and_are_for_different_boards() {
        let source = EvalSource::built_in();
        let boards: HashSet<_> = source
            .boards
            .iter()
            .map(|own| own.shape().board())
            .collect();
        assert_eq!(boards.len(), BOARDS.len());
        let start = freeling::Position::start();
        assert_ne!(source.freeling(&start).evaluate(&start), 0);
        let general = NetworkFile::from_bytes(GENERAL);
        assert!(
            matches!(general, Ok(NetworkFile::General(_))),
            "{general:?}"
        );
    }
}
