//! Positions and moves of both games: what is parsed survives a round trip, and
//! in Breakthrough has the moves that the slow reference finds.

use super::{Target, texts};
use crate::common::reference::Board as Reference;
use crate::engine::{Board, Outcome, Variant, parse_board};
use crate::eval::EvalSource;
use std::collections::BTreeSet;

pub const TARGET: Target = Target {
    name: "positions",
    run,
    seeds,
    words: "pppppppp/|PPPPPPPP|8/|/|p|P|D|d| w| b| 0 1| - - 0 1|1|5|23|64|127|99|65535|65536|\
        a2a3|aa1|af10|pass|0000|b2a1|ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w|2/2/2/|16/|\u{a0}|\
        \u{661}|x",
};

fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "Tpppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1\na2a3 A7B6 b2b3",
        "Tpp/pp/2/PP/PP b 3 65535\nb4b3 a2b3",
        "T10/10/2P7/10/10/10/10/10/10/6p3/10/10 w\nc10b11",
        "Tp15/16/16/2p13/16/P15/16/1P14 b - - 0 300\na8b7",
        "TP3/4/4/4/3p w 0 1\na1a2",
        "Fppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1\nb2a1 pass 0000",
        "F1pdd1/P1DPp/P1DDP/1D1D1/5/1d1d1/p1ddp/p1dpP/1PDD1 w 0 1\nb6a7",
        "F4p/5/5/5/1P3/1dDp1/5/5/5 w 0 1\nb5c4 pass pass pass pass",
        "B10x12",
        "B2x64",
    ])
}

fn run(data: &[u8]) {
    let Some((&kind, text)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let (fen, moves) = text.split_once('\n').unwrap_or((&text, ""));
    let variant = match kind {
        b'F' => Variant::Freeling,
        b'B' => {
            if let Ok(variant) = parse_board(fen) {
                check(
                    variant,
                    &Board::start(variant).expect("a board has a start"),
                );
            }
            return;
        }
        _ => Variant::STANDARD,
    };
    let Ok(board) = Board::from_fen(variant, fen) else {
        return;
    };
    check(variant, &board);
    let moves: Vec<&str> = moves.split_whitespace().take(300).collect();
    match board.with_moves(moves.iter().copied()) {
        Ok(after) => check(variant, &after),
        Err(error) => {
            assert!((1..=moves.len()).contains(&error.ply), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
}

/// What holds for every position.
fn check(variant: Variant, board: &Board) {
    let fen = board.fen();
    let again = Board::from_fen(variant, &fen).expect("what is written is read");
    assert_eq!(again.fen(), fen);
    assert_eq!(again.key(), board.key(), "{fen}");
    assert!(!board.diagram().is_empty());
    let moves = board.legal_moves();
    assert_eq!(moves.is_empty(), board.ending().is_some(), "{fen}");
    assert_eq!(
        board.outcome() == Outcome::Ongoing,
        board.ending().is_none(),
        "{fen}"
    );
    for mv in &moves {
        let mut after = board.clone();
        assert_eq!(after.play(mv).as_ref(), Ok(mv), "{fen}");
    }
    if board.game() == Board::start(Variant::STANDARD).expect("8x8").game() {
        let reference = Reference::parse(&fen).successors();
        let expected: BTreeSet<String> = reference.into_iter().map(|(text, _)| text).collect();
        assert_eq!(
            moves.iter().cloned().collect::<BTreeSet<_>>(),
            expected,
            "{fen}"
        );
    }
    let turned = board.flipped().flipped();
    assert_eq!(turned.key(), board.key(), "{fen}");
    let value = board.evaluate(&EvalSource::built_in().with_article());
    assert_eq!(value.is_some(), !moves.is_empty(), "{fen}");
}
