//! The machine-readable answers, against the human-readable ones and against the
//! rules.

use crate::common;

use common::driver::{Driver, last_info, number};
use common::{below, cases};
use rand_mt::Mt64;
use serde_json::{Value, json};

impl Driver {
    /// The object in the answer to a line.
    fn object(&mut self, line: &str) -> Value {
        let lines = self.ask(line);
        assert_eq!(lines.len(), 1, "{lines:?}");
        serde_json::from_str(&lines[0]).unwrap()
    }
}

/// The strings of an array.
fn texts(value: &Value) -> Vec<String> {
    let values = value.as_array().unwrap().iter();
    values
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

/// Boards of both games: how to select each, and its start position.
const BOARDS: [(&str, &str, &str); 4] = [
    ("setoption name Board value 8x8", "breakthrough", "8x8"),
    ("setoption name Board value 3x4", "breakthrough", "3x4"),
    ("setoption name Board value 32x4", "breakthrough", "32x4"),
    (
        "setoption name UCI_Variant value freeling",
        "freeling",
        "5x9",
    ),
];

/// A random game on the engine's board, at most `plies` long.
fn random_game(engine: &mut Driver, random: &mut Mt64, plies: usize) -> Vec<String> {
    let mut played = Vec::new();
    engine.ask("position startpos");
    while played.len() < plies {
        let moves = engine.moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[below(random, moves.len())].clone();
        engine.ask(&format!("play {mv}"));
        played.push(mv);
    }
    played
}

/// `d json` says what `d` and `moves` say, and lists the wins.
#[test]
fn the_board_for_programs_is_the_one_for_people() {
    let mut engine = Driver::start();
    let mut random = Mt64::new(21);
    let mut wins = 0;
    for (choice, variant, board) in BOARDS {
        engine.ask(choice);
        let start = engine.fen();
        for _ in 0..cases(3) {
            let plies = below(&mut random, 60);
            let played = random_game(&mut engine, &mut random, plies);
            let shown = engine.ask("d");
            let found = engine.object("d json");
            assert_eq!(found["variant"], variant);
            assert_eq!(found["board"], board);
            assert_eq!(found["start"], start.as_str());
            assert_eq!(texts(&found["moves"]), played);
            assert_eq!(found["ply"], played.len());
            assert_eq!(
                (&found["undone"], &found["refused"]),
                (&json!(0), &json!(null))
            );
            for (key, name) in [("fen", "Fen"), ("key", "Key"), ("side", "Side")] {
                let line = format!("{name}: {}", found[key].as_str().unwrap());
                assert!(shown.contains(&line), "{line}: {shown:?}");
            }
            let legal = engine.moves();
            assert_eq!(texts(&found["legal"]), legal);
            let outcome = shown.last().unwrap().strip_prefix("Outcome: ").unwrap();
            assert_eq!(outcome_of(&found["outcome"]), outcome);
            assert_eq!(texts(&found["wins"]), winning(&mut engine, &legal));
            wins += texts(&found["wins"]).len() + texts(&found["threats"]).len();
            check_threats(&mut engine, &found);
        }
    }
    assert!(wins > 0);
    engine.quit();
}

/// An outcome as in the human-readable line.
fn outcome_of(outcome: &Value) -> &str {
    match (outcome, outcome["winner"].as_str()) {
        (Value::Null, _) => "none",
        (_, Some("white")) => "white wins",
        (_, Some(_)) => "black wins",
        (_, None) => "draw",
    }
}

/// The moves that win the game, found by playing them.
fn winning(engine: &mut Driver, moves: &[String]) -> Vec<String> {
    let side = engine.object("d json")["side"].clone();
    let mut wins = moves.to_vec();
    wins.retain(|mv| engine.object(&format!("line {mv}"))["moves"][0]["outcome"]["winner"] == side);
    wins
}

/// The threats are the wins of the same position with the turn passed.
fn check_threats(engine: &mut Driver, found: &Value) {
    let expected = if found["outcome"].is_null() {
        let fen = found["fen"].as_str().unwrap();
        let passed = if fen.contains(" w ") {
            fen.replace(" w ", " b ")
        } else {
            fen.replace(" b ", " w ")
        };
        engine.ask(&format!("position fen {passed}"));
        let legal = engine.moves();
        winning(engine, &legal)
    } else {
        Vec::new()
    };
    assert_eq!(texts(&found["threats"]), expected, "{found}");
}

#[test]
fn a_line_says_what_its_moves_do_and_plays_none() {
    let mut engine = Driver::start();
    let mut random = Mt64::new(7);
    let (mut captures, mut chains, mut ends) = (0, 0, 0);
    for (choice, ..) in BOARDS {
        engine.ask(choice);
        for _ in 0..cases(3) {
            let played = random_game(&mut engine, &mut random, 150);
            let capitals = played.join(" ").to_uppercase();
            let start = engine.object("d json")["start"].clone();
            engine.ask(&format!("position fen {}", start.as_str().unwrap()));
            let found = engine.object(&format!("line {capitals}"));
            assert_eq!((&found["fen"], &found["error"]), (&start, &json!(null)));
            for (step, mv) in found["moves"].as_array().unwrap().iter().zip(&played) {
                assert_eq!(step["move"], mv.as_str());
                engine.ask(&format!("play {mv}"));
                let now = engine.object("d json");
                assert_eq!(step["fen"], now["fen"]);
                assert_eq!(step["outcome"], now["outcome"]);
                captures += texts(&step["captures"]).len();
                let chain = step["explosions"].as_array().unwrap();
                if let Some(last) = chain.last() {
                    assert_eq!(pieces(now["fen"].as_str().unwrap()), last["pieces"]);
                    chains += 1;
                }
                ends += usize::from(!step["outcome"].is_null());
            }
            assert_eq!(found["moves"].as_array().unwrap().len(), played.len());
        }
    }
    assert!(
        captures > 20 && chains > 20 && ends > 4,
        "{captures} {chains} {ends}"
    );
    engine.quit();
}

/// The pieces on Freeling's board, as `line` reports them.
fn pieces(fen: &str) -> Value {
    let rows = fen.split(' ').next().unwrap().split('/').rev();
    let number = |letter: char| match letter {
        'P' => vec![1],
        'D' => vec![2],
        'p' => vec![-1],
        'd' => vec![-2],
        run => vec![0; run.to_digit(10).unwrap() as usize],
    };
    rows.flat_map(|row| row.chars().flat_map(number))
        .collect::<Vec<i32>>()
        .into()
}

#[test]
fn a_line_ends_before_the_move_that_is_not_legal() {
    let mut engine = Driver::start();
    let before = engine.object("d json");
    for (line, count, error) in [
        ("a2a3 a7a5 b2b3", 1, "move 2: 'a7a5' is illegal"),
        (
            "a2a3 a7a6 a2a3",
            2,
            "move 3: 'a2a3' is illegal: white has no piece on a2",
        ),
        ("<b>", 0, "move 1: '<b>' is not a move such as a2b3"),
        (
            "j9j10",
            0,
            "move 1: 'j9j10' names a square outside the board",
        ),
    ] {
        let found = engine.object(&format!("line {line}"));
        assert_eq!(found["moves"].as_array().unwrap().len(), count, "{found}");
        assert_eq!(found["error"], error);
        assert_eq!(engine.object("d json"), before);
    }
    assert_eq!(engine.ask("line"), ["info string line needs a move"]);
    engine.ask("position fen 8/P7/8/8/8/8/7p/8 w 0 1");
    let found = engine.object("line a7a8 h2h1");
    let end = json!({"winner": "white", "reason": "arrived"});
    assert_eq!(found["moves"][0]["outcome"], end);
    assert_eq!(
        found["error"],
        "move 2: 'h2h1' is not possible: the game is over"
    );
    // After a refused position, there is none to start from.
    engine.ask("position startpos moves a2a5");
    let error = "the last position was refused: move 1: 'a2a5' is illegal";
    assert_eq!(engine.object("line a2a3")["error"], error);
    assert_eq!(engine.object("d json")["refused"], error);
    engine.quit();
}

#[test]
fn the_value_for_programs_is_the_one_for_people() {
    let mut engine = Driver::start();
    for position in [
        "position startpos moves b2b3 g7g6 c2d3",
        "position fen 8/pp6/8/8/8/8/6P1/8 b 0 1",
        "position fen ppppppppp/9/9/9/PPPPPPPPP w 0 1",
        "setoption name UCI_Variant value freeling",
        "position startpos moves b2a1 pass",
    ] {
        engine.ask(position);
        let shown = engine.ask("eval");
        let found = engine.object("eval json");
        let (cp, side) = (&found["cp"], found["side"].as_str().unwrap());
        let last = shown.last().unwrap();
        assert!(
            last.starts_with(&format!("Evaluation: {cp} cp for {side}, ")),
            "{last}"
        );
        let sign = if side == "white" { 1 } else { -1 };
        assert_eq!(
            found["white"].as_i64().unwrap(),
            sign * cp.as_i64().unwrap()
        );
        let wdl: i64 = found["wdl"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_i64().unwrap())
            .sum();
        assert_eq!(wdl, 1000);
        let terms = found["terms"].as_array().unwrap();
        assert_eq!(terms.len(), shown.len() - 2);
        let count = found["fen"].as_str().unwrap().split(' ').next().unwrap();
        let count = count.chars().filter(|c| c.is_alphabetic()).count();
        let pieces = found["pieces"].as_object().unwrap();
        // Losing a side's only piece ends the game.
        assert!(
            pieces.len() == count || (count == 3 && pieces.len() == 2),
            "{found}"
        );
        for (term, line) in terms.iter().zip(&shown[1..]) {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            let numbers = words.split_off(words.len() - 3);
            assert_eq!(term["term"], words.join(" "));
            for (name, number) in ["white", "black", "cp"].into_iter().zip(numbers) {
                assert_eq!(term[name].to_string(), number, "{line}");
            }
            if let Some(square) = term["term"].as_str().unwrap().strip_prefix("piece on ")
                && let Some(worth) = pieces.get(square)
            {
                assert_eq!(worth, &term["cp"]);
            }
        }
    }
    engine.ask("setoption name Board value 8x8\nposition fen P7/8/8/8/8/8/7p/8 b 0 1");
    let error = "no evaluation: the game is over, white wins";
    assert_eq!(engine.object("eval json"), json!({ "error": error }));
    engine.quit();
}

/// The fields of an `info` line that do not depend on the clock.
fn found(engine: &mut Driver, lines: &str) -> (String, Option<i64>, Option<i64>, String) {
    let (best, lines) = engine.best(lines);
    let info = last_info(&lines);
    let score = info.split("score ").nth(1).unwrap();
    let score = score.split(" nodes").next().unwrap().to_owned();
    (score, number(info, "depth"), number(info, "nodes"), best)
}

#[test]
fn what_is_threatened_is_what_the_other_side_finds_if_the_turn_is_passed() {
    let mut engine = Driver::start();
    for (position, passed) in [
        (
            "position startpos moves b2b3 g7g6 c2d3",
            "position fen pppppppp/pppppp1p/6p1/8/8/1P1P4/P2PPPPP/PPPPPPPP w 0 2",
        ),
        (
            "position fen 8/8/3P4/8/8/2p5/8/8 w 0 1",
            "position fen 8/8/3P4/8/8/2p5/8/8 b 0 1",
        ),
    ] {
        let expected = found(&mut engine, &format!("ucinewgame\n{passed}\ngo depth 7"));
        engine.ask(position);
        let before = engine.object("d json");
        let threat = found(&mut engine, "ucinewgame\ngo pass depth 7");
        assert_eq!(threat, expected);
        assert_eq!(engine.object("d json"), before);
    }
    // The game continues where it was, and other searches are unaffected.
    engine.ask("position startpos moves a2a3");
    let (best, _) = engine.best("go pass depth 1 searchmoves h2h3");
    assert_eq!(best, "h2h3");
    engine.send("go pass searchmoves h7h6");
    assert_eq!(engine.until("bestmove ").last().unwrap(), "bestmove (none)");
    engine.ask("play a7a6 h2h3");
    engine.send("position fen P7/8/8/8/8/8/7p/8 b 0 1\ngo pass");
    let lines = engine.until("bestmove ");
    let error = "info string refused: the game is over: there is no turn to pass";
    assert_eq!(lines, [error, "bestmove (none)"]);
    engine.quit();
}

#[test]
fn a_turn_that_is_passed_counts_as_a_move_of_freelings_game() {
    let mut engine = Driver::start();
    engine.ask("setoption name UCI_Variant value freeling\nposition startpos moves b2a1 pass");
    let threat = found(&mut engine, "ucinewgame\ngo pass depth 4");
    engine.ask("play pass");
    assert_eq!(found(&mut engine, "ucinewgame\ngo depth 4"), threat);
    // A third occurrence would be a draw: nothing is threatened.
    engine.send("position startpos moves pass pass pass\ngo pass depth 4");
    let lines = engine.until("bestmove ");
    assert_eq!(lines, ["info depth 0 score cp 0", "bestmove (none)"]);
    assert_eq!(engine.object("d json")["ply"], 3);
    engine.quit();
}
