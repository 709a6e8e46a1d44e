//! Threads that take jobs one after another, each with a memory that it keeps
//! between them.

use crate::base::ask_for;
use crate::base::sync::mpsc::{Sender, channel};
use crate::base::sync::{Builder, JoinHandle};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A job of one thread.
pub type Job<M> = Box<dyn FnOnce(&mut M) + Send>;

#[derive(Debug)]
struct Thread<M> {
    jobs: Option<Sender<Job<M>>>,
    handle: Option<JoinHandle<()>>,
}

/// A fixed number of threads.
#[derive(Debug)]
pub struct Threads<M> {
    threads: Vec<Thread<M>>,
}

/// Search lines are deep: frames of several hundred plies need room.
const STACK_BYTES: usize = 64 << 20;

/// Bytes that a thread may take for its work, its stack apart.
pub const WORK_BYTES: usize = 4 << 20;

/// Bytes that a thread takes in all.
pub const THREAD_BYTES: usize = STACK_BYTES + WORK_BYTES;

impl<M: Default + 'static> Threads<M> {
    /// Starts this many threads, each with a call of `first`.
    ///
    /// # Errors
    /// If the system cannot start them, or has no memory for their work.
    pub fn new(name: &str, count: usize, first: Option<fn()>) -> io::Result<Self> {
        let start = |index: usize| {
            let (jobs, inbox) = channel::<Job<M>>();
            let handle = Builder::new()
                .name(format!("{name} {index}"))
                .stack_size(STACK_BYTES)
                .spawn(move || {
                    if let Some(first) = first {
                        first();
                    }
                    let mut memory = M::default();
                    for job in inbox {
                        if catch_unwind(AssertUnwindSafe(|| job(&mut memory))).is_err() {
                            log::error!("a search thread panicked; it goes on with the next job");
                            memory = M::default();
                        }
                    }
                })?;
            Ok(Thread {
                jobs: Some(jobs),
                handle: Some(handle),
            })
        };
        let is_room = || ask_for(count * WORK_BYTES).map_err(io::Error::other);
        is_room()?;
        let threads = (0..count).map(start).collect::<io::Result<_>>()?;
        is_room()?;
        Ok(Self { threads })
    }

    /// The number of threads.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.threads.len()
    }

    /// Hands a job to a thread. Jobs of one thread run in order; one that
    /// panics ends, and the thread's memory with it.
    pub fn submit(&self, thread: usize, job: Job<M>) {
        if let Some(jobs) = &self.threads[thread].jobs {
            // A thread ends only when all of them do.
            if jobs.send(job).is_err() {
                log::error!("search thread {thread} has died");
            }
        }
    }
}

impl<M> Default for Threads<M> {
    /// None.
    fn default() -> Self {
        Self {
            threads: Vec::new(),
        }
    }
}

impl<M> Drop for Threads<M> {
    fn drop(&mut self) {
        for thread in &mut self.threads {
            drop(thread.jobs.take());
        }
        for thread in &mut self.threads {
            if let Some(handle) = thread.handle.take()
                && handle.join().is_err()
            {
                log::error!("a search thread panicked");
            }
        }
    }
}
