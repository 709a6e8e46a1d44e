//! The move that is played is the first of the last reported line, however the
//! search ended.

use crate::common::{below, moves, random_game};
use crate::player::{Player, Report};
use petard::engine::{Bound, Limits};
use petard::engine::{Info, Settings};
use petard::game::Notation;
use petard::game::breakthrough::Position;
use rand_mt::Mt64;
use std::cell::Cell;

/// A player of this rating that reports so many lines.
fn weaker_player(elo: i32, multi_pv: usize) -> Player {
    Player::with_settings(Settings {
        hash: 4,
        multi_pv,
        limit_strength: true,
        elo,
        ..Settings::default()
    })
}

/// Searches cut off at any point, on positions of random games.
fn cut_off(player: &mut Player, searches: usize, seed: u64, check: impl Fn(&str, &Report)) {
    let mut random = Mt64::new(seed);
    let mut done = 0;
    loop {
        let start = Position::<u64>::start(6 + done % 3, 6 + done % 2).unwrap();
        let game = random_game(&start, &mut random);
        for position in game[..game.len() - 1].iter().step_by(5) {
            let nodes = 100 + below(&mut random, 4_000) as u64;
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let fen = position.fen();
            let reported = player.search(&fen, limits);
            check(&format!("{fen} nodes {nodes}"), &reported);
            done += 1;
            if done == searches {
                return;
            }
        }
    }
}

fn is_first_of_the_last_line(name: &str, reported: &Report) {
    let last = reported.infos.iter().rfind(|info| info.rank == 1);
    let last = last.expect("a line");
    assert_eq!(
        reported.best.as_ref(),
        last.line.first(),
        "{name}: {last:?}"
    );
}

#[test]
fn the_move_is_the_first_of_the_last_line_told() {
    for (threads, lines, searches) in [(1, 1, 900), (1, 4, 300), (2, 1, 300), (3, 2, 100)] {
        let mut player = Player::new(threads, lines);
        cut_off(&mut player, searches, 61, is_first_of_the_last_line);
    }
}

#[test]
fn a_weaker_player_tells_what_it_plays() {
    for elo in [-350, 200, 780, 1_200, 2_000, 2_500] {
        let mut player = weaker_player(elo, 1);
        cut_off(&mut player, 60, 62, is_first_of_the_last_line);
    }
}

#[test]
fn an_unfinished_iteration_changes_the_move_only_by_what_it_found() {
    for lines in [1, 4] {
        let changes = Cell::new(0);
        let mut player = Player::new(1, lines);
        cut_off(&mut player, 900, 63, |name, reported| {
            let firsts: Vec<_> = reported
                .infos
                .iter()
                .filter(|info| info.rank == 1)
                .collect();
            let [.., before, last] = &firsts[..] else {
                return;
            };
            // A move other than the last finished iteration's must come from
            // the next iteration or be one of its other lines, unless all that found
            // is that the move loses.
            if before.line.first() != last.line.first() && last.bound != Bound::Upper {
                let is_other_line = reported.infos.iter().any(|info| {
                    let is_same = info.line.first() == last.line.first();
                    info.rank > 1 && info.depth == last.depth && is_same
                });
                let is_new = last.depth > before.depth;
                assert!(is_new || is_other_line, "{name}: {last:?}");
                changes.set(changes.get() + 1);
            }
        });
        assert!(changes.get() > 20, "{changes:?}");
    }
}

#[test]
fn lines_told_together_begin_with_different_moves() {
    let mut player = Player::new(1, 4);
    cut_off(&mut player, 300, 64, |name, reported| {
        let mut firsts: Vec<&str> = Vec::new();
        for info in &reported.infos {
            firsts.truncate(info.rank as usize - 1);
            assert!(!firsts.contains(&info.line[0].as_str()), "{name}: {info:?}");
            firsts.push(&info.line[0]);
        }
    });
}

/// The first move loses at once, and few nodes show nothing of the others.
#[test]
fn no_line_is_told_without_those_before_it() {
    const CROWDED: &str = "p6p1/3p4p/7pp/3P1P2p/1P1ppPp1p/p3P1P2/2P1P2PP w";
    for mut player in [Player::new(1, 3), weaker_player(900, 1)] {
        for nodes in 1..80 {
            player.engine.new_game().unwrap();
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let reported = player.search(CROWDED, limits);
            let mut before = 0;
            for info in &reported.infos {
                assert!(info.rank <= before + 1, "nodes {nodes}: {info:?}");
                before = info.rank;
            }
        }
    }
}

#[test]
fn a_child_s_opponent_chooses_from_all_moves() {
    let mut random = Mt64::new(65);
    for elo in [-350, -110, 500] {
        let mut player = weaker_player(elo, 1);
        for _ in 0..20 {
            let game = random_game(&Position::<u64>::start(8, 8).unwrap(), &mut random);
            let position = &game[below(&mut random, game.len() - 1)];
            let reported = player.search(&position.fen(), Limits::default());
            let mut ranks: Vec<_> = reported.infos.iter().map(|info| info.rank).collect();
            ranks.sort_unstable();
            ranks.dedup();
            assert_eq!(ranks.len(), moves(position).len(), "{}", position.fen());
        }
    }
}

/// Weak levels search few nodes, on large boards too few for all their lines.
#[test]
fn every_line_of_a_weaker_player_has_a_depth_and_moves() {
    let mut random = Mt64::new(66);
    for elo in [800, 1_000, 1_300] {
        let mut player = weaker_player(elo, 1);
        for _ in 0..15 {
            let game = random_game(&Position::<u128>::start(16, 8).unwrap(), &mut random);
            let position = &game[below(&mut random, game.len() - 1)];
            let reported = player.search(&position.fen(), Limits::default());
            let is_whole = |info: &Info| info.depth > 0 && !info.line.is_empty();
            assert!(!reported.infos.is_empty() && reported.infos.iter().all(is_whole));
        }
    }
}

#[test]
fn a_weaker_player_does_not_choose_from_more_lines_than_its_own() {
    const LINES: u32 = 12;
    let mut random = Mt64::new(67);
    let mut player = weaker_player(800, 40);
    let mut others = 0;
    for _ in 0..40 {
        let game = random_game(&Position::<u64>::start(8, 8).unwrap(), &mut random);
        let position = &game[below(&mut random, game.len() / 2)];
        let reported = player.search(&position.fen(), Limits::default());
        // A choice other than the first line is reported by exchanging the two.
        if let [.., first, other] = &reported.infos[..]
            && (first.rank, other.rank) != (other.rank - 1, moves(position).len() as u32)
        {
            assert!(first.rank == 1 && other.rank <= LINES, "{other:?}");
            others += 1;
        }
    }
    assert!(others > 10, "{others}");
}
