//! Counting the leaves of the game tree, until Ctrl-C.

use crate::position::Kind;
use crate::signals::Signals;
use petard::engine::MAX_PLY;
use petard::game::perft;
use petard::game::{Move, MoveList};

/// Up to this depth a count is over before anyone could wish to end it.
const SHORT: u32 = 3;

fn counted<G: Kind>(position: &G, depth: u32, signals: &Signals) -> u64 {
    if depth <= SHORT {
        return perft(position, depth);
    }
    let mut list = MoveList::new();
    position.moves(&mut list);
    list.iter()
        .take_while(|_| !signals.is_raised())
        .map(|&mv| counted(&position.play(mv), depth - 1, signals))
        .sum()
}

/// Nobody will see the count of deeper lines, but they must not overflow the
/// stack: in Freeling's game a line of passes never ends.
fn visible(depth: u32) -> u32 {
    depth.min(MAX_PLY as u32)
}

/// The number of lines of exactly `depth` plies; too low if something is raised.
pub fn leaves<G: Kind>(position: &G, depth: u32, signals: &Signals) -> u64 {
    counted(position, visible(depth), signals)
}

/// The same by first move.
pub fn by_move<G: Kind>(position: &G, depth: u32, signals: &Signals) -> Vec<(Move, u64)> {
    let mut list = MoveList::new();
    let Some(rest) = visible(depth).checked_sub(1) else {
        return Vec::new();
    };
    position.moves(&mut list);
    list.iter()
        .map(|&mv| (mv, counted(&position.play(mv), rest, signals)))
        .collect()
}
