//! A limit on how many may come in at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Acquire};

/// A limit on how many may come in at once.
#[derive(Debug)]
pub(super) struct Seats {
    free: Arc<AtomicUsize>,
}

/// A taken seat, free again when dropped.
#[derive(Debug)]
pub(super) struct Seat(Arc<AtomicUsize>);

impl Seats {
    pub fn new(count: usize) -> Self {
        Self {
            free: Arc::new(count.into()),
        }
    }

    /// Takes a seat, if one is free.
    pub fn take(&self) -> Option<Seat> {
        self.free
            .fetch_update(AcqRel, Acquire, |free| free.checked_sub(1))
            .ok()
            .map(|_| Seat(Arc::clone(&self.free)))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_add(1, AcqRel);
    }
}
