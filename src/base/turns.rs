//! Taking turns: of many runnable threads only as many run as there are cores,
//! each for a few milliseconds; the others sleep. So threads do not fight for
//! the cores, and urgent work soon finds one.
//!
//! It is round-robin scheduling with a short quantum, done by the threads
//! themselves where they check their stop flags anyway.

use super::clock::Instant;
use super::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use super::sync::{Arc, Mutex, MutexGuard, PoisonError, Thread, current, park, park_timeout};
use std::collections::VecDeque;
use std::time::Duration;

/// How long a thread runs while others wait.
const SLICE: Duration = Duration::from_millis(4);

/// How long a thread is willing to wait for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as it takes.
    Endless,
    /// For this long; then it runs without a turn.
    For(Duration),
    /// Not at all: it is about to end, and runs without a turn.
    None,
}

/// Threads that take turns. Clones share the same state.
#[derive(Clone, Debug)]
pub struct Turns {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// Free places.
    free: usize,
    /// Threads waiting for their first turn, and those that have had one,
    /// longest waiting first. Both queues are empty while a place is free.
    new: VecDeque<Arc<Waiter>>,
    old: VecDeque<Arc<Waiter>>,
    /// Whether the next place is for a new thread: they go first, but not twice
    /// in a row, so that no thread starves.
    is_new_next: bool,
}

#[derive(Debug)]
struct Waiter {
    thread: Thread,
    is_called: AtomicBool,
}

impl State {
    fn next(&mut self) -> Option<Arc<Waiter>> {
        let (first, second) = if self.is_new_next {
            (&mut self.new, &mut self.old)
        } else {
            (&mut self.old, &mut self.new)
        };
        self.is_new_next = !self.is_new_next;
        first.pop_front().or_else(|| second.pop_front())
    }
}

impl Turns {
    /// Turns for this many threads at a time.
    #[must_use]
    pub fn new(places: usize) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                free: places,
                new: VecDeque::new(),
                old: VecDeque::new(),
                is_new_next: true,
            })),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all waiting threads to check their patience.
    pub fn look_up(&self) {
        let state = self.state();
        for waiter in state.new.iter().chain(&state.old) {
            waiter.thread.unpark();
        }
    }

    /// Passes a place on to the next thread, or frees it.
    fn hand_on(&self) {
        let mut state = self.state();
        match state.next() {
            None => state.free += 1,
            Some(next) => {
                next.is_called.store(true, Release);
                next.thread.unpark();
            }
        }
    }

    /// Waits for a place; `false` if patience ran out before one was free.
    fn wait(&self, is_new: bool, patience: &dyn Fn() -> Patience) -> bool {
        let waiter = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return true;
            }
            let waiter = Arc::new(Waiter {
                thread: current(),
                is_called: AtomicBool::new(false),
            });
            let queue = if is_new {
                &mut state.new
            } else {
                &mut state.old
            };
            queue.push_back(Arc::clone(&waiter));
            waiter
        };
        while !waiter.is_called.load(Acquire) {
            match patience() {
                Patience::Endless => park(),
                Patience::For(time) if !time.is_zero() => park_timeout(time),
                Patience::For(_) | Patience::None => return self.leave(&waiter),
            }
        }
        true
    }

    /// Leaves the queue; `true` if a place was given at the last moment.
    fn leave(&self, waiter: &Arc<Waiter>) -> bool {
        let mut state = self.state();
        let other = |queued: &Arc<Waiter>| !Arc::ptr_eq(queued, waiter);
        state.new.retain(other);
        state.old.retain(other);
        waiter.is_called.load(Acquire)
    }
}

/// A thread's turn, until it is dropped. It must stay on its thread.
#[derive(Debug)]
pub struct Turn {
    turns: Turns,
    has_place: bool,
    began: Instant,
}

impl Turn {
    /// Waits for the thread's first turn, or for the end of its patience.
    #[must_use]
    pub fn begin(turns: Turns, patience: &dyn Fn() -> Patience) -> Self {
        Self {
            has_place: turns.wait(true, patience),
            turns,
            began: Instant::now(),
        }
    }

    /// To be called often: if the turn is over and others are waiting, lets
    /// them run and waits for the next turn, or for the end of patience.
    pub fn pass_on(&mut self, patience: &dyn Fn() -> Patience) {
        if !self.has_place || self.began.elapsed() < SLICE {
            return;
        }
        let is_alone = {
            let state = self.turns.state();
            state.new.is_empty() && state.old.is_empty()
        };
        if !is_alone && patience() != Patience::None {
            // The next thread is called before this one queues up.
            self.turns.hand_on();
            self.has_place = self.turns.wait(false, patience);
        }
        self.began = Instant::now();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.has_place {
            self.turns.hand_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::thread::{scope, sleep, yield_now};

    const LONG: Duration = Duration::from_secs(120);

    fn wait_until(what: impl Fn() -> bool) {
        let start = Instant::now();
        while !what() {
            assert!(start.elapsed() < LONG);
            yield_now();
        }
    }

    #[test]
    fn so_many_run_at_once_and_all_of_them_in_turn() {
        let turns = Turns::new(2);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let counts: Vec<AtomicUsize> = (0..7).map(|_| AtomicUsize::new(0)).collect();
        let is_over = AtomicBool::new(false);
        let patience = || Patience::Endless;
        scope(|scope| {
            for own in &counts {
                let (turns, running, most, is_over) = (&turns, &running, &most, &is_over);
                scope.spawn(move || {
                    let mut turn = Turn::begin(turns.clone(), &patience);
                    while !is_over.load(SeqCst) {
                        most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                        sleep(Duration::from_millis(1));
                        own.fetch_add(1, SeqCst);
                        running.fetch_sub(1, SeqCst);
                        turn.pass_on(&patience);
                    }
                });
            }
            wait_until(|| counts.iter().all(|count| count.load(SeqCst) > 20));
            is_over.store(true, SeqCst);
        });
        assert_eq!(most.load(SeqCst), 2);
        assert_eq!(turns.state().free, 2);
    }

    #[test]
    fn who_has_no_patience_left_does_not_wait() {
        let turns = Turns::new(1);
        let first = Turn::begin(turns.clone(), &|| Patience::Endless);
        let short = || Patience::For(Duration::ZERO);
        assert!(!Turn::begin(turns.clone(), &short).has_place);
        let is_stopped = AtomicBool::new(false);
        scope(|scope| {
            let waits = scope.spawn(|| {
                let patience = || match is_stopped.load(SeqCst) {
                    true => Patience::None,
                    false => Patience::Endless,
                };
                Turn::begin(turns.clone(), &patience).has_place
            });
            wait_until(|| turns.state().new.len() == 1);
            is_stopped.store(true, SeqCst);
            turns.look_up();
            assert!(!waits.join().unwrap());
        });
        drop(first);
        let state = turns.state();
        assert_eq!((state.free, state.new.len(), state.old.len()), (1, 0, 0));
    }

    #[test]
    fn the_new_go_first_but_not_always() {
        let turns = Turns::new(0);
        let waiter = || {
            Arc::new(Waiter {
                thread: current(),
                is_called: AtomicBool::new(false),
            })
        };
        let (new, old) = ([waiter(), waiter()], [waiter(), waiter()]);
        let mut state = turns.state();
        state.new.extend(new.iter().cloned());
        state.old.extend(old.iter().cloned());
        for expected in [&new[0], &old[0], &new[1], &old[1]] {
            assert!(Arc::ptr_eq(&state.next().unwrap(), expected));
        }
    }
}
