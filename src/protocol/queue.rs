//! Requests that wait for the end of the work, in the order in which they came.

use super::command::{CommandError, Request};
use std::collections::VecDeque;

/// The most requests that wait.
const MAX_REQUESTS: usize = 10_000;
/// The most memory that requests take while they wait, in bytes.
const MAX_BYTES: usize = 32 << 20;

/// Signals that came after a request while it waited, and apply to the work that
/// it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PendingSignals {
    pub(super) stop: bool,
    pub(super) ponder_hit: bool,
}

/// The requests that wait, oldest first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<(Request, usize)>,
    bytes: usize,
    /// How many have been taken out: the number of the first one that waits.
    first: u64,
    /// A stop came after all requests below this number.
    stopped: u64,
    /// A ponder hit did.
    hit: u64,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Queues a request that takes this many bytes of memory, or returns it if
    /// there is no room.
    pub(super) fn push(&mut self, request: Request, bytes: usize) -> Option<Request> {
        let total = self.bytes.saturating_add(bytes);
        if self.waiting.len() >= MAX_REQUESTS || total > MAX_BYTES {
            return Some(request);
        }
        self.bytes = total;
        self.waiting.push_back((request, bytes));
        None
    }

    /// A request that would have changed the position found no room: for those
    /// behind it, there is no position. There is always room to record that.
    pub(super) fn lose_position(&mut self) {
        let is_lost = |(last, _): &(Request, usize)| matches!(last, Err(CommandError::Position(_)));
        if !self.waiting.back().is_some_and(is_lost) {
            let lost = CommandError::Position("the queue was full".to_owned());
            self.waiting.push_back((Err(lost), 0));
        }
    }

    /// Takes out the oldest request, with the signals that came after it.
    pub(super) fn pop(&mut self) -> Option<(Request, PendingSignals)> {
        let (request, bytes) = self.waiting.pop_front()?;
        self.bytes -= bytes;
        let number = self.first;
        self.first += 1;
        let signals = PendingSignals {
            stop: number < self.stopped,
            ponder_hit: number < self.hit,
        };
        Some((request, signals))
    }

    /// A stop came: it applies to all that wait.
    pub(super) fn stop(&mut self) {
        self.stopped = self.first + self.waiting.len() as u64;
    }

    /// A ponder hit came: it applies to all that wait.
    pub(super) fn ponder_hit(&mut self) {
        self.hit = self.first + self.waiting.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::Command::{Flip, Moves};
    use super::*;

    #[test]
    fn a_stop_and_a_hit_apply_to_what_came_before_them() {
        let mut queue = Queue::default();
        assert_eq!(queue.push(Ok(Moves), 1), None);
        queue.ponder_hit();
        assert_eq!(queue.push(Ok(Flip), 5), None);
        queue.stop();
        assert_eq!(queue.push(Ok(Moves), 4), None);
        for (request, stop, ponder_hit) in [
            (Moves, true, true),
            (Flip, true, false),
            (Moves, false, false),
        ] {
            let signals = PendingSignals { stop, ponder_hit };
            assert_eq!(queue.pop(), Some((Ok(request), signals)));
        }
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn there_is_room_for_so_many_requests_and_so_much_memory() {
        for (bytes, room) in [(1, MAX_REQUESTS), (MAX_BYTES / 3, 3)] {
            let mut queue = Queue::default();
            for _ in 0..2 {
                while queue.push(Ok(Moves), bytes).is_none() {}
                assert_eq!(queue.waiting.len(), room);
                assert_eq!(queue.push(Ok(Flip), bytes), Some(Ok(Flip)));
                queue.lose_position();
                queue.lose_position();
                assert_eq!(queue.waiting.len(), room + 1);
                while let Some((request, _)) = queue.pop() {
                    assert_eq!(request.is_err(), queue.is_empty());
                }
            }
        }
    }
}
