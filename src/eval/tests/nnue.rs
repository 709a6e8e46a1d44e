//! The network: its file and its arithmetic.

use crate::common::network::{Numbers, Sizes};
use crate::common::{below, moves, random_game};
use crate::eval::nnue::{Inputs, Network, NetworkError, NetworkFile, Nnue, Simd};
use crate::eval::{EvalSource, Evaluator, Tuning};
use crate::game::Side;
use crate::game::breakthrough::{Bits, Geometry, Position};
use crate::game::{Notation, Outcome};
use rand_mt::Mt64;
use std::path::PathBuf;
use std::sync::Arc;

/// Board, window, width and buckets of the tested networks.
pub const SHAPES: [Sizes; 18] = [
    ((8, 8), (1, 1), 32, 1),
    ((8, 8), (1, 1), 256, 8),
    ((8, 8), (2, 2), 128, 8),
    ((8, 8), (3, 2), 64, 8),
    ((8, 8), (2, 3), 32, 16),
    ((8, 8), (3, 3), 32, 2),
    ((8, 8), (8, 1), 96, 3),
    ((8, 8), (1, 5), 512, 1),
    ((5, 5), (2, 2), 64, 8),
    ((5, 5), (5, 1), 32, 5),
    ((6, 6), (3, 3), 32, 8),
    ((7, 7), (2, 2), 128, 8),
    ((7, 7), (1, 7), 32, 3),
    ((8, 6), (2, 3), 32, 8),
    ((6, 8), (3, 2), 32, 8),
    ((7, 4), (2, 4), 32, 16),
    ((2, 4), (2, 4), 32, 16),
    ((2, 8), (1, 8), 32, 1),
];

/// Larger boards.
pub const WIDE: [Sizes; 3] = [
    ((10, 10), (2, 2), 64, 8),
    ((16, 8), (3, 2), 32, 4),
    ((3, 42), (1, 9), 32, 2),
];

/// Which of them are also tested with a second layer, and its pairs of units.
const TWO_LAYERS: [(usize, usize); 4] = [(1, 3), (2, 8), (3, 1), (7, 16)];

fn networks() -> impl Iterator<Item = (Numbers, Arc<Network>)> {
    let one_layer = SHAPES.into_iter().zip(7..);
    let one_layer = one_layer.map(|(shape, seed)| Numbers::random(shape, seed));
    let two_layers = TWO_LAYERS
        .into_iter()
        .map(|(shape, pairs)| Numbers::random(SHAPES[shape], 3).with_second_layer(pairs, 4));
    one_layer.chain(two_layers).map(|numbers| {
        let network = Network::from_bytes(&numbers.file()).unwrap();
        (numbers, Arc::new(network))
    })
}

/// The value computed from scratch.
pub fn fresh_value<P: Inputs>(network: &Arc<Network>, position: &P) -> i32 {
    let mut evaluation = Nnue::new(Arc::clone(network), position, Tuning::Wide);
    evaluation.evaluate(position)
}

/// The start on the board of a network.
pub fn start<B: Bits>(numbers: &Numbers) -> Position<B> {
    Position::start(numbers.board.0, numbers.board.1).unwrap()
}

/// A position with pieces anywhere, and possibly more than a game starts with.
fn crowd(board: (usize, usize), random: &mut Mt64) -> Position<u64> {
    let white = random.next_u64() | 1 << 8;
    // None on White's first rank, or both sides could have won.
    let black = random.next_u64() & !(1 << 8) & !0xff | 1 << 9;
    let side = Side::BOTH[below(random, 2)];
    let geometry = Geometry::new(board.0, board.1).unwrap();
    Position::new(geometry, [white, black], side, 0).unwrap()
}

#[test]
fn values_are_those_of_the_definition() {
    let mut random = Mt64::new(1);
    for (numbers, network) in networks() {
        let shape = network.shape();
        let board = (shape.board_files.into(), shape.board_ranks.into());
        assert_eq!(board, numbers.board);
        let sizes = (shape.window_files.into(), shape.window_ranks.into());
        assert_eq!(sizes, numbers.window);
        assert_eq!(usize::from(shape.hidden), numbers.hidden);
        assert_eq!(usize::from(shape.buckets), numbers.buckets);
        let game = random_game(&start::<u64>(&numbers), &mut random);
        let crowds = (0..40)
            .map(|_| crowd(board, &mut random))
            .collect::<Vec<_>>();
        let mut seen = Vec::new();
        for position in game.iter().chain(&crowds) {
            let value = fresh_value(&network, position);
            assert_eq!(value, numbers.value(position), "{shape} {}", position.fen());
            seen.push(value);
        }
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 30, "{shape} tells positions apart");
    }
}

#[test]
fn values_on_larger_boards_are_those_of_the_definition() {
    let mut random = Mt64::new(7);
    for shape in WIDE {
        let numbers = Numbers::random(shape, 9);
        let network = Arc::new(Network::from_bytes(&numbers.file()).unwrap());
        for position in random_game(&start::<u128>(&numbers), &mut random) {
            let value = fresh_value(&network, &position);
            assert_eq!(value, numbers.value(&position), "{}", position.fen());
        }
        walk(&network, start::<u128>(&numbers), 300);
    }
}

#[test]
fn a_position_is_worth_the_same_with_colours_exchanged() {
    let mut random = Mt64::new(2);
    for (numbers, network) in networks() {
        let game = random_game(&start::<u64>(&numbers), &mut random);
        let crowds = (0..20).map(|_| crowd(numbers.board, &mut random));
        for position in game.into_iter().chain(crowds) {
            let value = fresh_value(&network, &position);
            assert_eq!(value, fresh_value(&network, &position.flipped()));
        }
    }
}

/// The boards whose built-in network was trained with units in pairs, so that
/// mirror images have the same value.
const SYMMETRIC: &[(u8, u8)] = &[(6, 6), (7, 7), (8, 6), (8, 8)];

#[test]
fn a_network_of_mirrored_pairs_values_mirror_images_alike() {
    let mut random = Mt64::new(6);
    let symmetric = |shape| Numbers::random(shape, 8).symmetric();
    let two_layers = TWO_LAYERS
        .into_iter()
        .map(|(shape, pairs)| symmetric(SHAPES[shape]).with_second_layer(pairs, 9));
    let mut networks: Vec<_> = SHAPES
        .into_iter()
        .map(symmetric)
        .chain(two_layers)
        .map(|numbers| Network::from_bytes(&numbers.file()).unwrap())
        .map(Arc::new)
        .collect();
    let source = EvalSource::built_in();
    let built_in = SYMMETRIC
        .iter()
        .map(|&(files, ranks)| source.network(files, ranks));
    networks.extend(built_in.map(|network| network.unwrap()));
    for network in networks {
        let (files, ranks) = network.shape().board();
        let board = (files.into(), ranks.into());
        let start = Position::start(board.0, board.1).unwrap();
        let mut positions = random_game(&start, &mut random);
        positions.extend((0..20).map(|_| crowd(board, &mut random)));
        for position in positions {
            let value = fresh_value(&network, &position);
            assert_eq!(
                value,
                fresh_value(&network, &position.mirrored()),
                "{}",
                position.fen()
            );
        }
    }
}

/// Goes up and down a random tree, with passes among the moves, and checks the
/// value only now and then, so that accumulators are also skipped.
pub fn walk<P: Inputs>(network: &Arc<Network>, start: P, steps: usize) {
    let mut random = Mt64::new(3);
    let mut evaluation = Nnue::new(Arc::clone(network), &start, Tuning::Wide);
    let mut line = vec![start];
    let mut compared = 0;
    for _ in 0..steps {
        let position = line.last().unwrap().clone();
        let dice = below(&mut random, 16);
        let is_over = position.outcome() != Outcome::Ongoing;
        if is_over || (dice < 5 && line.len() > 1) {
            line.pop();
            evaluation.pop();
        } else if dice == 5 {
            line.push(position.pass());
            evaluation.push_pass();
        } else {
            let list = moves(&position);
            let mv = list[below(&mut random, list.len())];
            let child = position.play(mv);
            evaluation.push(&position, mv, &child);
            line.push(child);
        }
        if below(&mut random, 3) == 0 {
            let position = line.last().unwrap();
            let value = evaluation.evaluate(position);
            assert_eq!(value, fresh_value(network, position));
            assert_eq!(value, evaluation.evaluate(position), "asked again");
            compared += 1;
        }
    }
    assert!(compared > steps / 4);
    let other = line[line.len() / 2].clone();
    evaluation.reset(&other);
    assert_eq!(evaluation.evaluate(&other), fresh_value(network, &other));
}

#[test]
fn kept_up_step_by_step_it_is_as_computed_anew() {
    for (numbers, network) in networks() {
        walk(&network, start::<u64>(&numbers), 2_000);
        walk(&network, start::<u128>(&numbers), 300);
    }
}

#[test]
fn all_instructions_give_the_same_values() {
    let available = Simd::available();
    assert_eq!(available[0], Simd::PORTABLE);
    assert_eq!(available.last(), Some(&Simd::detect()));
    for simd in &available {
        assert_eq!(Simd::by_name(simd.name()), Some(*simd));
    }
    assert_eq!(Simd::by_name("abacus"), None);
    let mut random = Mt64::new(4);
    let mut all: Vec<_> = networks().collect();
    all.push(extreme());
    for (numbers, network) in all {
        let variants: Vec<Arc<Network>> = available
            .iter()
            .map(|&simd| Arc::new(Network::clone(&network).with_simd(simd)))
            .collect();
        assert_eq!(variants[0].simd(), Simd::PORTABLE);
        for position in random_game(&start::<u64>(&numbers), &mut random) {
            let expected = numbers.value(&position);
            for network in &variants {
                assert_eq!(fresh_value(network, &position), expected, "{network:?}");
            }
        }
    }
}

/// The largest weights that are allowed.
fn extreme() -> (Numbers, Arc<Network>) {
    let mut numbers = Numbers::zero(((8, 8), (1, 1), 512, 1));
    for (index, weight) in numbers.rows.iter_mut().enumerate() {
        *weight = if index % 3 == 0 { -511 } else { 511 };
    }
    numbers.bias.fill(63);
    // They add up to 32 * 1024 + 257.
    for (index, weight) in numbers.output.iter_mut().enumerate() {
        *weight = if index < 257 { 33 } else { 32 };
    }
    numbers.output_bias[0] = i32::MAX;
    numbers.scale = 3;
    numbers = numbers.with_second_layer(16, 5);
    for (index, weight) in numbers.second_layer.iter_mut().enumerate() {
        *weight = if index / 1024 % 2 == 0 { 2048 } else { -2048 };
    }
    numbers.second_output.fill(i16::MIN);
    let network = Network::from_bytes(&numbers.file()).unwrap();
    (numbers, Arc::new(network))
}

#[test]
fn weights_that_could_overflow_are_refused_and_the_largest_others_are_not() {
    let (sound, _) = extreme();
    let change = |change: &dyn Fn(&mut Numbers)| {
        let mut numbers = sound.clone();
        change(&mut numbers);
        Network::from_bytes(&numbers.file())
            .unwrap_err()
            .to_string()
    };
    let too_large = "its weights are too large: ";
    assert_eq!(
        change(&|numbers| numbers.bias[5] = -64),
        format!("{too_large}unit 5 of the accumulator can reach 32768, more than 32767")
    );
    assert_eq!(
        change(&|numbers| numbers.rows[511] = i16::MIN),
        format!("{too_large}unit 511 of the accumulator can reach 65024, more than 32767")
    );
    assert_eq!(
        change(&|numbers| numbers.output[1023] = -33),
        format!("{too_large}the output weights of bucket 0 add up to 33026")
    );
    for weight in [128, -128, i16::MIN] {
        assert_eq!(
            change(&|numbers| numbers.output[0] = weight),
            format!("{too_large}an output weight of bucket 0 is {weight}, beyond 127")
        );
    }
    for bias in [(1 << 24) + 1, i32::MIN] {
        assert_eq!(
            change(&|numbers| numbers.second_bias[7] = bias),
            format!("{too_large}a bias of the second layer is {bias}, beyond 16777216")
        );
    }
    for weight in [2049, -2049, i16::MIN] {
        assert_eq!(
            change(&|numbers| numbers.second_layer[1500] = weight),
            format!("{too_large}a weight of the second layer is {weight}, beyond 2048")
        );
    }
}

#[test]
fn a_file_that_is_not_as_it_should_be_is_refused_with_the_reason() {
    let numbers = Numbers::random(((7, 6), (2, 2), 32, 2), 1);
    let file = numbers.file();
    let error = |file: &[u8]| Network::from_bytes(file).unwrap_err().to_string();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        error(&changed)
    };
    for length in [0, 6, 7, 8, 31, 32, 33, 1000, file.len() - 1] {
        let error = error(&file[..length]);
        let expected = match length {
            0..7 => "it is not a petard network".to_owned(),
            7..32 => format!("it has {length} bytes, expected 32: "),
            _ => format!("it has {length} bytes, expected {}: ", file.len()),
        };
        assert!(error.starts_with(&expected), "{error}");
    }
    let longer = [file.as_slice(), &[0]].concat();
    assert!(error(&longer).ends_with("it is truncated or has trailing data"));
    assert_eq!(with(0, b"p"), "it is not a petard network");
    assert_eq!(
        with(7, b"4"),
        "it is a petard network of another version ('4')"
    );
    for (at, bytes, reason) in [
        (8, vec![0], "windows of 0x2 squares on a board of 7x6"),
        (8, vec![9], "windows of 9x2 squares on a board of 7x6"),
        (8, vec![5], "windows of 5x2 squares on a board of 7x6"),
        (8, vec![8, 1], "windows of 8x1 squares on a board of 7x6"),
        (8, vec![1, 7], "windows of 1x7 squares on a board of 7x6"),
        (9, vec![255], "windows of 2x255 squares on a board of 7x6"),
        (10, vec![0, 0], "an accumulator of 0"),
        (10, vec![33, 0], "an accumulator of 33"),
        (10, vec![32, 2], "an accumulator of 544"),
        (12, vec![0, 0], "0 output buckets"),
        (12, vec![17, 0], "17 output buckets"),
        (14, vec![0, 0], "a board of 0x0 squares"),
        (14, vec![1], "a board of 1x6 squares"),
        (14, vec![22], "a board of 22x6 squares"),
        (15, vec![3], "a board of 7x3 squares"),
        (15, vec![19], "a board of 7x19 squares"),
        (14, vec![255, 255], "a board of 255x255 squares"),
        (28, vec![1], "bytes that must be zero are not"),
        (30, vec![1], "a mirrored accumulator of 32"),
        (30, vec![2], "bytes that must be zero are not"),
        (
            31,
            vec![1],
            "a second layer of 2 units on an accumulator of 32",
        ),
        (16, vec![0; 4], "a scale of 0"),
        (16, vec![255; 4], "a scale of -1"),
        (16, vec![65, 66, 15, 0], "a scale of 1000001"),
    ] {
        assert_eq!(with(at, &bytes), format!("its header is wrong: {reason}"));
    }
    assert!(with(9, &[3]).contains("a payload of "), "another shape");
    assert!(with(14, &[6]).contains("a payload of "), "another board");
    let other = with(14, &[6, 7]);
    assert!(other.starts_with("it is damaged: "), "{other}");
    assert!(with(24, &[1]).contains("a payload of "), "another length");
    for at in [32, 1000, file.len() - 1] {
        let error = with(at, &[file[at] ^ 0x10]);
        assert!(error.starts_with("it is damaged: "), "{error}");
    }
    assert!(with(20, &[!file[20]]).starts_with("it is damaged: "));
    assert!(matches!(
        NetworkFile::load(&PathBuf::from("no/such/file")),
        Err(NetworkError::Io(_))
    ));
}

#[test]
fn the_shares_of_the_pieces_are_told() {
    let (numbers, network) = networks().nth(3).unwrap();
    let alone = Position::<u64>::from_fen("8/8/8/8/8/8/6P1/8 b 0 1").unwrap();
    let terms = Nnue::new(Arc::clone(&network), &alone, Tuning::Wide).explain(&alone);
    assert_eq!(terms[0].value, -numbers.value(&alone));
    let position = Position::<u64>::from_fen("8/pp6/8/8/8/8/6P1/8 b 0 1").unwrap();
    let mut evaluation = Nnue::new(network, &position, Tuning::Wide);
    let terms = evaluation.explain(&position);
    let whole = -numbers.value(&position);
    assert_eq!(terms[0].name, "network 8x8 3x2-64-8, bucket 0");
    assert_eq!(terms[0].value, whole);
    assert_eq!((terms[0].white, terms[0].black), (1, 2));
    let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names[1..], ["piece on g2", "piece on a7", "piece on b7"]);
    let without = Position::<u64>::from_fen("8/p7/8/8/8/8/6P1/8 b 0 1").unwrap();
    assert_eq!(terms[3].value, whole + numbers.value(&without));
}

#[test]
fn it_plays_on_its_own_board_only() {
    for (numbers, network) in networks() {
        for files in 2..=10 {
            for ranks in 4..=10 {
                let wide = Position::<u128>::start(files, ranks).unwrap();
                let is_meant = (files, ranks) == numbers.board;
                let board = wide.board_size();
                assert_eq!(network.shape().is_for::<Position<u64>>(board), is_meant);
                if is_meant {
                    assert_eq!(fresh_value(&network, &wide), numbers.value(&wide));
                }
            }
        }
    }
}
