//! Synchronisation primitives under one name: the standard library's. `models/`
//! substitutes a model checker's, and runs the code built on them through many
//! orders of events.

pub(crate) use std::sync::{Arc, Condvar, Mutex, PoisonError};
pub(crate) use std::thread::{Builder, JoinHandle};

pub(crate) mod atomic {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
}

pub(crate) mod mpsc {
    pub(crate) use std::sync::mpsc::{Receiver, Sender, channel};
}
