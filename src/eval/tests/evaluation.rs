//! Which evaluation is used on which board.
use crate::common::network::Numbers;
use crate::eval::nnue::Network;
use crate::eval::{EvalSource, Evaluator};
use crate::game::breakthrough::Position;
use std::sync::Arc;

/// The start on the board of a network.
fn start(numbers: &Numbers) -> Position<u64> {
    Position::start(numbers.board.0, numbers.board.1).unwrap()
}

#[test]
fn every_board_gets_its_own_network() {
    let boards = [(5, 5), (6, 6), (7, 7), (8, 6), (6, 8), (8, 8)];
    let network = |board, seed| {
        let numbers = Numbers::random((board, (2, 2), 32, 8), seed);
        let network = Network::from_bytes(&numbers.file()).unwrap();
        (numbers, Arc::new(network))
    };
    let all: Vec<_> = boards.into_iter().zip(1..).collect();
    let mut source = EvalSource::built_in();
    for &(board, seed) in &all {
        // The last one given for a board is used.
        source = source.with(network(board, 100 + seed).1);
        source = source.with(network(board, seed).1);
    }
    for (board, seed) in all {
        let (numbers, _) = network(board, seed);
        let position = start(&numbers);
        let mut chosen = source.breakthrough(&position);
        assert_eq!(chosen.evaluate(&position), numbers.value(&position));
        let name = format!("network {}x{} 2x2-32-8, bucket 7", board.0, board.1);
        assert_eq!(chosen.explain(&position)[0].name, name);
    }
    // The one for every board has larger windows.
    for (files, ranks) in [(7, 8), (8, 7), (5, 6), (4, 4), (10, 10)] {
        let position = Position::<u128>::start(files, ranks).unwrap();
        let name = &source.breakthrough(&position).explain(&position)[0].name;
        assert!(
            name.starts_with(&format!("network {files}x{ranks} 2x3-")),
            "{name}"
        );
    }
}

#[test]
fn the_papers_evaluation_is_for_every_board() {
    let source = EvalSource::built_in().with_article();
    for (files, ranks) in [(2, 4), (8, 8), (10, 10), (2, 64), (32, 4)] {
        let position = Position::<u128>::start(files, ranks).unwrap();
        let mut chosen = source.breakthrough(&position);
        let whole = &chosen.explain(&position)[0];
        assert_eq!(whole.name, "article evaluation");
        assert_eq!(whole.value, chosen.evaluate(&position), "White is to move");
        assert_eq!(
            (whole.white, whole.black),
            (2 * files as i32, 2 * files as i32)
        );
    }
}
