//! `go prove` and `petard solve` on the real binary.
#![allow(clippy::unwrap_used)]

mod common;

use common::driver::{Driver, last_info, number};
use std::process::{Command, Output};

#[test]
fn go_prove_tells_the_winner_and_a_line() {
    let mut engine = Driver::start();
    engine.send("setoption name Threads value 2");
    engine.send("position fen pppp/pppp/4/PPPP/PPPP w 0 1");
    let (best, lines) = engine.best("go prove");
    assert!(
        lines
            .iter()
            .any(|line| line == "info string proof black wins")
    );
    let info = last_info(&lines);
    assert!(number(info, "nodes").unwrap() > 1000, "{info}");
    assert!(info.contains(&format!(" pv {best} ")), "{info}");
    assert!(!info.contains("score"), "no length is claimed: {info}");
    // The engine plays on as ever.
    let (best, _) = engine.best("go depth 3");
    assert_ne!(best, "(none)");
    engine.quit();
}

#[test]
fn go_prove_says_when_it_does_not_know() {
    let mut engine = Driver::start();
    engine.send("position startpos");
    for command in ["go prove movetime 100", "go prove nodes 2000"] {
        let (best, lines) = engine.best(command);
        assert_eq!(best, "(none)");
        assert!(lines.iter().any(|line| line == "info string proof unknown"));
    }
    engine.send("go prove");
    let (best, lines) = engine.best("stop");
    assert_eq!(best, "(none)");
    assert!(lines.iter().any(|line| line == "info string proof unknown"));
    // Too large a board for proofs.
    engine.send("setoption name Board value 10x10");
    engine.send("position startpos");
    let (_, lines) = engine.best("go prove");
    assert!(lines.iter().any(|line| line == "info string proof unknown"));
    engine.quit();
}

fn solve(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_petard"))
        .arg("solve")
        .args(arguments.split(' ').map(|word| word.replace(".b", " b")))
        .output()
        .unwrap()
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn solve_prints_one_object_and_exits_with_what_it_knows() {
    let output = solve("--board 3x6 --hash 64 --json --all-moves --threads 1");
    assert_eq!(output.status.code(), Some(0));
    let json = last_line(&output);
    for part in [
        "{\"board\": \"3x6\", \"fen\": \"ppp/ppp/3/3/PPP/PPP w 0 1\", \"winner\": \"first\"",
        "\"move\": \"",
        "\"winning_moves\": [\"",
        "\"plies\": ",
        "\"nodes\": ",
        "\"seconds\": ",
        "\"peak_mb\": ",
    ] {
        assert!(json.contains(part), "{json}");
    }
    let output = solve("--board 8x8 --time 0.2 --hash 16 --json --quiet");
    assert_eq!(output.status.code(), Some(3));
    let json = last_line(&output);
    assert!(
        json.contains("\"winner\": \"unknown\", \"move\": null"),
        "{json}"
    );
    assert!(output.stderr.is_empty());
    let limited = || {
        let output =
            solve("--fen ppppp/ppppp/5/PPPPP/PPPPP.b --threads 1 --nodes 5000 --hash 4 --json");
        assert_eq!(output.status.code(), Some(3));
        let json = last_line(&output);
        assert!(json.contains("\"nodes\": 5000, "), "{json}");
        let start = json.find("\"proof\": ").unwrap();
        json[start..json.find("\"seconds\"").unwrap()].to_owned()
    };
    let numbers = limited();
    assert_eq!(numbers.matches(": [").count(), 13, "{numbers}");
    assert!(numbers.contains("\"b4a3\": ["), "{numbers}");
    assert_eq!(limited(), numbers);
    for faulty in ["--board 1x5", "--fen nonsense", "--board 10x10", "--hash 0"] {
        let output = solve(faulty);
        assert!(
            !output.status.success() && !output.stderr.is_empty(),
            "{faulty}"
        );
        assert_ne!(output.status.code(), Some(3), "{faulty}");
    }
}
