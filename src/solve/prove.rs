//! Running a proof: all threads on one position, under limits.
//!
//! Answers of threads are handed over by a condition variable: the standard library's
//! channels need its clock to wait with a timeout, and in WebAssembly it has none.

use super::dfpn::ProofWorker;
use super::keys::Key;
use super::numbers::Numbers;
use super::shared::{Node, SharedSearch, StopReason};
use super::table::Store as _;
use super::types::{Progress, ProofLimits};
use crate::base::Instant;
use crate::game::breakthrough::{Bits, Proven, Step};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the caller checks the stop flag and the clock.
const TICK: Duration = Duration::from_millis(5);

const REPORT: Duration = Duration::from_millis(500);

/// Stack size of a search thread in bytes: a line can be as long as a game.
const STACK_BYTES: usize = 4 << 20;

/// Answers that have arrived, and how many are still due.
#[derive(Debug)]
struct Answers<T> {
    state: Mutex<Pending<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Pending<T> {
    arrived: VecDeque<Option<T>>,
    due: usize,
}

/// A thread's promise of an answer. If it is dropped without one, the answer is
/// `None`.
#[derive(Debug)]
struct Promise<T> {
    to: Arc<Answers<T>>,
    answer: Option<T>,
}

impl<T> Answers<T> {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(Pending {
                arrived: VecDeque::new(),
                due: 0,
            }),
            changed: Condvar::new(),
        })
    }

    fn promise(self: &Arc<Self>) -> Promise<T> {
        self.state().due += 1;
        Promise {
            to: Arc::clone(self),
            answer: None,
        }
    }

    /// The next answer, if it comes within this time; `Some(None)` if its
    /// thread ended without one.
    fn wait(&self, time: Duration) -> Option<Option<T>> {
        let mut state = self.state();
        if state.arrived.is_empty() {
            let waited = self.changed.wait_timeout(state, time);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.arrived.pop_front()
    }

    fn wait_for_all(&self) {
        let mut state = self.state();
        while state.due > 0 {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, Pending<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Promise<T> {
    fn fulfil(mut self, answer: T) {
        self.answer = Some(answer);
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        let mut state = self.to.state();
        state.arrived.push_back(self.answer.take());
        state.due -= 1;
        drop(state);
        self.to.changed.notify_all();
    }
}

/// Running threads, and where each reports its result. Dropping this ends them,
/// even if the caller panics.
struct ProofThreads<'a, B: Bits, K: Key> {
    shared: &'a SharedSearch<B, K>,
    found: Arc<Answers<Numbers>>,
}

impl<B: Bits, K: Key> Drop for ProofThreads<'_, B, K> {
    fn drop(&mut self) {
        self.shared.stop.raise(StopReason::Returned);
        self.found.wait_for_all();
    }
}

impl<B: Bits, K: Key> SharedSearch<B, K> {
    /// Whether the side to move wins; `None` if a limit or the stop flag ended
    /// the search before that was known. The game must not be over.
    pub(super) fn prove(
        self: &Arc<Self>,
        node: &Node<B, K>,
        limits: &ProofLimits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<bool> {
        match self.statics.judge(node.view) {
            Proven::Win(_) => return Some(true),
            Proven::Loss(_) => return Some(false),
            Proven::Open => {}
        }
        self.begin_search(limits.nodes);
        let start = Instant::now();
        let mut reported = start;
        let mut poll = || {
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                progress(&self.progress(start));
            }
            if stop() || is_late(limits, start) {
                self.stop.raise(StopReason::Caller);
            }
        };
        let result = if limits.threads > 1 {
            // The table grows while no thread searches; one alone sees to that itself.
            loop {
                let result = self.search_in_parallel(node, limits, &mut poll);
                if result.is_some() || stop() || !self.make_room(limits.threads) {
                    break result;
                }
            }
        } else {
            self.search_alone(node, &mut poll)
        };
        self.end_search();
        result
    }

    /// One search on the caller's thread, which calls `poll` every so often.
    fn search_alone(&self, node: &Node<B, K>, poll: &mut dyn FnMut()) -> Option<bool> {
        let mut worker = ProofWorker::new(self, false);
        let numbers = worker.polled(poll).run(node);
        self.keep(worker.learner());
        numbers.decided()
    }

    /// One search by several threads until one of them has decided the
    /// position or all are stopped; `poll` is called every so often.
    fn search_in_parallel(
        self: &Arc<Self>,
        node: &Node<B, K>,
        limits: &ProofLimits,
        poll: &mut dyn FnMut(),
    ) -> Option<bool> {
        let threads = ProofThreads {
            shared: self,
            found: Answers::new(),
        };
        // How many answers are due, and how many threads have started.
        let (mut due, mut started) = (0, 0);
        while started < limits.threads.max(1) {
            due += 1;
            let (shared, node, promise) = (Arc::clone(self), *node, threads.found.promise());
            let search = move || {
                let mut worker = ProofWorker::new(&shared, true);
                let numbers = worker.run(&node);
                shared.keep(worker.learner());
                // Whoever waits for the answer then has the table to itself.
                drop(worker);
                drop(shared);
                promise.fulfil(numbers);
            };
            let name = format!("proof {started}");
            match limits.host.spawn(name, STACK_BYTES, Box::new(search)) {
                Ok(_) => started += 1,
                Err(error) => {
                    let all = limits.threads;
                    log::error!("only {started} of {all} threads could be started: {error}");
                    break;
                }
            }
        }
        if started == 0 {
            return self.search_alone(node, poll);
        }
        let mut result = None;
        while due > 0 {
            match threads.found.wait(TICK) {
                None => poll(),
                // The thread has panicked, or could not be started.
                Some(None) => due -= 1,
                Some(Some(numbers)) => {
                    due -= 1;
                    result = numbers.decided().or(result);
                    self.stop.raise(StopReason::Returned);
                }
            }
        }
        result
    }

    /// A winning step of a position that has been proven to be won; `None` if
    /// finding it takes more nodes.
    pub(crate) fn winning_step(
        &self,
        node: &Node<B, K>,
        nodes: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<Step> {
        self.begin_search(Some(nodes));
        let mut poll = || self.poll(stop);
        let mut worker = ProofWorker::new(self, false);
        worker.polled(&mut poll).run(node);
        self.end_search();
        worker.winning()
    }

    fn progress(&self, start: Instant) -> Progress {
        Progress {
            nodes: self.nodes.load(Relaxed),
            time: start.elapsed(),
            proof: self.root[0].load(Relaxed),
            disproof: self.root[1].load(Relaxed),
            hashfull: self.table.per_mille(),
        }
    }
}

fn is_late(limits: &ProofLimits, start: Instant) -> bool {
    limits.time.is_some_and(|time| start.elapsed() >= time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn answers_come_once_each_and_so_does_their_absence() {
        let answers = Answers::new();
        for number in 0..20 {
            let promise = answers.promise();
            thread::spawn(move || {
                if number % 5 == 0 {
                    // As a panicking thread does.
                    drop(promise);
                } else {
                    promise.fulfil(number);
                }
            });
        }
        let mut come = Vec::new();
        while come.len() < 20 {
            come.extend(answers.wait(Duration::from_millis(5)));
        }
        answers.wait_for_all();
        assert_eq!(answers.wait(Duration::ZERO), None);
        come.sort_unstable();
        let some = (0..20).filter(|number| number % 5 > 0).map(Some);
        let expected: Vec<_> = [None; 4].into_iter().chain(some).collect();
        assert_eq!(come, expected);
    }
}
