//! `go prove` and `petard solve` on the real binary.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, last_info, number};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
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

fn solve(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_petard"))
        .arg("solve")
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
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
fn object(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn solve_prints_one_object_and_exits_with_what_it_knows() {
    let output = solve("--board 3x6 --hash 64 --json --all-moves --threads 1");
    assert_eq!(output.status.code(), Some(0));
    let told = object(&output);
    let names: Vec<&String> = told.as_object().unwrap().keys().collect();
    let expected = "board fen winner move winning_moves plies line proof disproof opened nodes \
                    seconds peak_mb";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
    assert_eq!(told["board"], "3x6");
    assert_eq!(told["fen"], "ppp/ppp/3/3/PPP/PPP w 0 1");
    assert_eq!(told["winner"], "first");
    assert!(
        told["winning_moves"]
            .as_array()
            .unwrap()
            .contains(&told["move"])
    );
    assert_eq!(
        told["plies"],
        told["line"].as_str().unwrap().split(' ').count()
    );
    let output = solve("--board 8x8 --time 0.2 --hash 16 --json --quiet");
    assert_eq!(output.status.code(), Some(3));
    let told = object(&output);
    assert_eq!(
        (&told["winner"], &told["move"]),
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
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                text.starts_with("petard: --first-move: ") && text.contains(mv),
                "{text}"
            );
            continue;
        }
        let told = object(&output);
        assert_eq!(
            (&told["winner"], &told["proof"]),
            (&json!("first"), &json!(0)),
            "{mv}"
        );
        // A move that loses is not the answer, one that wins always is.
        assert!(winning.contains(&told["move"]), "{mv}");
        assert_eq!(told["move"] == mv, winning.contains(&json!(mv)), "{mv}");
        let line = told["line"].as_str().unwrap();
        assert!(line.starts_with(told["move"].as_str().unwrap()), "{line}");
    }
    // Unsolved, the numbers are those of the position before the move.
    let limited = object(&run("--nodes 20 --first-move b2b3"));
    assert_eq!(limited["winner"], "unknown");
    assert!(limited["line"] == "" && limited["proof"].as_u64() > Some(0));
    assert_eq!(run("--first-move nonsense").status.code(), Some(1));
    assert_eq!(solve("--stdin --first-move b2b3").status.code(), Some(2));
}

/// The answers of `petard solve --stdin` to lines.
fn served(arguments: &str, lines: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(["solve", "--stdin", "--threads", "1", "--quiet"])
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // It may have refused its arguments and exited.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    child.wait_with_output().unwrap()
}

/// The objects without anything that depends on time.
fn essences(output: &Output) -> Vec<Value> {
    let mut told = objects(output);
    for name in ["seconds", "peak_mb"] {
        told.iter_mut().for_each(|told| told[name] = Value::Null);
    }
    told
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
        (format!("{black}\npppp/pppp/4/PPPP/PPPP w\n"), 1, 1),
        (format!("{black}\nnonsense\n"), 1, 1),
        ("nonsense\n".to_owned(), 1, 0),
        (String::new(), 0, 0),
    ] {
        let output = served(arguments, &lines);
        assert_eq!(output.status.code(), Some(code), "{lines}");
        assert_eq!(output.stderr.is_empty(), code == 0, "{lines}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), answers, "{lines}");
    }
    for faulty in ["--board 5x5", "--all-moves", "--nodes 0", "--opened 0"] {
        let output = served(faulty, black);
        assert_eq!(output.status.code(), Some(2), "{faulty}");
    }
}

#[test]
fn solve_goes_on_from_the_table_in_a_file() {
    let path = std::env::temp_dir().join(format!("petard-table-{}", std::process::id()));
    let name = path.to_str().unwrap();
    let run = |rest: &str| solve(&format!("--threads 1 --quiet --json --table {name} {rest}"));
    let nodes = |output: &Output| -> u64 { object(output)["nodes"].as_u64().unwrap() };
    let whole = nodes(&solve("--board 4x6 --hash 64 --threads 1 --quiet --json"));
    // Stopped twice; nothing is searched again.
    let piece = whole / 3;
    for times in 1..=2 {
        let output = run(&format!("--board 4x6 --hash 64 --nodes {piece}"));
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(nodes(&output), times * piece);
    }
    let kept = std::fs::read(&path).unwrap();
    // Not all of the table was used.
    assert!((2 << 20..64 << 20).contains(&kept.len()), "{}", kept.len());
    // A mismatch is refused, and the file stays as it was.
    for other in [
        "--board 4x6 --hash 1",
        "--board 6x4 --hash 64",
        "--board 4x5 --hash 64",
    ] {
        let output = run(other);
        assert_eq!(output.status.code(), Some(1), "{other}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(name) && text.contains(" it"), "{text}");
    }
    assert!(std::fs::read(&path).unwrap() == kept);
    // A larger table inherits what the smaller one knew.
    let output = run("--board 4x6 --hash 128");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(object(&output)["winner"], "first");
    let all = nodes(&output);
    assert!(all > 2 * piece && all < 2 * whole, "{all} and {whole}");
    // Once more: the result is known by now, except for the line.
    let output = run("--board 4x6 --hash 128");
    assert!(nodes(&output) < all + whole / 10);
    let mut damaged = std::fs::read(&path).unwrap();
    damaged[1 << 20] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let output = run("--board 4x6 --hash 128");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("damaged"), "{text}");
    std::fs::write(&path, b"no table of proofs, and longer than a header").unwrap();
    assert_eq!(run("--board 4x6 --hash 128").status.code(), Some(1));
    std::fs::remove_file(&path).unwrap();
    assert!(!path.with_extension("part").exists());
}

#[test]
fn positions_from_the_input_go_on_from_the_table_in_a_file() {
    let path = std::env::temp_dir().join(format!("petard-served-{}", std::process::id()));
    let name = path.to_str().unwrap();
    let start = "pppp/pppp/4/4/PPPP/PPPP w";
    let arguments = format!("--nodes 5000 --hash 16 --table {name} --json");
    // What was found is kept, even if the input goes wrong.
    let output = served(&arguments, &format!("{start}\nnonsense\n"));
    assert_eq!(output.status.code(), Some(1));
    let first = essences(&output);
    assert_eq!(first.len(), 1);
    let output = served(&arguments, &format!("{start}\n{start}\n"));
    assert_eq!(output.status.code(), Some(0));
    let answers = essences(&output);
    assert_eq!(answers.len(), 2);
    assert_ne!(answers[0], first[0], "it goes on");
    // All three limits at once.
    let output = solve(&format!(
        "--board 4x6 --hash 16 --threads 1 --nodes 1 --quiet --json --table {name}"
    ));
    assert_eq!(object(&output)["nodes"], 15001);
    let output = served(&arguments, "pppp/pppp/4/PPPP/PPPP w\n");
    assert_eq!(output.status.code(), Some(1));
    std::fs::remove_file(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn an_interrupted_proof_leaves_its_table() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        is_left(signal);
    }
}

#[cfg(unix)]
fn is_left(signal: &str) {
    let path = std::env::temp_dir().join(format!("petard-interrupted-{}", std::process::id()));
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args("solve --board 8x8 --hash 16 --threads 2 --json --table".split(' '))
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It reports progress, so it is searching.
    let mut first = [0];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(object(&output)["winner"], "unknown");
    assert!(std::fs::metadata(&path).unwrap().len() > 1 << 20);
    std::fs::remove_file(&path).unwrap();
}

/// Searching for hours, with a table in a file.
#[cfg(unix)]
fn at_work(path: &std::path::Path) -> std::process::Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args("solve --board 8x8 --hash 16 --threads 1 --table".split(' '))
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0];
    let errors = child.stderr.as_mut().unwrap();
    errors.read_exact(&mut first).unwrap();
    child
}

#[cfg(unix)]
#[test]
fn a_table_is_not_for_two_at_once() {
    let path = std::env::temp_dir().join(format!("petard-twice-{}", std::process::id()));
    let name = path.to_str().unwrap();
    let mut child = at_work(&path);
    let output = solve(&format!("--board 8x8 --hash 16 --nodes 1 --table {name}"));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains(name) && text.contains("another process"),
        "{text}"
    );
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    child.wait().unwrap();
    let output = solve(&format!(
        "--board 8x8 --hash 16 --nodes 1 -q --table {name}"
    ));
    assert_eq!(output.status.code(), Some(3));
    // A killed process leaves nothing that blocks the next one.
    let mut child = at_work(&path);
    child.kill().unwrap();
    child.wait().unwrap();
    let output = solve(&format!(
        "--board 8x8 --hash 16 --nodes 1 -q --table {name}"
    ));
    assert_eq!(output.status.code(), Some(3));
    std::fs::remove_file(&path).unwrap();
    assert!(!path.with_extension("part").exists());
}

#[test]
fn what_cannot_be_written_is_named_before_the_work() {
    for option in ["--certificate", "--table"] {
        // A proof that would take years.
        let output = solve(&format!("--board 8x8 --hash 1 {option} /nowhere/file"));
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("/nowhere/file"), "{text}");
        assert!(output.stdout.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_is_told_though_nothing_can_be_kept() {
    let folder = std::env::temp_dir().join(format!("petard-gone-{}", std::process::id()));
    for option in ["--certificate", "--table"] {
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args("solve --board 3x8 --threads 1 --json".split(' '))
            .arg(option)
            .arg(folder.join("file"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The folder vanishes while it works, as its first progress line shows.
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut text = String::new();
        stderr.read_line(&mut text).unwrap();
        assert!(text.contains("nodes"), "{text}");
        std::fs::remove_dir_all(&folder).unwrap();
        stderr.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(object(&output)["winner"], "first", "{option}");
        assert_eq!(output.status.code(), Some(1), "{option}");
        assert!(text.contains("gone-"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_cannot_be_had_is_told_in_one_line() {
    let limited = |megabytes: u32, arguments: &str| {
        let program = env!("CARGO_BIN_EXE_petard");
        let kilobytes = megabytes << 10;
        Command::new("sh")
            .args([
                "-c",
                &format!("ulimit -v {kilobytes}; exec {program} {arguments}"),
            ])
            .output()
            .unwrap()
    };
    for (output, text) in [
        (limited(1000, "solve --board 5x5 --hash 4096"), "4096 MB"),
        (limited(1000, "solve --board 10x8 --hash 4096"), "4096 MB"),
        (solve("--board 5x5 --hash 4000000"), "MB are free"),
        (solve("--board 5x5 --hash 99999999"), "--hash"),
    ] {
        assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains(text), "{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

#[test]
fn a_large_table_costs_what_is_used_of_it() {
    let nodes = |hash: &str| {
        let output = solve(&format!("--board 4x6 --threads 1 --quiet --json {hash}"));
        assert_eq!(output.status.code(), Some(0));
        let told = object(&output);
        let number = |name| told[name].as_u64().unwrap();
        (number("nodes"), number("peak_mb"))
    };
    // The search is the same, and most of the memory is never touched.
    let (few, _) = nodes("--hash 64");
    let (same, peak) = nodes("--hash 512");
    assert_eq!(few, same);
    assert!(peak < 200, "{peak} MB");
}
