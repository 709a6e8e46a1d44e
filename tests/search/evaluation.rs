//! Which evaluation is used, as options and tools request.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, last_info};
use common::network::Numbers;
use petard::game::{breakthrough, freeling};
use std::path::PathBuf;
use std::process::Command;

/// The start on the board of a network.
fn start(numbers: &Numbers) -> breakthrough::Position<u64> {
    breakthrough::Position::start(numbers.board.0, numbers.board.1).unwrap()
}

#[test]
fn the_tools_take_a_network() {
    let numbers = Numbers::random(((8, 8), (1, 1), 32, 1), 8);
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
    let article = bench(&["--evaluation", "article"]);
    assert!(article != standard && article != with_network);
    let options = ["--eval-file", &good, "--evaluation", "article"];
    assert_eq!(bench(&options), article);
    let refused = bench(&["--eval-file", &bad]);
    let reason = format!("petard: {bad} refused: it has 7 bytes, expected 32: ");
    assert!(refused.starts_with(&reason), "{refused}");
    let refused = bench(&["--simd", "abacus"]);
    let reason = "petard: vector instructions 'abacus' are unavailable; choose from ";
    let available = refused.strip_prefix(reason).unwrap();
    assert!(available.starts_with("portable"), "{refused}");
    for simd in available.split(", ") {
        let nodes = bench(&["--eval-file", &good, "--simd", simd]);
        assert_eq!(nodes, with_network);
    }
}

/// Writes a file for this test alone.
fn written(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_tools_take_a_network_for_another_board() {
    let numbers = Numbers::random(((7, 7), (2, 2), 32, 8), 10);
    let network = written("tools7.nnue", &numbers.file());
    let run = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        String::from_utf8(run.stdout).unwrap()
    };
    let nodes = |arguments: &[&str]| run(arguments).split(' ').next().unwrap().to_owned();
    let standard = nodes(&["bench", "4"]);
    let with_network = nodes(&["bench", "4", "--eval-file", &network]);
    assert_ne!(standard, with_network, "one of the positions is on 7x7");
    let records = |board: &str, options: &[&str]| {
        let path = written("records.bin", &[]);
        std::fs::remove_file(&path).unwrap();
        let limits = ["--positions", "100", "--nodes", "50", "--threads", "1"];
        let mut arguments = vec!["datagen", &path, "--board", board];
        arguments.extend(limits.iter().chain(options));
        run(&arguments);
        std::fs::read(path).unwrap()
    };
    let option = ["--eval-file", network.as_str()];
    assert_ne!(records("7x7", &[]), records("7x7", &option));
    assert_eq!(records("8x8", &[]), records("8x8", &option));
}

#[test]
fn the_options_choose_the_evaluation() {
    let numbers = Numbers::random(((8, 8), (2, 2), 32, 2), 5);
    let good = written("good.nnue", &numbers.file());
    let mut torn = numbers.file();
    torn.pop();
    let torn = written("torn.nnue", &torn);
    let position = start(&numbers);
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
            "unknown Evaluation 'guess'; choose from network, article".to_owned(),
        ),
    ] {
        let answer = engine.ask(&format!("setoption name {line}"));
        assert_eq!(answer.len(), 1);
        assert!(answer[0].contains(&reason), "{answer:?}");
        assert!(evaluation(&mut engine).starts_with(&valued), "it stays");
    }
    quiet(&mut engine, "Evaluation value Article");
    let article = evaluation(&mut engine);
    assert!(!article.starts_with(&valued));
    quiet(&mut engine, "evalfile value <built-in>");
    assert_eq!(evaluation(&mut engine), article);
    quiet(&mut engine, &format!("EvalFile value {good}"));
    assert_eq!(evaluation(&mut engine), article, "loaded, not used");
    quiet(&mut engine, "Evaluation value network");
    assert!(evaluation(&mut engine).starts_with(&valued));
    quiet(&mut engine, "EvalFile value <built-in>");
    assert_eq!(evaluation(&mut engine), standard);
    engine.quit();
}

#[test]
fn what_was_valued_otherwise_before_changes_nothing() {
    let numbers = Numbers::random(((8, 8), (2, 2), 32, 2), 6);
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

#[test]
fn a_file_for_one_board_leaves_the_others_alone() {
    let numbers = Numbers::random(((7, 7), (2, 2), 32, 8), 9);
    let file = written("seven.nnue", &numbers.file());
    let boards = ["5x5", "6x6", "7x7", "8x6", "6x8", "8x8", "10x10"];
    let evaluations = |engine: &mut Driver| {
        boards.map(|board| {
            engine.ask(&format!("setoption name Board value {board}"));
            engine.ask("eval")
        })
    };
    let search = |engine: &mut Driver| {
        engine.ask("setoption name Board value 8x8\nucinewgame");
        let (_, lines) = engine.best("go depth 6");
        last_info(&lines)
            .split(" time ")
            .next()
            .unwrap()
            .split(" nps ")
            .next()
            .unwrap()
            .to_owned()
    };
    let mut engine = Driver::start();
    let standard = evaluations(&mut engine);
    let searched = search(&mut engine);
    let answer = engine.ask(&format!("setoption name EvalFile value {file}"));
    assert!(answer.is_empty(), "{answer:?}");
    for ((board, before), after) in boards.iter().zip(&standard).zip(evaluations(&mut engine)) {
        if *board != "7x7" {
            assert_eq!(*before, after, "{board}");
            continue;
        }
        assert!(after[1].starts_with("network 7x7 2x2-32-8, bucket 7 "));
        let value = numbers.value(&start(&numbers));
        let last = after.last().unwrap();
        assert!(last.starts_with(&format!("Evaluation: {value} cp for white")));
    }
    assert_eq!(search(&mut engine), searched);
    engine.ask("setoption name EvalFile value <built-in>");
    assert_eq!(evaluations(&mut engine), standard);
    engine.quit();
}

#[test]
fn the_engine_and_the_tools_take_a_network_for_freelings_game() {
    let numbers = Numbers::freeling(&[(1, 2), (2, 1)], 32, 8, 9);
    let file = written("freeling.nnue", &numbers.file());
    let mut engine = Driver::start();
    engine.ask("setoption name UCI_Variant value freeling");
    let standard = engine.ask("eval").pop().unwrap();
    engine.ask("setoption name Evaluation value article");
    assert_eq!(engine.ask("eval").pop().unwrap(), standard);
    engine.ask(&format!("setoption name EvalFile value {file}"));
    let value = numbers.value(&freeling::Position::start());
    let with_file = engine.ask("eval").pop().unwrap();
    assert!(with_file.starts_with(&format!("Evaluation: {value} cp for white")));
    engine.ask("setoption name EvalFile value <built-in>");
    assert_eq!(engine.ask("eval").pop().unwrap(), standard);
    engine.quit();

    let records = |options: &[&str]| {
        let path = written("freeling.bin", &[]);
        std::fs::remove_file(&path).unwrap();
        let limits = ["--positions", "60", "--nodes", "50", "--threads", "1"];
        let run = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["datagen", &path, "--variant", "freeling"])
            .args(limits)
            .args(options)
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        std::fs::read(path).unwrap()
    };
    let standard = records(&[]);
    assert_eq!(records(&["--evaluation", "article"]), standard);
    let option = ["--eval-file", file.as_str()];
    let with_network = records(&option);
    assert_ne!(with_network, standard);
    assert_eq!(with_network, records(&option));
    let scores = |file: &[u8]| file[16..].chunks(29).map(|row| row[24]).collect::<Vec<_>>();
    assert_ne!(scores(&with_network), scores(&standard));
}
