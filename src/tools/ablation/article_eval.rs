//! The evaluation of an article of 2009: a linear sum of twelve
//! features. The article gives the features and how they are combined, but not
//! their weights: those here are ours, round numbers set once by what the
//! features mean and not fitted to anything.

use crate::base::{MATE, Score, Side};
use crate::eval::handcrafted::column_holes;
use crate::game::breakthrough::Position;
use crate::game::{Game as _, Outcome};

/// The boards of the measurement: at most 8x8.
pub type Board = Position<u64>;

/// The twelve features, in the order of the article's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A piece on the far rank, or an enemy without pieces. Taken from the rules,
    /// and worth a win whatever else is on the board.
    Winning,
    /// A piece one step from its goal with the squares ahead of it empty,
    /// straight and diagonal.
    AlmostWin,
    /// A piece.
    Piece,
    /// A row that a piece has advanced from its home rank; one more for a piece two
    /// steps from its goal that is protected and not attacked.
    Danger,
    /// A piece one step from its goal that is protected and not attacked.
    HighDanger,
    /// An enemy that attacks a piece; counted twice if the piece is unprotected.
    Attack,
    /// A friend that protects a piece.
    Protection,
    /// A piece with a friend beside it.
    Horizontal,
    /// A piece with a friend before or behind it.
    Vertical,
    /// A step that is open, whoever's turn it is.
    Mobility,
    /// A file without own pieces.
    ColumnHole,
    /// A piece on its home rank.
    HomeGround,
}

/// How many features there are.
pub const FEATURES: usize = 12;

/// Our weights, in centipawns, in the order of [`Feature`].
pub const WEIGHTS: [Score; FEATURES] = [MATE, 400, 100, 8, 60, -20, 10, 5, 3, 1, -15, 10];

/// How often a side has each feature in a game that is not over; so the first,
/// a win, is 0.
#[must_use]
pub fn features(board: &Board, side: Side) -> [i32; FEATURES] {
    let geometry = board.geometry();
    let (own, enemy) = (board.pieces(side), board.pieces(!side));
    let occupied = board.occupied();
    let row = |steps| geometry.rank_before_goal(side, steps);
    let number = |set: u64| set.count_ones() as i32;

    let left = geometry.ahead_left(side, own);
    let right = geometry.ahead_right(side, own);
    let enemy_left = geometry.ahead_left(!side, enemy);
    let enemy_right = geometry.ahead_right(!side, enemy);
    let protected = own & (left | right);
    let attacked = own & (enemy_left | enemy_right);
    let attackers = |pieces: u64| number(pieces & enemy_left) + number(pieces & enemy_right);
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

    let mut counts = [0; FEATURES];
    for (feature, count) in [
        (Feature::AlmostWin, number(own & row(1) & !hindered)),
        (Feature::Piece, number(own)),
        (Feature::Danger, advance + number(secure & row(2))),
        (Feature::HighDanger, number(secure & row(1))),
        (
            Feature::Attack,
            attackers(attacked) + attackers(attacked & !protected),
        ),
        (
            Feature::Protection,
            number(own & left) + number(own & right),
        ),
        (Feature::Horizontal, number(beside)),
        (Feature::Vertical, number(in_line)),
        (
            Feature::Mobility,
            open.map(|set| number(set & geometry.board())).iter().sum(),
        ),
        (Feature::ColumnHole, column_holes(geometry, own)),
        (Feature::HomeGround, number(own & row(last))),
    ] {
        counts[feature as usize] = count;
    }
    counts
}

/// The value from the mover's view, in centipawns; [`MATE`] where the mover
/// has won and its negative where it has lost.
#[must_use]
pub fn evaluate(board: &Board) -> Score {
    if let Outcome::Win(side) = board.outcome() {
        let won = WEIGHTS[Feature::Winning as usize];
        return if side == board.side_to_move() {
            won
        } else {
            -won
        };
    }
    let own = features(board, board.side_to_move());
    let enemy = features(board, !board.side_to_move());
    own.iter()
        .zip(enemy)
        .zip(WEIGHTS)
        .map(|((own, enemy), weight)| weight * (own - enemy))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::tools::ablation::tests::random_line;
    use rand_mt::Mt64;

    /// How often White has a feature on a board given by its rows; checks that
    /// Black has it as often with colours exchanged.
    fn count(rows: &str, feature: Feature) -> i32 {
        let board = Board::from_fen(&format!("{rows} w 0 1")).unwrap();
        let count = features(&board, Side::White)[feature as usize];
        let flipped = features(&board.flipped(), Side::Black)[feature as usize];
        assert_eq!(count, flipped, "{rows}");
        count
    }

    #[test]
    fn every_feature_counts_what_it_says() {
        for (feature, cases) in [
            (
                Feature::AlmostWin,
                &[
                    ("7p/2P5/8/8/8/8/8/8", 1),
                    ("7p/P6P/8/8/8/8/8/8", 1), // h8 is not free
                    ("1p6/2P5/8/8/8/8/8/8", 0),
                    ("2p5/2P5/8/8/8/8/8/8", 0),
                    ("7p/8/2P5/8/8/8/8/8", 0),
                ][..],
            ),
            (Feature::Piece, &[("7p/8/2P5/8/3PP3/8/8/8", 3)]),
            (
                Feature::Danger,
                &[
                    ("7p/8/8/8/1P6/8/8/P7", 3),
                    ("7p/8/2P5/1P6/8/8/8/8", 5 + 4 + 1),
                    ("7p/8/2P5/2P5/8/8/8/8", 5 + 4), // not protected
                    ("7p/3p4/2P5/1P6/8/8/8/8", 5 + 4), // attacked
                    ("7p/2P5/1P6/8/8/8/8/8", 6 + 5), // on the next rank
                ],
            ),
            (
                Feature::HighDanger,
                &[
                    ("7p/2P5/1P6/8/8/8/8/8", 1),
                    ("7p/2P5/2P5/8/8/8/8/8", 0),
                    ("3p4/2P5/1P6/8/8/8/8/8", 0),
                ],
            ),
            (
                Feature::Attack,
                &[
                    ("8/8/8/1p1p4/2P5/8/8/8", 4),
                    ("8/8/8/1p1p4/2P5/1P6/8/8", 2),
                    ("8/8/8/2p5/2P5/8/8/8", 0),
                    ("8/8/7p/P7/8/8/8/8", 0), // not around the edge
                ],
            ),
            (
                Feature::Protection,
                &[
                    ("7p/8/8/8/2P5/1P1P4/8/8", 2),
                    ("7p/8/8/8/2P5/2P5/8/8", 0),
                    ("7p/8/8/P7/7P/8/8/8", 0),
                ],
            ),
            (
                Feature::Horizontal,
                &[
                    ("7p/8/8/8/8/8/1PPP4/8", 3),
                    ("7p/8/8/8/8/P7/7P/8", 0),
                    ("7p/8/8/8/8/8/1P1P4/8", 0),
                ],
            ),
            (
                Feature::Vertical,
                &[("7p/8/8/8/8/2P5/2P5/8", 2), ("7p/8/8/8/2P5/8/2P5/8", 0)],
            ),
            (
                Feature::Mobility,
                &[
                    ("7p/8/8/8/8/8/8/P2P4", 2 + 3),
                    ("8/8/8/8/8/8/p7/P7", 1),
                    ("8/8/8/8/8/8/1p6/P7", 2),
                    ("8/8/8/8/8/1p6/PP6/8", 2 + 2),
                ],
            ),
            (
                Feature::ColumnHole,
                &[
                    ("7p/8/2P5/8/2P5/8/7P/8", 6),
                    ("7p/8/8/8/8/8/P7/1PPPPPPP", 0),
                ],
            ),
            (Feature::HomeGround, &[("7p/8/8/8/8/8/2P5/P6P", 2)]),
        ] {
            for &(rows, expected) in cases {
                assert_eq!(count(rows, feature), expected, "{feature:?} of {rows}");
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

    #[test]
    fn mirror_and_colours_do_not_matter() {
        let mut random = Mt64::new(2009);
        for (files, ranks) in [(8, 8), (8, 8), (7, 7), (3, 5), (2, 4)] {
            for board in random_line(files, ranks, &mut random) {
                let value = evaluate(&board);
                assert_eq!(evaluate(&board.mirrored()), value, "{}", board.fen());
                assert_eq!(evaluate(&board.flipped()), value, "{}", board.fen());
            }
        }
    }
}
