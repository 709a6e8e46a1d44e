//! A profile of the search: how much work the positions near the root took, so
//! that another search can go on where this one did most.
//!
//! Visits that are small compared to the requested share are not counted, so
//! the few positions that reach it are found and the rest of the search is not
//! slowed.

use super::keys::Key;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A visit counts if it took at least one part in this many of the share.
const GRAIN: u64 = 16;

/// How much work a search did below each position.
pub struct WorkProfile<K> {
    /// A position counts if it took one part in this many; 0 if none does.
    parts: AtomicU64,
    /// The nodes that earlier searches had taken when the count began.
    before: AtomicU64,
    work: Mutex<HashMap<K, u64>>,
}

impl<K: Key> WorkProfile<K> {
    /// A profile that counts nothing.
    pub fn new() -> Self {
        Self {
            parts: AtomicU64::new(0),
            before: AtomicU64::new(0),
            work: Mutex::new(HashMap::new()),
        }
    }

    /// Begins a new count, when all searches have taken `nodes` so far.
    pub fn begin(&self, parts: Option<u64>, nodes: u64) {
        self.parts.store(parts.unwrap_or(0), Relaxed);
        self.before.store(nodes, Relaxed);
        self.all().clear();
    }

    /// Whether anything is counted.
    #[inline]
    pub fn is_enabled(&self) -> bool {
        self.parts.load(Relaxed) > 0
    }

    /// Records that a visit of a position cost `work` nodes, when all searches
    /// have taken `nodes` so far.
    pub fn add(&self, key: K, work: u64, nodes: u64) {
        let parts = self.parts.load(Relaxed).saturating_mul(GRAIN);
        if work.saturating_mul(parts) >= self.since(nodes) {
            *self.all().entry(key).or_default() += work;
        }
    }

    /// Whether a position has taken its share of the nodes since the count began.
    pub fn is_large(&self, key: K, nodes: u64) -> bool {
        let work = self.all().get(&key).copied().unwrap_or(0);
        work > 0 && work.saturating_mul(self.parts.load(Relaxed)) >= self.since(nodes)
    }

    fn since(&self, nodes: u64) -> u64 {
        nodes.saturating_sub(self.before.load(Relaxed))
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<K, u64>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_take_their_share_are_found() {
        let profile = WorkProfile::<u64>::new();
        assert!(!profile.is_enabled());
        profile.begin(Some(10), 0);
        assert!(profile.is_enabled());
        // By small visits; only those of the last are too small to count.
        for _ in 0..20 {
            profile.add(1, 50, 1000);
            profile.add(2, 7, 1000);
            profile.add(3, 6, 1000);
        }
        assert!(profile.is_large(1, 10_000) && !profile.is_large(1, 10_001));
        assert!(profile.is_large(2, 1_400) && !profile.is_large(2, 1_401));
        assert!(!profile.is_large(3, 0), "too small to count");
        profile.begin(Some(10), 9_000);
        assert!(!profile.is_large(1, 1), "a new count");
        // Now the nodes of before do not count.
        profile.add(1, 50, 10_000);
        assert!(profile.is_large(1, 9_500) && !profile.is_large(1, 9_501));
        profile.begin(None, 0);
        assert!(!profile.is_enabled());
        assert!(!profile.is_large(1, 0));
    }
}
