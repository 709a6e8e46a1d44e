//! Running a proof: all threads on one position, under limits.

use super::answers::Answers;
use super::dfpn::Worker;
use super::keys::Key;
use super::numbers::Numbers;
use super::shared::{Node, Shared};
use super::stop::Reason;
use super::table::Store as _;
use super::{Limits, Progress};
use crate::base::Instant;
use crate::game::breakthrough::{Bits, Verdict};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// How often the caller checks the stop flag and the clock.
const TICK: Duration = Duration::from_millis(5);

/// How often progress is reported.
const REPORT: Duration = Duration::from_millis(500);

/// Stack size of a search thread in bytes: a line can be as long as a game.
const STACK_BYTES: usize = 4 << 20;

/// Running threads, and where each reports its result. Dropping this ends them,
/// even if the caller panics.
struct Threads<'a, B: Bits, K: Key> {
    shared: &'a Shared<B, K>,
    found: Arc<Answers<Numbers>>,
}

impl<B: Bits, K: Key> Drop for Threads<'_, B, K> {
    fn drop(&mut self) {
        self.shared.stop.raise(Reason::Returned);
        self.found.wait_for_all();
    }
}

impl<B: Bits, K: Key> Shared<B, K> {
    /// Whether the side to move wins; `None` if a limit or the stop flag ended
    /// the search before that was known. The game must not be over.
    pub fn run(
        self: &Arc<Self>,
        node: &Node<B, K>,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<bool> {
        match self.statics.judge(node.view) {
            Verdict::Win(_) => return Some(true),
            Verdict::Loss(_) => return Some(false),
            Verdict::Open => {}
        }
        self.allow(limits.nodes);
        let start = Instant::now();
        let mut told = start;
        let result = loop {
            let mut poll = || {
                if told.elapsed() >= REPORT {
                    told = Instant::now();
                    progress(&self.progress(start));
                }
                if stop() || is_late(limits, start) {
                    self.stop.raise(Reason::Caller);
                }
            };
            let result = if limits.threads > 1 {
                self.search_in_parallel(node, limits, &mut poll)
            } else {
                self.search_alone(node, &mut poll)
            };
            if result.is_some() || stop() || !self.make_room(limits.threads) {
                break result;
            }
        };
        self.allow(None);
        result
    }

    /// One search on the caller's thread, which calls `poll` every so often.
    fn search_alone(&self, node: &Node<B, K>, poll: &mut dyn FnMut()) -> Option<bool> {
        let mut worker = Worker::new(self, false);
        let numbers = worker.polled(poll).run(node);
        self.keep(worker.learner());
        decided(numbers)
    }

    /// One search by several threads until one of them has decided the
    /// position or all are stopped; `poll` is called every so often.
    fn search_in_parallel(
        self: &Arc<Self>,
        node: &Node<B, K>,
        limits: &Limits,
        poll: &mut dyn FnMut(),
    ) -> Option<bool> {
        let threads = Threads {
            shared: self,
            found: Answers::new(),
        };
        let is_one_of_several = limits.threads > 1;
        // How many answers are due, and how many threads have started.
        let (mut due, mut started) = (0, 0);
        while started < limits.threads.max(1) {
            due += 1;
            let (shared, node, promise) = (Arc::clone(self), *node, threads.found.promise());
            let search = move || {
                let mut worker = Worker::new(&shared, is_one_of_several);
                let numbers = worker.run(&node);
                shared.keep(worker.learner());
                // Whoever waits for the answer then has the table to itself.
                drop(worker);
                drop(shared);
                promise.keep(numbers);
            };
            let name = format!("proof {started}");
            match limits.host.spawn(name, STACK_BYTES, Box::new(search)) {
                Ok(_) => started += 1,
                Err(fault) => {
                    let all = limits.threads;
                    log::error!("only {started} of {all} threads could be started: {fault}");
                    break;
                }
            }
        }
        let mut result = None;
        while due > 0 {
            match threads.found.wait(TICK) {
                None => poll(),
                // The thread has panicked, or could not be started.
                Some(None) => due -= 1,
                Some(Some(numbers)) => {
                    due -= 1;
                    result = decided(numbers).or(result);
                    self.stop.raise(Reason::Returned);
                }
            }
        }
        result
    }

    fn progress(&self, start: Instant) -> Progress {
        Progress {
            nodes: self.nodes.load(Relaxed),
            time: start.elapsed(),
            phi: self.root[0].load(Relaxed),
            delta: self.root[1].load(Relaxed),
            per_mille: self.table.per_mille(),
        }
    }
}

/// Whether the side to move wins, if that is known.
fn decided(numbers: Numbers) -> Option<bool> {
    (numbers.won() || numbers.lost()).then(|| numbers.won())
}

fn is_late(limits: &Limits, start: Instant) -> bool {
    limits.time.is_some_and(|time| start.elapsed() >= time)
}
