//! The files that options name: the worker loads them before it passes on the
//! line.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;

/// How many files are kept at most: lines that name them may wait for the end
/// of a search, but one that is never read must not stay for ever.
const MAX_FILES: usize = 16;

thread_local! {
    /// The files loaded and not yet read, in order: their names and contents.
    static LOADED: RefCell<VecDeque<(String, Vec<u8>)>> = const { RefCell::new(VecDeque::new()) };
}

/// Keeps a file for the option that names it.
pub fn keep(name: String, data: Vec<u8>) {
    LOADED.with_borrow_mut(|loaded| {
        if loaded.len() == MAX_FILES {
            loaded.pop_front();
        }
        loaded.push_back((name, data));
    });
}

/// The contents of a file, the first of its name.
///
/// # Errors
/// If it has not been loaded.
pub fn read(name: &str) -> io::Result<Vec<u8>> {
    let found = LOADED.with_borrow_mut(|loaded| {
        let at = loaded.iter().position(|(of, _)| of == name)?;
        loaded.remove(at)
    });
    let data = found.map(|(_, data)| data);
    data.ok_or_else(|| io::Error::other("not loaded"))
}
