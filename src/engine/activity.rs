//! Whether the engine is at work.

use crate::base::sync::{Condvar, Mutex, PoisonError};

/// Whether the engine is at work, and a way to wait until it is not.
#[derive(Debug, Default)]
pub(super) struct Activity {
    is_busy: Mutex<bool>,
    idle: Condvar,
}

impl Activity {
    pub(super) fn set(&self, busy: bool) {
        *self.is_busy.lock().unwrap_or_else(PoisonError::into_inner) = busy;
        self.idle.notify_all();
    }

    pub(super) fn get(&self) -> bool {
        *self.is_busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait(&self) {
        let mut busy = self.is_busy.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy {
            busy = self.idle.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
