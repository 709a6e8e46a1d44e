//! The proofs that the engine plays by: one per board, from files or built in.

use super::settings::ReadFile;
use crate::solve::{ProofBook, built_in_proof};
use std::sync::Arc;

/// The values of an option that names a file which are not files.
pub(super) const BUILT_IN: &str = "<built-in>";
pub(super) const NONE: &str = "<empty>";

/// Proofs by board.
#[derive(Clone, Debug)]
pub(super) struct Proofs {
    /// From files, by their names.
    files: Vec<(String, Arc<ProofBook>)>,
    /// Whether built-in ones are used where there is no file.
    uses_built_in: bool,
    /// The built-in one that was used last, kept ready.
    ready: Option<Arc<ProofBook>>,
}

impl Default for Proofs {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            uses_built_in: true,
            ready: None,
        }
    }
}

impl Proofs {
    /// The proof for a board with this many files and ranks.
    pub fn of(&mut self, board: (u8, u8)) -> Option<Arc<ProofBook>> {
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
    pub fn forget(&self) {
        if let Some(book) = &self.ready {
            book.forget();
        }
    }

    /// Uses a file, read by `read`, instead of what there is for its board; or no proofs at
    /// all, or only the built-in ones.
    ///
    /// # Errors
    /// Why the file is refused.
    pub fn set(&mut self, value: &str, read: ReadFile) -> Result<(), String> {
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
        let data = read(value).map_err(|fault| fault.to_string())?;
        let book = ProofBook::new(&data).map_err(|fault| fault.to_string())?;
        // Without memory for that prover, one that knows nothing is tried later.
        if let Err(fault) = book.prepare() {
            log::warn!("{value}: {fault}");
        }
        let board = book.board();
        self.files.retain(|(_, other)| other.board() != board);
        self.files.push((value.to_owned(), Arc::new(book)));
        Ok(())
    }

    /// What was set.
    pub fn value(&self) -> String {
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
