//! Playing by opening books: the options `OwnBook`, `BookFile` and `BookVariety`, and
//! what `d json` has of them.

use crate::common;

use common::driver::Driver;
use petard::engine::{Engine, Start, parse_board};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A position by its text, and its moves with their values.
type Entry<'a> = (&'a str, &'a [(&'a str, i16)]);

/// The entry's bytes, written from the description in `docs/formats.md`, with the moves as
/// numbers of squares.
fn entry_bytes((fen, moves): Entry<'_>) -> Vec<u8> {
    let (rows, side) = fen.split_once(' ').unwrap();
    let is_black = side.starts_with('b');
    let rows: Vec<String> = rows
        .rsplit('/')
        .map(|row| {
            let cell = |cell: char| {
                cell.to_digit(10)
                    .map_or(cell.into(), |n| ".".repeat(n as usize))
            };
            row.chars().map(cell).collect()
        })
        .collect();
    let (files, ranks) = (rows[0].len() as u8, rows.len() as u8);
    let number = |file: u8, rank: u8, is_mirrored: bool| {
        let file = if is_mirrored { files - 1 - file } else { file };
        let rank = if is_black { ranks - 1 - rank } else { rank };
        rank * files + file
    };
    // The own ones first.
    let pieces = if is_black { ['p', 'P'] } else { ['P', 'p'] };
    let key = |is_mirrored: bool| {
        let sets = pieces.map(|piece| {
            let mut set = 0_u64;
            for (rank, row) in rows.iter().enumerate() {
                for (file, _) in row.char_indices().filter(|&(_, cell)| cell == piece) {
                    set |= 1 << number(file as u8, rank as u8, is_mirrored);
                }
            }
            set
        });
        let size = (usize::from(files) * usize::from(ranks)).div_ceil(8);
        sets.map(|set| set.to_le_bytes()[..size].to_vec()).concat()
    };
    let is_mirrored = key(true) < key(false);
    let mut bytes = key(is_mirrored);
    bytes.extend(7_u32.to_le_bytes());
    bytes.push(moves.len() as u8);
    for (mv, value) in moves {
        for square in mv.as_bytes().chunks(2) {
            bytes.push(number(square[0] - b'a', square[1] - b'1', is_mirrored));
        }
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

/// A whole file.
fn file_bytes(head: &str, entries: &[Entry<'_>]) -> Vec<u8> {
    let mut data = format!("petard opening book 1\n{head}\n\n").into_bytes();
    data.extend(entries.iter().flat_map(|entry| entry_bytes(*entry)));
    data.extend(crc32fast::hash(&data).to_le_bytes());
    data
}

/// A file on disk, deleted on drop.
struct Book(PathBuf);

impl Book {
    fn new(name: &str, data: &[u8]) -> Self {
        let name = format!("petard-book-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, data).unwrap();
        Self(path)
    }

    fn option(&self) -> String {
        format!("setoption name BookFile value {}", self.0.display())
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const START: &str = "pppp/pppp/4/PPPP/PPPP w 0 1";
const REPLY: &str = "pppp/pppp/P3/1PPP/PPPP b 0 1";

/// A book of 4x5: the first moves, best a2a3, and the replies to that.
fn small_book() -> Vec<u8> {
    let first: &[(&str, i16)] = &[("a2a3", 30), ("b2b3", 10), ("b2c3", -31_990)];
    let replies: &[(&str, i16)] = &[("b4b3", -30), ("d4d3", -45)];
    file_bytes(
        "board 4x5\nnodes 100\npositions 2",
        &[(START, first), (REPLY, replies)],
    )
}

/// An engine that plays by the small book only.
fn with_small_book(name: &str) -> (Driver, Book) {
    let book = Book::new(name, &small_book());
    let mut engine = Driver::start();
    engine.ask("setoption name ProofFile value <empty>");
    engine.ask("setoption name Board value 4x5\nsetoption name OwnBook value true");
    assert!(engine.ask(&book.option()).is_empty());
    (engine, book)
}

/// The object that `d json` prints.
fn display(engine: &mut Driver) -> serde_json::Value {
    serde_json::from_str(&engine.ask("d json")[0]).unwrap()
}

#[test]
fn a_move_of_the_book_is_played_at_once_in_a_position_and_its_images() {
    let (mut engine, _book) = with_small_book("images");
    for (fen, best) in [
        (START, "a2a3"),
        ("pppp/pppp/4/PPPP/PPPP b 0 1", "a4a3"),
        (REPLY, "b4b3"),
        ("pppp/pppp/3P/PPP1/PPPP b 0 1", "c4c3"),
        ("pppp/1ppp/p3/PPPP/PPPP w 0 1", "b2b3"),
    ] {
        engine.send(&format!("position fen {fen}"));
        let (answer, lines) = engine.best("go nodes 1000");
        assert_eq!(answer, best, "{fen}");
        assert_eq!(lines[0], format!("info string book move {best}"), "{fen}");
        assert!(lines[1].contains(" nodes 0 "), "{lines:?}");
    }
    engine.send(&format!("position fen {START}"));
    let (_, lines) = engine.best("go movetime 1000");
    assert!(lines[1].contains(" score cp 30 "), "{lines:?}");
    assert!(lines[1].ends_with(" pv a2a3 b4b3"), "{lines:?}");
    engine.quit();
}

#[test]
fn who_asks_for_a_search_gets_one() {
    let (mut engine, _book) = with_small_book("search");
    let is_book_move = |lines: &[String]| lines.iter().any(|line| line.contains("book move"));
    for (options, go) in [
        ("OwnBook value false", "go nodes 100"),
        ("MultiPV value 2", "go nodes 100"),
        ("UCI_LimitStrength value true", "go nodes 100"),
        ("Ponder value true", "go depth 2"),
        ("Ponder value true", "go nodes 100 searchmoves b2b3"),
    ] {
        engine.ask(&format!("setoption name {options}"));
        let (_, lines) = engine.best(go);
        assert!(!is_book_move(&lines), "{options} {go}: {lines:?}");
        engine.ask("setoption name OwnBook value true\nsetoption name MultiPV value 1");
        engine.ask("setoption name UCI_LimitStrength value false");
    }
    let (_, lines) = engine.best("go nodes 100");
    assert!(is_book_move(&lines), "{lines:?}");
    // It has nothing about this one.
    engine.send("position startpos moves b2a3");
    let (_, lines) = engine.best("go nodes 100");
    assert!(!is_book_move(&lines), "{lines:?}");
    engine.quit();
}

#[test]
fn variety_is_what_a_move_may_give_up() {
    let (mut engine, _book) = with_small_book("variety");
    for (variety, expected) in [
        (0, vec!["a2a3"]),
        (19, vec!["a2a3", "d2d3"]),
        (20, vec!["a2a3", "b2b3", "c2c3", "d2d3"]),
        (1000, vec!["a2a3", "b2b3", "c2c3", "d2d3"]),
    ] {
        engine.ask(&format!("setoption name BookVariety value {variety}"));
        let played: BTreeSet<String> = (0..100).map(|_| engine.best("go nodes 1000").0).collect();
        assert_eq!(played.iter().collect::<Vec<_>>(), expected, "{variety}");
    }
    engine.quit();
}

#[test]
fn a_book_file_that_is_refused_changes_nothing() {
    let (mut engine, _book) = with_small_book("kept");
    let good = small_book();
    let mut damaged = good.clone();
    damaged[60] ^= 1;
    let next_version = String::from_utf8_lossy(b"petard opening book 2\n").into_owned();
    let head = |head: &str| file_bytes(head, &[(START, &[("a2a3", 1)])]);
    let files: [(&str, &[u8], &str); 9] = [
        ("empty", b"", "not an opening book of version 1"),
        ("foreign", b"{}", "not an opening book of version 1"),
        (
            "next",
            next_version.as_bytes(),
            "not an opening book of version 1",
        ),
        (
            "bit",
            &damaged,
            "the file is damaged: its checksum is wrong",
        ),
        (
            "short",
            &good[..good.len() - 1],
            "the file is damaged: its checksum is wrong",
        ),
        (
            "board",
            &head("board 1x1\npositions 1"),
            "its board is not supported",
        ),
        (
            "count",
            &head("board 4x5"),
            "its header has no number of positions",
        ),
        (
            "more",
            &head("board 4x5\npositions 2"),
            "its header has a different number of positions",
        ),
        (
            "value",
            &file_bytes("board 4x5\npositions 1", &[(START, &[("a2a3", i16::MIN)])]),
            "a move has the value -32768, which is out of range",
        ),
    ];
    for (name, data, reason) in files {
        let book = Book::new(name, data);
        let answer = engine.ask(&book.option());
        let path = book.0.display();
        let expected = format!("info string BookFile '{path}' refused: {reason}");
        assert_eq!(answer, [expected], "{name}");
    }
    for path in ["/no/such/file", env!("CARGO_MANIFEST_DIR")] {
        let answer = engine.ask(&format!("setoption name BookFile value {path}"));
        let start = format!("info string BookFile '{path}' refused: ");
        assert!(
            answer.len() == 1 && answer[0].starts_with(&start),
            "{answer:?}"
        );
    }
    assert_eq!(engine.best("go nodes 1000").0, "a2a3");
    engine.quit();
}

/// The file is trusted, but not with the rules.
#[test]
fn an_illegal_move_of_a_book_is_not_played() {
    let moves: &[(&str, i16)] = &[("a2a4", 90), ("b1b2", 80), ("b2b3", 10)];
    let data = file_bytes("board 4x5\npositions 1", &[(START, moves)]);
    let (mut engine, _kept) = with_small_book("legal");
    let book = Book::new("illegal", &data);
    assert!(engine.ask(&book.option()).is_empty());
    assert_eq!(engine.best("go nodes 1000").0, "b2b3");
    engine.quit();
}

#[test]
fn d_json_has_the_books_moves_and_known_results() {
    let (mut engine, _book) = with_small_book("json");
    engine.ask("setoption name OwnBook value false");
    let expected = serde_json::json!([
        {"move": "a2a3", "cp": 30, "mate": null, "searches": 7},
        {"move": "d2d3", "cp": 30, "mate": null, "searches": 7},
        {"move": "b2b3", "cp": 10, "mate": null, "searches": 0},
        {"move": "c2c3", "cp": 10, "mate": null, "searches": 0},
        {"move": "b2c3", "cp": null, "mate": -5, "searches": 0},
        {"move": "c2b3", "cp": null, "mate": -5, "searches": 0},
    ]);
    let reported = display(&mut engine);
    assert_eq!(reported["book"], expected);
    assert_eq!(reported["results"], serde_json::json!({}));
    engine.send("position startpos moves a2a3");
    assert_eq!(display(&mut engine)["book"][0]["cp"], -30);
    engine.ask("setoption name BookFile value <empty>");
    assert_eq!(display(&mut engine)["book"], serde_json::json!([]));
    // The built-in proof: Black wins.
    engine.ask("setoption name ProofFile value <built-in>");
    engine.send("position startpos");
    let reported = display(&mut engine);
    let results = reported["results"].as_object().unwrap();
    assert_eq!(results.len(), reported["legal"].as_array().unwrap().len());
    assert!(
        results.values().all(|result| result == "lost"),
        "{results:?}"
    );
    // By the rules alone.
    engine.send("position fen 4/P3/4/3p/4 w 0 1");
    let reported = display(&mut engine);
    assert_eq!(reported["results"]["a4a5"], "won");
    engine.send("position fen P3/4/4/3p/4 b 0 1");
    assert_eq!(display(&mut engine)["results"], serde_json::json!({}));
    engine.quit();
}

#[test]
fn the_built_in_books_lead_from_the_start_by_legal_moves_the_best_first() {
    for (size, least) in [("8x8", 100), ("7x7", 100), ("6x6", 200)] {
        let mut engine = Engine::new(|_| ()).unwrap();
        engine.set_variant(parse_board(size).unwrap()).unwrap();
        let mut open = vec![Vec::<String>::new()];
        let mut seen = BTreeSet::new();
        while let Some(line) = open.pop() {
            engine.set_game(&Start::StartPos, &line).unwrap();
            let moves = engine.book_moves();
            if moves.is_empty() || !seen.insert(engine.board().fen()) {
                continue;
            }
            let scores: Vec<_> = moves.iter().map(|found| found.score).collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "{size} {line:?}");
            let legal = engine.board().legal_moves();
            for found in moves {
                assert!(legal.contains(&found.mv), "{size} {line:?} {found:?}");
                if found.searches > 0 {
                    open.push(line.iter().cloned().chain([found.mv]).collect());
                }
            }
        }
        assert!(seen.len() >= least, "{size}: {}", seen.len());
    }
}
