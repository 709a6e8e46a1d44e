//! The proofs that the engine plays by: one per board, from files or built in;
//! and what it does in positions that they cover.

use super::playable::Playable;
use super::settings::ReadFile;
use crate::base::{Instant, Score, loss_in, win_in};
use crate::game::Tactics;
use crate::search::{Control, Limits};
use crate::solve::{Known, ProofBook, built_in_proof};
use std::sync::Arc;
use std::time::Duration;

/// The values of an option that names a file which are not files.
pub(super) const BUILT_IN: &str = "<built-in>";
pub(super) const NONE: &str = "<empty>";

/// Proofs by board.
#[derive(Clone, Debug)]
pub(super) struct ProofBooks {
    /// From files, by their names.
    files: Vec<(String, Arc<ProofBook>)>,
    /// Whether built-in ones are used where there is no file.
    uses_built_in: bool,
    /// The built-in one that was used last, kept ready.
    ready: Option<Arc<ProofBook>>,
}

impl Default for ProofBooks {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            uses_built_in: true,
            ready: None,
        }
    }
}

impl ProofBooks {
    /// The proof for a board with this many files and ranks.
    pub(super) fn of(&mut self, board: (u8, u8)) -> Option<Arc<ProofBook>> {
        let has_board = |book: &&Arc<ProofBook>| book.board() == board;
        let file = self.files.iter().map(|(_, book)| book).find(has_board);
        if let Some(book) = file {
            return Some(Arc::clone(book));
        }
        if !self.uses_built_in {
            return None;
        }
        if self.ready.as_ref().filter(has_board).is_none() {
            let data = built_in_proof(board)?;
            // They are tested: none is refused.
            self.ready = ProofBook::new(data).ok().map(Arc::new);
        }
        self.ready.clone()
    }

    /// Forgets what the built-in proof's prover has found out. What a file's has
    /// is kept: it takes seconds to make.
    pub(super) fn forget(&self) {
        if let Some(book) = &self.ready {
            book.forget();
        }
    }

    /// Uses a file, read by `read`, instead of what there is for its board; or no proofs at
    /// all, or only the built-in ones.
    pub(super) fn set(&mut self, value: &str, read: ReadFile) -> Result<(), String> {
        if value.is_empty() || value.eq_ignore_ascii_case(NONE) {
            *self = Self {
                uses_built_in: false,
                ..Self::default()
            };
            return Ok(());
        }
        if value.eq_ignore_ascii_case(BUILT_IN) {
            *self = Self::default();
            return Ok(());
        }
        let data = read(value).map_err(|error| error.to_string())?;
        let book = ProofBook::new(&data).map_err(|error| error.to_string())?;
        // Without memory for that prover, one that knows nothing is tried later.
        if let Err(error) = book.prepare() {
            log::warn!("{value}: {error}");
        }
        let board = book.board();
        self.files.retain(|(_, other)| other.board() != board);
        self.files.push((value.to_owned(), Arc::new(book)));
        Ok(())
    }

    /// What was set.
    pub(super) fn value(&self) -> String {
        match (&self.files[..], self.uses_built_in) {
            ([], true) => BUILT_IN.to_owned(),
            ([], false) => NONE.to_owned(),
            (files, _) => {
                let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
                names.join(" ")
            }
        }
    }
}

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
pub(super) fn look_up<G: Playable>(
    position: &G,
    book: &ProofBook,
    deadline: Option<Duration>,
    control: &Control,
) -> Option<Known> {
    let start = Instant::now();
    let is_late =
        || !control.is_pondering() && deadline.is_some_and(|time| start.elapsed() >= time / 4);
    position.known(book, &|| control.is_over() || is_late())
}

/// What is proven of a position, by the book or else by the prover, and the nodes
/// that took. The prover gets half the time, or three quarters if the book's winner
/// is to move, who has more to gain from a proof than from a better search.
pub(super) fn look_and_prove<G: Playable>(
    position: &G,
    book: &ProofBook,
    deadline: Option<Duration>,
    nodes: Option<u64>,
    control: &Control,
) -> (Option<Known>, u64) {
    let start = Instant::now();
    let is_late = |part: u32| deadline.is_some_and(|time| start.elapsed() >= time * part / 4);
    let known = look_up(position, book, deadline, control);
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
    position.prove_by(book, nodes, &stop)
}

/// The score of a proven position.
pub(super) fn score_of(known: &Known) -> Score {
    let plies = usize::from(known.plies);
    if known.wins {
        win_in(plies)
    } else {
        loss_in(plies)
    }
}
