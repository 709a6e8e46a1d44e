//! Refused input changes nothing: sessions with and without it report the same.
#![allow(clippy::unwrap_used)]

use crate::common::{below, cases};
use crate::in_process::Session;
use petard::engine::{Board, parse_board};
use rand_mt::Mt64;

/// What `setoption` refuses.
pub const REFUSED_OPTIONS: [&str; 9] = [
    "Threads value 0",
    "EvalFile value /nowhere/at/all",
    "EvalFile value /",
    "MultiPV value 385",
    "UCI_LimitStrength value perhaps",
    "Log File value /",
    "No Such Thing value 1",
    "Evaluation value guess",
    "UCI_Elo value 99999999999999999999",
];

/// Lines that are refused with one reason, which restore the previous state where
/// that is necessary, and the move that comes with the refusal, if any.
fn refused(random: &mut Mt64, position: &str) -> (String, &'static str) {
    let option = REFUSED_OPTIONS[below(random, REFUSED_OPTIONS.len())];
    match below(random, 8) {
        0 | 1 => (format!("setoption name {option}"), ""),
        2 => ("undo 9999".to_owned(), ""),
        3 => ("play a1a9".to_owned(), ""),
        4 => ("perft many".to_owned(), ""),
        5 => (format!("position fen nonsense\n{position}"), ""),
        6 => ("go searchmoves a1a1 depth 3".to_owned(), "bestmove (none)"),
        _ => ("go depth many".to_owned(), "bestmove (none)"),
    }
}

/// The line without anything that depends on time.
fn timeless(line: &str) -> String {
    let mut words = Vec::new();
    let mut is_time = false;
    for word in line.split(' ') {
        if !is_time {
            words.push(word);
        }
        is_time = word == "nps" || word == "time";
    }
    words.join(" ")
}

/// What a session of searches reports, with refused lines between the searches
/// if requested.
fn reports(seed: u64, with_refusals: bool) -> Vec<String> {
    let mut random = Mt64::new(seed);
    let mut refusals = Mt64::new(seed + 1);
    let mut session = Session::new();
    session.ask("setoption name Hash value 1");
    let mut reports = Vec::new();
    for _ in 0..6 {
        let board = ["5x5", "8x8", "6x6"][below(&mut random, 3)];
        session.ask(&format!("setoption name Board value {board}"));
        let option = [
            "MultiPV value 2",
            "MultiPV value 1",
            "UCI_ShowWDL value true",
        ];
        session.ask(&format!("setoption name {}", option[below(&mut random, 3)]));
        let start = Board::start(parse_board(board).unwrap()).unwrap();
        let first = &start.legal_moves()[below(&mut random, 5)];
        let position = format!("position startpos moves {first}");
        session.ask(&position);
        for _ in 0..2 {
            let mut before = session.ask("d\nuci");
            if with_refusals {
                let (line, more) = refused(&mut refusals, &position);
                let answer = session.ask(&line);
                assert!(answer[0].starts_with("info string "), "{line}: {answer:?}");
                assert_eq!(answer[1..].join(""), more, "{line}");
            }
            assert_eq!(session.ask("d\nuci"), before);
            reports.append(&mut before);
            session.send(&format!("go depth {}", 3 + below(&mut random, 4)));
            loop {
                let line = session.line().unwrap();
                reports.push(timeless(&line));
                if line.starts_with("bestmove") {
                    break;
                }
            }
        }
    }
    session.input = None;
    assert!(session.line().is_none() && session.end.join().unwrap());
    reports
}

#[test]
fn what_is_refused_changes_no_search() {
    for seed in 0..cases(6) as u64 {
        assert_eq!(reports(seed, true), reports(seed, false), "seed {seed}");
    }
}
