//! Where work runs: on threads of the system or of the host, or on the one
//! thread of a host without any.

use super::memory::check_thread_available;
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
    UntilInput,
}

/// The environment of the engine, which decides where its work runs.
#[derive(Clone, Copy, Debug, Default)]
pub enum Host {
    /// A system with threads.
    #[default]
    System,
    /// A system with threads, where work gives way to other threads.
    Background,
    /// A host that starts threads through this function, such as a page with
    /// workers that share memory. They must be allowed to block.
    Workers(fn(Task) -> io::Result<()>),
    /// A single thread. Work is held until the host runs it, and calls this
    /// function every few milliseconds to let the host take over.
    SingleThread(fn(Pause)),
}

impl Host {
    /// Starts a detached thread.
    pub(crate) fn spawn(self, name: String, stack: usize, task: Task) -> io::Result<()> {
        match self {
            Self::System | Self::Background => {
                check_thread_available(stack)?;
                let thread = Builder::new().name(name).stack_size(stack);
                let run = move || {
                    self.prepare_thread();
                    task();
                };
                thread.spawn(run).map(drop)
            }
            Self::Workers(start) => start(task),
            Self::SingleThread(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// To be called at the start of each of its threads.
    pub(crate) fn prepare_thread(self) {
        if matches!(self, Self::Background) {
            lower_priority();
        }
    }

    /// Lets a host without threads take over and returns `true`; on other hosts
    /// does nothing and returns `false`.
    pub(crate) fn pause(self, pause: Pause) -> bool {
        if let Self::SingleThread(take_over) = self {
            take_over(pause);
            return true;
        }
        false
    }
}

/// Lowers the priority of this thread.
#[cfg(feature = "serve")]
fn lower_priority() {
    use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};
    // In per cent; 50 is normal.
    let priority = ThreadPriorityValue::try_from(25).map(ThreadPriority::Crossplatform);
    let result = priority.map(set_current_thread_priority);
    if !matches!(result, Ok(Ok(()))) {
        log::debug!("could not lower the priority of a thread: {result:?}");
    }
}

/// Needed by servers only.
#[cfg(not(feature = "serve"))]
const fn lower_priority() {}
