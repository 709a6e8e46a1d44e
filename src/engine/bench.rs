//! The benchmark: fixed positions, fixed depth, one thread, an empty table. Its
//! node count is the signature of search and evaluation.

use super::board::Variant;
use super::board::{Board, each};
use super::error::{EngineError, NETWORK_BYTES};
use super::event::BenchResult;
use super::playable::Playable as _;
use crate::base::{Instant, check_available};
use crate::eval::EvalSource;
use crate::search::{Control, Limits, SearchInput, Searcher, TableError};
use std::sync::Arc;

/// The depth of the benchmark if none is asked for, in plies.
pub(crate) const BENCH_DEPTH: u32 = 11;

/// From the start to late middle games; other boards; forced play.
const POSITIONS: [&str; 16] = [
    "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1",
    "1pppp1pp/pppppppp/2p1p3/P7/8/7P/1PPPPPPP/PPPPPPP1 w 0 5",
    "pp1ppp1p/pppp1ppp/2p3p1/8/1P4P1/P6P/2PPPPP1/PPPPPPPP b 0 6",
    "1pp1pp1p/p1pppppp/1p1p4/6p1/1PP5/4P2P/PP1PP1PP/P1PPPP1P w 0 9",
    "1p1ppp2/p1p1pppp/3p4/1pP2p2/P3P1p1/2P3P1/P1PP1P1P/1PP2PP1 w 0 12",
    "2ppp1p1/p1p2pp1/1p2p2p/2Pp1P2/3PpP2/P1P4P/P2PP1P1/1PP2P2 b 0 16",
    "1pp2pp1/p4p2/2ppP2p/2p5/3P1Pp1/1P4P1/P1P2P2/2P2PP1 w 0 20",
    "2p2pp1/1p3p2/p3p3/2pP3p/P3P2P/2p3P1/3P1P2/1PP2P2 b 0 24",
    "1p3p2/2p3p1/4p3/1pP2P2/P5p1/3P4/5PP1/2P2P2 w 0 30",
    "5pp1/2p5/p3p2p/1pP2p2/1P3P2/6P1/2P4P/1P3P2 w 0 30",
    "pppppp/pppppp/6/6/PPPPPP/PPPPPP w 0 1",
    "1ppppp/p1p1pp/1p1p2/2PP2/P1P1PP/PP1PPP b 0 5",
    "ppppppp/ppppppp/7/7/7/PPPPPPP/PPPPPPP w 0 1",
    "ppppp/ppppp/5/PPPPP/PPPPP w 0 1",
    "pppppppppp/pppppppppp/10/10/10/10/10/10/PPPPPPPPPP/PPPPPPPPPP w 0 1",
    "2p2p/1p4/p2P2/2p1P1/P4P/1PP3 w 0 10",
];

/// Those of Freeling's game: openings, pieces on and near the walls, pairs
/// and loaded columns, wins and losses close by.
const FREELING: [&str; 12] = [
    "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1",
    "ppp1p/ppp2/3pp/4p/5/5/2P1P/PD1D1/PPP2 w 4 3",
    "2p1p/1dp2/1p1pp/p3p/5/2P2/PPPPP/1P1D1/2P2 b 9 5",
    "5/p1d2/1dppp/p3p/5/2D2/PD1DP/1P3/2P2 w 12 7",
    "5/p4/ppdpp/p3p/P4/1DD2/1PPDP/5/5 b 0 9",
    "5/1pd2/p1p1p/pp2p/5/1DDPP/1PP1P/5/5 w 8 14",
    "5/1d1d1/1p1p1/p3P/1P1P1/3D1/1P1P1/5/5 b 1 19",
    "5/1d1d1/1pp1P/p2P1/1P1D1/5/1P1P1/5/5 b 3 20",
    "1d3/1d1d1/2p1P/1D1P1/2D2/5/3P1/5/5 b 33 35",
    "5/1d1dP/2pP1/5/3D1/3D1/5/2P2/5 b 0 96",
    "2pp1/4P/2dP1/1D3/5/5/5/2P2/5 b 6 101",
    "ppp2/1P3/1pP2/2d2/2D2/2d2/1Pp2/3p1/2PPP w 0 40",
];

/// Searches every position of the variant's game to this depth with this
/// evaluation, until it is stopped. After each one, `progress` is called with
/// its number, counted from 1, and how many there are.
pub(crate) fn bench(
    variant: Variant,
    depth: u32,
    source: &EvalSource,
    control: &Arc<Control>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<BenchResult, EngineError> {
    // Its boards need most of the networks, and some of them unpacking.
    check_available(2 * NETWORK_BYTES)?;
    let start = Instant::now();
    let mut nodes = 0;
    let positions = positions(variant);
    for (index, fen) in positions.iter().enumerate() {
        if control.is_stopped() {
            break;
        }
        nodes += searched_nodes(variant, fen, depth, source, control)?;
        progress(index + 1, positions.len());
    }
    Ok(BenchResult {
        nodes,
        time: start.elapsed(),
        is_stopped: control.is_stopped(),
    })
}

/// The positions of a game, whatever the board.
const fn positions(variant: Variant) -> &'static [&'static str] {
    match variant {
        Variant::Breakthrough { .. } => &POSITIONS,
        Variant::Freeling => &FREELING,
    }
}

/// Nodes of one search, independent of any other.
fn searched_nodes(
    variant: Variant,
    fen: &str,
    depth: u32,
    source: &EvalSource,
    control: &Arc<Control>,
) -> Result<u64, TableError> {
    let mut searcher = Searcher::new(8)?;
    let Ok(board) = Board::from_fen(variant, fen) else {
        // The positions are fixed and tested.
        return Ok(0);
    };
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let control = Arc::new(Control::part_of(control));
    let verdict = each!(&board, game => {
        let position = game.position();
        let request = SearchInput::new(position, &[], limits);
        let evaluator = || position.evaluator(source);
        searcher.search(request, evaluator, &control, &mut |_| {})
    });
    Ok(verdict.map_or(0, |verdict| verdict.nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_sound() {
        for variant in [Variant::STANDARD, Variant::Freeling] {
            for &fen in positions(variant) {
                let board = Board::from_fen(variant, fen).unwrap();
                assert!(!board.legal_moves().is_empty(), "{fen}");
                assert_eq!(board.fen(), fen);
            }
        }
    }

    #[test]
    fn each_game_has_a_benchmark_of_its_own_that_is_always_the_same() {
        let control = Arc::new(Control::new(false));
        let source = EvalSource::default();
        let run = |variant| {
            let result = bench(variant, 5, &source, &control, &mut |_, _| {});
            result.unwrap().nodes
        };
        assert_eq!(run(Variant::Freeling), run(Variant::Freeling));
        assert_ne!(run(Variant::Freeling), run(Variant::STANDARD));
    }
}
