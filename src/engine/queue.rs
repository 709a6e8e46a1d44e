//! Commands that wait for the end of the work. There is room for a fixed
//! number of them; any beyond that are refused, but counted.

use std::collections::VecDeque;

/// The most commands that wait.
pub const MOST_COMMANDS: usize = 10_000;
/// The most memory that commands take while they wait, in bytes.
const MOST_BYTES: usize = 32 << 20;

/// A head's command, as far as the order of commands depends on it.
pub trait Queued {
    /// Whether it is carried out at once, even during work.
    fn is_immediate(&self) -> bool;

    /// Whether it is answered with a move, so that someone waits for one even
    /// if it is refused.
    fn is_search(&self) -> bool;

    /// Whether the commands after it refer to another position than those
    /// before it.
    fn sets_position(&self) -> bool;
}

/// What came after a command while it waited, and applies to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Since {
    /// Whether a stop came.
    pub stop: bool,
    /// Whether a ponder hit came.
    pub ponder_hit: bool,
}

/// What has been refused since there was last room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflow {
    /// All commands.
    pub commands: u64,
    /// Those among them that are answered with a move.
    pub searches: u64,
    /// Whether one of them would have set the position.
    pub has_position: bool,
}

/// The commands that wait, oldest first.
#[derive(Debug)]
pub(super) struct Queue<C> {
    commands: VecDeque<(C, usize)>,
    bytes: usize,
    /// How many have been taken out: the number of the first one waiting.
    first: u64,
    /// A stop came after all commands below this number.
    stopped: u64,
    /// A ponder hit did.
    hit: u64,
    overflow: Overflow,
}

impl<C> Default for Queue<C> {
    fn default() -> Self {
        Self {
            commands: VecDeque::new(),
            bytes: 0,
            first: 0,
            stopped: 0,
            hit: 0,
            overflow: Overflow::default(),
        }
    }
}

impl<C: Queued> Queue<C> {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Queues a command that takes this many bytes of memory. If there is no room, it
    /// and all that come until the queue is empty are refused, to keep what is
    /// done in order.
    ///
    /// # Errors
    /// If it is refused: how many have been, including this one.
    pub fn push(&mut self, command: C, bytes: usize) -> Result<(), u64> {
        let is_full =
            self.commands.len() >= MOST_COMMANDS || self.bytes.saturating_add(bytes) > MOST_BYTES;
        if is_full || self.overflow.commands > 0 {
            let overflow = &mut self.overflow;
            overflow.commands += 1;
            overflow.searches += u64::from(command.is_search());
            overflow.has_position |= command.sets_position();
            return Err(overflow.commands);
        }
        self.bytes += bytes;
        self.commands.push_back((command, bytes));
        Ok(())
    }

    /// Takes out the oldest command, with what has come since.
    pub fn pop(&mut self) -> Option<(C, Since)> {
        let (command, bytes) = self.commands.pop_front()?;
        self.bytes -= bytes;
        let number = self.first;
        self.first += 1;
        let since = Since {
            stop: number < self.stopped,
            ponder_hit: number < self.hit,
        };
        Some((command, since))
    }

    /// A stop came: it applies to all that wait.
    pub fn stop(&mut self) {
        self.stopped = self.first + self.commands.len() as u64;
    }

    /// A ponder hit came: it applies to all that wait.
    pub fn ponder_hit(&mut self) {
        self.hit = self.first + self.commands.len() as u64;
    }

    /// What was refused, once nothing waits any more; then there is room again.
    pub fn take_overflow(&mut self) -> Option<Overflow> {
        if !self.is_empty() || self.overflow.commands == 0 {
            return None;
        }
        Some(std::mem::take(&mut self.overflow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Eq)]
    enum Command {
        Show,
        Search,
        Position,
    }

    impl Queued for Command {
        fn is_immediate(&self) -> bool {
            false
        }

        fn is_search(&self) -> bool {
            *self == Self::Search
        }

        fn sets_position(&self) -> bool {
            *self == Self::Position
        }
    }

    #[test]
    fn a_stop_and_a_hit_hold_for_what_came_before_them() {
        let mut queue = Queue::default();
        queue.push(Command::Show, 1).unwrap();
        queue.ponder_hit();
        queue.push(Command::Search, 5).unwrap();
        queue.stop();
        queue.push(Command::Position, 4).unwrap();
        let mut next = |stop, ponder_hit| {
            let since = Since { stop, ponder_hit };
            let (command, found) = queue.pop().unwrap();
            assert_eq!(found, since);
            command
        };
        assert_eq!(next(true, true), Command::Show);
        assert_eq!(next(true, false), Command::Search);
        assert_eq!(next(false, false), Command::Position);
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_until_all_is_done() {
        for (bytes, room) in [(1, MOST_COMMANDS), (MOST_BYTES / 3, 3)] {
            let mut queue = Queue::default();
            for _ in 0..room {
                queue.push(Command::Show, bytes).unwrap();
            }
            assert_eq!(queue.push(Command::Search, bytes), Err(1));
            queue.pop();
            // There is room, but the order would be lost.
            assert_eq!(queue.push(Command::Position, 1), Err(2));
            assert_eq!(queue.take_overflow(), None);
            while queue.pop().is_some() {}
            let overflow = Overflow {
                commands: 2,
                searches: 1,
                has_position: true,
            };
            assert_eq!(queue.take_overflow(), Some(overflow));
            assert_eq!(queue.take_overflow(), None);
            queue.push(Command::Show, bytes).unwrap();
        }
    }
}
