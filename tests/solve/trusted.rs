//! `petard solve --trust`: a certificate that is assumed.

use super::prove::{object, served, solve};
use super::short_files::{Folder, short};
use petard::game::Notation as _;
use petard::game::breakthrough::Position;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};

fn nodes(output: &Output) -> u64 {
    object(output)["nodes"].as_u64().unwrap()
}

/// A short certificate of this board.
fn certificate(folder: &Folder, board: &str) -> String {
    let file = folder.file(&format!("{board}.proof"));
    let made = solve(&format!(
        "--board {board} -q --threads 1 --certificate {file} --leaf-nodes 1000"
    ));
    assert_eq!(made.status.code(), Some(0));
    file
}

#[test]
fn what_a_trusted_certificate_proves_is_not_proven_again() {
    for (board, winner) in [("4x6", "first"), ("5x5", "second")] {
        let file = format!("src/solve/certificates/{board}.proof");
        let alone = solve(&format!("--board {board} --threads 1 --hash 64 -q --json"));
        assert_eq!(object(&alone)["trusted"], serde_json::Value::Null);
        let output = solve(&format!(
            "--board {board} --threads 1 --hash 64 --json --trust {file}"
        ));
        assert_eq!(output.status.code(), Some(0));
        let reported = object(&output);
        assert_eq!(reported["winner"], winner);
        assert_eq!(reported["trusted"], file);
        assert!(!reported["line"].as_str().unwrap().is_empty());
        let (before, after) = (nodes(&alone), nodes(&output));
        assert!(after * 10 < before, "{board}: {after} of {before}");
        let notes = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(notes.contains("assuming "), "{notes}");
    }
}

#[test]
fn all_first_moves_are_the_same_with_a_trusted_certificate() {
    let file = "src/solve/certificates/3x6.proof";
    let run = |more: &str| {
        let output = solve(&format!(
            "--board 3x6 --threads 1 --hash 64 -q --json --all-moves {more}"
        ));
        assert_eq!(output.status.code(), Some(0));
        object(&output)["winning_moves"].clone()
    };
    assert_eq!(run(&format!("--trust {file}")), run(""));
    // Of positions on standard input too.
    let start = "ppp/ppp/3/3/PPP/PPP w 0 1\n";
    let reported = object(&served(&format!("--hash 64 --trust {file}"), start));
    assert_eq!(reported["winner"], "first");
    assert_eq!(reported["trusted"], file);
}

#[test]
fn progress_names_the_first_move_that_is_being_tried() {
    let words = "solve --board 5x6 --threads 1 --hash 512 --all-moves";
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(words.split(' '))
        .args(["--trust", "docs/certificates/5x6.proof"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let seen = lines
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once(": time ")?.0.to_owned()));
    child.kill().unwrap();
    child.wait().unwrap();
    let start = Position::<u64>::start(5, 6).unwrap();
    assert!(start.parse_move(&seen.unwrap()).is_ok());
}

#[test]
fn a_table_that_rests_on_a_certificate_needs_it() {
    let folder = Folder::new("trusted-table");
    let file = certificate(&folder, "4x5");
    let data = std::fs::read(&file).unwrap();
    let others = folder.file("other.proof");
    let lines = "fen pppp/pppp/4/PPPP/PPPP w 0 1\nwinner black\ndepth 5\nleaf-nodes 1001";
    std::fs::write(&others, short(lines, &[])).unwrap();
    let (table, plain) = (folder.file("table"), folder.file("plain"));
    let run = |more: &str| solve(&format!("--board 4x5 --threads 1 --hash 64 -q {more}"));
    let is_done = |more: &str| assert_eq!(run(more).status.code(), Some(0), "{more}");
    is_done(&format!("--resume {table} --trust {file}"));
    is_done(&format!("--resume {table} --trust {file}"));
    is_done(&format!("--resume {plain}"));
    for (more, reported) in [
        (
            format!("--resume {table}"),
            "depend on the claims of a certificate",
        ),
        (
            format!("--resume {table} --trust {others}"),
            "of this certificate",
        ),
        (
            format!("--resume {plain} --trust {file}"),
            "of this certificate",
        ),
        (format!("--resume {file} --trust {file}"), "overwrite it"),
    ] {
        let output = run(&more);
        assert_eq!(output.status.code(), Some(1), "{more}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(reported), "{text}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), data);
}

#[test]
fn what_cannot_be_trusted_is_refused() {
    let folder = Folder::new("not-trusted");
    let file = certificate(&folder, "4x5");
    let whole = folder.file("whole.proof");
    let made = solve(&format!("--board 4x5 -q --threads 1 --certificate {whole}"));
    assert_eq!(made.status.code(), Some(0));
    let mut data = std::fs::read(&file).unwrap();
    let middle = data.len() / 2;
    data[middle] ^= 1;
    let damaged = folder.file("damaged.proof");
    std::fs::write(&damaged, data).unwrap();
    let missing = folder.file("missing.proof");
    for (arguments, status, reported) in [
        (
            format!("--board 5x4 --trust {file}"),
            1,
            "it is for a board of 4x5",
        ),
        (
            format!("--board 4x5 --trust {whole}"),
            1,
            "short certificate",
        ),
        (
            format!("--board 4x5 --trust {damaged}"),
            1,
            "damaged.proof': ",
        ),
        (
            format!("--board 4x5 --trust {missing}"),
            1,
            "missing.proof': ",
        ),
        (
            format!("--board 4x5 --trust {file} --certificate {file}"),
            2,
            "cannot be used with",
        ),
    ] {
        let output = solve(&arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(reported), "{text}");
    }
}

/// Nothing is proven here but what the file says, true or not.
#[test]
fn the_answer_is_as_true_as_the_certificate() {
    let folder = Folder::new("trusted-lie");
    // The position after one of White's moves, in which Black is said to have lost.
    let lines = "fen pppp/pppp/1P2/P1PP/PPPP b 0 1\nwinner white\ndepth 5\nleaf-nodes 1000";
    let file = folder.file("lie.proof");
    std::fs::write(&file, short(lines, &[])).unwrap();
    let run = |more: &str| {
        let output = solve(&format!(
            "--board 4x5 --threads 1 --hash 64 -q --json {more}"
        ));
        object(&output)["winner"].clone()
    };
    assert_eq!(run(""), "second");
    assert_eq!(run(&format!("--trust {file}")), "first");
}
