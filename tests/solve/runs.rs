//! Runs of `petard solve` that are cut off, resumed or kept from saving.

use super::prove::{essences, object, served, solve};
use super::short::Prover;
use super::short_files::{Folder, checkpoint};
use crate::common::driver::Running;
use petard::game::Game as _;
use petard::game::Notation as _;
use petard::game::Side;
use petard::game::breakthrough::Position;
use petard::solve::{
    BuildError, CertificateBuilder, LeafProver, ProofLimits, Solver, Spent, StepResult,
};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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
    let told = object(output);
    let list = told[name].as_array().map(Vec::len);
    list.unwrap_or_else(|| told[name].as_object().unwrap().len())
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
    const NODES: u64 = 30;
    let folder = Folder::new("draft");
    let (file, table) = (folder.file("3x6"), folder.file("table"));
    let start = Position::<u128>::start(3, 6).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
    let limits = ProofLimits::default();
    solver.prove(&start, &limits, &|| false, &mut |_| {});
    let provers = [LeafProver::new(start.geometry(), NODES).unwrap()];
    let mut growth =
        CertificateBuilder::begin(&solver, &start, Side::White, 5, &provers, NODES).unwrap();
    let kept = growth.advance(&solver, &provers, &limits, &|| false, &mut |_| {});
    assert_eq!(kept, Ok(StepResult::Kept));
    // The nodes of the earlier run, if it knows of any.
    let begin = |nodes| {
        let spent = Spent {
            nodes,
            ..Spent::default()
        };
        let mut data = Vec::new();
        solver.save(&mut data, spent).unwrap();
        let sections = [("certificate", &growth.draft()[..]), ("table", &data)];
        std::fs::write(&table, checkpoint("proof", &sections)).unwrap();
    };
    let run = |nodes: u64, more: &str| {
        begin(nodes);
        solve(&format!(
            "--board 3x6 --threads 1 -q --json --hash 16 --resume {table} --certificate {file} \
             --leaf-nodes {NODES} {more}"
        ))
    };
    let output = run(0, "");
    assert_eq!(output.status.code(), Some(0));
    let best = start.move_text(growth.first_move().unwrap());
    let told = object(&output);
    assert_eq!(
        (&told["move"], &told["line"]),
        (&(*best).into(), &(*best).into())
    );
    assert!(told["plies"].is_null(), "{told}");
    let printed = text(&output.stdout);
    let last = printed
        .lines()
        .find(|line| line.starts_with("certificate: "));
    let all: u64 = last
        .unwrap()
        .split(' ')
        .rev()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let taken = all - growth.counts().3;
    assert_eq!(number(&output, "nodes"), taken);
    // Those of earlier runs count too.
    let output = run(100, "");
    assert_eq!(number(&output, "nodes"), 100 + taken);
    // The move that is known to win is one of those that win.
    let output = run(0, "--all-moves --nodes 1");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(object(&output)["winning_moves"], serde_json::json!([best]));
    assert!(text(&output.stdout).contains(&format!("winning moves: {best}\n")));
}

#[test]
fn a_growth_that_is_stopped_among_leaves_goes_on() {
    const NODES: u64 = 100;
    let start = Position::<u128>::start(4, 5).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let limit = Arc::new(AtomicUsize::new(0));
    let prover = || LeafProver::new(start.geometry(), NODES).unwrap();
    let stopped = || {
        let (asked, limit) = (Arc::clone(&asked), Arc::clone(&limit));
        prover().stopped_by(move || asked.fetch_add(1, Relaxed) >= limit.load(Relaxed))
    };
    assert_eq!(stopped().decide(&start), None);
    assert_eq!(asked.load(Relaxed), 1, "it does not begin");
    let begun =
        |provers: &[_]| CertificateBuilder::begin(&solver, &start, Side::Black, 5, provers, NODES);
    let begun_in_vain = begun(&[stopped()]).err();
    assert_eq!(begun_in_vain, Some(BuildError::Stopped));
    // Stopped again and again, each time a little later.
    let mut growth = begun(&[prover()]).unwrap();
    let provers = [stopped()];
    let mut stops = 0;
    for more in 1.. {
        limit.store(more, Relaxed);
        asked.store(0, Relaxed);
        let before = growth.counts();
        match growth.advance(
            &solver,
            &provers,
            &ProofLimits::default(),
            &|| false,
            &mut |_| {},
        ) {
            Ok(StepResult::Complete) => break,
            Ok(StepResult::Kept) => {}
            Ok(StepResult::Undecided) => {
                stops += 1;
                let after = growth.counts();
                assert_eq!((before.0, before.2), (after.0, after.2));
            }
            Err(fault) => panic!("{fault}"),
        }
    }
    assert!(stops > 3, "{stops} stops");
    let data = growth.certificate().unwrap().to_bytes();
    let short = petard::checker::Short::new(&data, 1, &mut |_, _| true).unwrap();
    let mut witness = Prover(prover().with_node_limit(16 * NODES));
    for index in 0..short.leaves() {
        short.check_leaf(index, &mut witness, None).unwrap();
    }
}

#[test]
fn a_list_of_moves_that_is_cut_off_says_so() {
    let solve = |more: &str| solve(&format!("--board 3x6 --threads 1 -q --json {more}"));
    let first = number(&solve(""), "nodes");
    let whole = solve("--all-moves");
    assert_eq!(whole.status.code(), Some(0));
    assert_eq!(count(&whole, "undecided_moves"), 0);
    // The nodes for all moves are limited together, and told together.
    assert!(number(&whole, "nodes") > first);
    let limit = first + 10;
    let part = solve(&format!("--all-moves --nodes {limit}"));
    assert_eq!(part.status.code(), Some(3));
    assert_eq!(number(&part, "nodes"), limit);
    assert!(count(&part, "undecided_moves") > 0);
    let told = object(&part);
    assert!(
        told["winning_moves"]
            .as_array()
            .unwrap()
            .contains(&told["move"])
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
    let mut told = String::new();
    while !told.contains("\ntime: ") {
        assert!(output.read_line(&mut told).unwrap() > 0, "{told}");
    }
    child.signal("-TERM");
    output.read_to_string(&mut told).unwrap();
    let status = child.wait().unwrap().code();
    // It may have been complete by then.
    let is_complete = std::fs::exists(&file).unwrap();
    assert_eq!(status, Some(if is_complete { 0 } else { 3 }), "{told}");
    assert!(is_complete || told.contains("not complete"), "{told}");
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
        let data = std::fs::read(&file).unwrap();
        let short = petard::checker::Short::new(&data, 1, &mut |_, _| true).unwrap();
        let told = format!(" {} leaves,", short.leaves());
        assert!(printed.contains(&told), "{board}: {printed} and{told}");
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
