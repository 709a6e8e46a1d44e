//! Counting the leaves of the game tree, the standard check of a move
//! generator.

use super::{Game, Move, MoveList};

/// The number of lines of exactly `depth` plies. A finished position has none
/// beyond itself. Leaves are counted without being played ("bulk counting").
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves(),
        _ => {
            let mut list = MoveList::new();
            position.moves(&mut list);
            list.iter()
                .map(|&mv| perft(&position.play(mv), depth - 1))
                .sum()
        }
    }
}

/// [`perft`] split by first move, in the order of move generation. Empty at
/// depth 0.
pub(crate) fn divide<G: Game>(position: &G, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let mut list = MoveList::new();
    position.moves(&mut list);
    list.iter()
        .map(|&mv| (mv, perft(&position.play(mv), depth - 1)))
        .collect()
}
