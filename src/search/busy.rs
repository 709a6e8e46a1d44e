//! What the threads of one search are at now, so that they do not do the same.
//!
//! A thread that comes to a move which another one is searching puts it off to
//! the end of its node: by then the table knows the answer (simplified ABDADA;
//! Kerrigan 2013, after Weill 1996). A lost or stale note costs time and
//! nothing else, so plain stores will do.

use crate::base::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::game::Move;

/// Notes, a power of two: many times as many as are ever in use.
const NOTES: usize = 1 << 12;

/// Moves under search, each by a key of the position and the move.
#[derive(Debug)]
pub struct Busy {
    notes: Box<[AtomicU64]>,
}

impl Busy {
    /// For a search of so many threads; one alone takes no notes.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let count = if threads > 1 { NOTES } else { 0 };
        Self {
            notes: (0..count).map(|_| 0.into()).collect(),
        }
    }

    /// Whether there are others to share the work with.
    #[inline]
    #[must_use]
    pub fn is_shared(&self) -> bool {
        !self.notes.is_empty()
    }

    /// The key of a move in a position.
    #[inline]
    #[must_use]
    pub fn key(position: u64, mv: Move) -> u64 {
        // An odd factor spreads the moves of a position over all notes.
        position ^ (u64::from(mv.raw()) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn note(&self, key: u64) -> Option<&AtomicU64> {
        self.notes.get(key as usize & (NOTES - 1))
    }

    /// Whether some thread is searching it.
    #[inline]
    #[must_use]
    pub fn is_searched(&self, key: u64) -> bool {
        self.note(key).is_some_and(|note| note.load(Relaxed) == key)
    }

    /// Notes that it is searched from now on.
    #[inline]
    pub fn begin(&self, key: u64) {
        if let Some(note) = self.note(key) {
            note.store(key, Relaxed);
        }
    }

    /// Notes that it is not any more.
    #[inline]
    pub fn end(&self, key: u64) {
        if let Some(note) = self.note(key)
            && note.load(Relaxed) == key
        {
            note.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_searched_from_its_beginning_to_its_end() {
        let busy = Busy::new(2);
        let moves = [Move::new(8, 16), Move::new(8, 17)];
        let [first, second] = moves.map(|mv| Busy::key(77, mv));
        assert_ne!(first, second);
        busy.begin(first);
        assert!(busy.is_searched(first) && !busy.is_searched(second));
        // Another move's end does not touch the note.
        busy.end(second);
        assert!(busy.is_searched(first));
        busy.end(first);
        assert!(!busy.is_searched(first));
    }

    #[test]
    fn a_thread_alone_takes_no_notes() {
        let busy = Busy::new(1);
        let key = Busy::key(5, Move::new(8, 16));
        busy.begin(key);
        assert!(!busy.is_shared() && !busy.is_searched(key));
    }
}
