//! The searches against each other, and the report.

use super::article_search::{Full, SmallBoard, plain};
use super::{Row, Sample, json};
use crate::base::{Score, is_mate, loss_in, win_in};
use crate::eval::article::evaluate;
use crate::game::{Game, MoveList, Notation, Outcome};
use rand_mt::Mt64;
use std::time::Duration;

/// A number below `bound`.
fn below(random: &mut Mt64, bound: usize) -> usize {
    (random.next_u64() % bound as u64) as usize
}

/// The positions of a random game, the last one decided.
fn random_line(files: usize, ranks: usize, random: &mut Mt64) -> Vec<SmallBoard> {
    let mut line = vec![SmallBoard::start(files, ranks).unwrap()];
    while let Some(board) = line.last()
        && board.outcome() == Outcome::Ongoing
    {
        let mut moves = MoveList::new();
        board.moves(&mut moves);
        let next = board.play(moves[below(random, moves.len())]);
        line.push(next);
    }
    line
}

/// The minimax value, by searching every line to the end.
fn minimax(board: &SmallBoard, depth: u32, ply: usize) -> Score {
    match board.outcome() {
        Outcome::Win(side) if side == board.side_to_move() => win_in(ply),
        Outcome::Win(_) => loss_in(ply),
        _ if depth == 0 => evaluate(board),
        _ => {
            let mut moves = MoveList::new();
            board.moves(&mut moves);
            let values = moves
                .iter()
                .map(|&mv| -minimax(&board.play(mv), depth - 1, ply + 1));
            values.max().unwrap()
        }
    }
}

/// Random positions, some decided, each with a search depth up to its board's
/// maximum.
fn samples(boards: &[(usize, usize, u32)], number: usize) -> Vec<(SmallBoard, u32)> {
    let mut random = Mt64::new(7);
    let mut samples = Vec::new();
    for &(files, ranks, most) in boards {
        for _ in 0..number {
            let line = random_line(files, ranks, &mut random);
            // More often near the end, where wins are.
            let back = below(&mut random, line.len().min(16));
            let board = line[line.len() - 1 - back];
            samples.push((board, below(&mut random, most as usize + 1) as u32));
        }
    }
    samples
}

#[test]
fn a1_finds_the_minimax_value() {
    let mut decided = 0;
    for (board, depth) in samples(&[(3, 5, 7), (4, 5, 6), (5, 6, 5), (8, 8, 4)], 12) {
        let value = minimax(&board, depth, 0);
        assert_eq!(plain(&board, depth).score, value, "{} {depth}", board.fen());
        decided += u32::from(is_mate(value));
    }
    assert!(decided > 5, "some of them see the end of the game");
}

#[test]
fn a2_without_null_move_finds_the_value_of_a1() {
    // Deep enough that positions recur with another window.
    let mut full = Full::new(1, false).unwrap();
    for (board, depth) in samples(&[(3, 5, 9), (4, 6, 7), (5, 6, 6), (8, 8, 4)], 40) {
        // Iterations begin at depth 1.
        let depth = depth.max(1);
        let found = full.search(&board, depth);
        assert_eq!(found.score, plain(&board, depth).score, "{}", board.fen());
    }
}

#[test]
fn the_end_of_the_game_is_seen_at_depth_0_and_by_its_distance() {
    let mut full = Full::new(1, true).unwrap();
    for (fen, depth, score) in [
        ("P7/8/8/8/8/8/p7/8 b 0 1", 0, loss_in(0)),
        ("8/8/8/8/8/8/8/P7 b 0 1", 3, loss_in(0)),
        ("8/P7/8/8/8/8/7p/8 w 0 1", 1, win_in(1)),
        // The win in one, even if later ones are in sight.
        ("8/P7/8/8/8/8/6p1/8 w 0 1", 5, win_in(1)),
        // Two pieces about to arrive, only one of which can be taken.
        ("3p4/P3P3/8/8/8/8/8/8 b 0 1", 2, loss_in(2)),
    ] {
        let board = SmallBoard::from_fen(fen).unwrap();
        assert_eq!(plain(&board, depth).score, score, "{fen}");
        if depth > 0 {
            assert_eq!(full.search(&board, depth).score, score, "{fen}");
        }
    }
}

#[test]
fn the_table_is_cleared_between_searches() {
    let start = SmallBoard::start(6, 6).unwrap();
    let mut full = Full::new(1, true).unwrap();
    let first = full.search(&start, 5);
    let again = full.search(&start, 5);
    assert_eq!((first.work, first.score), (again.work, again.score));
    let fresh = Full::new(1, true).unwrap().search(&start, 5);
    assert_eq!(fresh.work, first.work);
}

#[test]
fn a_row_tells_the_articles_figures_and_what_was_saved() {
    let sample = |nodes| Sample {
        nodes,
        time: Duration::from_micros(1_234_500),
        score: -7,
        cut_rate: Some(0.5),
    };
    let mut row = Row {
        depth: 7,
        a1: Some(sample(4_000_000)),
        a2: Some(sample(40_000)),
        petard: sample(1_000),
    };
    let text = row.to_string();
    let columns: Vec<&str> = text.split(['|', ' ']).filter(|t| !t.is_empty()).collect();
    let expected = "7 5,751,094 245,487 62,536 22,491 98.9 4,000,000 1,235 50.0 \
                    40,000 1,235 99.0 50.0 1,000 1,235 100.0";
    assert_eq!(columns, expected.split(' ').collect::<Vec<_>>());
    let reported = json("x", &[row]).to_string();
    assert!(reported.contains(
        r#""a2":{"nodes":40000,"ms":1234.5,"saved_percent":99.0,"cut_rate":0.5,"score":-7}"#
    ));
    // No saving is reported where A1 was not run.
    row.a1 = None;
    row.depth = 8;
    assert_eq!(row.to_string().matches('-').count(), 5 + 3 + 1 + 1, "{row}");
    let reported = json("x", &[row]).to_string();
    assert!(
        reported.contains(r#""article":null,"a1":null"#),
        "{reported}"
    );
}
