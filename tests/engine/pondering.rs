//! Thinking on the opponent's time, on the real binary.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, number};
use std::time::Duration;

const OPEN: &str = "position startpos\n";

#[test]
fn a_ponder_search_answers_after_the_hit_only() {
    let mut engine = Driver::start();
    engine.send("position startpos moves a2a3 a7a6\ngo ponder depth 3");
    std::thread::sleep(std::time::Duration::from_millis(50));
    engine.send("isready");
    let lines = engine.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    let (best, _) = engine.best("ponderhit");
    assert!(engine.moves().contains(&best));
    // With clocks, as runners send it: the time counts from the hit.
    engine.send("go ponder wtime 2000 btime 2000 winc 10 binc 10");
    let (best, _) = engine.best("ponderhit");
    assert!(engine.moves().contains(&best));
    // A ponder miss is a stop.
    let (best, _) = engine.best("go ponder wtime 2000 btime 2000\nstop");
    assert!(engine.moves().contains(&best));
    engine.quit();
}

#[test]
fn a_ponder_hit_is_for_the_search_that_waits_too() {
    // The first search ends by itself, or is stopped.
    for (first, stop) in [("go movetime 200", ""), ("go infinite", "stop\n")] {
        let mut engine = Driver::start();
        engine.send(&format!(
            "{OPEN}{first}\n{stop}position startpos moves a2a3 a7a6\n\
             go ponder wtime 500 btime 500\nponderhit"
        ));
        engine.until("bestmove");
        let (best, _) = engine.best("");
        assert!(engine.moves().contains(&best), "{first}: {best}");
        // It does not affect a later search.
        engine.send("go ponder depth 2");
        std::thread::sleep(Duration::from_millis(50));
        let lines = engine.ask("");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
        engine.best("ponderhit");
        engine.quit();
    }
}

#[test]
fn a_hit_of_what_waits_leaves_a_search_without_limits_to_the_stop() {
    let mut engine = Driver::start();
    engine.send(&format!("{OPEN}go infinite\ngo ponder depth 3\nponderhit"));
    std::thread::sleep(Duration::from_millis(50));
    let lines = engine.ask("");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    engine.best("stop");
    // The second one has had its hit and its stop.
    engine.best("");
    engine.quit();
}

#[test]
fn a_ponder_move_is_a_legal_reply() {
    let mut engine = Driver::start();
    engine.send("position startpos\ngo depth 6");
    let lines = engine.until("bestmove");
    let words: Vec<&str> = lines.last().unwrap().split(' ').collect();
    assert_eq!((words.len(), words[2]), (4, "ponder"));
    engine.send(&format!("position startpos moves {}", words[1]));
    assert!(engine.moves().iter().any(|mv| mv == words[3]));
    engine.quit();
}

/// Nodes do not end it before the hit, with one thread as with two.
#[test]
fn a_limit_of_nodes_waits_for_the_hit() {
    for threads in [1, 2] {
        let mut engine = Driver::start();
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send(&format!("{OPEN}go ponder nodes 500"));
        while number(&engine.line(), "nodes").is_none_or(|nodes| nodes <= 5_000) {}
        let (best, _) = engine.best("ponderhit");
        assert!(engine.moves().contains(&best), "{threads}");
        // Those searched before the hit count. How many that are is up to the machine:
        // without the limit the search would not end.
        let (_, lines) = engine.best(&format!(
            "ucinewgame\n{OPEN}go ponder nodes 1000\nponderhit"
        ));
        let reported = lines.iter().filter_map(|line| number(line, "nodes")).max();
        assert!(threads > 1 || reported <= Some(1_000_000), "{reported:?}");
        engine.quit();
    }
}

/// A weaker level is no stronger for the time that it has to ponder.
#[test]
fn a_weaker_level_ponders_within_its_nodes() {
    for elo in [850, 2370] {
        let mut engine = Driver::start();
        engine.send(&format!(
            "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value {elo}"
        ));
        for go in ["go ponder", "go ponder wtime 60000 btime 60000"] {
            engine.send(&format!("ucinewgame\n{OPEN}{go}"));
            engine.until("info depth 1 ");
            std::thread::sleep(Duration::from_millis(200));
            let (best, lines) = engine.best("stop");
            assert!(engine.moves().contains(&best));
            let reported = lines.iter().filter_map(|line| number(line, "nodes")).max();
            assert!(reported <= Some(2_000), "{go}: {reported:?}");
        }
        engine.quit();
    }
}
