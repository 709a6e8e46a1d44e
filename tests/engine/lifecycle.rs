//! When searches start and end, and what may be sent in the meantime: on the real
//! binary. Nothing here measures time; time limits are loose.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, last_info, line_of, number};

const OPEN: &str = "position startpos\n";

#[test]
fn a_ready_engine_says_so_while_it_searches() {
    let mut engine = Driver::start();
    engine.send("position startpos\ngo infinite\nisready\nisready");
    let lines = engine.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    engine.until("readyok");
    let (best, _) = engine.best("stop");
    assert!(engine.moves().contains(&best));
    engine.quit();
}

#[test]
fn a_stop_in_the_same_write_is_honoured_with_a_legal_move() {
    let mut engine = Driver::start();
    let legal = engine.moves();
    for round in 0..300 {
        let go = [
            "go infinite",
            "go",
            "go ponder",
            "go depth 90",
            "go movetime 100000",
        ];
        let (best, _) = engine.best(&format!("{}\nstop", go[round % go.len()]));
        assert!(legal.contains(&best), "{best}");
    }
    engine.quit();
}

#[test]
fn a_stop_without_a_search_says_nothing() {
    let mut engine = Driver::start();
    assert!(engine.ask("stop\nponderhit\nstop").is_empty());
    // And none is left for the next search.
    let (_, lines) = engine.best("go depth 6");
    assert_eq!(number(last_info(&lines), "depth"), Some(6));
    engine.quit();
}

#[test]
fn an_infinite_search_waits_for_the_stop_even_when_nothing_is_left() {
    for position in [
        // One step from the end, over, and small enough to search exhaustively.
        "position fen 8/1P6/8/8/8/8/6p1/8 w 0 1",
        "position fen P7/1p6/8/8/8/8/8/6P1 b 0 1",
        "position fen pp/pp/PP/PP w 0 1",
    ] {
        for go in ["go infinite", "go infinite depth 2", "go", "go ponder"] {
            let mut engine = Driver::start();
            engine.send(&format!("{position}\n{go}"));
            // Long enough for every possible iteration.
            engine.send("isready");
            let lines = engine.until("readyok");
            assert!(!lines.iter().any(|l| l.starts_with("bestmove")), "{go}");
            std::thread::sleep(std::time::Duration::from_millis(50));
            engine.send("isready");
            let lines = engine.until("readyok");
            assert!(!lines.iter().any(|l| l.starts_with("bestmove")), "{go}");
            engine.best("stop");
            engine.quit();
        }
    }
}

#[test]
fn depth_and_nodes_are_exact_and_all_limits_hold_together() {
    let mut engine = Driver::start();
    let (_, lines) = engine.best(&format!("{OPEN}go depth 7"));
    assert_eq!(number(last_info(&lines), "depth"), Some(7));
    let (_, lines) = engine.best("go depth 0");
    assert_eq!(number(last_info(&lines), "depth"), Some(1));
    for nodes in [0, 1, 1000, 12_345] {
        let (best, lines) = engine.best(&format!("ucinewgame\n{OPEN}go nodes {nodes}"));
        let reported = lines.iter().filter_map(|line| number(line, "nodes")).max();
        assert!(reported.unwrap_or(0) <= nodes, "{reported:?} of {nodes}");
        assert!(engine.moves().contains(&best));
    }
    for (go, most_depth, most_nodes) in [
        ("go depth 3 nodes 100000000 movetime 100000", 3, u32::MAX),
        (
            "go depth 90 nodes 5000 wtime 1000000 btime 1000000",
            90,
            5000,
        ),
        ("go nodes 5000000000000 depth 2", 2, u32::MAX),
        ("go infinite depth 3 nodes 2000\nstop", 3, 2000),
    ] {
        let (_, lines) = engine.best(&format!("ucinewgame\n{go}"));
        for info in lines.iter().filter(|line| line.contains(" pv ")) {
            assert!(number(info, "depth").unwrap() <= most_depth, "{go}: {info}");
            assert!(
                number(info, "nodes").unwrap() <= most_nodes.into(),
                "{go}: {info}"
            );
        }
    }
    engine.quit();
}

#[test]
fn every_kind_of_clock_is_answered() {
    let mut engine = Driver::start();
    for go in [
        "go movetime 0",
        "go movetime 1",
        "go movetime 20",
        "go wtime 0 btime 0",
        "go wtime 1 btime 1 winc 0 binc 0",
        "go wtime -50 btime 10",
        "go wtime 100 btime 100 winc 5 binc 5 movestogo 1",
        "go wtime 100 btime 100 movestogo 40",
        "go wtime 1000 btime 1000 movestogo 0",
        "go wtime 100 btime 100 movestogo -5",
        "go wtime 100 btime 100 movestogo 4294967296",
        // The missing clock is taken to be like the given one.
        "go btime 100",
        "go btime 100 winc 0 binc 5",
        "go wtime 20 btime 9223372036854775807 winc 9223372036854775807 movestogo 1 movetime 5",
    ] {
        let (best, _) = engine.best(&format!("{OPEN}{go}"));
        assert!(engine.moves().contains(&best), "{go}");
    }
    engine.quit();
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut engine = Driver::start();
    engine.send("setoption name MultiPV value 5");
    let (best, lines) = engine.best("position startpos\ngo searchmoves a2a3 h2g3 depth 5");
    assert!(["a2a3", "h2g3"].contains(&best.as_str()));
    for info in lines.iter().filter(|line| line.contains(" pv ")) {
        assert!(
            ["a2a3", "h2g3"].contains(&line_of(info)[0].as_str()),
            "{info}"
        );
    }
    assert_eq!(number(last_info(&lines), "multipv"), Some(2));
    // A losing move is searched if requested.
    engine.send("setoption name MultiPV value 1");
    let position = "position fen 8/8/8/3P4/2p5/8/P7/8 w 0 1";
    let (best, lines) = engine.best(&format!("{position}\ngo searchmoves a2a3 depth 8"));
    assert_eq!(best, "a2a3");
    assert!(last_info(&lines).contains("score mate -3 "), "{lines:?}");
    engine.quit();
}

#[test]
fn a_refused_search_is_answered() {
    let mut engine = Driver::start();
    for (go, reason) in [
        ("go depth", "go depth needs a number"),
        ("go depth x", "go depth: 'x' is not a number in range"),
        ("go nodes -3", "go nodes: '-3' is not a number in range"),
        (
            "go movetime 1e3",
            "go movetime: '1e3' is not a number in range",
        ),
        ("go searchmoves", "go searchmoves without a move"),
        ("go searchmoves a2a5", "refused: 'a2a5' is illegal"),
        (
            "go searchmoves a2a3 e9e8 depth 2",
            "refused: 'e9e8' names a square",
        ),
    ] {
        engine.send(go);
        let line = engine.line();
        assert!(
            line.starts_with(&format!("info string {reason}")),
            "{go}: {line}"
        );
        assert_eq!(engine.line(), "bestmove (none)");
    }
    engine.quit();
}

#[test]
fn after_a_refused_position_nothing_is_searched_until_one_is_accepted() {
    let mut engine = Driver::start();
    for refused in [
        "position startpos moves a2a3 a7a4",
        "position fen pp/pp w",
        "position",
        "position nowhere",
    ] {
        engine.send("position startpos moves b2b3");
        let reason = engine.ask(refused).pop().unwrap();
        let reason = reason.strip_prefix("info string ").unwrap();
        let reason = reason.strip_prefix("position refused: ").unwrap();
        let answer = format!("info string refused: the last position was refused: {reason}");
        for go in ["go depth 3", "go", "go ponder", "go perft 2", "go prove"] {
            engine.send(go);
            assert_eq!(engine.line(), answer, "{go}");
            assert_eq!(engine.line(), "bestmove (none)", "{go}");
        }
        assert_eq!(engine.ask("perft 2"), [answer.as_str()]);
        // Nothing has changed.
        assert!(engine.fen().contains("/1P6/P1PPPPPP/"), "{refused}");
        let accepted = [
            "position startpos",
            "setoption name Board value 6x6",
            "setoption name UCI_Variant value breakthrough",
        ];
        for accepted in accepted {
            engine.ask(refused);
            let (best, _) = engine.best(&format!("{accepted}\ngo depth 2"));
            assert!(engine.moves().contains(&best), "{accepted}");
        }
    }
    // In the queue, too.
    engine.send("go infinite\nposition startpos moves h1h8\ngo infinite\nstop");
    engine.until("bestmove");
    assert_eq!(engine.best("").0, "(none)");
    engine.quit();
}

#[test]
fn a_search_for_a_win_ends_with_it_or_without() {
    let mut engine = Driver::start();
    let (best, lines) = engine.best("position fen 8/8/3P4/8/8/8/7p/8 b 0 1\ngo mate 3");
    assert!(best.starts_with("h2"), "{lines:?}");
    assert!(last_info(&lines).contains("score mate 1 "));
    // No win in one move: it ends anyway.
    let (best, _) = engine.best("position startpos\ngo mate 1");
    assert!(engine.moves().contains(&best));
    engine.quit();
}

#[test]
fn what_arrives_during_a_search_waits_for_its_end_in_order() {
    let mut engine = Driver::start();
    engine.send(
        "position startpos\ngo infinite\nposition startpos moves a2a3\n\
         setoption name Board value 5x5\nd\nposition fen 8/1P6/8/8/8/8/6p1/8 w 0 1\n\
         go depth 3\nisready",
    );
    let lines = engine.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("Fen: ")));
    let (best, _) = engine.best("stop");
    assert!(best.starts_with(|c: char| c.is_ascii_lowercase()));
    let lines = engine.until("Fen: ");
    assert_eq!(
        lines.last().unwrap(),
        "Fen: ppppp/ppppp/5/PPPPP/PPPPP w 0 1"
    );
    let (best, _) = engine.best("");
    assert!(best.starts_with("b7"), "{best}");
    engine.quit();
}

#[test]
fn each_of_many_searches_is_answered_once() {
    let mut engine = Driver::start();
    let crowd = "position startpos\ngo infinite\nposition startpos moves a2a3\n";
    engine.send(&format!(
        "{crowd}go infinite\nstop\nstop\n{crowd}go infinite\nstop\nstop"
    ));
    for _ in 0..4 {
        engine.until("bestmove");
    }
    assert!(engine.ask("stop").is_empty());
    engine.quit();
}

#[test]
fn quit_during_a_search_ends_at_once() {
    for go in [
        "go infinite",
        "go ponder depth 4",
        "go movetime 600000",
        "go depth 90",
    ] {
        let mut engine = Driver::start();
        engine.send(&format!("position startpos\n{go}"));
        // The input stays open: the command alone ends the program.
        engine.quit();
    }
}

#[test]
fn at_the_end_of_input_a_bounded_search_is_finished_and_answered() {
    for go in [
        "go depth 8",
        "go nodes 30000",
        "go movetime 300",
        "go wtime 3000 btime 3000",
    ] {
        let mut engine = Driver::start();
        engine.send(&format!("position startpos\n{go}"));
        let (lines, status) = engine.close();
        assert!(status.success());
        let bests = lines.iter().filter(|l| l.starts_with("bestmove ")).count();
        assert_eq!(bests, 1, "{lines:?}");
        if go == "go depth 8" {
            assert_eq!(number(last_info(&lines), "depth"), Some(8));
        }
        assert!(lines.last().unwrap().starts_with("bestmove "));
    }
}

#[test]
fn at_the_end_of_input_an_unbounded_search_is_stopped_and_answered() {
    for go in [
        "go infinite",
        "go",
        "go ponder",
        "go ponder wtime 1000 btime 1000",
    ] {
        let mut engine = Driver::start();
        engine.send(&format!("position startpos\n{go}"));
        let (lines, status) = engine.close();
        assert!(status.success());
        assert!(
            lines.last().unwrap().starts_with("bestmove "),
            "{go}: {lines:?}"
        );
    }
}

/// Nobody reads and nobody writes: the GUI is gone.
#[cfg(unix)]
#[test]
fn at_the_end_of_input_long_work_ends_with_its_reader() {
    use std::process::{Command, Stdio};
    for work in ["go depth 239", "bench 99", "perft 20", "go mate 100"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, format!("{OPEN}{work}\n").as_bytes()).unwrap();
        drop(input);
        drop(child.stdout.take());
        common::driver::wait(&mut child);
    }
}

#[test]
fn at_the_end_of_input_what_waits_is_done_too() {
    let mut engine = Driver::start();
    engine.send("position startpos\ngo infinite\nposition startpos moves a2a3\ngo depth 3\ngo");
    let (lines, status) = engine.close();
    assert!(status.success());
    let bests = lines.iter().filter(|l| l.starts_with("bestmove ")).count();
    assert_eq!(bests, 3, "{lines:?}");
    // Without any search, and without a final newline.
    let mut engine = Driver::start();
    engine.write(b"isready");
    let (lines, status) = engine.close();
    assert!(status.success());
    assert_eq!(lines, ["readyok"]);
}
