//! Which evaluation a position gets.

use super::article;
use super::nnue::{General, Inputs, Network, NetworkError, NetworkFile, Nnue, Simd, unpack};
use super::{Evaluator, Term, Tuning};
use crate::base::Score;
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Move, Notation as _, freeling};
use std::sync::{Arc, LazyLock, OnceLock};

/// The most ranks of a small board ([`Tuning::Small`]).
const SMALL_BOARD: u8 = 6;

/// A built-in network's file, packed.
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

/// The built-in networks for one board of Breakthrough each.
const BOARDS: [((u8, u8), &[u8]); 4] = [
    ((6, 6), packed!("default-6x6.nnue")),
    ((7, 7), packed!("default-7x7.nnue")),
    ((8, 6), packed!("default-8x6.nnue")),
    ((8, 8), packed!("default-8x8.nnue")),
];
/// Those for every other board, and for Freeling's Breakthrough.
const GENERAL: &[u8] = packed!("default.nnue");
const FREELING: &[u8] = packed!("default-freeling.nnue");

static BUILT_IN: LazyLock<EvalSource> = LazyLock::new(|| EvalSource {
    uses_article: false,
    boards: BOARDS
        .map(|(board, packed)| (board, Lazy::packed(packed)))
        .to_vec(),
    general: Lazy::packed(GENERAL),
    freeling: Lazy::packed(FREELING),
});

/// A network, or a built-in one that is unpacked on first use.
#[derive(Debug)]
struct Lazy<T> {
    packed: &'static [u8],
    network: OnceLock<Arc<T>>,
}

impl<T> Lazy<T> {
    fn packed(packed: &'static [u8]) -> Arc<Self> {
        let network = OnceLock::new();
        Arc::new(Self { packed, network })
    }

    fn loaded(network: Arc<T>) -> Arc<Self> {
        let (packed, network): (&[u8], _) = (&[], network.into());
        Arc::new(Self { packed, network })
    }

    fn get(&self, read: impl FnOnce(&[u8]) -> Result<T, NetworkError>) -> &Arc<T> {
        self.network.get_or_init(|| {
            let file = unpack(self.packed).expect("a test unpacks it");
            Arc::new(read(&file).expect("a test reads it"))
        })
    }
}

/// A board's files and ranks, and its network.
type BoardNetwork = ((u8, u8), Arc<Lazy<Network>>);

/// The evaluations to use: networks, for Breakthrough at most one per board and
/// one for all other boards, or there the 2009 article's evaluation instead.
#[derive(Clone, Debug)]
pub(crate) struct EvalSource {
    uses_article: bool,
    boards: Vec<BoardNetwork>,
    general: Arc<Lazy<General>>,
    freeling: Arc<Lazy<Network>>,
}

impl EvalSource {
    /// The built-in networks.
    pub(crate) fn built_in() -> Self {
        BUILT_IN.clone()
    }

    /// With the 2009 article's evaluation of Breakthrough instead of networks.
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
                self.freeling = Lazy::loaded(network);
            }
            NetworkFile::Board(network) => {
                let board = network.shape().board();
                self.boards.retain(|&(other, _)| other != board);
                self.boards.push((board, Lazy::loaded(network)));
            }
            NetworkFile::General(network) => {
                self.boards.clear();
                self.general = Lazy::loaded(network);
            }
        }
        self
    }

    /// With all networks run with these instructions.
    pub(crate) fn with_simd(mut self, simd: Simd) -> Self {
        let with_simd = |network: &Lazy<Network>| {
            let network = Network::clone(network.get(Network::from_bytes));
            Lazy::loaded(Arc::new(network.with_simd(simd)))
        };
        for (_, network) in &mut self.boards {
            *network = with_simd(network);
        }
        self.freeling = with_simd(&self.freeling);
        let general = self.general.get(General::unchecked);
        self.general = Lazy::loaded(Arc::new(general.with_simd(simd)));
        self
    }

    /// The network for a board of Breakthrough, if the game can be played on it.
    pub(crate) fn network(&self, files: u8, ranks: u8) -> Option<Arc<Network>> {
        let mut boards = self.boards.iter();
        let own = boards.find(|&&(board, _)| board == (files, ranks));
        match own {
            Some((_, network)) => Some(Arc::clone(network.get(Network::from_bytes))),
            // Each board is checked on first use; a test checks them all.
            None => self.general.get(General::unchecked).network(files, ranks),
        }
    }

    /// The network for Freeling's Breakthrough, started at this position.
    /// Narrow margins do not suit it: they lose 117 +/- 50 Elo.
    pub(crate) fn freeling(&self, position: &freeling::Position) -> Nnue<freeling::Position> {
        let network = self.freeling.get(Network::from_bytes);
        Nnue::new(Arc::clone(network), position, Tuning::Wide)
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

/// An evaluation of Breakthrough: a network, or the 2009 article's if there is
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
    use std::fs;
    use std::path::Path;

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
    fn packed_networks_are_their_files_and_load() {
        let packed = BOARDS.map(|(_, packed)| packed);
        let names = ["6x6", "7x7", "8x6", "8x8"].map(|board| format!("default-{board}.nnue"));
        let others = [
            (GENERAL, "default.nnue"),
            (FREELING, "default-freeling.nnue"),
        ];
        let boards = packed.into_iter().zip(names.iter().map(String::as_str));
        for (packed, name) in boards.chain(others) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/eval/nnue");
            let file = fs::read(path.join(name)).unwrap();
            assert!(unpack(packed) == Some(file), "{name}");
        }
        let source = EvalSource::built_in();
        for (board, network) in &source.boards {
            assert_eq!(network.get(Network::from_bytes).shape().board(), *board);
        }
        let start = freeling::Position::start();
        assert_ne!(source.freeling(&start).evaluate(&start), 0);
        let general = NetworkFile::from_bytes(&unpack(GENERAL).unwrap());
        assert!(
            matches!(general, Ok(NetworkFile::General(_))),
            "{general:?}"
        );
    }

    #[test]
    fn damaged_packed_networks_are_refused() {
        for (name, packed) in [("empty", &[][..]), ("torn", &FREELING[..1000])] {
            assert_eq!(unpack(packed), None, "{name}");
        }
    }
}
