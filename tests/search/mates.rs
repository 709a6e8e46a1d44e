//! Distances: what is reported as a win or a loss in N moves is exactly that.
//! `PETARD_TEST_FACTOR` multiplies the number of random positions of each kind.

use crate::common::freeling_reference::{FILES, Grid, Known, RANKS, capacity};
use crate::common::reference::{Board as Reference, Memory};
use crate::common::{below, cases};
use crate::player::{Player, Report, few_pieces};
use petard::engine::Limits;
use petard::engine::mate_plies;
use petard::engine::{Board, Variant};
use rand_mt::Mt64;

/// Boards, with the most pieces per side and the furthest distance, in plies, that
/// the reference is asked for.
const KINDS: [(usize, usize, usize, u32); 6] = [
    (4, 5, 5, 15),
    (5, 5, 5, 11),
    (4, 6, 4, 13),
    (5, 6, 3, 13),
    (6, 6, 3, 11),
    (8, 8, 2, 11),
];

fn positions_of_a_kind() -> usize {
    cases(12)
}

/// The plies to the end under best play, negative for a loss, if that is within
/// the horizon.
fn distance(mut solve: impl FnMut(u32) -> Option<bool>, horizon: u32) -> Option<i32> {
    (0..=horizon).find_map(|plies| {
        solve(plies).map(|wins| if wins { plies as i32 } else { -(plies as i32) })
    })
}

fn claim(reported: &Report) -> Option<i32> {
    let last = reported.infos.iter().rfind(|info| info.rank == 1).unwrap();
    mate_plies(last.score)
}

fn at_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn mate_in(moves: u32) -> Limits {
    Limits {
        mate: Some(moves),
        ..Limits::default()
    }
}

/// Positions of Freeling's game whose fastest win ignores the promising moves.
const FREELING: [(&str, u32); 1] = [("3dp/1d2P/3D1/5/1D3/5/3P1/5/5 w", 5)];

#[test]
fn a_quicker_win_is_found_behind_a_slower_one() {
    let mut player = Player::new(1, 1);
    let reported = player.depth("4p/4p/5/4P/5 b", 20);
    assert_eq!(claim(&reported), Some(3), "{:?}", reported.infos);
    for (fen, moves) in FREELING {
        let board = Board::from_fen(Variant::Freeling, fen).unwrap();
        for limits in [
            at_depth(20),
            mate_in(moves),
            Limits {
                nodes: Some(20_000_000),
                ..Limits::default()
            },
        ] {
            player.engine.new_game().unwrap();
            let reported = player.search_board(board.clone(), limits.clone());
            let plies = claim(&reported);
            assert_eq!(plies, Some(2 * moves as i32 - 1), "{fen} {limits:?}");
        }
    }
}

#[test]
fn distances_are_those_of_exhaustive_search() {
    let mut random = Mt64::new(51);
    let mut claims = 0;
    for (files, ranks, pieces, horizon) in KINDS {
        let mut memory = Memory::new();
        let mut player = Player::new(1, 1);
        for _ in 0..positions_of_a_kind() {
            let fen = few_pieces(files, ranks, pieces, &mut random);
            let reported = player.depth(&fen, 20);
            let reference = Reference::parse(&fen);
            let exact = distance(|plies| reference.solve_with(plies, &mut memory), horizon);
            match (claim(&reported), exact) {
                (Some(plies), None) => assert!(plies.unsigned_abs() > horizon, "{fen}"),
                (claim, exact) => assert_eq!(claim, exact, "{fen}"),
            }
            claims += usize::from(exact.is_some());
        }
    }
    assert!(claims > 50, "only {claims} were decided");
}

#[test]
fn distances_are_exact_on_every_line() {
    let mut random = Mt64::new(52);
    let mut claims = 0;
    for (files, ranks, pieces, horizon) in [(4, 5, 4, 11), (5, 5, 3, 11), (6, 6, 2, 11)] {
        let mut memory = Memory::new();
        let mut player = Player::new(1, 3);
        for _ in 0..positions_of_a_kind() {
            let fen = few_pieces(files, ranks, pieces, &mut random);
            let reported = player.depth(&fen, 20);
            let depth = reported.infos.last().unwrap().depth;
            for info in reported.infos.iter().filter(|info| info.depth == depth) {
                let Some(plies) = mate_plies(info.score) else {
                    continue;
                };
                let first = info.line[0].as_str();
                let after = Board::from_fen(Variant::STANDARD, &fen).unwrap();
                let after = after.with_moves([first]).unwrap();
                let reference = Reference::parse(&after.fen());
                let exact = distance(|plies| reference.solve_with(plies, &mut memory), horizon);
                if let Some(exact) = exact {
                    // A finished game counts as lost in 0 plies.
                    let own = if exact <= 0 { 1 - exact } else { -1 - exact };
                    assert_eq!(plies, own, "{fen}: {info:?}");
                    claims += 1;
                }
            }
        }
    }
    assert!(claims > 40, "only {claims} were decided");
}

/// A random position with few pieces, most of them advanced.
fn few_stacks(random: &mut Mt64) -> Grid {
    loop {
        let mut grid = Grid {
            pieces: [[0; FILES]; RANKS],
            white_to_move: below(random, 2) == 0,
        };
        for colour in [1i8, -1] {
            for _ in 0..=below(random, 3) {
                let rank = [1, 3, 4, 5, 6, 7, 7][below(random, 7)];
                let rank = if colour > 0 { rank } else { RANKS - 1 - rank };
                let file = below(random, FILES);
                let number = 1 + below(random, 2) as i8;
                grid.pieces[rank][file] = colour * number.min(capacity(file));
            }
        }
        if grid.count(1) > 0 && grid.count(-1) > 0 && grid.winner().is_none() {
            return grid;
        }
    }
}

#[test]
fn distances_are_exact_in_freelings_game() {
    const HORIZON: u32 = 6;
    let mut random = Mt64::new(53);
    let mut player = Player::new(1, 1);
    let mut memory = Known::new();
    let (mut claims, mut undecided) = (0, 0);
    for _ in 0..4 * positions_of_a_kind() {
        let grid = few_stacks(&mut random);
        let fen = grid.text();
        let board = Board::from_fen(Variant::Freeling, &fen).unwrap();
        let Some(exact) = distance(|plies| grid.solve(plies, &mut memory), HORIZON) else {
            let reported = player.search_board(board, at_depth(8));
            let claim = claim(&reported).map(i32::unsigned_abs);
            assert!(claim.is_none_or(|plies| plies > HORIZON), "{fen}");
            player.engine.new_game().unwrap();
            undecided += 1;
            continue;
        };
        claims += 1;
        let reported = player.search_board(board.clone(), at_depth(20));
        assert_eq!(claim(&reported), Some(exact), "{fen}");
        player.engine.new_game().unwrap();
        let reported = player.search_board(board, mate_in(exact.unsigned_abs().div_ceil(2)));
        assert_eq!(claim(&reported), Some(exact), "{fen}");
    }
    assert!(claims > 20, "only {claims} were decided");
    assert!(undecided > 5, "only {undecided} were not");
}

/// The first field of a position's text.
fn pieces_of(fen: &str) -> &str {
    fen.split(' ').next().unwrap_or_default()
}

/// The position after its winning move has been played and reversed until playing
/// it again draws, and that move. `None` if it cannot be reversed.
fn passed_over(player: &mut Player, fen: &str) -> Option<(Board, String)> {
    let board = |fen: &str| Board::from_fen(Variant::Freeling, fen).unwrap();
    player.engine.new_game().unwrap();
    let win = player.search_board(board(fen), at_depth(20)).best?;
    let back = format!("{}{}", win.get(2..)?, &win[..2]);
    let won = board(fen).with_moves([win.as_str()]).unwrap();
    let line = ["pass", &back, "pass", &win, "pass", &back, "pass"];
    let board = board(&won.fen()).with_moves(line).ok()?;
    (pieces_of(&board.fen()) == pieces_of(fen)).then_some((board, win))
}

#[test]
fn a_win_that_would_repeat_the_position_is_not_claimed() {
    let mut random = Mt64::new(55);
    let mut player = Player::new(1, 1);
    let mut memory = Known::new();
    let (fen, moves) = FREELING[0];
    let mut cases = vec![(fen.to_owned(), moves)];
    for _ in 0..8 * positions_of_a_kind() {
        let grid = few_stacks(&mut random);
        if let Some(plies @ 2..) = distance(|plies| grid.solve(plies, &mut memory), 6) {
            cases.push((grid.text(), plies.unsigned_abs().div_ceil(2)));
        }
    }
    let mut tried = 0;
    for (fen, moves) in cases {
        let Some((board, win)) = passed_over(&mut player, &fen) else {
            continue;
        };
        for limits in [at_depth(20), mate_in(moves)] {
            let reported = player.search_board(board.clone(), limits);
            if reported.best.as_deref() == Some(win.as_str()) {
                assert!(claim(&reported).is_none(), "{fen}: {:?}", reported.infos);
            }
        }
        tried += 1;
    }
    assert!(tried > 1, "only {tried}");
}

#[test]
fn a_loss_is_not_claimed_where_passing_draws() {
    let mut random = Mt64::new(56);
    let mut player = Player::new(1, 1);
    let mut memory = Known::new();
    let mut tried = 0;
    for _ in 0..4 * positions_of_a_kind() {
        let mut grid = few_stacks(&mut random);
        let exact = distance(|plies| grid.solve(plies, &mut memory), 6);
        let Some(plies @ ..=-2) = exact else {
            continue;
        };
        // The winner has let it repeat twice: the next pass is a draw.
        grid.white_to_move = !grid.white_to_move;
        let fen = grid.text();
        let board = Board::from_fen(Variant::Freeling, &fen).unwrap();
        let Ok(board) = board.with_moves(["pass", "pass", "pass"]) else {
            continue;
        };
        for limits in [at_depth(20), mate_in(plies.unsigned_abs().div_ceil(2))] {
            player.engine.new_game().unwrap();
            let reported = player.search_board(board.clone(), limits);
            assert!(claim(&reported).is_none(), "{fen}: {:?}", reported.infos);
        }
        tried += 1;
    }
    assert!(tried > 5, "only {tried}");
}

#[test]
fn go_mate_finds_what_there_is_and_claims_no_more() {
    let mut random = Mt64::new(54);
    let mut player = Player::new(1, 1);
    let (mut found, mut missing) = (0, 0);
    for (files, ranks, pieces, horizon) in [(4, 5, 6, 7), (5, 5, 6, 7), (6, 6, 3, 7), (8, 8, 3, 5)]
    {
        let mut memory = Memory::new();
        for _ in 0..2 * positions_of_a_kind() {
            let fen = few_pieces(files, ranks, pieces, &mut random);
            let reference = Reference::parse(&fen);
            let exact = distance(|plies| reference.solve_with(plies, &mut memory), horizon);
            for moves in 1..=horizon.div_ceil(2) {
                player.engine.new_game().unwrap();
                let reported = player.search(&fen, mate_in(moves));
                let within = exact.filter(|plies| plies.unsigned_abs() <= 2 * moves);
                let claim = claim(&reported).filter(|plies| plies.unsigned_abs() <= 2 * moves);
                if 2 * moves <= horizon || within.is_some() {
                    assert_eq!(claim, within, "{fen} mate {moves}");
                    found += usize::from(within.is_some());
                    missing += usize::from(within.is_none());
                }
            }
        }
    }
    assert!(
        found > 30 && missing > 20,
        "{found} found, {missing} not there"
    );
}

#[test]
fn what_is_found_is_told_and_not_repeated() {
    let mut player = Player::new(1, 1);
    for fen in [
        "4p/4p/5/4P/5 b",
        "8/8/3P4/8/8/2p5/8/8 w",
        "8/8/3P4/8/8/2p5/8/8 b",
    ] {
        let reported = player.depth(fen, 239);
        assert!(claim(&reported).is_some(), "{fen}");
        assert!(
            reported.infos.len() < 10,
            "{fen}: {} lines",
            reported.infos.len()
        );
    }
}
