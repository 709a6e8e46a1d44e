//! The files that options name: the worker loads them before it hands the line
//! over.

use std::cell::RefCell;
use std::io;

thread_local! {
    /// The file that was loaded last, until it is read: its name and what
    /// stands in it.
    static LOADED: RefCell<Option<(String, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Keeps a file for the option that names it.
pub fn keep(name: String, data: Vec<u8>) {
    LOADED.replace(Some((name, data)));
}

/// What stands in a file.
///
/// # Errors
/// If it has not been loaded.
pub fn read(name: &str) -> io::Result<Vec<u8>> {
    let loaded = LOADED.take().filter(|(of, _)| of == name);
    let data = loaded.map(|(_, data)| data);
    data.ok_or_else(|| io::Error::other("it cannot be loaded"))
}
