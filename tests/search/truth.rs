//! Claims against exhaustive search, whatever the threads, the table, its
//! previous contents, and the side from which the board is seen. The exhaustive
//! search is that of [`within`]: every line, with the engine's rules, which
//! tests/game checks against a reference that shares nothing with them.
//! `PETARD_TEST_FACTOR=35` makes it 10,000 positions.

use crate::common::{below, cases, moves, random_position};
use crate::player::{Player, Report};
use petard::engine::Limits;
use petard::engine::Settings;
use petard::engine::mate_plies;
use petard::game::Side;
use petard::game::breakthrough::Position;
use petard::game::{Game, Notation, Outcome};
use rand_mt::Mt64;
use std::collections::HashMap;

type Board = Position<u128>;
type Known = HashMap<([u128; 2], Side, u32), Option<bool>>;

/// Files, ranks, the most pieces per side, and the furthest distance in plies that
/// is searched exhaustively.
const KINDS: [(usize, usize, usize, u32); 7] = [
    (3, 5, 5, 13),
    (4, 5, 5, 13),
    (5, 5, 5, 9),
    (4, 6, 5, 11),
    (7, 6, 3, 9),
    (8, 8, 3, 9),
    (12, 7, 2, 9),
];

/// Threads and megabytes of the hash table.
const SETTINGS: [(usize, usize); 4] = [(1, 1), (2, 1), (8, 1), (8, 32)];

/// Deep enough for every distance that is checked.
const DEPTH: u32 = 20;

/// Whether the side to move wins within `plies` plies, has lost within them, or
/// neither.
fn within(position: &Board, plies: u32, known: &mut Known) -> Option<bool> {
    match position.outcome() {
        Outcome::Ongoing => {}
        outcome => return Some(outcome == Outcome::Win(position.side_to_move())),
    }
    if plies == 0 {
        return None;
    }
    let pieces = Side::BOTH.map(|side| position.pieces(side));
    let key = (pieces, position.side_to_move(), plies);
    if let Some(&answer) = known.get(&key) {
        return answer;
    }
    let mut answer = Some(false);
    for &mv in &moves(position) {
        match within(&position.play(mv), plies - 1, known) {
            Some(false) => {
                answer = Some(true);
                break;
            }
            None => answer = None,
            Some(true) => {}
        }
    }
    known.insert(key, answer);
    answer
}

/// Plies to the end under best play, negative for a loss.
fn distance(position: &Board, horizon: u32, known: &mut Known) -> Option<i32> {
    (0..=horizon).find_map(|plies| {
        let wins = within(position, plies, known)?;
        Some(if wins { plies as i32 } else { -(plies as i32) })
    })
}

/// Checks everything reported about a position; returns the last distance.
fn check(name: &str, reported: &Report, exact: Option<i32>, horizon: u32) -> Option<i32> {
    let claims = reported.infos.iter().filter(|info| info.rank == 1);
    let mut last = None;
    for info in claims {
        last = mate_plies(info.score);
        let Some(claim) = last else {
            continue;
        };
        match exact {
            // A claim that is not yet the shortest is still true.
            Some(exact) => {
                assert_eq!(claim > 0, exact > 0, "{name}, {exact}: {info:?}");
                assert!(claim.abs() >= exact.abs(), "{name}, {exact}: {info:?}");
            }
            None => assert!(claim.unsigned_abs() > horizon, "{name}: {info:?}"),
        }
    }
    if exact.is_some() {
        assert_eq!(last, exact, "{name}: {:?}", reported.infos);
    }
    last
}

/// The reported move leads to the reported result.
fn check_move(name: &str, position: &Board, reported: &Report, exact: i32, known: &mut Known) {
    let best = reported.best.as_deref().expect("a move");
    let next = position.play(position.parse_move(best).expect("a legal one"));
    let left = distance(&next, exact.unsigned_abs() - 1, known);
    // A finished game counts as lost in 0 plies, or as won.
    let expected = if exact > 0 { 1 - exact } else { -exact - 1 };
    assert_eq!(left, Some(expected), "{name}: {best}");
}

#[test]
fn claims_are_true_and_shortest_with_any_threads_and_table() {
    let mut random = Mt64::new(61);
    let (mut claims, mut losses) = (0, 0);
    let mut players = SETTINGS.map(|(threads, hash)| {
        let settings = Settings {
            hash,
            threads,
            ..Settings::default()
        };
        let mut player = Player::with_settings(settings);
        // Another position's search has filled the table.
        let nodes = Limits {
            nodes: Some(100_000),
            ..Limits::default()
        };
        let start = Board::start(6, 6).unwrap();
        player.search(&start.fen(), nodes);
        player
    });
    for (files, ranks, pieces, horizon) in KINDS {
        let mut known = Known::new();
        for _ in 0..cases(42) {
            let position = random_position::<u128>(files, ranks, pieces, &mut random);
            let view = match below(&mut random, 3) {
                0 => position.flipped(),
                1 => position.mirrored(),
                _ => position,
            };
            let exact = distance(&position, horizon, &mut known);
            let chosen = below(&mut random, players.len());
            let player = &mut players[chosen];
            let reported = player.depth(&view.fen(), DEPTH);
            let name = format!("{} with {:?}", view.fen(), SETTINGS[chosen]);
            check(&name, &reported, exact, horizon);
            let Some(exact) = exact else {
                continue;
            };
            check_move(&name, &view, &reported, exact, &mut known);
            claims += 1;
            losses += usize::from(exact < 0);
        }
    }
    println!("{claims} claims, {losses} of them losses");
    assert!(
        claims > 150 && losses > 50,
        "{claims} claims, {losses} losses"
    );
}

#[test]
fn mirrored_and_flipped_positions_get_mirrored_results() {
    let mut random = Mt64::new(62);
    let mut player = Player::new(1, 1);
    for (files, ranks, pieces, _) in KINDS {
        for _ in 0..cases(8) {
            let position = random_position::<u128>(files, ranks, pieces, &mut random);
            let views = [
                position,
                position.flipped(),
                position.mirrored(),
                position.flipped().mirrored(),
            ];
            let results = views.map(|view| {
                let reported = player.depth(&view.fen(), DEPTH);
                reported
                    .infos
                    .last()
                    .and_then(|info| mate_plies(info.score))
            });
            // A result beyond the search depth may be found by chance.
            let shortest = results.iter().flatten().min_by_key(|plies| plies.abs());
            if shortest.is_some_and(|plies| plies.unsigned_abs() <= DEPTH) {
                assert_eq!(results, [results[0]; 4], "{}", position.fen());
            }
        }
    }
}

/// However early a search is cut off, it claims a loss only if every move
/// loses, and a win only if the move it plays wins.
#[test]
fn claims_of_a_search_cut_short_are_true() {
    let mut random = Mt64::new(63);
    let mut players = [1, 3].map(|threads| Player::new(threads, 1));
    let mut claims = [0, 0];
    for (files, ranks, pieces, horizon) in KINDS {
        let mut known = Known::new();
        for _ in 0..cases(80) {
            let position = random_position::<u128>(files, ranks, pieces, &mut random);
            let exact = distance(&position, horizon, &mut known);
            for attempt in 0..16 {
                let player = &mut players[attempt % 2];
                let nodes = 1 + below(&mut random, 400) as u64;
                let limits = Limits {
                    nodes: Some(nodes),
                    ..Limits::default()
                };
                player.engine.new_game().unwrap();
                let reported = player.search(&position.fen(), limits);
                let last = reported.infos.iter().rfind(|info| info.rank == 1);
                let claim = last.and_then(|info| mate_plies(info.score));
                let name = format!("{} nodes {nodes}: {last:?}", position.fen());
                match (claim, exact) {
                    (Some(claim), Some(exact)) => {
                        assert_eq!(claim > 0, exact > 0, "{name}, {exact}");
                        claims[usize::from(claim < 0)] += 1;
                    }
                    (Some(claim), None) => assert!(claim.unsigned_abs() > horizon, "{name}"),
                    _ => {}
                }
            }
        }
    }
    println!("wins and losses claimed: {claims:?}");
    assert!(claims.iter().all(|&count| count > 50), "{claims:?}");
}
