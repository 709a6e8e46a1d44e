//! Tests of the games that are recorded.

use super::records::{GameResult, RecordedGame};
use super::*;
use crate::base::Side;
use crate::game::{Game as _, MoveList, Outcome};
use std::collections::HashMap;

#[test]
fn a_seed_gives_a_game_and_games_are_whole() {
    games_of::<breakthrough::Position<u64>>((6, 6), 800);
    games_of::<breakthrough::Position<u128>>((9, 5), 800);
    games_of::<freeling::Position>((5, 9), 10_000);
}

#[test]
fn results_are_proven_from_the_earliest_position_on_that_can_be() {
    type Position = breakthrough::Position<u64>;
    let board = (3, 6);
    let rules = Rules {
        nodes: 20,
        random_plies: (2, 5),
        balance: 2000,
        hash: 1,
        source: crate::eval::EvalSource::default(),
    };
    let header = RecordHeader::new(RecordedGame::Breakthrough, (3, 6));
    let starts: Arc<[Position]> = Position::start_on(board).into_iter().collect();
    let prove = starts[0].prove_within(50).unwrap();
    let mut plain = Player::new(rules.clone(), Arc::clone(&starts)).unwrap();
    let mut proving = Player::new(rules, starts).unwrap().proving(prove);
    let mut known = HashMap::new();
    let (mut proven, mut corrected) = (0, 0);
    for seed in 0..200 {
        let (Some(played), Some(game)) = (plain.play(seed), proving.play(seed)) else {
            assert_eq!(plain.play(seed).is_none(), proving.play(seed).is_none());
            continue;
        };
        assert_eq!(played.len(), game.len());
        for (index, (old, new)) in played.iter().zip(&game).enumerate() {
            let later = game[index..].iter().find(|record| record.is_proven);
            assert_eq!(new.result, later.map_or(old.result, |record| record.result));
            assert!(!old.is_proven);
            if new.is_proven {
                let position = Position::from_record(&header, new).unwrap();
                let winner = if wins(&position, &mut known) {
                    new.side
                } else {
                    !new.side
                };
                assert_eq!(new.result, GameResult::of(Some(winner)));
                proven += 1;
            }
            corrected += usize::from(new.result != old.result);
        }
    }
    assert!(proven > 20 && corrected > 0, "{proven} {corrected}");
}

/// Whether the side to move wins, by exhaustive search.
fn wins(position: &breakthrough::Position<u64>, known: &mut HashMap<u64, bool>) -> bool {
    if let Outcome::Win(side) = position.outcome() {
        return side == position.side_to_move();
    }
    if let Some(&known) = known.get(&position.key()) {
        return known;
    }
    let mut list = MoveList::new();
    position.moves(&mut list);
    let result = list.iter().any(|&mv| !wins(&position.play(mv), known));
    known.insert(position.key(), result);
    result
}

fn games_of<G: Recorded>(board: (usize, usize), balance: i32) {
    let rules = Rules {
        nodes: 200,
        random_plies: (2, 6),
        balance,
        hash: 1,
        source: crate::eval::EvalSource::default(),
    };
    let header = RecordHeader::new(G::KIND, (board.0 as u8, board.1 as u8));
    let starts: Arc<[G]> = G::start_on(board).into_iter().collect();
    let mut player = Player::new(rules.clone(), Arc::clone(&starts)).unwrap();
    let games: Vec<_> = (0..6).map(|seed| player.play(seed)).collect();
    let seed = games.iter().position(Option::is_some).unwrap();
    let mut other = Player::new(rules, starts).unwrap();
    assert_eq!(other.play(seed as u64), games[seed]);
    for game in games.iter().flatten() {
        assert!(game[0].is_first && game[1..].iter().all(|record| !record.is_first));
        let plies = game.iter().map(|record| record.ply);
        assert!(plies.is_sorted_by(|one, next| one < next));
        for record in game {
            let position = G::from_record(&header, record).unwrap();
            assert_eq!(position.side_to_move(), record.side);
            assert_eq!(record.result, game[0].result);
            let even = record.ply % 2 == 0;
            assert_eq!(record.side == Side::White, even);
        }
    }
}
