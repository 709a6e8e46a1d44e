//! The search: its claims are true, its lines can be played, and it is
//! reproducible.
#![allow(clippy::unwrap_used)]

use crate::common;
use crate::player::{Player, Report, few_pieces};

use common::driver::Driver;
use common::reference::{Board as Reference, Memory};
use common::{below, cases, random_game, random_position};
use petard::engine::{Board, Clock, Limits, Variant, mate_plies};
use petard::game::breakthrough::Position;
use petard::game::{Game, Notation, Outcome};
use rand_mt::Mt64;
use std::time::Duration;

/// The late positions of a random game.
fn late(files: usize, ranks: usize, random: &mut Mt64) -> Vec<String> {
    let start = Position::<u128>::start(files, ranks).unwrap();
    let game = random_game(&start, random);
    let first = game.len().saturating_sub(9);
    game[first..game.len() - 1]
        .iter()
        .map(Notation::fen)
        .collect()
}

/// Checks every proven result that was reported; returns how many there were.
/// Claims more than `horizon` plies away are not checked.
fn check_claims(fen: &str, reported: &Report, horizon: u32, memory: &mut Memory) -> usize {
    let board = Reference::parse(fen);
    let mut claims = 0;
    for info in &reported.infos {
        let Some(plies) = mate_plies(info.score) else {
            continue;
        };
        // Lines after the first are about one move, not the position.
        if plies.unsigned_abs() > horizon || (info.rank > 1 && plies < 0) {
            continue;
        }
        claims += 1;
        let found = board.solve_with(plies.unsigned_abs(), memory);
        assert_eq!(found, Some(plies > 0), "{fen}: {info:?}");
    }
    claims
}

#[test]
fn every_claim_of_a_win_or_loss_is_true() {
    let mut random = Mt64::new(31);
    let mut claims = 0;
    for (threads, lines) in [(1, 1), (2, 1), (1, 3)] {
        let mut player = Player::new(threads, lines);
        for (files, ranks, pieces) in [(3, 5, 4), (4, 6, 3), (5, 5, 4), (8, 8, 3), (9, 6, 3)] {
            let mut memory = Memory::new();
            for _ in 0..cases(90) {
                let fen = few_pieces(files, ranks, pieces, &mut random);
                let reported = player.depth(&fen, 9);
                claims += check_claims(&fen, &reported, 11, &mut memory);
            }
        }
        for (files, ranks) in [(4, 5), (5, 5), (6, 6)] {
            let mut memory = Memory::new();
            for _ in 0..cases(6) {
                for fen in late(files, ranks, &mut random) {
                    let reported = player.depth(&fen, 7);
                    claims += check_claims(&fen, &reported, 5, &mut memory);
                }
            }
        }
    }
    assert!(claims > 2000, "only {claims} claims were checked");
}

#[test]
fn wins_that_are_there_are_found() {
    let mut random = Mt64::new(32);
    let mut player = Player::new(1, 1);
    let mut decided = 0;
    for (files, ranks, pieces) in [(3, 6, 4), (4, 6, 4), (5, 5, 4), (8, 7, 3)] {
        let mut memory = Memory::new();
        for _ in 0..cases(60) {
            let fen = few_pieces(files, ranks, pieces, &mut random);
            let Some(wins) = Reference::parse(&fen).solve_with(7, &mut memory) else {
                continue;
            };
            decided += 1;
            let reported = player.depth(&fen, 16);
            let last = reported.infos.last().unwrap();
            let plies = mate_plies(last.score).unwrap_or_else(|| panic!("{fen}: {last:?}"));
            assert_eq!(plies > 0, wins, "{fen}: {last:?}");
            // The move that is played wins.
            if wins {
                let line = reported.best.as_deref();
                let after = Board::from_fen(Variant::STANDARD, &fen).unwrap();
                let after = after.with_moves(line).unwrap();
                let lost = Reference::parse(&after.fen())
                    .solve_with(plies.unsigned_abs() - 1, &mut memory);
                assert_eq!(lost, Some(false), "{fen}: {last:?}");
            }
        }
    }
    assert!(decided > 100, "only {decided} positions were decided");
}

/// Sizes of every kind, including the extremes.
const SIZES: [(usize, usize); 12] = [
    (2, 4),
    (2, 64),
    (32, 4),
    (16, 8),
    (8, 16),
    (3, 5),
    (5, 5),
    (6, 6),
    (7, 7),
    (8, 8),
    (12, 10),
    (11, 11),
];

#[test]
fn lines_are_legal_to_their_end_on_boards_of_all_sizes() {
    let mut random = Mt64::new(33);
    for (threads, lines) in [(1, 1), (1, 4), (2, 2)] {
        let mut player = Player::new(threads, lines);
        for (files, ranks) in SIZES {
            let start = Position::<u128>::start(files, ranks).unwrap();
            let game = random_game(&start, &mut random);
            let mut fens = vec![start.fen()];
            fens.extend((0..4).map(|_| game[below(&mut random, game.len() - 1)].fen()));
            for fen in fens {
                let reported = player.depth(&fen, 6);
                let board = Board::from_fen(Variant::STANDARD, &fen).unwrap();
                assert!(
                    board
                        .legal_moves()
                        .contains(reported.best.as_ref().unwrap())
                );
                for info in &reported.infos {
                    assert!(!info.line.is_empty(), "{fen}: {info:?}");
                    let end = board.with_moves(info.line.iter().map(String::as_str));
                    let end = end.unwrap_or_else(|error| panic!("{fen}: {error} in {info:?}"));
                    // A line that ends the game must end it as its score says.
                    if let (Outcome::Win(side), true) = (end.outcome(), threads == 1) {
                        let own = side == board.side_to_move();
                        assert_eq!(
                            mate_plies(info.score).map(|n| n > 0),
                            Some(own),
                            "{fen}: {info:?}"
                        );
                        let plies = mate_plies(info.score).unwrap().unsigned_abs() as usize;
                        assert!(info.line.len() <= plies, "{fen}: {info:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_search_is_the_same_again_on_one_thread() {
    let mut random = Mt64::new(34);
    let fens: Vec<String> = (0..6)
        .map(|_| {
            let start = Position::<u64>::start(8, 8).unwrap();
            let game = random_game(&start, &mut random);
            game[below(&mut random, game.len() / 2)].fen()
        })
        .collect();
    let mut first = Player::new(1, 1);
    let mut second = Player::new(1, 1);
    // What came before must not matter after a new game.
    second.depth(&fens[0], 8);
    for fen in &fens {
        for limits in [
            Limits {
                depth: Some(9),
                ..Limits::default()
            },
            Limits {
                nodes: Some(20_011),
                ..Limits::default()
            },
        ] {
            let mut seen = Vec::new();
            for player in [&mut first, &mut second] {
                player.engine.new_game().unwrap();
                let reported = player.search(fen, limits.clone());
                let facts: Vec<_> = reported
                    .infos
                    .into_iter()
                    .map(|info| (info.depth, info.score, info.nodes, info.hashfull, info.line))
                    .collect();
                seen.push((facts, reported.best));
            }
            assert_eq!(seen[0], seen[1], "{fen}");
        }
    }
}

#[test]
fn the_binary_is_the_same_again_after_a_new_game() {
    let mut engine = Driver::start();
    let mut again = || {
        engine.send("ucinewgame\nposition startpos moves b2b3 g7g6\ngo depth 9");
        let lines = engine.until("bestmove ");
        let strip = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            let timed = |i: usize| i > 0 && ["nps", "time"].contains(&words[i - 1]);
            let kept: Vec<&str> = (0..words.len())
                .filter(|&i| !timed(i))
                .map(|i| words[i])
                .collect();
            kept.join(" ")
        };
        lines.iter().map(strip).collect::<Vec<_>>()
    };
    let first = again();
    assert_eq!(again(), first);
    engine.quit();
}

#[test]
fn a_colour_flip_does_not_change_who_wins() {
    let mut random = Mt64::new(35);
    let mut player = Player::new(1, 1);
    for _ in 0..60 {
        let position = random_position::<u64>(6, 6, 4, &mut random);
        let mut results = Vec::new();
        for view in [position, position.flipped(), position.mirrored()] {
            let reported = player.depth(&view.fen(), 14);
            let score = reported.infos.last().unwrap().score;
            results.push(mate_plies(score).map(|plies| plies > 0));
        }
        assert!(
            results.iter().all(|r| r.is_some()),
            "{}: {results:?}",
            position.fen()
        );
        assert!(
            results.iter().all(|r| *r == results[0]),
            "{}: {results:?}",
            position.fen()
        );
    }
}

#[test]
fn a_single_reply_is_played_without_using_the_clock() {
    let mut player = Player::new(1, 1);
    // A clock of a week would outlast the test.
    let week = Clock {
        remaining: Duration::from_secs(604_800),
        increment: Duration::ZERO,
        moves_to_go: Some(1),
    };
    let limits = Limits {
        clock: Some(week),
        ..Limits::default()
    };
    for (fen, reply) in [
        // The only legal move.
        ("8/8/8/8/8/7p/7P/8 b 0 1", "h3g2"),
        // The only move that does not lose at once.
        ("pp5p/1P6/8/8/8/8/P5PP/8 b 0 1", "a8b7"),
    ] {
        let reported = player.search(fen, limits.clone());
        assert_eq!(reported.best.as_deref(), Some(reply));
    }
}

#[test]
fn every_position_of_whole_games_is_played_without_a_fault() {
    let mut random = Mt64::new(36);
    let mut player = Player::new(2, 1);
    for (files, ranks) in SIZES {
        let start = Position::<u128>::start(files, ranks).unwrap();
        for position in random_game(&start, &mut random).iter().step_by(7) {
            let limits = Limits {
                nodes: Some(700),
                ..Limits::default()
            };
            let reported = player.search(&position.fen(), limits);
            let is_over = position.outcome() != Outcome::Ongoing;
            assert_eq!(reported.best.is_none(), is_over, "{}", position.fen());
        }
    }
}
