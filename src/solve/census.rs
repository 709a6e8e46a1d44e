//! Which positions near the root took how much of a search: where it did most
//! of its work, so that another search can go on there.
//!
//! Only below positions that have taken a certain share of all nodes so far is
//! anything counted, so the few positions that end with that share are found
//! and the rest of the search is left in peace.

use super::keys::Key;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The count.
pub struct Census<K> {
    /// A position that took one part in so many counts; 0 if nothing does.
    parts: AtomicU64,
    work: Mutex<HashMap<K, u64>>,
}

impl<K: Key> Census<K> {
    /// Counts nothing.
    pub fn new() -> Self {
        Self {
            parts: AtomicU64::new(0),
            work: Mutex::new(HashMap::new()),
        }
    }

    /// Begins a new count.
    pub fn begin(&self, parts: Option<u64>) {
        self.parts.store(parts.unwrap_or(0), Relaxed);
        self.all().clear();
    }

    /// Whether anything is counted.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.parts.load(Relaxed) > 0
    }

    /// Notes work below a position.
    pub fn add(&self, key: K, work: u64) {
        *self.all().entry(key).or_default() += work;
    }

    /// Whether a position has taken its share of all nodes.
    pub fn is_large(&self, key: K, nodes: u64) -> bool {
        let work = self.all().get(&key).copied().unwrap_or(0);
        work > 0 && work.saturating_mul(self.parts.load(Relaxed)) >= nodes
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<K, u64>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
