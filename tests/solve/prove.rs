//! `go prove` and `petard solve` on the real binary.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, Running, last_info, number};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

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
    // The engine plays on as before.
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
    // The board is too large for proofs.
    for size in ["2x41", "9x9"] {
        engine.send(&format!("setoption name Board value {size}"));
        let (best, lines) = engine.best("go prove");
        assert_eq!(best, "(none)");
        assert!(
            lines.last().unwrap().contains("on boards of up to 80"),
            "{lines:?}"
        );
    }
    engine.send("setoption name Board value 8x10");
    let (_, lines) = engine.best("go prove nodes 100");
    assert!(lines.iter().any(|line| line == "info string proof unknown"));
    engine.quit();
}

pub fn solve(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_petard"))
        .arg("solve")
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

#[test]
fn bad_lines_of_the_input_are_reported_by_number_and_the_rest_is_solved() {
    let good = "pppp/pppp/4/PPPP/PPPP w 0 1";
    let mut input = format!("\n{good}\nnonsense\n{good}\nppp/3/PPP w\n").into_bytes();
    input.extend(b"\xff\n");
    input.extend(good.bytes());
    let output = served_bytes("--hash 16", &input);
    assert_eq!(output.status.code(), Some(1));
    let answers = objects(&output);
    let lines: Vec<_> = answers
        .iter()
        .map(|answer| answer["line"].as_u64())
        .collect();
    let bad = [Some(1), None, Some(3), None, Some(5), Some(6), None];
    assert_eq!(lines, bad, "{answers:?}");
    for answer in &answers {
        let is_answered = answer["error"].is_string() || answer["winner"] == "second";
        assert!(is_answered, "{answer}");
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    for number in [1, 3, 5, 6] {
        let line = format!("petard: line {number}: ");
        assert_eq!(errors.matches(&line).count(), 1, "{errors}");
    }
}

/// The objects among the lines of the output.
fn objects(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The object in the last line of the output.
pub fn object(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn solve_prints_one_object_and_exits_with_what_it_knows() {
    let output = solve("--board 3x6 --hash 64 --json --all-moves --threads 1");
    assert_eq!(output.status.code(), Some(0));
    let reported = object(&output);
    let names: Vec<&String> = reported.as_object().unwrap().keys().collect();
    let expected = "board fen winner move winning_moves undecided_moves plies line proof disproof \
                    opened nodes seconds peak_mb trusted";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
    assert_eq!(reported["board"], "3x6");
    assert_eq!(reported["fen"], "ppp/ppp/3/3/PPP/PPP w 0 1");
    assert_eq!(reported["winner"], "first");
    assert!(
        reported["winning_moves"]
            .as_array()
            .unwrap()
            .contains(&reported["move"])
    );
    assert_eq!(
        reported["plies"],
        reported["line"].as_str().unwrap().split(' ').count()
    );
    // Each move is also reported as soon as it is known.
    let noted = String::from_utf8_lossy(&output.stderr).into_owned();
    for mv in reported["winning_moves"].as_array().unwrap() {
        let note = format!("{} wins\n", mv.as_str().unwrap());
        assert_eq!(noted.contains(&note), *mv != reported["move"], "{noted}");
    }
    let output = solve("--board 8x8 --time 0.2 --hash 16 --json --quiet");
    assert_eq!(output.status.code(), Some(3));
    let reported = object(&output);
    assert_eq!(
        (&reported["winner"], &reported["move"]),
        (&json!("unknown"), &Value::Null)
    );
    assert!(output.stderr.is_empty());
    for faulty in ["--board 1x5", "--fen nonsense", "--board 10x10", "--hash 0"] {
        let output = solve(faulty);
        assert!(
            !output.status.success() && !output.stderr.is_empty(),
            "{faulty}"
        );
        assert_ne!(output.status.code(), Some(3), "{faulty}");
    }
}

#[test]
fn a_win_without_a_known_move_lists_none() {
    // One node shows who wins, but not how; and the game is over.
    for fen in ["1p1/3/3/3/1P1/3 w", "P2/3/3/3/1p1/3 w"] {
        let output = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args("solve --threads 1 --nodes 1 --quiet --fen".split(' '))
            .arg(fen)
            .output()
            .unwrap();
        let reported = String::from_utf8(output.stdout).unwrap();
        assert!(reported.contains("winner: white (first"), "{reported}");
        assert!(!reported.contains("winning move"), "{reported}");
    }
}

#[test]
fn one_winning_move_is_not_told_as_all_of_them() {
    let reported = |rest: &str| {
        let output = solve(&format!("--board 3x6 --threads 1 --hash 16 --quiet {rest}"));
        String::from_utf8(output.stdout).unwrap()
    };
    let one = reported("");
    assert!(
        one.contains("\na winning move: ") && !one.contains("winning moves"),
        "{one}"
    );
    let all = reported("--all-moves");
    assert!(
        all.contains("\nwinning moves: ") && !all.contains("winning move:"),
        "{all}"
    );
}

/// Some take more nodes than the first rounds allow.
#[test]
fn all_first_moves_of_4x6_win() {
    let reported = object(&solve("--board 4x6 --threads 1 --quiet --json --all-moves"));
    assert_eq!(reported["winning_moves"].as_array().unwrap().len(), 10);
    assert_eq!(reported["undecided_moves"], serde_json::json!([]));
}

#[test]
fn a_first_move_is_proven_before_the_others() {
    let fen = "ppp/p1p/1p1/P2/1PP/PPP w 0 1";
    let run = |rest: &str| {
        let line = format!("--threads 1 --quiet --json {rest} --fen");
        let mut arguments: Vec<&str> = line.split_whitespace().collect();

        arguments.push(fen);
        let petard = env!("CARGO_BIN_EXE_petard");
        let output = Command::new(petard).arg("solve").args(arguments).output();
        output.unwrap()
    };
    let winning = object(&run("--all-moves"));
    let winning = winning["winning_moves"].as_array().unwrap();
    for mv in [
        "a3a4", "b2b3", "b2a3", "a1a2", "b1a2", "c2c3", "c2b3", "a3b4",
    ] {
        let output = run(&format!("--first-move {mv}"));
        // A piece stands on a3.
        assert_eq!(output.status.success(), mv != "b2a3", "{mv}");
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                text.starts_with("petard: --first-move: ") && text.contains(mv),
                "{text}"
            );
            continue;
        }
        let reported = object(&output);
        assert_eq!(
            (&reported["winner"], &reported["proof"]),
            (&json!("first"), &json!(0)),
            "{mv}"
        );
        // A move that loses is not the answer, one that wins always is.
        assert!(winning.contains(&reported["move"]), "{mv}");
        assert_eq!(reported["move"] == mv, winning.contains(&json!(mv)), "{mv}");
        let line = reported["line"].as_str().unwrap();
        assert!(
            line.starts_with(reported["move"].as_str().unwrap()),
            "{line}"
        );
    }
    // Unsolved, the numbers are those of the position before the move.
    let limited = object(&run("--nodes 20 --first-move b2b3"));
    assert_eq!(limited["winner"], "unknown");
    assert!(limited["line"] == "" && limited["proof"].as_u64() > Some(0));
    assert_eq!(run("--first-move nonsense").status.code(), Some(1));
    assert_eq!(solve("--stdin --first-move b2b3").status.code(), Some(2));
}

/// The answers of `petard solve --stdin` to lines.
pub fn served(arguments: &str, lines: &str) -> Output {
    served_bytes(arguments, lines.as_bytes())
}

fn served_bytes(arguments: &str, lines: &[u8]) -> Output {
    let mut child = Running::start(
        Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["solve", "--stdin", "--threads", "1", "--quiet"])
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let mut input = child.stdin.take().unwrap();
    // It may have refused its arguments and exited.
    let _ = input.write_all(lines);
    drop(input);
    child.output()
}

/// The objects without anything that depends on time.
pub fn essences(output: &Output) -> Vec<Value> {
    let mut reported = objects(output);
    for name in ["seconds", "peak_mb"] {
        reported
            .iter_mut()
            .for_each(|reported| reported[name] = Value::Null);
    }
    reported
}

#[test]
fn solve_takes_positions_from_its_input_and_keeps_its_table() {
    let black = "ppppp/ppppp/P4/1PPPP/PPPPP b";
    let lines = [black, black, "ppppp/pppp1/3pP/1PP1P/PPPPP w 3 7", black].join("\n");
    let arguments = "--nodes 5000 --hash 16 --opened 4 --json";
    let output = served(arguments, &lines);
    assert_eq!(output.status.code(), Some(0));
    let answers = essences(&output);
    assert_eq!(answers.len(), 4);
    assert_eq!(essences(&served(arguments, &lines)), answers);
    for answer in &answers[..2] {
        assert_eq!(
            (&answer["winner"], &answer["nodes"]),
            (&json!("unknown"), &json!(5000))
        );
        let opened = answer["opened"].as_object().unwrap();
        assert_eq!(
            opened.keys().next().unwrap(),
            "",
            "the position itself comes first"
        );
        // Move names are those of the board, also when White is to move.
        assert!(opened[""]["b4a3"].is_array(), "{answer}");
        let deeper = opened.get("b4a3");
        assert!(
            deeper.is_none_or(|moves| moves["b2a3"].is_array()),
            "{answer}"
        );
    }
    assert_ne!(answers[0], answers[1], "the second goes on from the first");
    // Another board, no position, nothing at all.
    for (lines, code, answers) in [
        (format!("{black}\npppp/pppp/4/PPPP/PPPP w\n"), 1, 2),
        (format!("{black}\nnonsense\n"), 1, 2),
        ("nonsense\n".to_owned(), 1, 1),
        (String::new(), 0, 0),
    ] {
        let output = served(arguments, &lines);
        assert_eq!(output.status.code(), Some(code), "{lines}");
        assert_eq!(output.stderr.is_empty(), code == 0, "{lines}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), answers, "{lines}");
    }
    // Marks and line ends of other systems are passed over, and endless lines.
    let odd = [
        b"\xef\xbb\xbf",
        black.as_bytes(),
        b"\r\n",
        &[b'p'; 70_000],
        b"\n\xff\n",
        black.as_bytes(),
    ];
    let output = served_bytes("--nodes 1 --hash 16", &odd.concat());
    let errors = objects(&output)
        .iter()
        .map(|answer| answer["error"].clone())
        .collect::<Vec<_>>();
    let longer = json!("it is longer than 65536 bytes");
    assert_eq!(
        errors,
        [Value::Null, longer, json!("it is not UTF-8"), Value::Null]
    );
    // A board may need wider sets than the first.
    for other in ["pppp/pppp/4/PPPP/PPPP w 0 1", "9/p8/9/9/P8 w 0 1"] {
        let output = served("--nodes 1 --hash 16", &format!("{black}\n{other}\n"));
        let reported = String::from_utf8(output.stderr).unwrap();
        let expected = format!("'{other}' is not on 5x5 like the first");
        assert!(reported.contains(&expected), "{reported}");
    }
    for faulty in ["--board 5x5", "--all-moves", "--nodes 0", "--opened 0"] {
        let output = served(faulty, black);
        assert_eq!(output.status.code(), Some(2), "{faulty}");
    }
}
