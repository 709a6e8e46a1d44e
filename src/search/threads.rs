//! Threads that run jobs one after another, each with a memory that it keeps
//! between them.

use crate::base::sync::mpsc::{Receiver, Sender, channel};
use crate::base::sync::{Builder, JoinHandle, Mutex, PoisonError};
use crate::base::{Host, check_available, check_thread_available};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A job for one thread.
pub(crate) type Job<M> = Box<dyn FnOnce(&mut M) + Send>;

/// A fixed number of threads.
#[derive(Debug)]
pub(crate) struct Threads<M> {
    name: &'static str,
    /// What hands each of them its jobs.
    jobs: Vec<Sender<Job<M>>>,
    runner: Runner<M>,
}

/// What runs the jobs.
#[derive(Debug)]
enum Runner<M> {
    /// Threads, of which those of the system are joined.
    Threads(Vec<JoinHandle<()>>),
    /// Whoever takes them.
    Caller(Mutex<Receiver<Job<M>>>),
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
    pub(crate) fn new(host: Host, name: &'static str, count: usize) -> io::Result<Self> {
        let start = |index: usize| {
            let (jobs, inbox) = channel();
            let run = move || {
                host.prepare_thread();
                run_all(inbox);
            };
            let title = format!("{name} {index}");
            let handle = match host {
                Host::System | Host::Background => {
                    check_thread_available(STACK_BYTES)?;
                    let thread = Builder::new().name(title).stack_size(STACK_BYTES);
                    Some(thread.spawn(run)?)
                }
                Host::Workers(start) => start(Box::new(run)).map(|()| None)?,
                Host::SingleThread(_) => return Err(io::ErrorKind::Unsupported.into()),
            };
            Ok((jobs, handle))
        };
        let has_memory = || check_available(count * WORK_BYTES).map_err(io::Error::other);
        has_memory()?;
        let threads = (0..count).map(start).collect::<io::Result<Vec<_>>>()?;
        has_memory()?;
        let (jobs, handles): (_, Vec<_>) = threads.into_iter().unzip();
        Ok(Self {
            name,
            jobs,
            runner: Runner::Threads(handles.into_iter().flatten().collect()),
        })
    }

    /// One whose jobs are run by whoever takes them.
    pub(crate) fn on_caller(name: &'static str) -> Self {
        let (jobs, inbox) = channel();
        Self {
            name,
            jobs: vec![jobs],
            runner: Runner::Caller(Mutex::new(inbox)),
        }
    }

    /// The next job waiting to be taken.
    pub(crate) fn take(&self) -> Option<Job<M>> {
        match &self.runner {
            Runner::Threads(_) => None,
            Runner::Caller(inbox) => {
                let inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
                inbox.try_recv().ok()
            }
        }
    }

    /// The number of threads.
    pub(crate) const fn count(&self) -> usize {
        self.jobs.len()
    }

    /// Hands a job to a thread. A thread runs its jobs in order; if one
    /// panics, the thread loses its memory and goes on with the next.
    pub(crate) fn submit(&self, thread: usize, job: Job<M>) {
        // A thread ends only when all of them do.
        if self.jobs[thread].send(job).is_err() {
            log::error!("thread '{} {thread}' has died", self.name);
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
            name: "",
            jobs: Vec::new(),
            runner: Runner::Threads(Vec::new()),
        }
    }
}

impl<M> Drop for Threads<M> {
    fn drop(&mut self) {
        self.jobs.clear();
        if let Runner::Threads(handles) = &mut self.runner {
            for handle in handles.drain(..) {
                if handle.join().is_err() {
                    log::error!("a worker thread panicked");
                }
            }
        }
    }
}
