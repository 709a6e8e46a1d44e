//! What the engine does in positions that a book of proofs covers.

use super::playable::Playable;
use crate::base::{Instant, Score, loss_in, win_in};
use crate::game::Tactics;
use crate::search::{Control, Deadlines, Limits};
use crate::solve::{Known, ProofBook};

/// Whether a move is wanted rather than analysis: then a proven move is answered at
/// once. Whoever asks for a depth, for several lines or for certain moves, or sets
/// no limit, wants to see a search.
pub(super) const fn wants_a_move(limits: &Limits, multi_pv: usize) -> bool {
    let has_time = limits.nodes.is_some() || limits.move_time.is_some() || limits.clock.is_some();
    has_time
        && multi_pv == 1
        && limits.depth.is_none()
        && limits.mate.is_none()
        && !limits.infinite
        && !limits.ponder
        && limits.search_moves.is_empty()
}

/// What the book says of a position, if it is found in a quarter of the time: on the
/// losing side of a large proof, the hardest reply takes long to find.
pub(super) fn known<G: Playable>(
    position: &G,
    book: &ProofBook,
    limits: &Limits,
    control: &Control,
) -> Option<Known> {
    let hard = Deadlines::new(limits).hard;
    let start = Instant::now();
    let is_late =
        || !control.is_pondering() && hard.is_some_and(|hard| start.elapsed() >= hard / 4);
    position.known(book, &|| control.is_over() || is_late())
}

/// What is proven of a position, by the book or else by the prover, and the nodes
/// that took. The prover gets half the time, or three quarters if the book's winner
/// is to move, who has more to gain from a proof than from a better search.
pub(super) fn answer<G: Playable>(
    position: &G,
    book: &ProofBook,
    limits: &Limits,
    control: &Control,
) -> (Option<Known>, u64) {
    let hard = Deadlines::new(limits).hard;
    let start = Instant::now();
    let is_late = |part: u32| hard.is_some_and(|hard| start.elapsed() >= hard * part / 4);
    let known = known(position, book, limits, control);
    // If the rules show who wins, the search finds the distance too.
    if known.is_some()
        || matches!(
            position.tactics(),
            Tactics::Win { .. } | Tactics::Loss { .. }
        )
    {
        return (known, 0);
    }
    let quarters = if book.winner() == position.side_to_move() {
        3
    } else {
        2
    };
    let stop = || control.is_over() || is_late(quarters);
    position.prove_by(book, limits.nodes, &stop)
}

/// The score of a proven position.
pub(super) fn score(known: &Known) -> Score {
    let plies = usize::from(known.plies);
    if known.wins {
        win_in(plies)
    } else {
        loss_in(plies)
    }
}
