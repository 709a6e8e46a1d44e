//! petard's search room with a model checker's threads, locks and atomics in
//! place of the standard library's: the very files of `src/search`, copied by
//! `build.rs`, and copies of them with a fault put in.
//!
//! `shuttle` runs a model many times, each time with another order of events,
//! chosen at random. What it does not show: it takes every atomic operation for
//! sequentially consistent, so orders that only weak memory allows are not seen.

pub use petard::{eval, game};

/// `petard::base` with other primitives.
pub mod base {
    pub use petard::base::*;

    /// What `petard::base::sync` has, for the model checker.
    pub mod sync {
        pub use shuttle::sync::{Arc, Condvar, Mutex, PoisonError};
        pub use shuttle::thread::{Builder, JoinHandle};

        /// Channels.
        pub mod mpsc {
            pub use shuttle::sync::mpsc::{Receiver, Sender, channel};
        }

        /// Atomics.
        pub mod atomic {
            pub use shuttle::sync::atomic::{AtomicBool, Ordering};

            /// An atomic number that can lie in memory that is zero, which
            /// shuttle's own cannot. Before each operation another thread may
            /// come in.
            #[derive(Debug, Default, bytemuck::Zeroable)]
            #[repr(transparent)]
            pub struct AtomicU64(std::sync::atomic::AtomicU64);

            impl AtomicU64 {
                pub const fn new(value: u64) -> Self {
                    Self(std::sync::atomic::AtomicU64::new(value))
                }

                pub fn load(&self, _: Ordering) -> u64 {
                    shuttle::thread::yield_now();
                    self.0.load(Ordering::SeqCst)
                }

                pub fn store(&self, value: u64, _: Ordering) {
                    shuttle::thread::yield_now();
                    self.0.store(value, Ordering::SeqCst);
                }

                pub fn fetch_add(&self, value: u64, _: Ordering) -> u64 {
                    shuttle::thread::yield_now();
                    self.0.fetch_add(value, Ordering::SeqCst)
                }

                pub fn get_mut(&mut self) -> &mut u64 {
                    self.0.get_mut()
                }
            }

            impl From<u64> for AtomicU64 {
                fn from(value: u64) -> Self {
                    Self::new(value)
                }
            }
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/rooms.rs"));
