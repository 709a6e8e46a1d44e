//! The worker threads: each takes jobs one after another and keeps what it has
//! learned between them.

use super::error::WORK_BYTES;
use crate::base::ask_for;
use crate::search::Histories;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

/// What a thread keeps from job to job.
#[derive(Debug, Default)]
pub(super) struct Memory {
    histories: Option<Histories>,
}

impl Memory {
    /// The thread's histories for a game with this many move indices, empty if
    /// the game has changed.
    pub fn histories(&mut self, indices: usize) -> &mut Histories {
        match &mut self.histories {
            Some(kept) if kept.indices() == indices => {}
            slot => *slot = Some(Histories::new(indices)),
        }
        self.histories
            .get_or_insert_with(|| Histories::new(indices))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.histories = None;
    }
}

/// A job of one thread.
pub(super) type Job = Box<dyn FnOnce(&mut Memory) + Send>;

#[derive(Debug)]
struct Thread {
    jobs: Option<Sender<Job>>,
    handle: Option<JoinHandle<()>>,
}

/// A fixed number of threads.
#[derive(Debug)]
pub(super) struct Pool {
    threads: Vec<Thread>,
}

/// Search lines are deep: frames of several hundred plies need room.
const STACK_BYTES: usize = 64 << 20;

impl Pool {
    /// Starts this many threads, at least one.
    ///
    /// # Errors
    /// If the system cannot start them, or has no memory for their work.
    pub fn new(count: usize) -> std::io::Result<Self> {
        let count = count.max(1);
        ask_for(count * WORK_BYTES).map_err(std::io::Error::other)?;
        let threads = (0..count)
            .map(|index| {
                let (jobs, inbox) = channel::<Job>();
                let handle = std::thread::Builder::new()
                    .name(format!("search {index}"))
                    .stack_size(STACK_BYTES)
                    .spawn(move || {
                        let mut memory = Memory::default();
                        for job in inbox {
                            job(&mut memory);
                        }
                    })?;
                Ok(Thread {
                    jobs: Some(jobs),
                    handle: Some(handle),
                })
            })
            .collect::<std::io::Result<Vec<_>>>()?;
        ask_for(count * WORK_BYTES).map_err(std::io::Error::other)?;
        Ok(Self { threads })
    }

    /// The number of threads.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Hands a job to a thread. Jobs of one thread run in order.
    pub fn submit(&self, thread: usize, job: Job) {
        if let Some(jobs) = &self.threads[thread].jobs {
            // A thread ends only when the pool does.
            if jobs.send(job).is_err() {
                log::error!("search thread {thread} has died");
            }
        }
    }
}

impl Drop for Pool {
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
