//! What the engine has for a board from files, one each, or else built in: proofs and
//! opening books.

use std::fmt::Display;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The values of an option that names a file which are not files.
pub(super) const BUILT_IN: &str = "<built-in>";
pub(super) const NONE: &str = "<empty>";

/// Something that is about one board and can be read from a file.
pub(super) trait BoardFile: Sized {
    /// Reads it.
    fn from_bytes(data: &[u8]) -> Result<Self, impl Display>;

    /// The built-in one of a board.
    fn built_in(board: (u8, u8)) -> Option<&'static [u8]>;

    /// Files and ranks of its board.
    fn board(&self) -> (u8, u8);

    /// Does what would take too long later. Only done for files.
    fn prepare(&self, _name: &str) {}
}

/// One of them for each board.
#[derive(Debug)]
pub(super) struct BoardFiles<T> {
    /// From files, by their names.
    files: Vec<(String, Arc<T>)>,
    /// Whether built-in ones are used where there is no file.
    uses_built_in: bool,
    /// The built-in one that was used last, kept ready.
    ready: Mutex<Option<Arc<T>>>,
}

impl<T> Default for BoardFiles<T> {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            uses_built_in: true,
            ready: Mutex::new(None),
        }
    }
}

impl<T: BoardFile> BoardFiles<T> {
    /// The one for a board with this many files and ranks.
    pub(super) fn for_board(&self, board: (u8, u8)) -> Option<Arc<T>> {
        let has_board = |one: &&Arc<T>| one.board() == board;
        let file = self.files.iter().map(|(_, one)| one).find(has_board);
        if let Some(one) = file {
            return Some(Arc::clone(one));
        }
        if !self.uses_built_in {
            return None;
        }
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.as_ref().filter(has_board).is_none() {
            let data = T::built_in(board)?;
            // They are tested: none is refused.
            *ready = T::from_bytes(data).ok().map(Arc::new);
        }
        ready.clone()
    }

    /// The built-in one that was used last.
    pub(super) fn built_in_use(&self) -> Option<Arc<T>> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        ready.clone()
    }

    /// Uses a file, read by `read`, instead of what there is for its board; or
    /// nothing at all, or only what is built in.
    ///
    /// # Errors
    /// Why the file is refused.
    pub(super) fn set(
        &mut self,
        value: &str,
        read: impl FnOnce(&str) -> io::Result<Vec<u8>>,
    ) -> Result<(), String> {
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
        let one = T::from_bytes(&data).map_err(|error| error.to_string())?;
        one.prepare(value);
        let board = one.board();
        self.files.retain(|(_, other)| other.board() != board);
        self.files.push((value.to_owned(), Arc::new(one)));
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
