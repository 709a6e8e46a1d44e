//! Freeling's game by example: the worked examples of the sources, explosions one
//! by one, and the texts of positions and moves.

use crate::common::moves;
use crate::game::Side;
use crate::game::freeling::{PASS, Position};
use crate::game::{FenError, Game, Notation, Outcome};

pub(super) const START: &str = "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1";

pub(super) fn read(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// The rows and side of a position's text.
pub(super) fn text(position: &Position) -> String {
    position
        .fen()
        .split(' ')
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The rows after a move.
fn after(fen: &str, mv: &str) -> String {
    let position = read(fen);
    text(&position.play(position.parse_move(mv).unwrap()))
}

#[test]
fn the_worked_examples_of_the_sources() {
    assert_eq!(
        after(START, "b2a1"),
        "ppppp/ppppp/5/5/5/5/P4/1PPPP/1DPPP b",
        "a1 explodes, then a2; b1 holds two"
    );
    // A piece on a8 is blocked by a black piece on b9 ...
    let fen = "1pppp/P4/P4/1P3/5/5/5/5/5 w 0 1";
    let position = read(fen);
    assert!(position.parse_move("a8b9").is_err());
    // ... and a second one shot onto a8 makes that explode and wins,
    let won = position.play(position.parse_move("b6a7").unwrap());
    assert_eq!(text(&won), "Ppppp/1P3/1P3/5/5/5/5/5/5 b");
    assert_eq!(won.outcome(), Outcome::Win(Side::White));
    // unless a black piece on a9 captures the piece shot there.
    let held = "ppppp/P4/P4/1P3/5/5/5/5/5 w 0 1";
    assert_eq!(after(held, "b6a7"), "ppppp/1P3/1P3/5/5/5/5/5/5 b");
}

#[test]
fn moves_stop_at_walls_forward_and_ignore_them_backward() {
    let targets = |fen: &str| {
        let position = read(fen);
        let mut texts: Vec<String> = moves(&position)
            .iter()
            .map(|&mv| position.move_text(mv))
            .collect();
        texts.sort_unstable();
        texts.join(" ")
    };
    // The distant black piece gives Black something to move.
    assert_eq!(targets("4p/5/5/5/5/5/5/5/P4 w 0 1"), "a1b2 a1c3 pass");
    assert_eq!(
        targets("4p/5/5/5/P4/5/5/5/5 w 0 1"),
        "a5b4 a5b6 a5c3 a5c7 a5d2 a5e1 pass"
    );
    assert_eq!(
        targets("4p/5/2P2/5/5/5/5/5/5 w 0 1"),
        "c7a5 c7b6 c7d6 c7e5 pass"
    );
    assert_eq!(
        targets("4p/5/5/5/5/5/2P2/5/5 w 0 1"),
        "c3a1 c3b2 c3d2 c3e1 pass"
    );
    // The same for Black from above, here down to the goal.
    assert_eq!(targets("p4/5/5/5/5/5/5/5/4P b 0 1"), "a9b8 a9c7 pass");
    assert_eq!(
        targets("5/5/5/5/5/5/5/p4/4P b 0 1"),
        "a2b1 a2b3 a2c4 a2d5 a2e6 pass"
    );
    // Not over stacks, not onto enemies, but onto own pieces; pairs move as a unit.
    assert_eq!(
        targets("5/5/5/5/1p1P1/2D2/1P1p1/5/5 w 0 1"),
        "b3a2 b3c2 b3d1 c4b3 c4d5 d5b7 d5c4 d5c6 d5e4 d5e6 pass"
    );
}

#[test]
fn explosions_one_by_one() {
    for (fen, mv, end, why) in [
        (
            "4p/5/5/5/1P3/1dDp1/5/5/5 w 0 1",
            "b5c4",
            "4p/5/5/5/2P2/1P1P1/5/5/5 b",
            "three pieces on c4 go three ways and capture a pair and a piece",
        ),
        (
            "4p/5/5/5/1D3/2D2/5/5/5 w 0 1",
            "b5c4",
            "4p/5/5/5/2P2/1PPP1/5/5/5 b",
            "of four pieces one stays",
        ),
        (
            "4p/5/5/5/5/1D3/5/5/5 w 0 1",
            "b4a5",
            "4p/5/5/P4/1P3/5/5/5/5 b",
            "a pair explodes on an empty outer square",
        ),
        (
            "4p/5/5/5/P4/1D3/5/5/5 w 0 1",
            "b4a5",
            "4p/5/5/P4/PP3/5/5/5/5 b",
            "of three pieces on an outer square one stays",
        ),
        (
            "4p/5/5/1D3/P4/1P3/5/5/5 w 0 1",
            "b4a5",
            "4p/5/5/PD3/1P3/5/5/5/5 b",
            "pieces shot past their own pair leave it alone",
        ),
        (
            "4p/5/5/5/5/5/PD3/2P2/5 w 0 1",
            "c2b3",
            "4p/5/5/5/5/PP3/1PP2/5/5 b",
            "wall squares explode forwards, and a chain runs along the wall",
        ),
        (
            "4p/1D3/5/5/5/5/5/5/5 w 0 1",
            "b8a9",
            "P3p/5/5/5/5/5/5/5/5 b",
            "a pair that arrives on an outer square wins and leaves one piece there",
        ),
        (
            "4p/5/5/5/5/1p3/2d2/1P3/5 b 0 1",
            "b4a3",
            "4p/5/5/5/5/5/p1d2/1P3/5 w",
            "a single piece on an empty outer square stays",
        ),
        (
            "5/5/5/5/5/1p3/p4/P4/P4 b 0 1",
            "b4a3",
            "5/5/5/5/5/5/1p3/p4/P4 w",
            "Black's pieces are shot downwards",
        ),
    ] {
        assert_eq!(after(fen, mv), end, "{why}");
    }
}

#[test]
fn passing_and_having_no_move() {
    let start = Position::start();
    let pass = start.parse_move("pass").unwrap();
    assert_eq!(start.parse_move("0000"), Ok(pass));
    assert_eq!(start.move_text(pass), "pass");
    let passed = start.play(pass);
    assert_eq!(passed.fen(), "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP b 1 1");
    assert_ne!(passed.key(), start.key());
    assert_eq!(passed.key(), start.pass().key());
    assert_eq!(passed.play(pass).key(), start.key());
    // Passing does not save a player whose pieces cannot move.
    for (fen, winner) in [
        ("5/5/5/5/5/5/5/1p3/P4 w 0 1", Side::Black),
        ("5/5/5/5/5/5/P4/1p3/5 w 0 1", Side::Black),
        ("5/5/5/5/5/5/5/1p3/5 w 0 1", Side::Black),
        ("5/5/5/5/5/5/5/P4/5 b 0 1", Side::White),
        ("P4/5/5/5/5/5/5/p4/5 b 0 1", Side::White),
    ] {
        let position = read(fen);
        assert_eq!(position.outcome(), Outcome::Win(winner), "{fen}");
        assert!(moves(&position).is_empty(), "{fen}");
        assert_eq!(
            position.parse_move("pass").unwrap_err().to_string(),
            "'pass' is not possible: the game is over"
        );
    }
    // A side without pieces loses on its turn, not before.
    let position = read("5/5/5/5/5/5/5/1p3/5 b 0 1");
    assert_eq!(position.outcome(), Outcome::Ongoing);
    assert_eq!(position.play(PASS).outcome(), Outcome::Win(Side::Black));
}

#[test]
fn faults_of_a_fen_are_named() {
    for (fen, reason) in [
        ("", "the position text is empty"),
        (
            "ppppp/5/5/5/5/5/5/5/PPPPP",
            "no side to move after the rows",
        ),
        ("ppppp/5/5/5/5/5/5/PPPPP w 0 1", "8 rows, expected 9"),
        ("ppppp/5/5/5/5/5/5/5/5/PPPPP w 0 1", "10 rows, expected 9"),
        (
            "ppppp/5/6/5/5/5/5/5/PPPPP w 0 1",
            "row 3 has 6 squares, expected 5",
        ),
        (
            "pppp/5/5/5/5/5/5/5/PPPPP w 0 1",
            "row 1 has 4 squares, expected 5",
        ),
        (
            "ppppp/5//5/5/5/5/5/PPPPP w 0 1",
            "row 3 has 0 squares, expected 5",
        ),
        (
            "ppppp/5/5/5/5/5/PPPPPP/5/5 w 0 1",
            "row 7 has 6 squares, expected 5",
        ),
        (
            "ppppp/5/5/5/99/5/5/5/PPPPP w 0 1",
            "row 5 has 99 squares, expected 5",
        ),
        (
            "ppppp/5/5/5/999/5/5/5/PPPPP w 0 1",
            "a number of empty squares in row 5 is larger than 99",
        ),
        (
            "ppppp/5/5/5/0P4/5/5/5/PPPPP w 0 1",
            "unknown character '0' in row 5",
        ),
        (
            "ppppp/5/5/5/2Q2/5/5/5/PPPPP w 0 1",
            "unknown character 'Q' in row 5",
        ),
        (
            "ppppp/5/5/5/D4/5/5/5/PPPPP w 0 1",
            "too many pieces on square a5",
        ),
        (
            "ppppp/4d/5/5/5/5/5/5/PPPPP w 0 1",
            "too many pieces on square e8",
        ),
        (
            "5/5/5/5/5/5/5/5/5 w 0 1",
            "there are no pieces on the board",
        ),
        (
            "P4/5/5/5/5/5/5/5/p4 w 0 1",
            "both sides have a piece on the far rank",
        ),
        (
            "1D3/5/5/5/5/5/5/5/1d3 w 0 1",
            "both sides have a piece on the far rank",
        ),
        (
            "ppppp/5/5/5/5/5/5/5/PPPPP x 0 1",
            "side to move 'x' is neither w nor b",
        ),
        (
            "ppppp/5/5/5/5/5/5/5/PPPPP w 0",
            "3 fields, expected 2 (rows and side), 4 (w 0 1 or w - -) or 6 (w - - 0 1)",
        ),
        (
            "ppppp/5/5/5/5/5/5/5/PPPPP w 0 -1",
            "counter '-1' is not a number from 0 to 65535",
        ),
    ] {
        assert_eq!(
            Position::from_fen(fen).unwrap_err().to_string(),
            reason,
            "{fen}"
        );
    }
    for rest in ["w", "w 0 1", "w - - 0 1", "W 0 1"] {
        let fen = format!("ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP {rest}");
        assert_eq!(Position::from_fen(&fen), Ok(Position::start()));
    }
    assert_eq!(Position::start().fen(), START);
    // A pair where only one piece fits is refused for positions made from sets, too.
    assert_eq!(
        Position::new([1, 1 << 44], [1, 0], Side::White, 0, 0),
        Err(FenError::OverCapacity("a1".to_owned()))
    );
}

#[test]
fn faults_of_a_move_are_named() {
    let start = Position::start();
    for (text, reason) in [
        ("", "'' is not a move such as a2b3"),
        ("b2", "'b2' is not a move such as a2b3"),
        ("b2a1!", "'b2a1!' is not a move such as a2b3"),
        ("b2f3", "'b2f3' names a square outside the board"),
        ("b2a10", "'b2a10' names a square outside the board"),
        ("b2b3", "'b2b3' is illegal"),
        ("b2d4", "'b2d4' is illegal"),
        ("b2b2", "'b2b2' is illegal"),
        ("c5d6", "'c5d6' is illegal: white has no piece on c5"),
        ("a8b7", "'a8b7' is illegal: white has no piece on a8"),
    ] {
        assert_eq!(start.parse_move(text).unwrap_err().to_string(), reason);
    }
    assert!(start.parse_move("B2A1").is_ok());
}

#[test]
fn the_diagram_shows_walls_and_stacks() {
    let position = read("1pdd1/P1DPp/P1DDP/5/5/1d1d1/p1ddp/p1dpP/1PDD1 w 0 1");
    let expected = "  9   . p d d .
  8   P . D P p
  7  =P=.=D=D=P=
  6   . . . . .
  5   . . . . .
  4   . d . d .
  3  =p=.=d=d=p=
  2   p . d p P
  1   . P D D .
      a b c d e
";
    assert_eq!(position.diagram(), expected);
}
