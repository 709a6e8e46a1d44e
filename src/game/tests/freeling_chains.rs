//! The steps of explosion chains, against the slow reference: each is required by
//! the rules, and the last leaves the board that the move leads to.

use crate::common::freeling_reference::{FILES, Grid, RANKS, capacity, name, random_grid};
use crate::common::{below, cases, moves};
use crate::game::freeling::Position;
use crate::game::{Effect, Explosion, Game, Move, Notation};
use rand_mt::Mt64;

/// A square by its name.
fn square(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    (usize::from(bytes[1] - b'1'), usize::from(bytes[0] - b'a'))
}

/// What must happen to a piece that is shot at a square.
fn effect(grid: &Grid, own: i8, to: &str) -> Effect {
    let (rank, file) = square(to);
    let is_goal = rank == if own > 0 { RANKS - 1 } else { 0 };
    match grid.pieces[rank][file] * own {
        0 => Effect::Lands,
        1.. if is_goal && grid.pieces[rank][file] * own == capacity(file) => Effect::Lost,
        1.. => Effect::Joins,
        _ if is_goal => Effect::Lost,
        _ => Effect::Captures,
    }
}

/// Plays the explosions on a separate grid, and checks each.
fn check(before: &Grid, position: &Position, mv: Move, chain: &[Explosion]) {
    let text = position.move_text(mv);
    let (from, to) = (square(&text[..2]), square(&text[2..]));
    let own = before.mover();
    let mut grid = before.clone();
    grid.pieces[to.0][to.1] += std::mem::take(&mut grid.pieces[from.0][from.1]);
    let goal = if own > 0 { RANKS - 1 } else { 0 };
    if to.0 == goal {
        let most = capacity(to.1);
        grid.pieces[to.0][to.1] = grid.pieces[to.0][to.1].clamp(-most, most);
    }
    for explosion in chain {
        let (rank, file) = square(&explosion.square);
        assert!(
            grid.pieces[rank][file] * own > capacity(file),
            "{explosion:?}"
        );
        let ahead = if own > 0 { rank + 1 } else { rank - 1 };
        let mut targets = vec![name(ahead, file)];
        targets.extend((file > 0).then(|| name(rank, file.wrapping_sub(1))));
        targets.extend((file + 1 < FILES).then(|| name(rank, file + 1)));
        let shots: Vec<_> = explosion
            .shots
            .iter()
            .map(|shot| (shot.to.clone(), shot.effect))
            .collect();
        let expected: Vec<_> = targets
            .into_iter()
            .map(|to| (to.clone(), effect(&grid, own, &to)))
            .collect();
        assert_eq!(shots, expected, "{} {text}", position.fen());
        grid.explode(own, rank, file);
        let pieces: Vec<i8> = grid.pieces.iter().flatten().copied().collect();
        assert_eq!(explosion.pieces, pieces, "{} {text}", position.fen());
    }
    grid.white_to_move = !grid.white_to_move;
    assert_eq!(grid, Grid::parse(&position.play(mv).fen()), "{text}");
}

#[test]
fn every_step_of_a_chain_is_by_the_rules_and_ends_where_the_move_does() {
    let mut random = Mt64::new(84);
    let (mut chains, mut longest, mut lost) = (0, 0, 0);
    for _ in 0..cases(4000) {
        let grid = random_grid(&mut random);
        let Ok(position) = Position::from_fen(&format!("{} 0 1", grid.text())) else {
            continue;
        };
        for mv in moves(&position) {
            let chain = position.explosions(mv);
            if position.move_text(mv) == "pass" {
                assert!(chain.is_empty());
                continue;
            }
            check(&grid, &position, mv, &chain);
            chains += usize::from(!chain.is_empty());
            longest = longest.max(chain.len());
            let shots = chain.iter().flat_map(|explosion| &explosion.shots);
            lost += shots.filter(|shot| shot.effect == Effect::Lost).count();
        }
        // Now and then, a position from actual play.
        if below(&mut random, 10) == 0 {
            let mut next = position;
            for _ in 0..5 {
                let list = moves(&next);
                if list.is_empty() {
                    break;
                }
                let mv = list[below(&mut random, list.len())];
                if next.move_text(mv) != "pass" {
                    check(&Grid::parse(&next.fen()), &next, mv, &next.explosions(mv));
                }
                next = next.play(mv);
            }
        }
    }
    assert!(
        chains > 2000 && longest > 8 && lost > 50,
        "{chains} {longest} {lost}"
    );
}

#[test]
fn captures_are_the_squares_that_are_empty_of_the_enemy_afterwards() {
    let read = |fen: &str| Position::from_fen(fen).unwrap();
    let position = read("4p/5/5/5/1P3/1dDp1/5/5/5 w 0 1");
    let mv = position.parse_move("b5c4").unwrap();
    assert_eq!(position.captures(mv), ["b4", "d4"]);
    assert!(
        position
            .captures(position.parse_move("pass").unwrap())
            .is_empty()
    );
}
