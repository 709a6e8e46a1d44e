//! What threads share and hand over with, under one name: the standard
//! library's. `models/` puts a model checker's in its place, and runs what is
//! built on it through many orders of events.

pub use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub use std::thread::{Builder, JoinHandle, Thread, current, park, park_timeout};

/// Atomics.
pub mod atomic {
    pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
}

/// Channels.
pub mod mpsc {
    pub use std::sync::mpsc::{Receiver, Sender, channel};
}
