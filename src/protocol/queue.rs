//! Commands that wait for the end of the work. There is room for a fixed
//! number of them; what comes beyond it is refused, but counted.

use super::command::Command;
use std::collections::VecDeque;

/// The most commands that wait.
pub(super) const MOST_COMMANDS: usize = 10_000;
/// The most text that waits, in bytes.
pub(super) const MOST_BYTES: usize = 4 << 20;

/// A command whose turn has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Waited {
    /// The command.
    pub command: Command,
    /// Whether a `stop` came after it.
    pub is_stopped: bool,
    /// Whether a `ponderhit` came after it.
    pub is_hit: bool,
}

/// What was refused since there was last room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overflow {
    /// All commands.
    pub commands: u64,
    /// Those among them that are answered with a `bestmove`.
    pub searches: u64,
    /// Whether there was a `position` among them.
    pub has_position: bool,
}

/// The commands that wait, oldest first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    commands: VecDeque<(Command, usize)>,
    bytes: usize,
    /// How many have been taken out: the number of the first one waiting.
    first: u64,
    /// A `stop` came after all commands below this number.
    stopped: u64,
    /// A `ponderhit` did.
    hit: u64,
    overflow: Overflow,
}

impl Queue {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Lets a command wait that came as so many bytes. If there is no room,
    /// it and all that come until the queue is empty are refused: what is done
    /// is done in the order it came. `false` for the first one refused.
    pub fn push(&mut self, command: Command, bytes: usize) -> bool {
        let is_full =
            self.commands.len() >= MOST_COMMANDS || self.bytes.saturating_add(bytes) > MOST_BYTES;
        if is_full || self.overflow.commands > 0 {
            let overflow = &mut self.overflow;
            overflow.commands += 1;
            overflow.searches +=
                u64::from(matches!(command, Command::Go(_) | Command::RefusedGo(_)));
            overflow.has_position |= matches!(
                command,
                Command::Position { .. } | Command::RefusedPosition(_)
            );
            return overflow.commands > 1;
        }
        self.bytes += bytes;
        self.commands.push_back((command, bytes));
        true
    }

    /// Takes out the oldest one.
    pub fn pop(&mut self) -> Option<Waited> {
        let (command, bytes) = self.commands.pop_front()?;
        self.bytes -= bytes;
        let number = self.first;
        self.first += 1;
        Some(Waited {
            command,
            is_stopped: number < self.stopped,
            is_hit: number < self.hit,
        })
    }

    /// A `stop` came: it holds for all that wait.
    pub fn stop(&mut self) {
        self.stopped = self.first + self.commands.len() as u64;
    }

    /// A `ponderhit` came: it holds for all that wait.
    pub fn ponder_hit(&mut self) {
        self.hit = self.first + self.commands.len() as u64;
    }

    /// What was refused, once nothing waits any more; there is room again.
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

    #[test]
    fn a_stop_and_a_hit_hold_for_what_came_before_them() {
        let mut queue = Queue::default();
        assert!(queue.push(Command::Display, 1));
        queue.ponder_hit();
        assert!(queue.push(Command::Moves, 5));
        queue.stop();
        assert!(queue.push(Command::Eval, 4));
        let marks = |queue: &mut Queue| {
            let waited = queue.pop().unwrap();
            (waited.is_stopped, waited.is_hit)
        };
        assert_eq!(marks(&mut queue), (true, true));
        assert_eq!(marks(&mut queue), (true, false));
        assert_eq!(marks(&mut queue), (false, false));
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_until_all_is_done() {
        for (bytes, room) in [(1, MOST_COMMANDS), (MOST_BYTES / 3, 3)] {
            let mut queue = Queue::default();
            for _ in 0..room {
                assert!(queue.push(Command::Display, bytes));
            }
            assert!(!queue.push(Command::RefusedGo(String::new()), bytes));
            queue.pop();
            // There is room, but the order would be lost.
            assert!(queue.push(Command::RefusedPosition(String::new()), 1));
            assert_eq!(queue.take_overflow(), None);
            while queue.pop().is_some() {}
            let overflow = Overflow {
                commands: 2,
                searches: 1,
                has_position: true,
            };
            assert_eq!(queue.take_overflow(), Some(overflow));
            assert_eq!(queue.take_overflow(), None);
            assert!(queue.push(Command::Display, bytes));
        }
    }
}
