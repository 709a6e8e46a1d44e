//! Ctrl-C during long work that has released the GIL.

use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// How often it is looked for.
const TICK: Duration = Duration::from_millis(50);

/// What Python has raised while the work ran.
pub struct Signals {
    last: Cell<Instant>,
    error: RefCell<Option<PyErr>>,
}

impl Signals {
    pub fn new() -> Self {
        Self {
            last: Cell::new(Instant::now()),
            error: RefCell::new(None),
        }
    }

    /// Whether something has been raised, so that the work should end.
    pub fn is_raised(&self) -> bool {
        let has_error = self.error.borrow().is_some();
        if !has_error && self.last.get().elapsed() >= TICK {
            self.last.set(Instant::now());
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                self.raise(raised);
                return true;
            }
        }
        has_error
    }

    /// Ends the work for this reason.
    pub fn raise(&self, error: PyErr) {
        *self.error.borrow_mut() = Some(error);
    }

    /// What the work has found, unless something has been raised.
    pub fn unless_raised<T>(self, found: T) -> PyResult<T> {
        match self.error.into_inner() {
            Some(raised) => Err(raised),
            None => Ok(found),
        }
    }
}
