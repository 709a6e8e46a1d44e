//! Answers of threads to the one that started them, in the order they arrive.
//!
//! The standard library's channels need its clock to wait with a timeout, and
//! in WebAssembly it has none; its condition variables do not.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Answers that have come, and how many are still due.
#[derive(Debug)]
pub struct Answers<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    come: VecDeque<Option<T>>,
    due: usize,
}

/// A thread's promise of an answer. If it is dropped without one, the answer is
/// `None`.
#[derive(Debug)]
pub struct Promise<T> {
    to: Arc<Answers<T>>,
    answer: Option<T>,
}

impl<T> Answers<T> {
    /// No answers, and none due.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                come: VecDeque::new(),
                due: 0,
            }),
            changed: Condvar::new(),
        })
    }

    /// Adds one answer to those due.
    pub fn promise(self: &Arc<Self>) -> Promise<T> {
        self.state().due += 1;
        Promise {
            to: Arc::clone(self),
            answer: None,
        }
    }

    /// The next answer, if it comes within this time; `Some(None)` if its
    /// thread ended without one.
    pub fn wait(&self, time: Duration) -> Option<Option<T>> {
        let mut state = self.state();
        if state.come.is_empty() {
            let waited = self.changed.wait_timeout(state, time);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.come.pop_front()
    }

    /// Waits until none is due.
    pub fn wait_for_all(&self) {
        let mut state = self.state();
        while state.due > 0 {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Promise<T> {
    /// Gives the answer.
    pub fn keep(mut self, answer: T) {
        self.answer = Some(answer);
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        let mut state = self.to.state();
        state.come.push_back(self.answer.take());
        state.due -= 1;
        drop(state);
        self.to.changed.notify_all();
    }
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
                    promise.keep(number);
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
