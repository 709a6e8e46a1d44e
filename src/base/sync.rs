//! Synchronisation primitives under one name: the standard library's. `models/`
//! substitutes a model checker's, and runs the code built on them through many
//! orders of events.

pub use std::sync::{Arc, Condvar, Mutex, PoisonError};
pub use std::thread::{Builder, JoinHandle};

pub mod atomic {
    pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
}

pub mod mpsc {
    pub use std::sync::mpsc::{Receiver, Sender, channel};
}
