//! Whether the engine is at work, and staying alive when the work fails.

use crate::base::sync::{Condvar, Mutex, PoisonError};

/// Whether the engine is at work, and a way to wait until it is not.
#[derive(Debug, Default)]
pub(super) struct Activity {
    is_busy: Mutex<bool>,
    idle: Condvar,
}

impl Activity {
    /// Sets whether it is.
    pub fn set(&self, busy: bool) {
        *self.is_busy.lock().unwrap_or_else(PoisonError::into_inner) = busy;
        self.idle.notify_all();
    }

    pub fn get(&self) -> bool {
        *self.is_busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn wait(&self) {
        let mut busy = self.is_busy.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy {
            busy = self.idle.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Runs the work of a search thread; `None` if it panicked. Whoever waits for
/// an answer must get one even then.
pub(super) fn survive<T>(work: impl FnOnce() -> T) -> Option<T> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    if outcome.is_err() {
        log::error!("a search thread panicked; continuing with the next job");
    }
    outcome.ok()
}
