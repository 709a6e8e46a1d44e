//! Input that nobody would send on purpose, on the real binary.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::below;
use common::driver::{Driver, wait};
use rand_mt::Mt64;
#[cfg(target_os = "linux")]
use std::io::Write as _;

/// After anything at all, the engine answers and plays.
fn is_well(engine: &mut Driver) {
    // Whatever was queued is done and answered before this count.
    engine.send("isready\nposition startpos\nperft 0");
    engine.until("readyok");
    engine.until("Nodes searched: ");
    let (best, _) = engine.best("position startpos\ngo depth 2");
    assert_ne!(best, "(none)");
}

#[test]
fn bytes_of_any_kind_are_survived() {
    let mut random = Mt64::new(21);
    let mut engine = Driver::start();
    for _ in 0..20 {
        let bytes: Vec<u8> = (0..20_000).map(|_| random.next_u64() as u8).collect();
        engine.write(&bytes);
        engine.write(b"\n");
    }
    engine.write(b"\0\n\xff\xfe\n\xef\xbb\xbf\nposition fen \xff w\n");
    is_well(&mut engine);
    engine.quit();
}

#[test]
fn very_long_lines_are_survived() {
    let mut engine = Driver::start();
    for text in ["x", "a2a3 ", "9", "/", "p/", "go ", "\u{fffd}", " "] {
        for prefix in [
            "",
            "position fen ",
            "position startpos moves ",
            "go searchmoves ",
            "go depth ",
        ] {
            let line = format!("{prefix}{}", text.repeat(100_000 / text.len()));
            engine.send(&line);
            engine.send("stop");
        }
    }
    is_well(&mut engine);
    engine.send(&"y".repeat(5_000_000));
    is_well(&mut engine);
    engine.quit();
}

#[test]
fn words_in_any_order_are_survived() {
    const WORDS: [&str; 44] = [
        "uci",
        "debug",
        "on",
        "isready",
        "setoption",
        "name",
        "Hash",
        "MultiPV",
        "Board",
        "5x5",
        "value",
        "true",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "pp/pp/2/PP/PP",
        "w",
        "b",
        "0",
        "1",
        "-",
        "moves",
        "a2a3",
        "b4b3",
        "go",
        "searchmoves",
        "ponder",
        "wtime",
        "winc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "infinite",
        "ponderhit",
        "d",
        "eval",
        "flip",
        "300",
        "-7",
        "99999999999999999999",
        "aa1ab2",
    ];
    let mut random = Mt64::new(22);
    let mut engine = Driver::start();
    for _ in 0..1500 {
        let count = 1 + below(&mut random, 8);
        let words: Vec<&str> = (0..count)
            .map(|_| WORDS[below(&mut random, WORDS.len())])
            .collect();
        engine.send(&words.join(" "));
        engine.send("stop");
    }
    engine.send("setoption name UCI_Variant value breakthrough");
    is_well(&mut engine);
    engine.quit();
}

#[test]
fn options_take_any_text() {
    let mut engine = Driver::start();
    for name in [
        "Hash",
        "Clear Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "Move Overhead",
        "UCI_Variant",
        "Board",
        "UCI_AnalyseMode",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
        "\u{1F600}",
    ] {
        for value in [
            "",
            "0",
            "-1",
            "99999999999999999999",
            "x",
            "1x1",
            "2x65",
            "129x1",
            "\u{1F600}",
            "true false",
        ] {
            let answer = engine.ask(&format!("setoption name {name} value {value}"));
            assert!(answer.len() <= 1, "{answer:?}");
            assert!(answer.iter().all(|line| line.starts_with("info string ")));
        }
        engine.ask(&format!("setoption name {name}"));
    }
    is_well(&mut engine);
    engine.quit();
}

#[test]
fn commands_beyond_the_queue_are_refused_and_each_go_among_them_is_answered() {
    let mut engine = Driver::start();
    let flood = "d\n".repeat(9_998) + &"moves\ngo depth 1\nd\n".repeat(1_000);
    engine.send(&format!("position startpos\ngo infinite\n{flood}"));
    // Refused as they come, and commands that are answered at once still are.
    let lines = engine.ask("");
    let count = |text: &str| lines.iter().filter(|line| *line == text).count();
    assert_eq!(count("info string refused: the queue is full"), 2_998);
    assert_eq!(count("bestmove (none)"), 999);
    engine.send("position startpos moves a2a3\nstop");
    let lines = engine.until("bestmove");
    assert!(lines.contains(&"info string refused: the queue is full".to_owned()));
    // What fitted in the queue is done: the boards, one list of moves, one search.
    let shown = engine.until("moves: ");
    let boards = shown.iter().filter(|line| line.starts_with("Fen: "));
    assert_eq!(boards.count(), 9_998);
    let (best, _) = engine.best("");
    assert_ne!(best, "(none)");
    // The position was among the refused commands.
    assert_eq!(
        engine.line(),
        "info string position refused: the queue was full"
    );
    let (best, _) = engine.best("go depth 1");
    assert_eq!(best, "(none)");
    is_well(&mut engine);
    engine.quit();
}

#[test]
fn a_megabyte_of_moves_is_refused_and_no_search_takes_the_old_position() {
    let mut engine = Driver::start();
    let moves = "a2a3 a7a6 ".repeat(100_000);
    let answer = engine.ask(&format!("position startpos moves {moves}"));
    assert_eq!(answer.len(), 1);
    assert!(
        answer[0].contains("move 3: 'a2a3' is illegal"),
        "{answer:?}"
    );
    assert_eq!(engine.best("go depth 1").0, "(none)");
    is_well(&mut engine);
    engine.quit();
}

#[test]
fn quit_is_taken_with_answers_unread() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // Far more answers than a pipe holds, fewer questions than are read ahead.
    let text = "uci\nd\n".repeat(3_000) + "quit\n";
    std::io::Write::write_all(&mut input, text.as_bytes()).unwrap();
    // The input stays open, and the output is not read.
    assert!(wait(&mut child).success());
}

#[test]
fn a_closed_output_ends_the_program() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The program may have exited before the second write.
    let _ = std::io::Write::write_all(&mut input, b"uci\ngo infinite\n");
    wait(&mut child);
}

#[cfg(target_os = "linux")]
#[test]
fn every_go_is_answered_though_there_is_no_memory_for_it() {
    // 600 MB and a proof table do not fit, nor do 1150 MB.
    let mut engine = Driver::limited(1100);
    engine.send("setoption name Hash value 600\nposition startpos\ngo prove nodes 1000");
    let lines = engine.until("bestmove");
    assert!(
        lines.iter().any(|line| line.contains("not enough memory")),
        "{lines:?}"
    );
    is_well(&mut engine);
    engine.send("setoption name Hash value 1150\nisready");
    let lines = engine.until("readyok");
    assert!(
        lines.iter().any(|line| line.contains("stays at 600 MB")),
        "{lines:?}"
    );
    is_well(&mut engine);
    // A table that fits once the old one is freed is allocated.
    engine.send("setoption name Hash value 750\nisready");
    assert_eq!(engine.until("readyok").len(), 1);
    engine.send("setoption name Hash value 16\nposition fen pppp/pppp/4/PPPP/PPPP w\ngo prove");
    let lines = engine.until("bestmove");
    assert!(
        lines.iter().any(|line| line.ends_with("proof black wins")),
        "{lines:?}"
    );
    engine.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn the_stack_that_the_environment_asks_for_is_not_the_session_s() {
    let input = format!(
        "uci\nisready\nsetoption name {}\nposition startpos moves a2a3\ngo depth 4\nquit\n",
        "x ".repeat(100_000)
    );
    let output = shell("RUST_MIN_STACK=65536 exec \"$1\"", &input);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for line in ["uciok", "readyok"] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    assert!(!text.contains("unknown command"), "{text}");
}

/// Runs the binary through a shell script, with this input.
#[cfg(target_os = "linux")]
fn shell(script: &str, input: &str) -> std::process::Output {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_petard")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have refused to start before reading anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn with_too_little_memory_it_says_so_and_with_enough_it_answers() {
    let network = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/eval/nnue/default-8x8.nnue"
    );
    let input = format!(
        "go depth 2\nsetoption name EvalFile value {network}\nsetoption name Threads value 3\n\
         isready\ngo depth 2\nsetoption name UCI_Variant value freeling\ngo depth 2\n"
    );
    // Between the two, the system may grant a large block but refuse a small one,
    // and how threads share memory differs from run to run.
    for (megabytes, starts) in [(90, false), (120, false), (600, true), (900, true)] {
        let script = format!(
            "unset RUST_BACKTRACE; ulimit -v {}; exec \"$1\"",
            megabytes << 10
        );
        let output = shell(&script, &input);
        let text = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        if starts {
            assert!(output.status.success(), "{megabytes} MB: {output:?}");
            let answers = text.lines().filter(|line| line.starts_with("bestmove"));
            assert_eq!(answers.count(), 3, "{megabytes} MB: {text}{error}");
        } else {
            assert_eq!(output.status.code(), Some(1), "{megabytes} MB: {output:?}");
            assert!(error.starts_with("petard: "), "{megabytes} MB: {error}");
            assert_eq!(error.lines().count(), 1, "{megabytes} MB: {error}");
        }
    }
}

/// Starts and plays; returns the ceiling of the hash table.
#[cfg(target_os = "linux")]
fn ceiling(output: &std::process::Output) -> u64 {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("\nbestmove "), "{text}");
    let line = text.lines().find(|line| line.contains("option name Hash"));
    let ceiling = line.unwrap().rsplit(' ').next().unwrap();
    ceiling.parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn it_plays_where_the_machines_memory_cannot_be_read() {
    let input = "uci\nisready\ngo depth 3\n";
    let alone = "unshare --mount --map-root-user sh -c";
    let hide = "mount -t tmpfs none /proc";
    if shell(&format!("{alone} '{hide}'"), "").status.success() {
        let output = shell(&format!("{alone} '{hide} && exec \"$1\"' sh \"$1\""), input);
        // A modest one, whatever the machine's memory.
        assert_eq!(ceiling(&output), 1024);
    } else {
        // Unlike what is printed, this is seen in a test that passes.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no mount namespace to be had in which /proc can be hidden"
        );
    }
    // Four files: the standard streams, and one more for loading libraries.
    for files in [4, 5, 8] {
        let output = shell(&format!("ulimit -n {files}; exec \"$1\""), input);
        assert!(ceiling(&output) > 0);
    }
}
