//! Breakthrough's rules, against independent counts and against the slow reference.

use crate::common::reference::Board;
use crate::common::{below, cases, random_position};
use crate::game::Side;
use crate::game::breakthrough::{Packed, Position};
use crate::game::perft;
use crate::game::{Game, Notation, Outcome};
use rand_mt::Mt64;

#[test]
fn perft_equals_the_496_counts_of_fairy_stockfish() {
    let data = include_str!("../../../tests/data/perft.tsv");
    let mut checked = 0;
    for line in data.lines().skip(1) {
        let field: Vec<&str> = line.split('\t').collect();
        let (depth, nodes) = (field[2].parse().unwrap(), field[3].parse::<u64>().unwrap());
        let wide = Position::<u128>::from_fen(field[4]).unwrap();
        assert_eq!(perft(&wide, depth), nodes, "{line}");
        if let Ok(small) = Position::<u64>::from_fen(field[4]) {
            assert_eq!(perft(&small, depth), nodes, "{line}");
        }
        if let Ok(packed) = Position::<Packed>::from_fen(field[4]) {
            assert_eq!(perft(&packed, depth), nodes, "{line}");
        }
        checked += 1;
    }
    assert_eq!(checked, 496);
}

#[test]
fn perft_of_wide_and_tall_boards_equals_the_reference() {
    for (files, ranks, depth) in [
        (10, 10, 3),
        (12, 10, 3),
        (16, 8, 3),
        (2, 64, 7),
        (32, 4, 3),
        (8, 16, 3),
    ] {
        let position = Position::<u128>::start(files, ranks).unwrap();
        let board = Board::parse(&position.fen());
        assert_eq!(
            perft(&position, depth),
            board.perft(depth),
            "{files}x{ranks}"
        );
    }
}

#[test]
fn a_side_without_pieces_or_moves_has_lost() {
    let position = Position::<u64>::from_fen("8/8/8/8/8/8/8/PPPPPPPP b 0 1").unwrap();
    assert_eq!(position.outcome(), Outcome::Win(Side::White));
    let position = Position::<u64>::from_fen("8/8/8/pp6/8/8/8/8 b 0 1").unwrap();
    assert_eq!(position.outcome(), Outcome::Win(Side::Black));
    // The rule that a side without a move has lost never applies: the foremost
    // piece has a diagonal that is empty or holds an enemy.
    let mut random = Mt64::new(6);
    for _ in 0..cases(20_000) {
        let position = random_position::<u64>(2 + below(&mut random, 7), 4, 8, &mut random);
        assert!(position.count_moves() > 0);
    }
}

#[test]
fn faults_of_a_fen_are_named() {
    for (fen, reason) in [
        ("", "the position text is empty"),
        ("pp/pp/2/PP/PP", "no side to move after the rows"),
        ("pp/pp/2/PP/PP x", "side to move 'x' is neither w nor b"),
        (
            "ppppp/ppppp/6/PPPPP/PPPPP w",
            "row 3 has 6 squares, expected 5",
        ),
        (
            "pppppppp/pppppppp/9/8/8/8/PPPPPPPP/PPPPPPPP w",
            "row 3 has 9 squares, expected 8",
        ),
        ("pp/pq/2/PP/PP w", "unknown character 'q' in row 2"),
        ("pp/p0/2/PP/PP w", "unknown character '0' in row 2"),
        ("PP/pp/2/PP/pp w", "both sides have a piece on the far rank"),
        ("2/2/2/2 w", "there are no pieces on the board"),
        (
            "pp/2/PP w",
            "board size 2x3 is not supported: at least 2 files, at least 4 ranks, at most 128 squares",
        ),
        (
            "p/p/1/P/P w",
            "board size 1x5 is not supported: at least 2 files, at least 4 ranks, at most 128 squares",
        ),
        (
            "pp/pp/2/PP/PP w 0",
            "3 fields, expected 2 (rows and side), 4 (w 0 1 or w - -) or 6 (w - - 0 1)",
        ),
        ("pp/pp/2/PP/PP w ?? - 0 1", "field '??' must be - here"),
        (
            "pp/pp/2/PP/PP w 0 x",
            "counter 'x' is not a number from 0 to 65535",
        ),
        ("pp/pp//PP/PP w 0 1", "row 3 has 0 squares, expected 2"),
    ] {
        let error = Position::<u128>::from_fen(fen).unwrap_err();
        assert_eq!(error.to_string(), reason, "{fen}");
    }
}

#[test]
fn texts_of_a_position_that_are_taken() {
    let rows = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP";
    let start = Position::<u64>::start(8, 8).unwrap();
    for rest in ["w", "w 0 1", "w - - 0 1"] {
        assert_eq!(
            Position::<u64>::from_fen(&format!("{rows} {rest}")).unwrap(),
            start
        );
    }
    let wide = Position::<u128>::from_fen("12/12/12/12/4P7/pp10/12/12/12/12 b - - 3 7").unwrap();
    assert_eq!(wide.fen(), "12/12/12/12/4P7/pp10/12/12/12/12 b 0 7");
}

#[test]
fn faults_of_a_move_are_named() {
    let start = Position::<u64>::start(8, 8).unwrap();
    for (text, reason) in [
        ("", "'' is not a move such as a2b3"),
        ("a2", "'a2' is not a move such as a2b3"),
        ("a2b3q", "'a2b3q' is not a move such as a2b3"),
        ("a2i3", "'a2i3' names a square outside the board"),
        ("a2a9", "'a2a9' names a square outside the board"),
        ("a2a4", "'a2a4' is illegal"),
        ("a3a4", "'a3a4' is illegal: white has no piece on a3"),
        ("a7a6", "'a7a6' is illegal: white has no piece on a7"),
    ] {
        assert_eq!(start.parse_move(text).unwrap_err().to_string(), reason);
    }
    let tall = Position::<u128>::start(12, 10).unwrap();
    let tall = tall.play(tall.parse_move("j2j3").unwrap());
    assert_eq!(tall.move_text(tall.parse_move("j9j8").unwrap()), "j9j8");
    let far = Position::<u128>::from_fen("10/2p7/2P7/10/10/10/10/10/10/10 b").unwrap();
    assert_eq!(
        far.parse_move("c9b8").map(|mv| far.move_text(mv)),
        Ok("c9b8".to_owned())
    );
    let finished = Position::<u64>::from_fen("P7/8/8/8/8/8/p7/8 b").unwrap();
    assert_eq!(
        finished.parse_move("a2a1").unwrap_err().to_string(),
        "'a2a1' is not possible: the game is over"
    );
}
