//! Untrusted texts of positions and moves: whatever they contain, they are parsed
//! or refused, and what is parsed survives a round trip.

use crate::game::{Game, MoveList, Notation, breakthrough, freeling};
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, proptest};
use proptest::sample::select;

/// The parts of nearly valid texts.
const PIECES: [&str; 18] = [
    "p",
    "P",
    "pppp",
    "PPPP",
    "8",
    "4",
    "1",
    "12",
    "0",
    "9",
    "/",
    "/",
    "/",
    " w",
    " b",
    " 0 1",
    " - - 0 1",
    " 65535 65535",
];

/// Rows of five squares, most of them well formed.
fn rows() -> impl Strategy<Value = String> {
    let row = select(
        &[
            "5", "p4", "1p3", "2P2", "PPPPP", "ppppp", "P3p", "4P", "5p", "4",
        ][..],
    );
    proptest::collection::vec(row, 4..8).prop_map(|rows| rows.join("/"))
}

/// Rows of Freeling's board, most of them well formed.
fn rows_of_freeling() -> impl Strategy<Value = String> {
    let row = select(&["5", "5", "p4", "1D3", "d2P1", "PPPPP", "pdppp", "2p1D", "4"][..]);
    proptest::collection::vec(row, 9).prop_map(|rows| rows.join("/"))
}

/// Reads a text as a position; a valid one is written and read back.
fn read<G: Notation>(text: &str) -> Option<G> {
    let position = G::from_fen(text).ok()?;
    let written = position.fen();
    let again = G::from_fen(&written).expect("what is written can be read");
    assert_eq!(again.fen(), written, "{text}");
    assert_eq!(again.key(), position.key(), "{text}");
    let mut moves = MoveList::new();
    position.moves(&mut moves);
    for &mv in &moves {
        let name = position.move_text(mv);
        assert_eq!(position.parse_move(&name).ok(), Some(mv), "{text} {name}");
    }
    Some(position)
}

/// Reads a text as a position of either game, on small and large boards.
fn read_all(text: &str) -> bool {
    let small = read::<breakthrough::Position<u64>>(text);
    let large = read::<breakthrough::Position<u128>>(text);
    if let (Some(small), Some(large)) = (&small, &large) {
        assert_eq!(small.fen(), large.fen());
    }
    read::<freeling::Position>(text).is_some() | small.is_some() | large.is_some()
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}") {
        let _ = read_all(&text);
    }

    #[test]
    fn texts_of_the_right_pieces_are_read_or_refused(
        pieces in proptest::collection::vec(select(&PIECES[..]), 1..24),
    ) {
        let _ = read_all(&pieces.concat());
    }

    #[test]
    fn texts_that_are_nearly_right_are_read_or_refused(
        rows in rows(),
        side in select(&["w", "b"][..]),
    ) {
        let _ = read_all(&format!("{rows} {side} 0 1"));
    }

    #[test]
    fn texts_of_freelings_game_are_read_or_refused(
        rows in rows_of_freeling(),
        side in select(&["w", "b"][..]),
    ) {
        let _ = read_all(&format!("{rows} {side} 3 7"));
    }

    #[test]
    fn any_move_is_read_or_refused(
        text in proptest::prop_oneof![".{0,8}", "[a-i][1-9][a-i][1-9].?", "[A-Ia-i][12][a-i][23]"],
    ) {
        let start = breakthrough::Position::<u64>::start(8, 8).expect("a board");
        if let Ok(mv) = start.parse_move(&text) {
            let mut moves = MoveList::new();
            start.moves(&mut moves);
            prop_assert!(moves.contains(&mv));
            prop_assert_eq!(start.move_text(mv), text.to_ascii_lowercase());
        }
    }
}

#[test]
fn well_formed_texts_are_read() {
    for text in [
        "ppppp/5/2P2/PPPPP w",
        "ppppp/5/5/4P/PPPP1 b 0 3",
        "p4/1p3/2P2/5/PPPPP w - - 0 1",
    ] {
        assert!(read_all(text), "{text}");
    }
    for text in [
        "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1",
        "ppppp/ppppp/5/5/5/5/P4/1PPPP/1DPPP w 2 2",
    ] {
        assert!(read::<freeling::Position>(text).is_some(), "{text}");
    }
}
