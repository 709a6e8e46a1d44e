//! The proofs that the engine plays by: one per board, from files or built in;
//! and what it does in positions that they cover.

use super::board_files::{BoardFile, BoardFiles};
use super::playable::Playable;
use crate::base::{Instant, Score, loss_in, win_in};
use crate::game::{MoveList, Outcome, Tactics};
use crate::search::Control;
use crate::solve::{ProofBook, ProvenMove, built_in_proof};
use std::fmt::Display;
use std::time::Duration;

impl BoardFile for ProofBook {
    fn from_bytes(data: &[u8]) -> Result<Self, impl Display> {
        Self::new(data)
    }

    fn built_in(board: (u8, u8)) -> Option<&'static [u8]> {
        built_in_proof(board)
    }

    fn board(&self) -> (u8, u8) {
        self.board()
    }

    fn prepare(&self, name: &str) {
        // Without memory for that prover, one that knows nothing is tried later.
        if let Err(error) = self.prepare() {
            log::warn!("{name}: {error}");
        }
    }
}

/// Proofs by board.
pub(super) type ProofBooks = BoardFiles<ProofBook>;

impl ProofBooks {
    /// Forgets what the built-in proof's prover has found out. What a file's has
    /// is kept: it takes seconds to make.
    pub(super) fn forget(&self) {
        if let Some(book) = self.built_in_use() {
            book.forget();
        }
    }
}

/// What the book says of a position, if it is found in a quarter of the time: on the
/// losing side of a large proof, the hardest reply takes long to find.
pub(super) fn lookup<G: Playable>(
    position: &G,
    book: &ProofBook,
    deadline: Option<Duration>,
    control: &Control,
) -> Option<ProvenMove> {
    let start = Instant::now();
    let is_late =
        || !control.is_pondering() && deadline.is_some_and(|time| start.elapsed() >= time / 4);
    position.book_lookup(book, &|| control.pause_and_check() || is_late())
}

/// What is proven of a position, by the book or else by the prover, and the nodes
/// that took. The prover gets half the time, or three quarters if the book's winner
/// is to move, who has more to gain from a proof than from a better search.
pub(super) fn lookup_or_prove<G: Playable>(
    position: &G,
    book: &ProofBook,
    deadline: Option<Duration>,
    nodes: Option<u64>,
    control: &Control,
) -> (Option<ProvenMove>, u64) {
    let start = Instant::now();
    let is_late = |part: u32| deadline.is_some_and(|time| start.elapsed() >= time * part / 4);
    let proven = lookup(position, book, deadline, control);
    // If the rules show who wins, the search finds the distance too.
    if proven.is_some()
        || matches!(
            position.tactics(),
            Tactics::Win { .. } | Tactics::Loss { .. }
        )
    {
        return (proven, 0);
    }
    let quarters = if book.winner() == position.side_to_move() {
        3
    } else {
        2
    };
    let stop = || control.pause_and_check() || is_late(quarters);
    position.book_prove(book, nodes, &stop)
}

/// Which moves are known to win or to lose, by the rules or by a proof of the board,
/// without any search.
pub(super) fn results<G: Playable>(position: &G, book: Option<&ProofBook>) -> Vec<(String, bool)> {
    let mut list = MoveList::new();
    position.moves(&mut list);
    // A proof that the position is lost is one for each of its moves.
    let proven = book.and_then(|book| position.book_lookup(book, &|| true));
    let is_lost = proven.is_some_and(|proven| !proven.wins);
    let result = |mv| {
        if is_lost {
            return Some(false);
        }
        let after = position.play(mv);
        let by_rules = match after.outcome() {
            Outcome::Win(side) => return Some(side == position.side_to_move()),
            Outcome::Draw => return None,
            Outcome::Ongoing => match after.tactics() {
                Tactics::Win { .. } => Some(false),
                Tactics::Loss { .. } => Some(true),
                _ => None,
            },
        };
        by_rules.or_else(|| {
            after
                .book_lookup(book?, &|| true)
                .map(|proven| !proven.wins)
        })
    };
    let found = list.into_iter();
    let mut found: Vec<(String, bool)> = found
        .filter_map(|mv| Some((position.move_text(mv), result(mv)?)))
        .collect();
    found.sort();
    found
}

/// The score of a proven position.
pub(super) fn score_of(proven: &ProvenMove) -> Score {
    let plies = usize::from(proven.plies);
    if proven.wins {
        win_in(plies)
    } else {
        loss_in(plies)
    }
}
