//! The protocol's own commands, on the real binary.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, last_info, number};

#[test]
fn the_board_is_shown_with_all_that_the_rules_say() {
    let mut engine = Driver::start();
    engine.send("position startpos moves a2a3");
    let lines = engine.ask("d");
    for part in [
        "Fen: pppppppp/pppppppp/8/8/8/P7/1PPPPPPP/PPPPPPPP b 0 1",
        "Side: black",
        "Outcome: none",
    ] {
        assert!(lines.iter().any(|line| line == part), "{lines:?}");
    }
    let key = lines.iter().find_map(|line| line.strip_prefix("Key: "));
    assert_eq!(key.unwrap().len(), 16);
    assert!(u64::from_str_radix(key.unwrap(), 16).is_ok());
    assert_eq!(lines.iter().filter(|line| line.contains('P')).count(), 4);
    engine.quit();
}

#[test]
fn moves_are_the_legal_ones() {
    let mut engine = Driver::start();
    assert_eq!(engine.moves().len(), 22);
    engine.send("position fen 8/1p6/P7/8/8/8/8/8 w 0 1");
    assert_eq!(engine.moves(), ["a6a7", "a6b7"]);
    engine.quit();
}

#[test]
fn perft_counts_and_ends_as_stockfish_does() {
    let mut engine = Driver::start();
    for command in ["perft 3", "go perft 3"] {
        engine.send(command);
        let lines = engine.until("Nodes searched: ");
        assert_eq!(lines.last().unwrap(), "Nodes searched: 11132");
        let sum: i64 = lines
            .iter()
            .filter_map(|line| line.split_once(": ")?.1.parse::<i64>().ok())
            .sum();
        assert_eq!(sum, 2 * 11132, "the first moves' counts and their sum");
    }
    engine.send("perft 0");
    assert_eq!(
        engine.until("Nodes searched: ").last().unwrap(),
        "Nodes searched: 1"
    );
    engine.quit();
}

#[test]
fn perft_and_bench_are_stopped_at_once_and_quit_leaves_them() {
    for (command, answer) in [
        ("perft 14", "info string perft stopped"),
        ("bench 60", "info string bench stopped"),
    ] {
        let mut engine = Driver::start();
        engine.send(command);
        engine.send("isready");
        assert_eq!(engine.line(), "readyok");
        engine.send("stop");
        assert_eq!(engine.line(), answer);
        engine.send(command);
        engine.quit();
    }
}

#[test]
fn bench_ends_with_nodes_and_speed_and_is_the_same_every_time() {
    let mut engine = Driver::start();
    let mut nodes = Vec::new();
    for line in ["bench 4", "go depth 7", "bench 4"] {
        engine.send(line);
        if line.starts_with("go") {
            engine.until("bestmove");
            continue;
        }
        let line = engine.line();
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!((words.len(), words[1], words[3]), (4, "nodes", "nps"));
        nodes.push(words[0].to_owned());
    }
    assert_eq!(nodes[0], nodes[1]);
    engine.quit();
}

#[test]
fn eval_explains_the_score_it_ends_with() {
    let mut engine = Driver::start();
    for position in ["startpos moves a2a3", "fen 8/pp6/8/8/8/8/6P1/8 b 0 1"] {
        engine.send(&format!("position {position}"));
        let lines = engine.ask("eval");
        let last = lines.last().unwrap();
        assert!(last.starts_with("Evaluation: "), "{last}");
        assert!(last.contains(" cp for black, "), "{last}");
        assert!(lines.len() > 5);
    }
    engine.quit();
}

#[test]
fn flip_exchanges_colours_and_twice_is_nothing() {
    let mut engine = Driver::start();
    engine.send("position fen 8/pp6/8/8/8/8/6P1/8 b 0 1\nflip");
    assert_eq!(engine.fen(), "8/6p1/8/8/8/8/PP6/8 w 0 1");
    engine.send("flip");
    assert_eq!(engine.fen(), "8/pp6/8/8/8/8/6P1/8 b 0 1");
    // Moves are numbered as in any game: White's and Black's have one number.
    engine.send("flip\nplay a2a3 g7g6");
    assert_eq!(engine.fen(), "8/8/6p1/8/8/P7/1P6/8 w 0 2");
    engine.send("position startpos\nflip\nplay a7a6");
    assert!(engine.fen().ends_with(" w 0 2"));
    engine.send("setoption name UCI_Variant value freeling\nflip\nplay pass");
    engine.until("info string variant");
    assert!(engine.fen().ends_with(" w 1 2"));
    engine.quit();
}

#[test]
fn help_shows_what_every_option_takes() {
    let mut engine = Driver::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    let help = engine.ask("help");
    let mut count = 0;
    for option in lines
        .iter()
        .filter_map(|line| line.strip_prefix("option name "))
    {
        let (name, kind) = option.split_once(" type ").unwrap();
        let line = help.iter().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name} in {help:#?}"));
        if let (Some(min), Some(max)) = (number(kind, "min"), number(kind, "max")) {
            assert!(line.contains(&format!(" {min} to {max} ")), "{line}");
        }
        count += 1;
    }
    assert!(count > 10);
    engine.quit();
}

#[test]
fn debug_reports_positions_and_limits() {
    let mut engine = Driver::start();
    assert!(engine.ask("position startpos").is_empty());
    let answer = engine.ask("debug on\nposition startpos");
    assert!(
        answer[0].starts_with("info string position pppppppp/"),
        "{answer:?}"
    );
    // The clock used is that of the side to move in the search.
    for (go, left) in [("go", "5s"), ("go pass", "700ms")] {
        let (_, lines) = engine.best(&format!("{go} wtime 5000 btime 700 depth 1"));
        let clock = format!("remaining: {left},");
        assert!(lines.iter().any(|line| line.contains(&clock)), "{lines:?}");
    }
    engine.ask("setoption name Move Overhead value 7");
    let (_, lines) = engine.best("go depth 1 searchmoves a2a3 b2b3");
    for limit in ["'a2a3 b2b3'", "depth: Some(1)", "overhead: 7ms"] {
        assert!(lines[0].contains(limit), "{lines:?}");
    }
    assert!(engine.ask("debug off\nposition startpos").is_empty());
    engine.quit();
}

#[test]
fn the_log_file_has_every_line_of_both_directions() {
    let path = std::env::temp_dir().join(format!("petard test {}.log", std::process::id()));
    let mut engine = Driver::start();
    let answer = engine.ask(&format!("setoption name Log File value {}", path.display()));
    assert!(answer.is_empty(), "{answer:?}");
    engine.best("position startpos\ngo depth 2");
    engine.ask("help");
    engine.ask("setoption name Log File value <EMPTY>\nisready");
    engine.quit();
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for line in ["> position startpos", "> go depth 2", "< readyok"] {
        assert!(log.lines().any(|found| found == line), "{log}");
    }
    assert!(log.contains("\n< bestmove ") && log.contains("\n< info depth 2 "));
    let is_whole = |line: &str| line.starts_with("> ") || line.starts_with("< ");
    assert!(log.lines().all(is_whole), "{log}");
    assert!(!log.contains("> quit"));
}

#[test]
fn a_log_file_that_is_refused_leaves_the_old_one() {
    let path = std::env::temp_dir().join(format!("petard kept {}.log", std::process::id()));
    let mut engine = Driver::start();
    engine.ask(&format!("setoption name Log File value {}", path.display()));
    let device = if cfg!(windows) { "NUL" } else { "/dev/null" };
    for refused in ["/no/such/folder/log", "/", device] {
        let answer = engine.ask(&format!("setoption name Log File value {refused}"));
        assert_eq!(answer.len(), 1, "{refused}: {answer:?}");
    }
    engine.ask("moves");
    engine.quit();
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(log.contains("\n> moves\n< moves: "), "{log}");
}

/// Opening a pipe waits for its other end, which nobody opens here.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_as_log_file_and_network() {
    let path = std::env::temp_dir().join(format!("petard pipe {}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let mut engine = Driver::start();
    for option in ["Log File", "EvalFile", "ProofFile", "BookFile"] {
        let answer = engine.ask(&format!("setoption name {option} value {}", path.display()));
        assert_eq!(answer.len(), 1, "{option}: {answer:?}");
        assert!(answer[0].ends_with("not a regular file"), "{answer:?}");
    }
    engine.quit();
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_game_that_is_over_says_why() {
    let mut engine = Driver::start();
    for (variant, position, reason, outcome) in [
        ("breakthrough", "P7/1p6/8/8/8/8/8/6P1 b", "arrived", "white"),
        ("breakthrough", "8/8/8/8/p7/8/8/8 w", "no pieces", "black"),
        ("breakthrough", "8/8/8/8/p7/8/8/8 b", "no pieces", "black"),
        ("freeling", "5/5/4p/5/5/5/4P/4P/P3p b", "arrived", "black"),
        ("freeling", "5/5/5/5/5/5/5/1p3/P4 w", "blocked", "black"),
        ("freeling", "4p/5/5/5/5/5/5/5/5 w", "no pieces", "black"),
        ("freeling", "4p/5/5/5/5/5/5/5/5 b", "", "none"),
    ] {
        engine.ask(&format!("setoption name UCI_Variant value {variant}"));
        engine.send(&format!("position fen {position}"));
        let lines = engine.ask("d");
        let found = lines.iter().find_map(|line| line.strip_prefix("Reason: "));
        assert_eq!(found.unwrap_or_default(), reason, "{position}");
        let found = lines.last().unwrap().strip_prefix("Outcome: ").unwrap();
        assert!(found.starts_with(outcome), "{position}: {found}");
    }
    engine.quit();
}

#[test]
fn a_lower_rating_searches_fewer_nodes() {
    let mut engine = Driver::start();
    engine.send("setoption name UCI_LimitStrength value true");
    let mut counts = Vec::new();
    for elo in [780, 1950, 2710, 2850, 2990] {
        engine.send(&format!("ucinewgame\nsetoption name UCI_Elo value {elo}"));
        let (best, lines) = engine.best("position startpos\ngo depth 30");
        assert!(engine.moves().contains(&best));
        counts.push(lines.iter().filter_map(|l| number(l, "nodes")).max());
    }
    // The last report comes short of the limit, so the ratings are far apart.
    assert!(counts.is_sorted(), "{counts:?}");
    assert!(counts[1] < counts[4], "{counts:?}");
    // An immediate win is taken at any strength.
    engine.send("setoption name UCI_Elo value 780");
    let (best, _) = engine.best("position fen 8/3P4/8/8/8/8/6p1/8 w 0 1\ngo depth 4");
    assert!(best.starts_with("d7"), "{best}");
    engine.send("setoption name UCI_LimitStrength value false");
    let (_, lines) = engine.best("ucinewgame\nposition startpos\ngo depth 9");
    assert_eq!(number(last_info(&lines), "depth"), Some(9));
    engine.quit();
}
