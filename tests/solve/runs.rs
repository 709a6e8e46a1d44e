//! Runs of `petard solve` that are cut off, resumed or kept from saving.

use super::prove::{essences, object, served, solve};
use super::short_files::{Folder, begin};
#[cfg(unix)]
use crate::common::driver::Running;
use petard::game::breakthrough::Position;
use petard::game::{Game as _, Notation as _};
use petard::solve::{ProofLimits, Solver};
use std::process::Output;

#[cfg(unix)]
fn shell(script: &str) -> Output {
    let mut command = std::process::Command::new("sh");
    let command = command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_petard")]);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn number(output: &Output, name: &str) -> u64 {
    object(output)[name].as_u64().unwrap()
}

fn count(output: &Output, name: &str) -> usize {
    let reported = object(output);
    let list = reported[name].as_array().map(Vec::len);
    list.unwrap_or_else(|| reported[name].as_object().unwrap().len())
}

/// A limit on the size of files stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_table_that_cannot_be_saved_on_the_way_does_not_end_the_proof() {
    let folder = Folder::new("full");
    let table = folder.file("table");
    let solve = "solve --board 4x5 --threads 1 --hash 16 -q --json --save 0.001";
    let output = shell(&format!(
        "trap '' XFSZ; ulimit -f 1; exec \"$1\" {solve} --resume {table}"
    ));
    let error = text(&output.stderr);
    assert_eq!(object(&output)["winner"], "second", "{error}");
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("trying again later"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_proof_without_threads_ends() {
    let folder = Folder::new("no-threads");
    let table = folder.file("table");
    let solve = "solve --board 4x5 --threads 2 --hash 1 -q --save 600";
    for megabytes in 8..256 {
        let output = shell(&format!(
            "unset RUST_BACKTRACE; ulimit -v {}; exec timeout 60 \"$1\" {solve} --resume {table}",
            megabytes << 10
        ));
        let status = output.status.code();
        assert_ne!(status, Some(124), "with {megabytes} MB it does not end");
        if status == Some(0) {
            return;
        }
    }
    panic!("more memory than this is not needed");
}

#[test]
fn a_run_resumed_from_a_draft_tells_the_move_and_what_it_takes() {
    let folder = Folder::new("draft");
    let (file, table) = (folder.file("3x6"), folder.file("table"));
    let options = "--board 3x6 --threads 1 -q --json --hash 16";
    let alone = solve(&format!("{options} --all-moves"));
    // The proof, and what finding it again in the table takes.
    let again = folder.file("again");
    let prove = || number(&solve(&format!("{options} --resume {again}")), "nodes");
    let proof = [prove(), prove()][1];
    let grow = format!("--certificate {file} --leaf-nodes 30");
    let run = |more: &str| solve(&format!("{options} --resume {table} {grow} {more}"));
    begin(options, &grow, &table);
    let draft = std::fs::read(&table).unwrap();
    let output = run("");
    assert_eq!(output.status.code(), Some(0));
    let reported = object(&output);
    let best = reported["move"].as_str().unwrap();
    assert_eq!(reported["line"], *best);
    let winning = object(&alone)["winning_moves"].clone();
    assert!(winning.as_array().unwrap().contains(&reported["move"]));
    assert!(reported["plies"].is_null(), "{reported}");
    let printed = text(&output.stdout);
    let last = printed
        .lines()
        .find(|line| line.starts_with("certificate: "));
    let taken = last.unwrap().split(' ').rev().nth(1).unwrap();
    // What the earlier run took counts too.
    let taken: u64 = taken.parse().unwrap();
    assert_eq!(number(&output, "nodes"), proof + taken);
    // The move that is known to win is one of those that win.
    std::fs::write(&table, draft).unwrap();
    let output = run("--all-moves --nodes 1");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(object(&output)["winning_moves"], serde_json::json!([best]));
    assert!(text(&output.stdout).contains(&format!("winning moves: {best}\n")));
}

#[test]
fn a_list_of_moves_that_is_cut_off_says_so() {
    let solve = |more: &str| solve(&format!("--board 3x6 --threads 1 -q --json {more}"));
    let first = number(&solve(""), "nodes");
    let whole = solve("--all-moves");
    assert_eq!(whole.status.code(), Some(0));
    assert_eq!(count(&whole, "undecided_moves"), 0);
    // The nodes for all moves are limited together, and reported together.
    assert!(number(&whole, "nodes") > first);
    let limit = first + 10;
    let part = solve(&format!("--all-moves --nodes {limit}"));
    assert_eq!(part.status.code(), Some(3));
    assert_eq!(number(&part, "nodes"), limit);
    assert!(count(&part, "undecided_moves") > 0);
    let reported = object(&part);
    assert!(
        reported["winning_moves"]
            .as_array()
            .unwrap()
            .contains(&reported["move"])
    );
    let printed = text(&part.stdout);
    assert!(printed.contains("\nundecided moves: "), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_certificate_that_is_cut_off_is_not_an_error() {
    use std::io::{BufRead as _, BufReader, Read as _};
    let folder = Folder::new("cut-off");
    let file = folder.file("proof");
    let mut child = Running::start(
        std::process::Command::new(env!("CARGO_BIN_EXE_petard"))
            .args("solve --board 5x5 --threads 1 --hash 64 -q --certificate".split(' '))
            .arg(&file)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped()),
    );
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut reported = String::new();
    while !reported.contains("\ntime: ") {
        assert!(output.read_line(&mut reported).unwrap() > 0, "{reported}");
    }
    child.signal("-TERM");
    output.read_to_string(&mut reported).unwrap();
    let status = child.wait().unwrap().code();
    // It may have been complete by then.
    let is_complete = std::fs::exists(&file).unwrap();
    assert_eq!(status, Some(if is_complete { 0 } else { 3 }), "{reported}");
    assert!(
        is_complete || reported.contains("not complete"),
        "{reported}"
    );
}

#[test]
fn a_first_move_that_loses_spends_no_node_too_many() {
    let start = Position::<u64>::start(4, 5).unwrap();
    let next = start.play(start.parse_move("a2a3").unwrap());
    let solver = Solver::new(next.geometry(), 1 << 24).unwrap();
    let solution = solver.solve(&next, &ProofLimits::default(), &|| false, &mut |_| {});
    assert_eq!(solution.side_to_move_wins, Some(true));
    let nodes = solution.nodes;
    let output = solve(&format!(
        "--board 4x5 --threads 1 --hash 16 -q --json --first-move a2a3 --nodes {nodes}"
    ));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(number(&output, "nodes"), nodes);
    assert_eq!(object(&output)["winner"], "unknown");
}

#[test]
fn as_many_leaves_are_told_as_the_check_finds() {
    let folder = Folder::new("leaves");
    let file = folder.file("proof");
    for board in ["4x5", "3x6"] {
        let output = solve(&format!(
            "--board {board} --threads 1 -q --certificate {file} --leaf-nodes 40"
        ));
        let printed = text(&output.stdout);
        let checked = super::short_files::petard(&["check", &file, "-q", "--json"]);
        let leaves = number(&checked, "leaves");
        let reported = format!(" {leaves} leaves,");
        assert!(
            printed.contains(&reported),
            "{board}: {printed} and{reported}"
        );
    }
}

const SIX: &str = "pppppp/pppppp/6/6/PPPPPP/PPPPPP w 0 1";

#[test]
fn what_took_its_share_is_opened_after_any_other_search() {
    let lines: Vec<String> = (0..12)
        .map(|index| {
            let pieces = ["pppppp", "pppp1p", "ppp1pp", "pp1ppp"][index % 4];
            let own = ["PPPPPP", "PPPP1P", "PPP1PP"][index / 4];
            format!("{pieces}/pppppp/6/6/PPPPPP/{own} w 0 1")
        })
        .collect();
    let arguments = "--nodes 3000 --hash 16 --opened 16 --json";
    let opened = |answer: &serde_json::Value| answer["opened"].as_object().unwrap().len();
    let warm: Vec<usize> = essences(&served(arguments, &lines.join("\n")))
        .iter()
        .map(opened)
        .collect();
    assert_eq!(warm.len(), 12);
    assert!(warm.iter().all(|&count| count > 3), "{warm:?}");
}

#[test]
fn what_took_its_share_is_opened_after_a_first_move_and_between_saves() {
    let folder = Folder::new("opened");
    let table = folder.file("table");
    let opened = |more: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_petard"));
        let command = command.args(["solve", "--fen", SIX]);
        let words = "--threads 1 --hash 16 --nodes 300000 --opened 16 --json -q";
        let output = command.args(words.split(' ').chain(more.split_whitespace()));
        count(&output.output().unwrap(), "opened")
    };
    assert!(opened("--first-move a2b3") > 8);
    // Not only of what was searched after the last save.
    assert!(opened(&format!("--save 0.1 --resume {table}")) > 5);
}
