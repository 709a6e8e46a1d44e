//! The evaluation of a paper of 2009 for Breakthrough on every board: a linear
//! sum of twelve features. The paper gives the features and how they are
//! combined, but not their weights: those here are ours, round numbers set once
//! by what the features mean and not fitted to anything.

use super::Term;
use crate::base::{MATE, MATE_BOUND, Score, Side};
use crate::game::breakthrough::{Bits, Geometry, Position};
use crate::game::{Game as _, Outcome};
use std::iter;

/// The features in the order of the paper's list, and our weights in
/// centipawns.
const FEATURES: [(&str, Score); 12] = [
    // A piece on the far rank, or an enemy without pieces: worth a win whatever
    // else is on the board. Taken from the rules.
    ("win", MATE),
    // Pieces one step from their goal with the squares ahead of them empty,
    // straight and diagonal.
    ("pieces that almost win", 400),
    ("pieces", 100),
    // Ranks that pieces have advanced from their home rank; one more for a piece
    // two steps from its goal that is protected and not attacked.
    ("danger", 8),
    // Pieces one step from their goal that are protected and not attacked.
    ("high danger", 60),
    // Enemies that attack a piece; counted twice if the piece is unprotected.
    ("attackers", -20),
    // Friends that protect a piece.
    ("protectors", 10),
    // Pieces with a friend beside them.
    ("horizontal connections", 5),
    // Pieces with a friend before or behind them.
    ("vertical connections", 3),
    // Steps that are open, whoever's turn it is.
    ("mobility", 1),
    // Files without own pieces.
    ("column holes", -15),
    // Pieces on their home rank.
    ("home ground", 10),
];

/// How often a side has each feature in a game that is not over; so the first,
/// a win, is 0.
fn count<B: Bits>(position: &Position<B>, side: Side) -> [i32; FEATURES.len()] {
    let geometry = position.geometry();
    let (own, enemy) = (position.pieces(side), position.pieces(!side));
    let occupied = position.occupied();
    let row = |steps| geometry.rank_before_goal(side, steps);
    let number = |set: B| set.count() as i32;

    let left = geometry.ahead_left(side, own);
    let right = geometry.ahead_right(side, own);
    let enemy_left = geometry.ahead_left(!side, enemy);
    let enemy_right = geometry.ahead_right(!side, enemy);
    let protected = own & (left | right);
    let attacked = own & (enemy_left | enemy_right);
    let attackers = |pieces: B| number(pieces & enemy_left) + number(pieces & enemy_right);
    let secure = protected & !attacked;
    // Pieces with something on one of the squares they may step to.
    let filled = occupied & row(0);
    let hindered = geometry.ahead(!side, filled) | geometry.attacks(!side, filled);

    let last = geometry.ranks() - 1;
    let advance: i32 = (1..=last)
        .map(|rows| i32::from(rows) * number(own & row(last - rows)))
        .sum();
    let open = [
        geometry.ahead(side, own) & !occupied,
        left & !own,
        right & !own,
    ];
    let beside = geometry.ahead(!side, left | right) & own;
    let in_line = (geometry.ahead(side, own) | geometry.ahead(!side, own)) & own;
    [
        0,
        number(own & row(1) & !hindered),
        number(own),
        advance + number(secure & row(2)),
        number(secure & row(1)),
        attackers(attacked) + attackers(attacked & !protected),
        number(own & left) + number(own & right),
        number(beside),
        number(in_line),
        open.map(|set| number(set & geometry.board())).iter().sum(),
        column_holes(geometry, own),
        number(own & row(last)),
    ]
}

/// Files without a piece.
fn column_holes<B: Bits>(geometry: &Geometry<B>, pieces: B) -> i32 {
    let mut columns = pieces;
    for _ in 1..geometry.ranks() {
        columns |= geometry.ahead(Side::Black, columns);
    }
    i32::from(geometry.files()) - (columns & geometry.rank_set(0)).count() as i32
}

/// The value from the mover's view, in centipawns; [`MATE`] where the mover
/// has won and its negative where it has lost.
pub(crate) fn evaluate<B: Bits>(position: &Position<B>) -> Score {
    let side = position.side_to_move();
    if let Outcome::Win(winner) = position.outcome() {
        let [(_, won), ..] = FEATURES;
        return if winner == side { won } else { -won };
    }
    let counts = count(position, side)
        .into_iter()
        .zip(count(position, !side));
    let terms = counts.zip(FEATURES);
    terms
        .map(|((own, enemy), (_, weight))| weight * (own - enemy))
        .sum()
}

/// The value of a position in which the game goes on, as an estimate.
pub(super) fn estimate<B: Bits>(position: &Position<B>) -> Score {
    evaluate(position).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
}

/// The estimate from White's view, first as a whole and then by feature.
pub(super) fn explain<B: Bits>(position: &Position<B>) -> Vec<Term> {
    let [white, black] = Side::BOTH.map(|side| count(position, side));
    let value = estimate(position);
    let whole = Term {
        name: "article evaluation".to_owned(),
        white: position.pieces(Side::White).count() as i32,
        black: position.pieces(Side::Black).count() as i32,
        value: match position.side_to_move() {
            Side::White => value,
            Side::Black => -value,
        },
    };
    let counts = white.into_iter().zip(black).zip(FEATURES).skip(1);
    let terms = counts.map(|((white, black), (name, weight))| Term {
        name: name.to_owned(),
        white,
        black,
        value: weight * (white - black),
    });
    iter::once(whole).chain(terms).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MoveList, Notation};
    use rand_mt::Mt64;

    type Board = Position<u64>;

    /// How often White has a feature on a board given by its rows; checks that
    /// Black has it as often with colours exchanged.
    fn count_of(rows: &str, feature: &str) -> i32 {
        let board = Board::from_fen(&format!("{rows} w 0 1")).unwrap();
        let index = FEATURES
            .iter()
            .position(|(name, _)| *name == feature)
            .unwrap();
        let found = count(&board, Side::White)[index];
        assert_eq!(found, count(&board.flipped(), Side::Black)[index], "{rows}");
        found
    }

    #[test]
    fn every_feature_counts_what_it_says() {
        for (feature, cases) in [
            (
                "pieces that almost win",
                &[
                    ("7p/2P5/8/8/8/8/8/8", 1),
                    ("7p/P6P/8/8/8/8/8/8", 1), // h8 is not free
                    ("1p6/2P5/8/8/8/8/8/8", 0),
                    ("2p5/2P5/8/8/8/8/8/8", 0),
                    ("7p/8/2P5/8/8/8/8/8", 0),
                ][..],
            ),
            ("pieces", &[("7p/8/2P5/8/3PP3/8/8/8", 3)]),
            (
                "danger",
                &[
                    ("7p/8/8/8/1P6/8/8/P7", 3),
                    ("7p/8/2P5/1P6/8/8/8/8", 5 + 4 + 1),
                    ("7p/8/2P5/2P5/8/8/8/8", 5 + 4), // not protected
                    ("7p/3p4/2P5/1P6/8/8/8/8", 5 + 4), // attacked
                    ("7p/2P5/1P6/8/8/8/8/8", 6 + 5), // on the next rank
                ],
            ),
            (
                "high danger",
                &[
                    ("7p/2P5/1P6/8/8/8/8/8", 1),
                    ("7p/2P5/2P5/8/8/8/8/8", 0),
                    ("3p4/2P5/1P6/8/8/8/8/8", 0),
                ],
            ),
            (
                "attackers",
                &[
                    ("8/8/8/1p1p4/2P5/8/8/8", 4),
                    ("8/8/8/1p1p4/2P5/1P6/8/8", 2),
                    ("8/8/8/2p5/2P5/8/8/8", 0),
                    ("8/8/7p/P7/8/8/8/8", 0), // not around the edge
                ],
            ),
            (
                "protectors",
                &[
                    ("7p/8/8/8/2P5/1P1P4/8/8", 2),
                    ("7p/8/8/8/2P5/2P5/8/8", 0),
                    ("7p/8/8/P7/7P/8/8/8", 0),
                ],
            ),
            (
                "horizontal connections",
                &[
                    ("7p/8/8/8/8/8/1PPP4/8", 3),
                    ("7p/8/8/8/8/P7/7P/8", 0),
                    ("7p/8/8/8/8/8/1P1P4/8", 0),
                ],
            ),
            (
                "vertical connections",
                &[("7p/8/8/8/8/2P5/2P5/8", 2), ("7p/8/8/8/2P5/8/2P5/8", 0)],
            ),
            (
                "mobility",
                &[
                    ("7p/8/8/8/8/8/8/P2P4", 2 + 3),
                    ("8/8/8/8/8/8/p7/P7", 1),
                    ("8/8/8/8/8/8/1p6/P7", 2),
                    ("8/8/8/8/8/1p6/PP6/8", 2 + 2),
                ],
            ),
            (
                "column holes",
                &[
                    ("7p/8/2P5/8/2P5/8/7P/8", 6),
                    ("7p/8/8/8/8/8/P7/1PPPPPPP", 0),
                ],
            ),
            ("home ground", &[("7p/8/8/8/8/8/2P5/P6P", 2)]),
        ] {
            for &(rows, expected) in cases {
                assert_eq!(count_of(rows, feature), expected, "{feature} of {rows}");
            }
        }
    }

    #[test]
    fn a_decided_game_is_worth_a_win() {
        for (fen, value) in [
            ("P7/8/8/8/8/8/p7/8 b 0 1", -MATE),
            ("P7/8/8/8/8/8/p7/8 w 0 1", MATE),
            ("8/8/8/8/8/8/8/P7 b 0 1", -MATE),
        ] {
            assert_eq!(evaluate(&Board::from_fen(fen).unwrap()), value, "{fen}");
        }
    }

    #[test]
    fn the_value_is_the_weighted_sum_from_the_movers_view() {
        // White: piece, 4 rows, 3 steps, 7 holes. Black: piece, home, 2 steps, 7
        // holes.
        let value = (100 + 4 * 8 + 3 - 7 * 15) - (100 + 10 + 2 - 7 * 15);
        for (turn, sign) in [("w", 1), ("b", -1)] {
            let fen = format!("7p/8/8/2P5/8/8/8/8 {turn} 0 1");
            assert_eq!(evaluate(&Board::from_fen(&fen).unwrap()), sign * value);
        }
        assert_eq!(evaluate(&Board::start(8, 8).unwrap()), 0);
    }

    /// The positions of a random game.
    fn random_line<B: Bits>(files: usize, ranks: usize, seed: u64) -> Vec<Position<B>> {
        let mut random = Mt64::new(seed);
        let mut line = vec![Position::start(files, ranks).unwrap()];
        loop {
            let last = &line[line.len() - 1];
            let mut moves = MoveList::new();
            last.moves(&mut moves);
            if moves.is_empty() {
                return line;
            }
            let mv = moves[(random.next_u64() % moves.len() as u64) as usize];
            line.push(last.play(mv));
        }
    }

    fn mirror_and_colours_do_not_matter_on<B: Bits>(files: usize, ranks: usize) {
        for position in random_line::<B>(files, ranks, 2009) {
            let value = evaluate(&position);
            assert_eq!(evaluate(&position.mirrored()), value, "{}", position.fen());
            assert_eq!(evaluate(&position.flipped()), value, "{}", position.fen());
        }
    }

    #[test]
    fn mirror_and_colours_do_not_matter() {
        for (files, ranks) in [(8, 8), (7, 7), (3, 5), (2, 4)] {
            mirror_and_colours_do_not_matter_on::<u64>(files, ranks);
        }
        for (files, ranks) in [(10, 10), (16, 8), (2, 64), (5, 12)] {
            mirror_and_colours_do_not_matter_on::<u128>(files, ranks);
        }
    }

    #[test]
    fn the_word_does_not_matter() {
        for (files, ranks) in [(8, 8), (6, 7), (2, 4)] {
            let small = random_line::<u64>(files, ranks, 7);
            let large = random_line::<u128>(files, ranks, 7);
            for (small, large) in small.iter().zip(&large) {
                assert_eq!(small.fen(), large.fen());
                assert_eq!(explain(small), explain(large), "{}", small.fen());
            }
        }
    }

    #[test]
    fn the_terms_add_up_to_the_value_from_whites_view() {
        for position in random_line::<u128>(9, 9, 5) {
            if position.outcome() == Outcome::Ongoing {
                let terms = explain(&position);
                let sum: Score = terms[1..].iter().map(|term| term.value).sum();
                assert_eq!(terms[0].value, sum, "{}", position.fen());
            }
        }
    }
}
