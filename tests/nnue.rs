//! The network: its file, its arithmetic, and that it is what the options ask
//! for.
#![allow(clippy::unwrap_used)]

mod common;

use common::driver::Driver;
use common::network::Numbers;
use common::{below, moves, random_game};
use petard::base::Side;
use petard::eval::Evaluator;
use petard::eval::nnue::{Network, NetworkError, Nnue, Simd};
use petard::game::troyka::{Geometry, Position};
use petard::game::{Game, Notation, Outcome};
use rand_mt::Mt64;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// Window, width and buckets of the networks that are tried.
const SHAPES: [((usize, usize), usize, usize); 8] = [
    ((1, 1), 32, 1),
    ((1, 1), 256, 8),
    ((2, 2), 128, 8),
    ((3, 2), 64, 8),
    ((2, 3), 32, 16),
    ((3, 3), 32, 2),
    ((8, 1), 96, 3),
    ((1, 5), 512, 1),
];

fn networks() -> impl Iterator<Item = (Numbers, Arc<Network>)> {
    SHAPES.into_iter().map(|(window, hidden, buckets)| {
        let numbers = Numbers::random(window, hidden, buckets, 7 + hidden as u64);
        let network = Network::from_bytes(&numbers.file()).unwrap();
        (numbers, Arc::new(network))
    })
}

fn fresh_value(network: &Arc<Network>, position: &Position<u64>) -> i32 {
    let mut evaluation = Nnue::new(Arc::clone(network), position).unwrap();
    evaluation.evaluate(position)
}

fn start() -> Position<u64> {
    Position::start(8, 8).unwrap()
}

/// A position with men anywhere, more than a game begins with too.
fn crowd(random: &mut Mt64) -> Position<u64> {
    let white = random.next_u64() | 1 << 20;
    let black = random.next_u64() & !(1 << 20) & !0xff;
    let side = Side::BOTH[below(random, 2)];
    Position::new(Geometry::new(8, 8).unwrap(), [white, black], side, 0).unwrap()
}

#[test]
fn values_are_those_of_the_definition() {
    let mut random = Mt64::new(1);
    for (numbers, network) in networks() {
        let shape = network.shape();
        let sizes = (shape.window_files.into(), shape.window_ranks.into());
        assert_eq!(sizes, numbers.window);
        assert_eq!(usize::from(shape.hidden), numbers.hidden);
        assert_eq!(usize::from(shape.buckets), numbers.buckets);
        let game = random_game(&start(), &mut random);
        let crowds = (0..20).map(|_| crowd(&mut random)).collect::<Vec<_>>();
        let mut seen = Vec::new();
        for position in game.iter().chain(&crowds) {
            let value = fresh_value(&network, position);
            assert_eq!(value, numbers.value(position), "{shape} {}", position.fen());
            seen.push(value);
        }
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 20, "{shape} tells positions apart");
    }
}

#[test]
fn a_position_is_worth_the_same_with_colours_exchanged() {
    let mut random = Mt64::new(2);
    for (_, network) in networks() {
        for position in random_game(&start(), &mut random) {
            let value = fresh_value(&network, &position);
            assert_eq!(value, fresh_value(&network, &position.flipped()));
        }
    }
}

/// Goes up and down a random tree, passes among the moves, and looks at the
/// value now and then, so that accumulators are also skipped.
#[test]
fn kept_up_step_by_step_it_is_as_computed_anew() {
    for (_, network) in networks() {
        let mut random = Mt64::new(3);
        let mut line = vec![start()];
        let mut evaluation = Nnue::new(Arc::clone(&network), &line[0]).unwrap();
        let mut compared = 0;
        for _ in 0..2_000 {
            let position = *line.last().unwrap();
            let dice = below(&mut random, 16);
            let is_over = position.outcome() != Outcome::Ongoing;
            if is_over || (dice < 5 && line.len() > 1) {
                line.pop();
                Evaluator::<Position<u64>>::pop(&mut evaluation);
            } else if dice == 5 {
                line.push(position.pass());
                Evaluator::<Position<u64>>::push_pass(&mut evaluation);
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
                assert_eq!(value, fresh_value(&network, position));
                assert_eq!(value, evaluation.evaluate(position), "asked again");
                compared += 1;
            }
        }
        assert!(compared > 500);
        let other = line[line.len() / 2];
        evaluation.reset(&other);
        assert_eq!(evaluation.evaluate(&other), fresh_value(&network, &other));
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
        for position in random_game(&start(), &mut random) {
            let expected = numbers.value(&position);
            for network in &variants {
                assert_eq!(fresh_value(network, &position), expected, "{network:?}");
            }
        }
    }
}

/// The largest weights that are allowed.
fn extreme() -> (Numbers, Arc<Network>) {
    let mut numbers = Numbers::zero((1, 1), 512, 1);
    for (index, weight) in numbers.rows.iter_mut().enumerate() {
        *weight = if index % 3 == 0 { -511 } else { 511 };
    }
    numbers.bias.fill(63);
    // 32 * 1024 and 257 more.
    for (index, weight) in numbers.output.iter_mut().enumerate() {
        *weight = if index < 257 { 33 } else { 32 };
    }
    numbers.output_bias[0] = i32::MAX;
    numbers.scale = 3;
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
}

#[test]
fn a_file_that_is_not_as_it_should_be_is_refused_with_the_reason() {
    let numbers = Numbers::random((2, 2), 32, 2, 1);
    let file = numbers.file();
    let fault = |file: &[u8]| Network::from_bytes(file).unwrap_err().to_string();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        fault(&changed)
    };
    for length in [0, 6, 7, 8, 31, 32, 33, 1000, file.len() - 1] {
        let fault = fault(&file[..length]);
        let expected = match length {
            0..7 => "it is not a petard network".to_owned(),
            7..32 => format!("it has {length} bytes, expected 32: "),
            _ => format!("it has {length} bytes, expected {}: ", file.len()),
        };
        assert!(fault.starts_with(&expected), "{fault}");
    }
    let longer = [file.as_slice(), &[0]].concat();
    assert!(fault(&longer).ends_with("it is cut off or has something behind it"));
    assert_eq!(with(0, b"p"), "it is not a petard network");
    assert_eq!(
        with(7, b"2"),
        "it is a petard network of another version ('2')"
    );
    for (at, bytes, reason) in [
        (8, vec![0], "windows of 0x2 squares"),
        (8, vec![9], "windows of 9x2 squares"),
        (8, vec![5], "windows of 5x2 squares"),
        (9, vec![255], "windows of 2x255 squares"),
        (10, vec![0, 0], "an accumulator of 0"),
        (10, vec![33, 0], "an accumulator of 33"),
        (10, vec![32, 2], "an accumulator of 544"),
        (12, vec![0, 0], "0 output buckets"),
        (12, vec![17, 0], "17 output buckets"),
        (14, vec![1], "bytes that must be zero are not"),
        (31, vec![1], "bytes that must be zero are not"),
        (16, vec![0; 4], "a scale of 0"),
        (16, vec![255; 4], "a scale of -1"),
        (16, vec![65, 66, 15, 0], "a scale of 1000001"),
    ] {
        assert_eq!(with(at, &bytes), format!("its header is wrong: {reason}"));
    }
    assert!(with(9, &[3]).contains("a payload of "), "another shape");
    assert!(with(24, &[1]).contains("a payload of "), "another length");
    for at in [32, 1000, file.len() - 1] {
        let fault = with(at, &[file[at] ^ 0x10]);
        assert!(fault.starts_with("it is damaged: "), "{fault}");
    }
    assert!(with(20, &[!file[20]]).starts_with("it is damaged: "));
    assert!(matches!(
        Network::load(&PathBuf::from("no/such/file")),
        Err(NetworkError::Io(_))
    ));
}

#[test]
fn the_shares_of_the_men_are_told() {
    let (numbers, network) = networks().nth(3).unwrap();
    let position = Position::<u64>::from_fen("8/pp6/8/8/8/8/6P1/8 b 0 1").unwrap();
    let mut evaluation = Nnue::new(network, &position).unwrap();
    let terms = evaluation.explain(&position);
    let whole = -numbers.value(&position);
    assert_eq!(terms[0].name, "network 3x2-64-8, bucket 0");
    assert_eq!(terms[0].value, whole);
    assert_eq!((terms[0].white, terms[0].black), (1, 2));
    let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names[1..], ["man on g2", "man on a7", "man on b7"]);
    let without = Position::<u64>::from_fen("8/p7/8/8/8/8/6P1/8 b 0 1").unwrap();
    assert_eq!(terms[3].value, whole + numbers.value(&without));
}

#[test]
fn it_plays_on_the_standard_board_only() {
    let (_, network) = networks().next().unwrap();
    for (files, ranks) in [(8, 7), (7, 8), (5, 5)] {
        let position = Position::<u64>::start(files, ranks).unwrap();
        assert!(Nnue::new(Arc::clone(&network), &position).is_none());
    }
    let wide = Position::<u128>::start(10, 10).unwrap();
    assert!(Nnue::new(network, &wide).is_none());
}

#[test]
fn the_tools_take_a_network() {
    let numbers = Numbers::random((1, 1), 32, 1, 8);
    let good = written("tools.nnue", &numbers.file());
    let bad = written("bad.nnue", b"PETARDN");
    let bench = |options: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["bench", "4"])
            .args(options)
            .output()
            .unwrap();
        let text = if run.status.success() {
            run.stdout
        } else {
            run.stderr
        };
        let text = String::from_utf8(text).unwrap();
        text.split(" nodes ").next().unwrap().trim().to_owned()
    };
    let standard = bench(&[]);
    let with_network = bench(&["--eval-file", &good]);
    assert_ne!(standard, with_network);
    for simd in Simd::available() {
        let nodes = bench(&["--eval-file", &good, "--simd", simd.name()]);
        assert_eq!(nodes, with_network);
    }
    let by_hand = bench(&["--evaluation", "handcrafted"]);
    let options = ["--eval-file", &good, "--evaluation", "handcrafted"];
    assert_eq!(bench(&options), by_hand);
    let refused = bench(&["--eval-file", &bad]);
    let reason = format!("petard: {bad} refused: it has 7 bytes, expected 32: ");
    assert!(refused.starts_with(&reason), "{refused}");
    let refused = bench(&["--simd", "abacus"]);
    assert!(refused.starts_with("petard: no instructions 'abacus'; there are portable"));
}

/// Writes a file that only this test uses.
fn written(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_options_choose_the_evaluation() {
    let numbers = Numbers::random((2, 2), 32, 2, 5);
    let good = written("good.nnue", &numbers.file());
    let mut torn = numbers.file();
    torn.pop();
    let torn = written("torn.nnue", &torn);
    let position = start();
    let valued = format!("Evaluation: {} cp for white", numbers.value(&position));
    let mut engine = Driver::start();
    let evaluation = |engine: &mut Driver| engine.ask("eval").pop().unwrap();
    let standard = evaluation(&mut engine);
    assert!(!standard.starts_with(&valued));
    let quiet = |engine: &mut Driver, line: &str| {
        let answer = engine.ask(&format!("setoption name {line}"));
        assert!(answer.is_empty(), "{answer:?}");
    };

    quiet(&mut engine, &format!("EvalFile value {good}"));
    assert!(evaluation(&mut engine).starts_with(&valued));
    for (line, reason) in [
        (
            format!("EvalFile value {torn}"),
            format!("EvalFile '{torn}' refused: it has "),
        ),
        (
            "EvalFile value no/such.nnue".to_owned(),
            "EvalFile 'no/such.nnue' refused: it cannot be read: ".to_owned(),
        ),
        (
            "Evaluation value guess".to_owned(),
            "Evaluation takes network or handcrafted, not 'guess'".to_owned(),
        ),
    ] {
        let answer = engine.ask(&format!("setoption name {line}"));
        assert_eq!(answer.len(), 1);
        assert!(answer[0].contains(&reason), "{answer:?}");
        assert!(evaluation(&mut engine).starts_with(&valued), "it stays");
    }
    quiet(&mut engine, "Evaluation value Handcrafted");
    let by_hand = evaluation(&mut engine);
    assert!(!by_hand.starts_with(&valued));
    quiet(&mut engine, "evalfile value <built-in>");
    assert_eq!(evaluation(&mut engine), by_hand);
    quiet(&mut engine, &format!("EvalFile value {good}"));
    assert_eq!(evaluation(&mut engine), by_hand, "loaded, not used");
    quiet(&mut engine, "Evaluation value network");
    assert!(evaluation(&mut engine).starts_with(&valued));
    quiet(&mut engine, "EvalFile value <built-in>");
    assert_eq!(evaluation(&mut engine), standard);
    engine.quit();
}

#[test]
fn what_was_valued_otherwise_before_changes_nothing() {
    let numbers = Numbers::random((2, 2), 32, 2, 6);
    let file = written("clear.nnue", &numbers.file());
    let search = |engine: &mut Driver| {
        let (best, lines) = engine.best("position startpos\ngo depth 7");
        let last = lines.last().unwrap();
        let nodes = last.split(" nodes ").nth(1).unwrap();
        let nodes = nodes.split(' ').next().unwrap().to_owned();
        (best, nodes)
    };
    let mut engine = Driver::start();
    let before = search(&mut engine);
    engine.send(&format!("setoption name EvalFile value {file}"));
    let with_network = search(&mut engine);
    assert_ne!(before, with_network);
    engine.send("setoption name EvalFile value <built-in>");
    assert_eq!(search(&mut engine), before);
    engine.quit();
    let mut engine = Driver::start();
    engine.send(&format!("setoption name EvalFile value {file}"));
    assert_eq!(search(&mut engine), with_network);
    engine.quit();
}
