//! The network for every board: its file and its arithmetic.

use super::nnue::{fresh_value, walk};
use crate::common::network::Shared;
use crate::common::random_game;
use crate::eval::EvalSource;
use crate::eval::nnue::{Network, NetworkFile};
use crate::game::Notation;
use crate::game::breakthrough::Position;
use rand_mt::Mt64;

/// The boards on which the network for every board is tested.
const BOARDS: [(usize, usize); 12] = [
    (2, 4),
    (3, 4),
    (5, 5),
    (8, 8),
    (6, 8),
    (9, 4),
    (10, 10),
    (11, 11),
    (16, 8),
    (32, 4),
    (4, 32),
    (2, 64),
];

fn general(numbers: &Shared) -> EvalSource {
    let network = NetworkFile::from_bytes(&numbers.file()).unwrap();
    EvalSource::built_in().with(network)
}

#[test]
fn a_network_for_every_board_is_that_of_the_definition_on_each() {
    let mut random = Mt64::new(9);
    let mut two_layers = Shared::random((1, 2), 64, (2, 2), (1, 1), 4);
    two_layers.sizes = two_layers.sizes.with_second_layer(5, 6);
    for (shared, seed) in [
        (Shared::random((2, 2), 64, (8, 4), (14, 12), 1), 1),
        (Shared::random((1, 1), 32, (5, 1), (0, 0), 2), 2),
        (Shared::random((2, 3), 32, (3, 2), (3, 99), 3), 3),
        (two_layers, 4),
    ] {
        let source = general(&shared);
        for board in BOARDS {
            let numbers = shared.on(board);
            let network = source.network(board.0 as u8, board.1 as u8).unwrap();
            let start = Position::<u128>::start(board.0, board.1).unwrap();
            let mut values = Vec::new();
            // Games on the smallest boards have few positions.
            let games = if board.0 * board.1 < 30 { 8 } else { 1 };
            for position in (0..games).flat_map(|_| random_game(&start, &mut random)) {
                let value = fresh_value(&network, &position);
                assert_eq!(value, numbers.value(&position), "{}", position.fen());
                assert_eq!(value, fresh_value(&network, &position.flipped()));
                values.push(value);
            }
            values.sort_unstable();
            values.dedup();
            assert!(values.len() > 3, "{board:?} {values:?}");
            walk(&network, start, 300);
            if let Ok(start) = Position::<u64>::start(board.0, board.1) {
                for position in random_game(&start, &mut random) {
                    assert_eq!(fresh_value(&network, &position), numbers.value(&position));
                }
                walk(&network, start, 300 + seed);
            }
        }
        assert!(source.network(12, 11).is_none() && source.network(2, 3).is_none());
    }
}

#[test]
fn a_network_for_every_board_that_overflows_on_one_is_refused() {
    let mut shared = Shared::random((1, 1), 32, (1, 1), (1, 1), 4);
    shared.tables.iter_mut().for_each(|table| table.fill(0));
    shared.bias.fill(0);
    shared.file_steps.fill(0);
    shared.rank_steps.fill(0);
    // 128 squares at 255 each, and the rest below 32768.
    shared.tables[2][5] = 255 * 16;
    shared.bias[5] = 127 * 16;
    assert!(NetworkFile::from_bytes(&shared.file()).is_ok());
    shared.bias[5] += 16;
    let error = NetworkFile::from_bytes(&shared.file()).unwrap_err();
    let reason = "its weights are too large: on 2x64 unit 5 of the accumulator can reach 32768, \
        more than 32767";
    assert_eq!(error.to_string(), reason);
    shared.bias[5] = 0;
    shared.sizes.output[3] = 128;
    let error = NetworkFile::from_bytes(&shared.file()).unwrap_err();
    let reason = "its weights are too large: an output weight of bucket 0 is 128, beyond 127";
    assert_eq!(error.to_string(), reason);
}

#[test]
fn a_file_for_every_board_that_is_not_as_it_should_be_is_refused() {
    let file = Shared::random((2, 2), 32, (2, 2), (1, 1), 5).file();
    for (at, byte, reason) in [
        (8, 3, "windows of 3x2 squares for every board"),
        (9, 4, "windows of 2x4 squares for every board"),
        (9, 0, "windows of 2x0 squares for every board"),
        (10, 33, "an accumulator of 33"),
        (12, 17, "17 output buckets"),
        (14, 0, "0 distances from an end, 2 from an edge"),
        (14, 9, "9 distances from an end, 2 from an edge"),
        (15, 5, "2 distances from an end, 5 from an edge"),
        (16, 0, "a scale of 0"),
        (28, 2, "a payload of "),
        (30, 1, "bytes that must be zero are not"),
    ] {
        let mut changed = file.clone();
        changed[at] = byte;
        if at == 16 {
            changed[at..at + 4].fill(0);
        }
        let error = NetworkFile::from_bytes(&changed).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("its header is wrong: {reason}")),
            "{error}"
        );
    }
    let error = Network::from_bytes(&file).unwrap_err().to_string();
    assert_eq!(error, "it is a petard network of another version ('2')");
    let mut damaged = file.clone();
    damaged[100] ^= 1;
    let error = NetworkFile::from_bytes(&damaged).unwrap_err().to_string();
    assert!(error.starts_with("it is damaged: "), "{error}");
}
