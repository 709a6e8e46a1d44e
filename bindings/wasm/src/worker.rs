//! What the worker does for the engine.

use petard::engine::{Pause, Task};
use std::io;

#[link(wasm_import_module = "petard")]
unsafe extern "C" {
    /// Takes a text: lines that are said.
    fn say(text: *const u8, bytes: usize);
    /// Takes a text: what has gone wrong.
    fn error(text: *const u8, bytes: usize);
    /// Lets the worker take its messages; waits for one first if asked to.
    safe fn pause(until_news: bool);
    /// Notifies the session's worker of events.
    safe fn ring();
    /// Starts a worker that runs a task. Returns whether it will.
    safe fn start_task(task: *mut u8) -> bool;
}

/// Sends lines.
pub fn send(text: &[u8]) {
    // SAFETY: the worker only reads these bytes, and only now.
    unsafe { say(text.as_ptr(), text.len()) }
}

/// Reports what has gone wrong.
pub fn report_error(text: &str) {
    // SAFETY: as above.
    unsafe { error(text.as_ptr(), text.len()) }
}

/// Notifies the session's worker of events.
pub fn tell_news() {
    ring();
}

/// Lets the worker take over.
pub fn take_over(how_long: Pause) {
    pause(how_long == Pause::UntilInput);
}

/// Starts a thread.
///
/// # Errors
/// If the worker cannot.
pub fn start(task: Task) -> io::Result<()> {
    let task = Box::into_raw(Box::new(task));
    if start_task(task.cast()) {
        return Ok(());
    }
    // SAFETY: it was a box, and the worker has not taken it.
    drop(unsafe { Box::from_raw(task) });
    Err(io::Error::other("the page cannot start another worker"))
}
