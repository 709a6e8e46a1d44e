//! Where work runs: on system threads, on threads that the host starts, or in
//! turns with a host that has only one thread.

use super::memory::ask_for_thread;
use std::io;
use std::thread::Builder;

/// Work for a thread.
pub type Task = Box<dyn FnOnce() + Send>;

/// How long work yields to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Long enough to handle what has come in meanwhile.
    Moment,
    /// Until something comes in: there is nothing to do until then.
    UntilNews,
}

/// The environment of the engine, which decides where its work runs.
#[derive(Clone, Copy, Debug, Default)]
pub enum Host {
    /// A system with threads.
    #[default]
    System,
    /// A host that starts threads through this function, such as a page with
    /// workers that share memory. They must be allowed to block.
    Workers(fn(Task) -> io::Result<()>),
    /// A single thread. Work is held until the host runs it, and calls this
    /// function every few milliseconds to let the host take over.
    Turns(fn(Pause)),
}

impl Host {
    /// Starts a detached thread.
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

    /// Lets a host without threads take over and returns `true`; on other hosts
    /// does nothing and returns `false`.
    pub fn pause(self, pause: Pause) -> bool {
        if let Self::Turns(take_over) = self {
            take_over(pause);
            return true;
        }
        false
    }
}
