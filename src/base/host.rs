//! Where work runs: on threads of the system, on threads that somebody else
//! starts, or in turns with whoever has no other thread.

use super::memory::ask_for_thread;
use std::io;
use std::thread::Builder;

/// Work for a thread.
pub type Task = Box<dyn FnOnce() + Send>;

/// How long work lets its host take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// For what has come in meanwhile.
    Moment,
    /// Until something comes in: there is nothing to do before.
    UntilNews,
}

/// What the engine lives in, and where its work runs accordingly.
#[derive(Clone, Copy, Debug, Default)]
pub enum Host {
    /// A system with threads.
    #[default]
    System,
    /// Something that starts threads by this function, such as a page with
    /// workers that share memory. They must be allowed to wait.
    Workers(fn(Task) -> io::Result<()>),
    /// A single thread. Work is kept until the host runs it, and calls this
    /// function every few milliseconds, in which the host may take over.
    Turns(fn(Pause)),
}

impl Host {
    /// Starts a thread whose end nobody waits for.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn spawn(self, name: String, stack: usize, task: Task) -> io::Result<()> {
        match self {
            Self::System => {
                ask_for_thread(stack)?;
                let thread = Builder::new().name(name).stack_size(stack);
                thread.spawn(task).map(drop)
            }
            Self::Workers(start) => start(task),
            Self::Turns(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Lets a host without threads take over; the others need not be let.
    /// Whether it was let.
    pub fn pause(self, pause: Pause) -> bool {
        if let Self::Turns(take_over) = self {
            take_over(pause);
            return true;
        }
        false
    }
}
