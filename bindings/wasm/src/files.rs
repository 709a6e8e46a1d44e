//! The files that options name: the worker loads them before it passes on the
//! line.

use std::cell::RefCell;
use std::io;

thread_local! {
    /// The last file loaded, until it is read: its name and its contents.
    static LOADED: RefCell<Option<(String, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Keeps a file for the option that names it.
pub fn keep(name: String, data: Vec<u8>) {
    LOADED.replace(Some((name, data)));
}

/// The contents of a file.
///
/// # Errors
/// If it has not been loaded.
pub fn read(name: &str) -> io::Result<Vec<u8>> {
    let loaded = LOADED.take().filter(|(of, _)| of == name);
    let data = loaded.map(|(_, data)| data);
    data.ok_or_else(|| io::Error::other("not loaded"))
}
