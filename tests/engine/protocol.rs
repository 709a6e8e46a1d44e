//! The protocol's commands, options and answers, on the real binary.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, last_info, line_of, number};

const START: &str = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1";
const WHITE_HAS_WON: &str = "P7/1p6/8/8/8/8/8/6P1 b 0 30";

#[test]
fn uci_introduces_the_engine_and_its_options() {
    let mut engine = Driver::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name petard "));
    assert!(lines[1].starts_with("id author "));
    for option in [
        "option name Hash type spin default 64 min 1 max ",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 512",
        "option name MultiPV type spin default 1 min 1 max ",
        "option name Ponder type check default false",
        "option name Move Overhead type spin default 10 min 0 max 10000",
        "option name UCI_Variant type combo default breakthrough var breakthrough",
        "option name Board type string default 8x8",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default ",
        "option name EvalFile type string default <built-in>",
        "option name Evaluation type combo default network var network var article",
        "option name ProofFile type string default <built-in>",
        "option name OwnBook type check default false",
        "option name BookFile type string default <built-in>",
        "option name BookVariety type spin default 0 min 0 max 1000",
        "option name Log File type string default <empty>",
    ] {
        let count = lines.iter().filter(|line| line.starts_with(option)).count();
        assert_eq!(count, 1, "{option}");
    }
    // uci2wb reads the combo into a small buffer.
    let combo = lines.iter().find(|line| line.contains("UCI_Variant"));
    assert!(combo.unwrap().len() < 256);
    for line in &lines {
        let known = ["id ", "option name ", "uciok"];
        assert!(known.iter().any(|known| line.starts_with(known)), "{line}");
    }
    engine.quit();
}

#[test]
fn blanks_case_line_ends_and_unknown_tokens_are_as_uci_says() {
    let mut engine = Driver::start();
    for line in [
        "isready",
        "  isready  ",
        "\tIsReady\r",
        "ISREADY\r",
        "joho isready",
        "\u{feff}isready",
    ] {
        engine.send(line);
        assert_eq!(engine.line(), "readyok", "{line:?}");
    }
    engine.send("\n \n\r\n\t\nisready");
    assert_eq!(engine.line(), "readyok");
    engine.send("POSITION\tSTARTPOS  MOVES   a2a3 \r");
    let (best, _) = engine.best("Go  bright   DEPTH\t2  \r");
    assert!(engine.moves().contains(&best));
    assert_eq!(
        engine.fen(),
        "pppppppp/pppppppp/8/8/8/P7/1PPPPPPP/PPPPPPPP b 0 1"
    );
    engine.quit();
}

#[test]
fn positions_of_any_form_and_size_are_taken() {
    let mut engine = Driver::start();
    for (given, fen) in [
        ("startpos", START),
        ("startpos moves", START),
        (&format!("fen {START}"), START),
        (
            "fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1",
            START,
        ),
        ("fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w", START),
        (
            "fen pp/pp/2/PP/PP b - -; moves a4a3",
            "pp/1p/p1/PP/PP w 0 2",
        ),
        (
            "fen pp/pp/2/PP/PP b - - id \"x\"; moves a4a3",
            "pp/1p/p1/PP/PP w 0 2",
        ),
        (
            "fen pp/pp/2/PP/PP b - - 0 9 moves a4a3",
            "pp/1p/p1/PP/PP w 0 10",
        ),
        (
            "fen 12/12/12/p11/12/12/12/12/11P/12 w 0 1 moves l2l3 a7b6",
            "12/12/12/12/1p10/12/12/11P/12/12 w 0 2",
        ),
        (
            "fen 10/1p8/10/10/10/10/10/10/8P1/10 b 0 1 moves b9a8 j2j3",
            "",
        ),
    ] {
        engine.send("position startpos moves h2h3");
        let before = engine.fen();
        let answer = engine.ask(&format!("position {given}"));
        if fen.is_empty() {
            assert!(answer[0].starts_with("info string position refused: move 2: 'j2j3'"));
            assert_eq!(engine.fen(), before);
        } else {
            assert!(answer.is_empty(), "{answer:?}");
            assert_eq!(engine.fen(), fen, "{given}");
        }
    }
    engine.quit();
}

#[test]
fn every_command_reads_the_same_position_texts() {
    let ask = |arguments: &[&str]| {
        let binary = std::process::Command::new(env!("CARGO_BIN_EXE_petard"));
        let output = { binary }.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let mut engine = Driver::start();
    for end in [
        "b",
        "b;",
        "b - -",
        "b - -;",
        "b 0 1;",
        "b 0 1 ;",
        "b KQkq - 0 1",
        "b KQkq a3 0 1;",
        "b KQkq -",
        "b - - bm b4a3; id \"x; y\";",
        "b 0 1 ; id \"x\"",
    ] {
        let text = format!("pp/1p/2/P1/PP {end}");
        let answer = engine.ask(&format!("position fen {text}"));
        assert!(answer.is_empty(), "{text}: {answer:?}");
        assert_eq!(engine.fen(), "pp/1p/2/P1/PP b 0 1", "{text}");
        engine.send("perft 3");
        let count = engine.until("Nodes searched: ").pop().unwrap();
        let counted = ask(&["perft", "3", "--fen", &text]);
        assert!(counted.contains(&count), "{text}: {counted}");
        let solved = ask(&["solve", "--fen", &text]);
        let shown = "\npp/1p/2/P1/PP b 0 1\nwinner: black";
        assert!(solved.contains(shown), "{text}: {solved}");
    }
    engine.quit();
}

#[test]
fn bad_input_gets_one_line_with_the_reason_and_changes_nothing() {
    let mut engine = Driver::start();
    engine.send("position startpos moves a2a3 h7h6");
    let before = engine.fen();
    for (line, reason) in [
        ("xyzzy", "unknown command 'xyzzy'"),
        ("position", "position refused: expected startpos or fen"),
        (
            "position fen",
            "position refused: the position text is empty",
        ),
        (
            "position fen pp/pp/3/PP/PP w",
            "position refused: row 3 has 3 squares, expected 2",
        ),
        (
            "position fen Pp/pp/2/PP/pP w",
            "position refused: both sides have a piece on the far rank",
        ),
        (
            "position fen pp/pq/2/PP/PP w",
            "position refused: unknown character 'q' in row 2",
        ),
        (
            "position fen pp/pp/2/PP/PP",
            "position refused: no side to move after the rows",
        ),
        (
            "position fen pp/11111/PP/PP w",
            "position refused: a number of empty squares in row 2 is larger than 99",
        ),
        (
            "position fen pp/pp/PP/PP\u{a0}w",
            "position refused: unknown character '\u{a0}' in row 4",
        ),
        ("go\u{3000}infinite", "unknown command 'go\u{3000}infinite'"),
        (
            "position startpos moves b2b3 g7g6 b3b5",
            "position refused: move 3: 'b3b5' is illegal",
        ),
        (
            "position startpos moves a2a3 a3a4",
            "position refused: move 2: 'a3a4' is illegal: black has no piece on a3",
        ),
        (
            "position startpos b2b3",
            "position refused: expected moves after startpos, found 'b2b3'",
        ),
        ("perft", "perft needs a depth"),
        ("perft -1", "perft: '-1' is not a number in range"),
        ("bench x", "bench: 'x' is not a number in range"),
        ("debug perhaps", "debug takes on or off"),
        ("setoption", "setoption needs: name NAME [value VALUE]"),
        (
            "setoption name Nonsense value 1",
            "unknown option 'Nonsense'",
        ),
        (
            "setoption name Threads value 0",
            "Threads takes a number from 1 to 512, not '0'",
        ),
        (
            "setoption name Threads value many",
            "Threads takes a number from 1 to 512, not 'many'",
        ),
        ("setoption name Threads", "Threads needs a value"),
        (
            "setoption name MultiPV value 0",
            "MultiPV takes a number from 1 to 384, not '0'",
        ),
        (
            "setoption name Move Overhead value -1",
            "Move Overhead takes a number from 0 to 10000, not '-1'",
        ),
        (
            "setoption name Ponder value maybe",
            "Ponder takes true or false, not 'maybe'",
        ),
        (
            "setoption name UCI_AnalyseMode value 2",
            "UCI_AnalyseMode takes true or false, not '2'",
        ),
        (
            "setoption name UCI_ShowWDL value",
            "UCI_ShowWDL needs a value",
        ),
        (
            "setoption name UCI_LimitStrength value x",
            "UCI_LimitStrength takes true or false, not 'x'",
        ),
        (
            "setoption name UCI_Elo value -351",
            "UCI_Elo takes a number from ",
        ),
        (
            "setoption name UCI_Variant value chess",
            "unknown UCI_Variant 'chess'; choose from breakthrough, ",
        ),
        (
            "setoption name Board value 1x8",
            "Board takes files x ranks such as 8x8: ",
        ),
        (
            "setoption name Board value large",
            "Board takes files x ranks such as 8x8: ",
        ),
        (
            "setoption name Hash value 0",
            "Hash takes a number from 1 to ",
        ),
        (
            "setoption name Hash value 99999999999",
            "Hash takes a number from 1 to ",
        ),
        (
            "setoption name Log File value /no/such/folder/log",
            "log file '/no/such/folder/log' cannot be opened: ",
        ),
    ] {
        let answer = engine.ask(line);
        assert_eq!(answer.len(), 1, "{line}: {answer:?}");
        let found = answer[0].strip_prefix("info string ").unwrap();
        assert!(found.starts_with(reason), "{line}: {found}");
    }
    assert_eq!(engine.fen(), before);
    engine.quit();
}

#[test]
fn a_number_out_of_range_is_refused_by_every_option_in_the_same_words() {
    let mut engine = Driver::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    let spins: Vec<&String> = lines.iter().filter(|l| l.contains(" type spin ")).collect();
    assert_eq!(spins.len(), 6);
    for line in spins {
        let (_, line) = line.split_once("option name ").unwrap();
        let (name, _) = line.split_once(" type spin ").unwrap();
        let [min, max] = ["min", "max"].map(|word| number(line, word).unwrap());
        for value in [min - 1, max + 1, i64::MAX, i64::MIN] {
            let answer = engine.ask(&format!("setoption name {name} value {value}"));
            let refusal =
                format!("info string {name} takes a number from {min} to {max}, not '{value}'");
            assert_eq!(answer, [refusal]);
        }
        let answer = engine.ask(&format!("setoption name {name} value {min}"));
        assert!(answer.is_empty(), "{name}: {answer:?}");
    }
    engine.quit();
}

#[test]
fn an_option_that_names_a_file_can_be_empty() {
    let mut engine = Driver::start();
    for option in ["EvalFile", "ProofFile", "BookFile", "Log File"] {
        for value in ["", " value", " value <empty>", " value <Empty>"] {
            let answer = engine.ask(&format!("setoption name {option}{value}"));
            assert!(answer.is_empty(), "{option}{value}: {answer:?}");
        }
    }
    let network = |line: &String| line.starts_with("network 8x8 ");
    assert!(engine.ask("eval").iter().any(network));
    engine.quit();
}

#[test]
fn a_hash_that_cannot_be_had_is_refused_and_the_old_one_stays() {
    let mut engine = Driver::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    let hash = lines
        .iter()
        .find(|line| line.contains("name Hash "))
        .unwrap();
    let most = number(hash, "max").unwrap();
    // The machine's whole memory is never free: this process uses some of it.
    let answer = engine.ask(&format!("setoption name Hash value {most}"));
    assert!(answer[0].contains("it stays at 64 MB"), "{answer:?}");
    assert!(engine.ask("setoption name Hash value 3").is_empty());
    let answer = engine.ask(&format!("setoption name Hash value {most}"));
    assert!(answer[0].contains("it stays at 3 MB"), "{answer:?}");
    engine.best("go depth 6");
    engine.quit();
}

#[test]
fn variants_and_boards_say_what_startpos_means() {
    let mut engine = Driver::start();
    let answer = engine.ask("setoption name UCI_Variant value breakthrough");
    assert_eq!(
        answer,
        [
            "info string variant breakthrough files 8 ranks 8 pocket 0 template fairy startpos pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"
        ]
    );
    for (option, fen) in [
        (
            "UCI_Variant value breakthrough5",
            "ppppp/ppppp/5/PPPPP/PPPPP w 0 1",
        ),
        (
            "UCI_Variant value BreakThrough6",
            "pppppp/pppppp/6/6/PPPPPP/PPPPPP w 0 1",
        ),
        (
            "UCI_Variant value breakthrough7",
            "ppppppp/ppppppp/7/7/7/PPPPPPP/PPPPPPP w 0 1",
        ),
        ("Board value 3x4", "ppp/ppp/PPP/PPP w 0 1"),
        (
            "Board value 12X5",
            "pppppppppppp/pppppppppppp/12/PPPPPPPPPPPP/PPPPPPPPPPPP w 0 1",
        ),
        ("UCI_Variant value breakthrough", START),
    ] {
        let answer = engine.ask(&format!("setoption name {option}"));
        assert!(answer[0].starts_with("info string variant breakthrough"));
        assert!(answer[0].ends_with(fen), "{answer:?}");
        assert_eq!(engine.fen(), fen);
        engine.send("position startpos");
        assert_eq!(engine.fen(), fen);
        let (best, _) = engine.best("go depth 3");
        assert!(engine.moves().contains(&best), "{option}: {best}");
    }
    engine.quit();
}

#[test]
fn a_finished_position_is_answered_as_runners_expect() {
    let mut engine = Driver::start();
    engine.send(&format!("position fen {WHITE_HAS_WON}"));
    for go in [
        "go depth 5",
        "go movetime 50",
        "go wtime 1000 btime 1000",
        "go nodes 10",
    ] {
        engine.send(go);
        assert_eq!(engine.line(), "info depth 0 score mate 0");
        assert_eq!(engine.line(), "bestmove (none)");
    }
    assert!(engine.moves().is_empty());
    assert!(engine.ask("d").contains(&"Outcome: white wins".to_owned()));
    assert_eq!(
        engine.ask("eval"),
        ["info string no evaluation: the game is over, white wins"]
    );
    let answer = engine.ask("position fen P7/1p6/8/8/8/8/8/6P1 b 0 30 moves b7b6");
    assert!(answer[0].contains("the game is over"), "{answer:?}");
    engine.quit();
}

#[test]
fn info_lines_have_all_fields_and_lines_are_legal_to_their_end() {
    let mut engine = Driver::start();
    let (_, lines) = engine.best("position startpos\ngo depth 8");
    let infos: Vec<&String> = lines.iter().filter(|l| l.contains(" pv ")).collect();
    assert_eq!(infos.len(), 8, "one line a depth");
    for (index, info) in infos.iter().enumerate() {
        assert_eq!(number(info, "depth"), Some(index as i64 + 1));
        for word in ["seldepth", "multipv", "nodes", "nps", "hashfull", "time"] {
            assert!(number(info, word).is_some_and(|n| n >= 0), "{info}");
        }
        assert!(number(info, "cp").is_some(), "{info}");
        assert!(!info.contains("wdl"));
        let line = line_of(info).join(" ");
        let answer = engine.ask(&format!("position startpos moves {line}"));
        assert!(answer.is_empty(), "{answer:?}");
    }
    engine.quit();
}

#[test]
fn chances_are_shown_when_asked_for() {
    let mut engine = Driver::start();
    engine.send("setoption name UCI_ShowWDL value true");
    let (_, lines) = engine.best("go depth 6");
    let info = last_info(&lines);
    let cp = number(info, "cp").unwrap() as f64;
    let tokens: Vec<&str> = info.split(' ').collect();
    let at = tokens.iter().position(|&t| t == "wdl").unwrap();
    let chances: Vec<i64> = (1..=3).map(|i| tokens[at + i].parse().unwrap()).collect();
    let win = 1000.0 / (1.0 + 10f64.powf(-cp / 400.0));
    assert_eq!(chances, [win.round() as i64, 0, 1000 - win.round() as i64]);
    let (_, lines) = engine.best("position fen 8/1P6/8/8/8/8/6p1/8 w 0 1\ngo depth 2");
    assert!(last_info(&lines).contains("score mate 1 wdl 1000 0 0"));
    engine.quit();
}

#[test]
fn several_lines_are_reported_best_first_and_apart() {
    let mut engine = Driver::start();
    engine.send("setoption name MultiPV value 4");
    let (best, lines) = engine.best("position startpos\ngo depth 6");
    let last: Vec<&String> = lines
        .iter()
        .filter(|l| l.contains("info depth 6 "))
        .collect();
    assert_eq!(last.len(), 4);
    let mut firsts = Vec::new();
    let mut scores = Vec::new();
    for (index, info) in last.iter().enumerate() {
        assert_eq!(number(info, "multipv"), Some(index as i64 + 1));
        firsts.push(line_of(info)[0].clone());
        scores.push(number(info, "cp").unwrap());
    }
    assert_eq!(firsts[0], best);
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    firsts.sort();
    firsts.dedup();
    assert_eq!(firsts.len(), 4);
    // More lines than moves: one for each move.
    let few = "position fen 8/8/8/1p6/6P1/8/8/8 w 0 1\nsetoption name MultiPV value 100";
    let (_, lines) = engine.best(&format!("{few}\ngo depth 3"));
    // They are all proven soon, and then there is nothing left to search.
    let has = |rank: i64| lines.iter().any(|l| number(l, "multipv") == Some(rank));
    assert!(has(1) && has(2) && has(3) && !has(4), "{lines:?}");
    engine.quit();
}
