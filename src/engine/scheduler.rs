//! Whose turn it is: commands that come during work wait for its end, and are
//! then carried out in the order they came.

use super::queue::{Overflow, Queue, Queued, Since};
use super::{Engine, EngineError, Event};

/// What becomes of a command.
#[derive(Debug, PartialEq, Eq)]
pub enum Turn<C> {
    /// Carry it out now.
    Now(C),
    /// It waits for the end of the work.
    Kept,
    /// There is no room for it. It and all that come until nothing waits any
    /// more are refused, and counted in an [`Overflow`].
    Refused {
        /// Whether it is the first of them.
        is_first: bool,
    },
}

/// An engine with the commands that wait for it. A head tells it of every
/// command ([`Scheduler::submit`]) and of every event ([`Scheduler::finished`]),
/// and carries out what it is given in turn.
#[derive(Debug)]
pub struct Scheduler<C> {
    engine: Engine,
    queue: Queue<C>,
    /// What came after the command that is being carried out.
    since: Since,
    /// Whether work has begun whose final event has not come. The engine
    /// itself may be idle a moment earlier.
    is_working: bool,
}

impl<C: Queued> Scheduler<C> {
    /// A scheduler for an idle engine, with nothing waiting.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            queue: Queue::default(),
            since: Since::default(),
            is_working: false,
        }
    }

    /// The engine.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine, to change its settings. Work is begun by [`Scheduler::begin`].
    pub const fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Whether there is nothing left to do.
    #[must_use]
    pub fn is_done(&self) -> bool {
        !self.is_working && self.queue.is_empty()
    }

    /// Decides what becomes of a command that takes this many bytes of memory.
    pub fn submit(&mut self, command: C, bytes: usize) -> Turn<C> {
        if self.is_done() || command.is_immediate() {
            return Turn::Now(command);
        }
        match self.queue.push(command, bytes) {
            Ok(()) => Turn::Kept,
            Err(refused) => Turn::Refused {
                is_first: refused == 1,
            },
        }
    }

    /// Begins work on the engine.
    ///
    /// # Errors
    /// If the engine refuses it.
    pub fn begin(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        work(&mut self.engine)?;
        self.is_working = true;
        // What came while the command waited, and applies to it.
        let since = std::mem::take(&mut self.since);
        if since.ponder_hit {
            self.engine.ponder_hit();
        }
        if since.stop {
            self.engine.stop();
        }
        Ok(())
    }

    /// Ends the work, and all that waits as soon as it begins.
    pub fn stop(&mut self) {
        self.queue.stop();
        self.engine.stop();
    }

    /// The move pondered on has been played; this applies to what waits, too.
    pub fn ponder_hit(&mut self) {
        self.queue.ponder_hit();
        self.engine.ponder_hit();
    }

    /// Takes note of an event; `true` if it ends the work, and what waits is to
    /// be carried out.
    pub const fn finished(&mut self, event: &Event) -> bool {
        if event.is_final() {
            self.is_working = false;
        }
        event.is_final()
    }

    /// The next command to carry out, until one of them begins work.
    pub fn next_command(&mut self) -> Option<C> {
        self.since = Since::default();
        if self.is_working {
            return None;
        }
        let (command, since) = self.queue.pop()?;
        self.since = since;
        Some(command)
    }

    /// What there was no room for, once everything else has been carried out.
    /// If a position was among it, there is none to work on.
    pub fn take_overflow(&mut self) -> Option<Overflow> {
        if self.is_working {
            return None;
        }
        let overflow = self.queue.take_overflow()?;
        if overflow.has_position {
            let fault = "the queue was full".to_owned();
            self.engine.refuse_position(fault);
        }
        Some(overflow)
    }
}
