//! Why the threads of a search should stop. Each reason is kept apart, so that
//! taking one back leaves the others in force.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A reason to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// The caller wants no more: its stop flag is raised, or time is up.
    Caller = 1,
    /// As many positions as allowed have been searched.
    Spent = 2,
    /// The table must grow.
    Crowded = 4,
    /// One thread has returned, and the others should too.
    Returned = 8,
}

/// The reasons in force.
#[derive(Debug, Default)]
pub struct Stop(AtomicU8);

impl Stop {
    /// Whether there is any reason.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    /// Whether this reason is in force.
    pub fn has(&self, reason: Reason) -> bool {
        self.0.load(Relaxed) & reason as u8 != 0
    }

    /// Adds a reason.
    pub fn raise(&self, reason: Reason) {
        self.0.fetch_or(reason as u8, Relaxed);
    }

    /// Takes a reason back; the others stay.
    pub fn lower(&self, reason: Reason) {
        self.0.fetch_and(!(reason as u8), Relaxed);
    }

    /// Takes all back: a new search begins.
    pub fn clear(&self) {
        self.0.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_is_taken_back_leaves_the_others() {
        let stop = Stop::default();
        assert!(!stop.is_raised());
        for other in [Reason::Caller, Reason::Spent, Reason::Returned] {
            stop.raise(other);
            stop.raise(Reason::Crowded);
            stop.lower(Reason::Crowded);
            assert!(stop.has(other) && stop.is_raised(), "{other:?}");
            assert!(!stop.has(Reason::Crowded));
            stop.clear();
            assert!(!stop.is_raised());
        }
    }
}
