//! Ctrl-C during long work that has released the GIL.

use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// How often it is looked for.
const TICK: Duration = Duration::from_millis(50);

/// What Python has raised while the work ran.
pub struct Signals {
    last: Cell<Instant>,
    fault: RefCell<Option<PyErr>>,
}

impl Signals {
    pub fn new() -> Self {
        Self {
            last: Cell::new(Instant::now()),
            fault: RefCell::new(None),
        }
    }

    /// Whether something has been raised, so that the work should end.
    pub fn is_raised(&self) -> bool {
        let has_fault = self.fault.borrow().is_some();
        if !has_fault && self.last.get().elapsed() >= TICK {
            self.last.set(Instant::now());
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                self.raise(raised);
                return true;
            }
        }
        has_fault
    }

    /// Ends the work for this reason.
    pub fn raise(&self, fault: PyErr) {
        *self.fault.borrow_mut() = Some(fault);
    }

    /// What the work has found, unless something has been raised.
    pub fn unless_raised<T>(self, found: T) -> PyResult<T> {
        match self.fault.into_inner() {
            Some(raised) => Err(raised),
            None => Ok(found),
        }
    }
}
