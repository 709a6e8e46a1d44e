//! Troyka's rules against counts from elsewhere and against the slow reference.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::reference::Board;
use common::{below, moves, random_game, random_position};
use petard::base::Side;
use petard::game::perft::perft;
use petard::game::troyka::{Bits, Position};
use petard::game::{Game, Move, Notation, Outcome, Tactics};
use rand_mt::Mt64;

#[test]
fn perft_equals_the_496_counts_of_fairy_stockfish() {
    let data = include_str!("../data/perft.tsv");
    let mut checked = 0;
    for line in data.lines().skip(1) {
        let field: Vec<&str> = line.split('\t').collect();
        let (depth, nodes) = (field[2].parse().unwrap(), field[3].parse::<u64>().unwrap());
        let wide = Position::<u128>::from_fen(field[4]).unwrap();
        assert_eq!(perft(&wide, depth), nodes, "{line}");
        if let Ok(small) = Position::<u64>::from_fen(field[4]) {
            assert_eq!(perft(&small, depth), nodes, "{line}");
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

/// Sizes of every kind: square, wide, tall, the extremes, both set types.
const SIZES: [(usize, usize); 16] = [
    (2, 4),
    (2, 5),
    (3, 4),
    (5, 5),
    (6, 6),
    (8, 8),
    (7, 8),
    (8, 5),
    (4, 8),
    (9, 8),
    (8, 9),
    (10, 10),
    (16, 8),
    (32, 4),
    (2, 64),
    (12, 10),
];

fn check_line<B: Bits>(line: &[Position<B>], random: &mut Mt64) {
    for position in line {
        let reference = Board::parse(&position.fen());
        let mut expected: Vec<(String, Board)> = reference.successors();
        let list = moves(position);
        let mut found: Vec<(String, Board)> = list
            .iter()
            .map(|&mv| {
                (
                    position.move_text(mv),
                    Board::parse(&position.play(mv).fen()),
                )
            })
            .collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(found, expected, "{}", position.fen());
        assert_eq!(position.count_moves(), list.len() as u64);
        assert_eq!(list.is_empty(), position.outcome() != Outcome::Ongoing);
        assert_eq!(position.key(), position.computed_key());
        let mut indices: Vec<usize> = list.iter().map(|&mv| position.move_index(mv)).collect();
        indices.sort_unstable();
        indices.dedup();
        assert_eq!(indices.len(), list.len(), "move indices are distinct");
        assert!(
            indices
                .iter()
                .all(|&index| index < Position::<B>::MOVE_INDICES)
        );
        for &mv in &list {
            assert!(position.is_legal(mv));
            assert_eq!(position.parse_move(&position.move_text(mv)), Ok(mv));
        }
        for _ in 0..20 {
            let any = Move::from_raw(random.next_u64() as u16);
            assert_eq!(
                position.is_legal(any),
                list.contains(&any),
                "{} {any:?}",
                position.fen()
            );
        }
        let again = Position::<B>::from_fen(&position.fen()).unwrap();
        assert_eq!(again, *position);
    }
}

#[test]
fn random_games_agree_with_the_reference_on_all_sizes() {
    let mut random = Mt64::new(1);
    for (files, ranks) in SIZES {
        for _ in 0..4 {
            let wide = Position::<u128>::start(files, ranks).unwrap();
            check_line(&random_game(&wide, &mut random), &mut random);
            if let Ok(small) = Position::<u64>::start(files, ranks) {
                check_line(&random_game(&small, &mut random), &mut random);
            }
        }
    }
}

/// Moves as text after a change of view.
fn move_set<G: Notation>(position: &G) -> Vec<String> {
    let mut list: Vec<String> = moves(position)
        .iter()
        .map(|&mv| position.play(mv).fen())
        .collect();
    list.sort_unstable();
    list
}

fn check_symmetry<B: Bits>(position: &Position<B>) {
    let strip = |fen: String| fen.rsplit_once(' ').map(|(rest, _)| rest.to_owned());
    for view in [Position::mirrored, Position::flipped] {
        let image = view(position);
        assert_eq!(strip(view(&image).fen()), strip(position.fen()));
        assert_eq!(image.key(), image.computed_key());
        assert_eq!(perft(&image, 2), perft(position, 2));
        let mut images: Vec<String> = moves(position)
            .iter()
            .map(|&mv| strip(view(&position.play(mv)).fen()).unwrap())
            .collect();
        images.sort_unstable();
        let mut found: Vec<String> = move_set(&image)
            .into_iter()
            .map(|fen| strip(fen).unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(images, found);
    }
    let winner = |outcome| match outcome {
        Outcome::Win(side) => Outcome::Win(!side),
        other => other,
    };
    assert_eq!(position.flipped().outcome(), winner(position.outcome()));
    assert_eq!(position.mirrored().outcome(), position.outcome());
    let kind = |tactics| match tactics {
        Tactics::Open => (0, 0),
        Tactics::Win { plies, .. } => (1, plies),
        Tactics::Loss { plies } => (2, plies),
        Tactics::Only(list) => (3, list.len() as u8),
        // The squares depend on which of several runs is looked at.
        Tactics::Within { .. } => (0, 0),
    };
    if position.outcome() == Outcome::Ongoing {
        assert_eq!(kind(position.tactics()), kind(position.flipped().tactics()));
        assert_eq!(
            kind(position.tactics()),
            kind(position.mirrored().tactics())
        );
    }
}

#[test]
fn mirror_and_colour_flip_change_nothing() {
    let mut random = Mt64::new(2);
    for (files, ranks) in SIZES {
        let wide = Position::<u128>::start(files, ranks).unwrap();
        random_game(&wide, &mut random)
            .iter()
            .for_each(check_symmetry);
        if let Ok(small) = Position::<u64>::start(files, ranks) {
            random_game(&small, &mut random)
                .iter()
                .for_each(check_symmetry);
        }
    }
}

#[test]
fn replaying_a_game_gives_the_same_positions_and_a_parent_never_changes() {
    let mut random = Mt64::new(3);
    for (files, ranks) in SIZES {
        let start = Position::<u128>::start(files, ranks).unwrap();
        let mut stack = vec![start];
        let mut played = Vec::new();
        // Up and down a line at random, as a search does.
        for _ in 0..400 {
            let top = *stack.last().unwrap();
            let list = moves(&top);
            if list.is_empty() || (stack.len() > 1 && below(&mut random, 3) == 0) {
                stack.pop();
                played.pop();
            } else {
                let mv = list[below(&mut random, list.len())];
                stack.push(top.play(mv));
                played.push(mv);
            }
            let replayed = played.iter().fold(start, |position, &mv| position.play(mv));
            assert_eq!(stack.last(), Some(&replayed));
            assert_eq!(replayed.key(), replayed.computed_key());
            if stack.is_empty() {
                break;
            }
        }
    }
}

#[test]
fn different_positions_have_different_keys() {
    let mut random = Mt64::new(4);
    let mut seen = std::collections::HashMap::new();
    for (files, ranks) in SIZES {
        for _ in 0..20 {
            let start = Position::<u128>::start(files, ranks).unwrap();
            for position in random_game(&start, &mut random) {
                let text = position.fen();
                let text = text.rsplit_once(' ').unwrap().0.to_owned();
                let known = seen.entry(position.key()).or_insert_with(|| text.clone());
                assert_eq!(*known, text);
            }
        }
    }
}

/// Every claim of `tactics` on a position, checked by exhaustive search.
fn check_tactics<B: Bits>(position: &Position<B>) -> bool {
    let board = Board::parse(&position.fen());
    match position.tactics() {
        Tactics::Open => return false,
        // Longer claims are tested with the facts they come from, against a
        // faster exhaustive search.
        Tactics::Win { plies, .. } | Tactics::Loss { plies } if plies > 5 => return true,
        Tactics::Win { plies, best } if best.is_none() => {
            assert_eq!(
                board.solve(u32::from(plies)),
                Some(true),
                "{}",
                position.fen()
            );
        }
        Tactics::Within { reply, plies } => {
            assert!(!reply.is_empty());
            for mv in moves(position) {
                if !reply.contains(&mv) {
                    let after = position.play(mv).tactics();
                    let Tactics::Win { plies: found, .. } = after else {
                        panic!("{} {after:?}", position.fen());
                    };
                    assert!(found < plies, "{}", position.fen());
                }
            }
        }
        Tactics::Win { plies, best } => {
            assert!(position.is_legal(best), "{}", position.fen());
            assert_eq!(
                board.solve(u32::from(plies)),
                Some(true),
                "{}",
                position.fen()
            );
            let after = Board::parse(&position.play(best).fen());
            assert_eq!(
                after.solve(u32::from(plies) - 1),
                Some(false),
                "{}",
                position.fen()
            );
        }
        Tactics::Loss { plies } => {
            assert_eq!(
                board.solve(u32::from(plies)),
                Some(false),
                "{}",
                position.fen()
            );
        }
        Tactics::Only(reply) => {
            assert!(!reply.is_empty());
            for mv in moves(position) {
                if !reply.contains(&mv) {
                    let after = Board::parse(&position.play(mv).fen());
                    assert_eq!(after.solve(1), Some(true), "{}", position.fen());
                }
            }
        }
    }
    true
}

#[test]
fn tactics_are_theorems_on_100000_random_positions() {
    let mut random = Mt64::new(5);
    let sizes = [
        (2, 5),
        (3, 5),
        (4, 4),
        (5, 5),
        (6, 6),
        (7, 7),
        (8, 8),
        (4, 8),
        (9, 6),
        (10, 5),
    ];
    let (mut checked, mut claims) = (0, 0);
    for _ in 0..10_000 {
        for (files, ranks) in sizes {
            let most = 1 + below(&mut random, 2 * files);
            checked += 1;
            claims += usize::from(if files <= 8 && ranks <= 8 {
                check_tactics(&random_position::<u64>(files, ranks, most, &mut random))
            } else {
                check_tactics(&random_position::<u128>(files, ranks, most, &mut random))
            });
        }
    }
    assert_eq!(checked, 100_000);
    assert!(claims > 20_000, "only {claims} claims were tested");
}

#[test]
fn a_side_without_men_or_moves_has_lost() {
    let position = Position::<u64>::from_fen("8/8/8/8/8/8/8/PPPPPPPP b 0 1").unwrap();
    assert_eq!(position.outcome(), Outcome::Win(Side::White));
    let position = Position::<u64>::from_fen("8/8/8/pp6/8/8/8/8 b 0 1").unwrap();
    assert_eq!(position.outcome(), Outcome::Win(Side::Black));
    // The rule that a side without a move has lost never decides: the foremost
    // man has a diagonal that is empty or holds an enemy.
    let mut random = Mt64::new(6);
    for _ in 0..20_000 {
        let position = random_position::<u64>(2 + below(&mut random, 7), 4, 8, &mut random);
        assert!(position.count_moves() > 0);
    }
}

#[test]
fn faults_of_a_fen_are_named() {
    for (fen, reason) in [
        ("", "the position is empty"),
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
        ("PP/pp/2/PP/pp w", "both sides have arrived"),
        ("2/2/2/2 w", "there are no men on the board"),
        (
            "pp/2/PP w",
            "a board of 2x3 cannot be played on: at least 2 files, at least 4 ranks, at most 128 squares",
        ),
        (
            "p/p/1/P/P w",
            "a board of 1x5 cannot be played on: at least 2 files, at least 4 ranks, at most 128 squares",
        ),
        (
            "pp/pp/2/PP/PP w 0",
            "3 fields, where a position has 2 (rows and side), 4 (w 0 1) or 6 (w - - 0 1)",
        ),
        ("pp/pp/2/PP/PP w KQ - 0 1", "field 'KQ' must be - here"),
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
        ("a3a4", "'a3a4' is illegal: white has no man on a3"),
        ("a7a6", "'a7a6' is illegal: white has no man on a7"),
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
