//! Threads that run jobs one after another, each with a memory that it keeps
//! between them.

use crate::base::sync::mpsc::{Receiver, Sender, channel};
use crate::base::sync::{Builder, JoinHandle, Mutex, PoisonError};
use crate::base::{Host, check_available, check_thread_available, prepare_allocator};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A job for one thread.
pub(crate) type Job<M> = Box<dyn FnOnce(&mut M) + Send>;

#[derive(Debug)]
struct Thread<M> {
    jobs: Option<Sender<Job<M>>>,
    handle: Option<JoinHandle<()>>,
    /// Its jobs, if the host is to run them.
    waiting: Option<Mutex<Receiver<Job<M>>>>,
}

/// A fixed number of threads.
#[derive(Debug)]
pub(crate) struct Threads<M> {
    threads: Vec<Thread<M>>,
}

/// Search lines are deep: several hundred plies of stack frames must fit. More
/// than that is cheap, except where address space is scarce.
const STACK_BYTES: usize = if cfg!(target_pointer_width = "32") {
    8 << 20
} else {
    64 << 20
};

/// Bytes that a thread may use for its work, not counting its stack.
pub(crate) const WORK_BYTES: usize = 4 << 20;

/// Bytes that a thread takes in total.
pub(crate) const THREAD_BYTES: usize = STACK_BYTES + WORK_BYTES;

impl<M: Default + 'static> Threads<M> {
    /// Starts this many threads.
    pub(crate) fn new(host: Host, name: &str, count: usize) -> io::Result<Self> {
        let start = |index: usize| {
            let (jobs, inbox) = channel();
            let (ready, is_ready) = channel::<()>();
            let run = move || {
                prepare_allocator();
                drop(ready);
                host.prepare_thread();
                run_all(inbox);
            };
            let name = format!("{name} {index}");
            let handle = match host {
                Host::System | Host::Background => {
                    check_thread_available(STACK_BYTES)?;
                    let thread = Builder::new().name(name).stack_size(STACK_BYTES);
                    let handle = thread.spawn(run)?;
                    // Until it is dropped.
                    let _ = is_ready.recv();
                    Some(handle)
                }
                Host::Workers(start) => start(Box::new(run)).map(|()| None)?,
                Host::SingleThread(_) => return Err(io::ErrorKind::Unsupported.into()),
            };
            Ok(Thread {
                jobs: Some(jobs),
                handle,
                waiting: None,
            })
        };
        let has_memory = || check_available(count * WORK_BYTES).map_err(io::Error::other);
        has_memory()?;
        let threads = (0..count).map(start).collect::<io::Result<_>>()?;
        has_memory()?;
        Ok(Self { threads })
    }

    /// A thread in name only: its jobs are run by whoever takes them.
    pub(crate) fn waiting() -> Self {
        let (jobs, inbox) = channel();
        Self {
            threads: vec![Thread {
                jobs: Some(jobs),
                handle: None,
                waiting: Some(Mutex::new(inbox)),
            }],
        }
    }

    /// The next job waiting to be taken.
    pub(crate) fn take(&self) -> Option<Job<M>> {
        let mut inboxes = self.threads.iter().filter_map(|one| one.waiting.as_ref());
        let inbox = inboxes
            .next()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        inbox.try_recv().ok()
    }

    /// The number of threads.
    pub(crate) const fn count(&self) -> usize {
        self.threads.len()
    }

    /// Hands a job to a thread. A thread runs its jobs in order; if one
    /// panics, the thread loses its memory and goes on with the next.
    pub(crate) fn submit(&self, thread: usize, job: Job<M>) {
        if let Some(jobs) = &self.threads[thread].jobs {
            // A thread ends only when all of them do.
            if jobs.send(job).is_err() {
                log::error!("search thread {thread} has died");
            }
        }
    }
}

/// Runs a thread's jobs for as long as any can come.
fn run_all<M: Default>(inbox: Receiver<Job<M>>) {
    let mut memory = M::default();
    for job in inbox {
        if catch_panic(|| job(&mut memory)).is_none() {
            memory = M::default();
        }
    }
}

/// Does the work of a thread that must go on whatever happens; `None` if it
/// panicked.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(work));
    if outcome.is_err() {
        log::error!("a worker thread panicked; continuing with the next job");
    }
    outcome.ok()
}

impl<M> Default for Threads<M> {
    /// No threads.
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
                log::error!("a worker thread panicked");
            }
        }
    }
}
