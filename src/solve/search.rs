//! A proof from outside: all threads on one position, under limits.

use super::dfpn::Worker;
use super::keys::Key;
use super::shared::{Node, Shared};
use super::table::Store as _;
use super::{Limits, Progress};
use crate::base::{Instant, Turns};
use crate::game::troyka::{Bits, Verdict};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often the caller looks at stop flag and clock.
const TICK: Duration = Duration::from_millis(5);

/// How often progress is told.
const REPORT: Duration = Duration::from_millis(500);

/// Tells the threads to stop, those too that wait for their turn.
#[derive(Clone, Copy)]
struct Stop<'a> {
    flag: &'a AtomicBool,
    turns: Option<&'a Turns>,
}

impl Stop<'_> {
    fn raise(self) {
        self.flag.store(true, Relaxed);
        if let Some(turns) = self.turns {
            turns.look_up();
        }
    }
}

/// Raises the stop flag when it goes.
struct StopAtEnd<'a>(Stop<'a>);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.raise();
    }
}

impl<B: Bits, K: Key> Shared<B, K> {
    /// Whether the side to move wins; `None` if a limit or the stop flag ended
    /// the search before that was known. The game must not be over.
    pub fn run(
        &self,
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
        let flag = Stop {
            flag: &self.stop,
            turns: limits.turns.as_ref(),
        };
        let result = loop {
            let mut poll = || {
                if told.elapsed() >= REPORT {
                    told = Instant::now();
                    progress(&self.progress(start));
                }
                if stop() || is_late(limits, start) {
                    flag.raise();
                }
            };
            let result = self.search_in_parallel(node, limits, flag, &mut poll);
            if result.is_some() || stop() || !self.make_room(limits.threads) {
                break result;
            }
        };
        self.allow(None);
        result
    }

    /// One search by all threads until one of them has decided the
    /// position or all are stopped; `poll` is called every so often.
    fn search_in_parallel(
        &self,
        node: &Node<B, K>,
        limits: &Limits,
        stop: Stop<'_>,
        poll: &mut dyn FnMut(),
    ) -> Option<bool> {
        let threads = limits.threads.max(1);
        thread::scope(|scope| {
            // The threads end even if the caller panics.
            let _guard = StopAtEnd(stop);
            let (sender, receiver) = channel();
            let mut started = 0;
            for _ in 0..threads {
                let sender = sender.clone();
                let turns = limits.turns.clone();
                let search = move || {
                    let mut worker = Worker::new(self, threads > 1);
                    if let Some(turns) = turns {
                        worker.begin_turn(turns);
                    }
                    let numbers = worker.run(node);
                    self.keep(worker.learner());
                    // The caller may have gone with another thread's answer.
                    let _ = sender.send(numbers);
                };
                match thread::Builder::new().spawn_scoped(scope, search) {
                    Ok(_) => started += 1,
                    Err(fault) => {
                        log::error!("{started} threads of {threads} search: {fault}");
                        break;
                    }
                }
            }
            // Of a thread that panics nothing comes.
            drop(sender);
            let mut result = None;
            for _ in 0..started {
                let numbers = loop {
                    match receiver.recv_timeout(TICK) {
                        Ok(numbers) => break Some(numbers),
                        Err(RecvTimeoutError::Disconnected) => break None,
                        Err(RecvTimeoutError::Timeout) => poll(),
                    }
                };
                if let Some(numbers) = numbers
                    && (numbers.won() || numbers.lost())
                {
                    result = Some(numbers.won());
                }
                stop.raise();
            }
            result
        })
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

fn is_late(limits: &Limits, start: Instant) -> bool {
    limits.time.is_some_and(|time| start.elapsed() >= time)
}
