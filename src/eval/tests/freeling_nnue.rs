//! The network for Freeling's game: its file, its arithmetic, and where it is
//! used.

use super::nnue::{fresh_value, walk};

use crate::common::freeling_reference::random_grid;
use crate::common::network::Numbers;
use crate::common::{below, moves};
use crate::eval::nnue::{Network, NetworkFile, Simd};
use crate::eval::{EvalSource, Evaluator};
use crate::game::Side;
use crate::game::freeling::Position;
use crate::game::{Game as _, Notation as _, breakthrough};
use rand_mt::Mt64;
use std::sync::Arc;

/// Windows, hidden units and outputs.
type Parts = (&'static [(usize, usize)], usize, usize);

/// Windows, width and buckets of the tested networks.
const SHAPES: [Parts; 7] = [
    (&[(1, 1)], 32, 1),
    (&[(2, 2)], 64, 8),
    (&[(1, 2), (2, 1)], 64, 8),
    (&[(1, 3), (2, 1)], 96, 5),
    (&[(1, 6), (3, 1)], 32, 16),
    (&[(5, 1), (1, 1)], 32, 3),
    (&[(2, 3)], 32, 8),
];

fn networks() -> impl Iterator<Item = (Numbers, Arc<Network>)> {
    SHAPES
        .into_iter()
        .zip(1..)
        .map(|((windows, hidden, buckets), seed)| {
            let numbers = Numbers::freeling(windows, hidden, buckets, seed);
            let network = Network::from_bytes(&numbers.file()).unwrap();
            (numbers, Arc::new(network))
        })
}

/// A random game of at most 150 plies; some never end.
fn random_game(random: &mut Mt64) -> Vec<Position> {
    let mut game = vec![Position::start()];
    for _ in 0..150 {
        let position = game.last().unwrap();
        let list = moves(position);
        if list.is_empty() {
            break;
        }
        let next = position.play(list[below(random, list.len())]);
        game.push(next);
    }
    game
}

/// Positions of a random game, and others with pieces and pairs anywhere.
fn positions(random: &mut Mt64) -> Vec<Position> {
    let mut positions = random_game(random);
    for _ in 0..60 {
        positions.push(Position::from_fen(&random_grid(random).text()).unwrap());
    }
    positions
}

#[test]
fn values_are_those_of_the_definition() {
    let mut random = Mt64::new(11);
    for (numbers, network) in networks() {
        let mut seen = Vec::new();
        for position in positions(&mut random) {
            let value = fresh_value(&network, &position);
            assert_eq!(value, numbers.value(&position), "{}", position.fen());
            assert_eq!(value, fresh_value(&network, &position.flipped()));
            seen.push(value);
        }
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 30, "{network:?} tells positions apart");
    }
}

#[test]
fn half_of_a_mirrored_network_is_enough() {
    let mut random = Mt64::new(14);
    for (windows, _, buckets) in SHAPES {
        let numbers = Numbers::freeling(windows, 64, buckets, 6).symmetric();
        for file in [numbers.file(), numbers.mirrored_file()] {
            let network = Arc::new(Network::from_bytes(&file).unwrap());
            assert!(network.shape().is_mirrored);
            for position in positions(&mut random) {
                let value = fresh_value(&network, &position);
                assert_eq!(value, numbers.value(&position), "{}", position.fen());
            }
            walk(&network, Position::start(), 300);
        }
    }
}

#[test]
fn a_network_of_mirrored_pairs_values_mirror_images_alike() {
    let mut random = Mt64::new(12);
    let mut all: Vec<_> = SHAPES
        .into_iter()
        .map(|(windows, hidden, buckets)| {
            let numbers = Numbers::freeling(windows, hidden, buckets, 5).symmetric();
            Arc::new(Network::from_bytes(&numbers.file()).unwrap())
        })
        .collect();
    let built_in = EvalSource::built_in().freeling(&Position::start());
    all.push(Arc::clone(built_in.network()));
    for network in all {
        for position in positions(&mut random) {
            let value = fresh_value(&network, &position);
            assert_eq!(value, fresh_value(&network, &position.mirrored()));
        }
    }
    // And others do not.
    let (_, network) = networks().nth(1).unwrap();
    let differs = |position: &Position| {
        fresh_value(&network, position) != fresh_value(&network, &position.mirrored())
    };
    assert!(positions(&mut random).iter().any(differs));
}

#[test]
fn kept_up_step_by_step_it_is_as_computed_anew() {
    for (_, network) in networks() {
        walk(&network, Position::start(), 2_000);
    }
    // Random games are full of explosions.
    let mut random = Mt64::new(13);
    let game = random_game(&mut random);
    let changed = |pair: &[Position]| {
        let of = |side| pair[0].pieces(side) ^ pair[1].pieces(side);
        (of(Side::White) | of(Side::Black)).count_ones()
    };
    assert!(game.windows(2).any(|pair| changed(pair) > 4));
}

#[test]
fn all_instructions_give_the_same_values() {
    let mut random = Mt64::new(14);
    for (numbers, network) in networks() {
        let variants: Vec<_> = Simd::available()
            .into_iter()
            .map(|simd| Arc::new(Network::clone(&network).with_simd(simd)))
            .collect();
        for position in positions(&mut random) {
            let expected = numbers.value(&position);
            for network in &variants {
                assert_eq!(fresh_value(network, &position), expected, "{network:?}");
            }
        }
    }
}

#[test]
fn a_file_that_is_not_as_it_should_be_is_refused_with_the_reason() {
    let file = Numbers::freeling(&[(1, 3), (2, 1)], 32, 2, 1).file();
    assert!(matches!(
        NetworkFile::from_bytes(&file),
        Ok(NetworkFile::Board(_))
    ));
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        NetworkFile::from_bytes(&changed).unwrap_err().to_string()
    };
    for (at, bytes, reason) in [
        (8, vec![0], "windows of 0x3 squares on a board of 5x9"),
        (8, vec![6], "windows of 6x3 squares on a board of 5x9"),
        (8, vec![3], "windows of 3x3 squares on a board of 5x9"),
        (9, vec![7], "windows of 1x7 squares on a board of 5x9"),
        (9, vec![255], "windows of 1x255 squares on a board of 5x9"),
        (28, vec![0], "windows of 0x1 squares on a board of 5x9"),
        (29, vec![0], "windows of 2x0 squares on a board of 5x9"),
        (28, vec![3, 3], "windows of 3x3 squares on a board of 5x9"),
        (
            28,
            vec![255; 2],
            "windows of 255x255 squares on a board of 5x9",
        ),
        (10, vec![33, 0], "an accumulator of 33"),
        (12, vec![17, 0], "17 output buckets"),
        (14, vec![9, 5], "stacks on a board of 9x5 squares"),
        (14, vec![8, 8], "stacks on a board of 8x8 squares"),
        (16, vec![0; 4], "a scale of 0"),
        (30, vec![1], "a mirrored accumulator of 32"),
        (30, vec![2], "bytes that must be zero are not"),
        (
            31,
            vec![1],
            "a second layer of 2 units on an accumulator of 32",
        ),
    ] {
        assert_eq!(with(at, &bytes), format!("its header is wrong: {reason}"));
    }
    // Without the second kind of windows, or as a file for the other game.
    for (at, bytes) in [(28, vec![0, 0]), (7, b"1".to_vec()), (28, vec![1, 2])] {
        let error = with(at, &bytes);
        let reasons = ["a payload of ", "bytes that must be zero are not"];
        assert!(reasons.iter().any(|text| error.contains(text)), "{error}");
    }
    for length in [31, 32, 33, file.len() - 1] {
        let error = NetworkFile::from_bytes(&file[..length]).unwrap_err();
        assert!(error.to_string().starts_with("it has "), "{error}");
    }
    let error = with(file.len() - 1, &[file[file.len() - 1] ^ 1]);
    assert!(error.starts_with("it is damaged: "), "{error}");
}

#[test]
fn weights_of_the_second_windows_that_could_overflow_are_refused() {
    let mut numbers = Numbers::freeling(&[(1, 3), (2, 1)], 32, 1, 1);
    numbers.rows.fill(0);
    numbers.bias.fill(0);
    let second = 35 * 125 * 32;
    // Each of the 36 windows shows only one of its patterns at a time.
    for window in 0..36 {
        numbers.rows[second + (window * 25 + window % 25) * 32 + 3] = 910;
        numbers.rows[second + (window * 25 + (window + 1) % 25) * 32 + 3] = -910;
    }
    numbers.bias[3] = 7;
    assert!(Network::from_bytes(&numbers.file()).is_ok());
    numbers.bias[3] = 8;
    let error = Network::from_bytes(&numbers.file()).unwrap_err();
    let reason = "its weights are too large: \
        unit 3 of the accumulator can reach 32768, more than 32767";
    assert_eq!(error.to_string(), reason);
}

#[test]
fn it_is_for_its_own_game_only() {
    let (numbers, network) = networks().nth(2).unwrap();
    assert!(
        !network
            .shape()
            .is_for::<breakthrough::Position<u128>>((5, 9))
    );
    let breakthrough = Numbers::random(((5, 9), (2, 2), 32, 1), 1);
    let breakthrough = Arc::new(Network::from_bytes(&breakthrough.file()).unwrap());
    assert!(!breakthrough.shape().is_for::<Position>((5, 9)));
    let start = Position::start();
    // Both games find their own network in one source.
    let source = EvalSource::built_in()
        .with(Arc::clone(&network))
        .with(Arc::clone(&breakthrough));
    assert_eq!(
        source.network(5, 9).unwrap().shape(),
        breakthrough.shape(),
        "beside that of Freeling's game"
    );
    let mut chosen = source.freeling(&start);
    assert_eq!(chosen.evaluate(&start), numbers.value(&start));
    let terms = chosen.explain(&start);
    assert_eq!(terms[0].name, "network freeling 1x2+2x1-64-8, bucket 7");
    assert_eq!((terms[0].white, terms[0].black), (10, 10));
    assert_eq!(terms.len(), 21);
    assert_eq!(terms[1].name, "piece on a1");
    let position = Position::from_fen("5/5/5/2d2/5/5/5/1P3/5 w 0 1").unwrap();
    let terms = source.freeling(&position).explain(&position);
    assert_eq!(terms[2].name, "pair on c6");
    assert_eq!((terms[2].white, terms[2].black), (0, 2));
    let without = Position::from_fen("5/5/5/5/5/5/5/1P3/5 w 0 1").unwrap();
    let value = numbers.value(&position) - numbers.value(&without);
    assert_eq!(terms[2].value, value);
    // It stays, whatever evaluates Breakthrough.
    let mut stays = source.with_article().freeling(&position);
    assert_eq!(stays.evaluate(&position), numbers.value(&position));
}
