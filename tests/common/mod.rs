//! What several test files need: a slow reference and random positions.
#![allow(dead_code)]

pub mod driver;
pub mod freeling_reference;
pub mod mcts;
pub mod network;
pub mod reference;

use petard::game::Side;
use petard::game::breakthrough::{Bits, Geometry, Position};
use petard::game::{Game, Move, MoveList, Notation, Outcome};
use rand_mt::Mt64;
use std::collections::HashMap;

/// How many random cases to try: `count`, multiplied by the environment variable
/// `PETARD_TEST_FACTOR` if it is set, for longer runs.
pub fn cases(count: usize) -> usize {
    let Ok(factor) = std::env::var("PETARD_TEST_FACTOR") else {
        return count;
    };
    match factor.parse::<usize>() {
        Ok(factor) if factor > 0 => count * factor,
        _ => panic!("PETARD_TEST_FACTOR is '{factor}', expected a whole number of at least 1"),
    }
}

/// A number below `bound`.
pub fn below(random: &mut Mt64, bound: usize) -> usize {
    (random.next_u64() % bound as u64) as usize
}

/// The moves of a position.
pub fn moves<G: Game>(position: &G) -> MoveList {
    let mut list = MoveList::new();
    position.moves(&mut list);
    list
}

/// The legal moves that end outside a set of squares, which is seen from the
/// side to move.
pub fn moves_outside<B: Bits>(position: &Position<B>, zone: B) -> Vec<Move> {
    let (files, ranks) = position.board_size();
    let zone = match position.side_to_move() {
        Side::White => zone,
        Side::Black => zone.turned(files, ranks),
    };
    let mut outside = moves(position).to_vec();
    outside.retain(|mv| !zone.has(mv.to()));
    outside
}

/// Whether the side to move wins, by exhaustive search.
pub fn exhaustive<B: Bits>(
    position: &Position<B>,
    known: &mut HashMap<([B; 2], Side), bool>,
) -> bool {
    match position.outcome() {
        Outcome::Ongoing => {}
        outcome => return outcome == Outcome::Win(position.side_to_move()),
    }
    let key = (
        Side::BOTH.map(|side| position.pieces(side)),
        position.side_to_move(),
    );
    if let Some(&wins) = known.get(&key) {
        return wins;
    }
    let wins = moves(position)
        .iter()
        .any(|&mv| !exhaustive(&position.play(mv), known));
    known.insert(key, wins);
    wins
}

/// A random game from a position to its end: all its positions.
pub fn random_game<G: Game>(start: &G, random: &mut Mt64) -> Vec<G> {
    let mut line = vec![start.clone()];
    let mut position = start.clone();
    while position.outcome() == Outcome::Ongoing {
        let list = moves(&position);
        position = position.play(list[below(random, list.len())]);
        line.push(position.clone());
    }
    line
}

/// A random unfinished position with few pieces, anywhere on the board.
pub fn random_position<B: Bits>(
    files: usize,
    ranks: usize,
    max_pieces: usize,
    random: &mut Mt64,
) -> Position<B> {
    let geometry = Geometry::<B>::new(files, ranks).expect("a playable board");
    loop {
        let mut pieces = [B::EMPTY; 2];
        for (side, set) in Side::BOTH.into_iter().zip(&mut pieces) {
            for _ in 0..=below(random, max_pieces) {
                // Not on the goal, or the game would be over.
                let rank = 1 + below(random, ranks - 1) as u8;
                let rank = if side == Side::White {
                    ranks as u8 - 1 - rank
                } else {
                    rank
                };
                *set |= Bits::bit(geometry.square(below(random, files) as u8, rank));
            }
        }
        let turn = Side::BOTH[below(random, 2)];
        if let Ok(position) = Position::new(geometry, pieces, turn, 0)
            && position.outcome() == Outcome::Ongoing
        {
            return position;
        }
    }
}
