//! What petard's threads share, with a model checker's threads, locks and atomics instead of the
//! standard library's: the actual files of `src`, copied by `build.rs`, and copies with a fault
//! injected (`tests/architecture/model_faults.rs`).
//!
//! `shuttle` runs a model many times, each time with another order of events,
//! chosen at random. Its limit: it treats every atomic operation as sequentially
//! consistent, so orders that only weak memory allows are not seen.

#[allow(warnings)]
#[path = "../../src/eval/mod.rs"]
pub mod eval;
#[allow(warnings)]
#[path = "../../src/game/mod.rs"]
pub mod game;
#[allow(warnings)]
#[path = "../../src/base/mod.rs"]
mod system;

/// `base` with other primitives.
pub mod base {
    pub use crate::system::*;

    /// The model checker's version of `base::sync`.
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

            /// Only gives other threads a chance to run.
            pub fn fence(_: Ordering) {
                come_in();
            }

            /// Lets another thread run: a thread switch and nothing more, which
            /// in shuttle is a sleep.
            fn come_in() {
                shuttle::thread::sleep(std::time::Duration::ZERO);
            }

            /// Atomic numbers that can live in zeroed memory, which shuttle's
            /// own cannot. Before each operation another thread may run.
            macro_rules! number {
                ($name:ident, $number:ty) => {
                    #[derive(Debug, Default, bytemuck::Zeroable)]
                    #[repr(transparent)]
                    pub struct $name(std::sync::atomic::$name);

                    impl $name {
                        pub const fn new(value: $number) -> Self {
                            Self(std::sync::atomic::$name::new(value))
                        }

                        fn now(&self) -> &std::sync::atomic::$name {
                            come_in();
                            &self.0
                        }

                        pub fn load(&self, _: Ordering) -> $number {
                            self.now().load(Ordering::SeqCst)
                        }

                        pub fn store(&self, value: $number, _: Ordering) {
                            self.now().store(value, Ordering::SeqCst);
                        }

                        pub fn swap(&self, value: $number, _: Ordering) -> $number {
                            self.now().swap(value, Ordering::SeqCst)
                        }

                        pub fn fetch_add(&self, value: $number, _: Ordering) -> $number {
                            self.now().fetch_add(value, Ordering::SeqCst)
                        }

                        pub fn fetch_max(&self, value: $number, _: Ordering) -> $number {
                            self.now().fetch_max(value, Ordering::SeqCst)
                        }

                        pub fn fetch_and(&self, value: $number, _: Ordering) -> $number {
                            self.now().fetch_and(value, Ordering::SeqCst)
                        }

                        pub fn fetch_or(&self, value: $number, _: Ordering) -> $number {
                            self.now().fetch_or(value, Ordering::SeqCst)
                        }

                        pub fn compare_exchange(
                            &self,
                            old: $number,
                            new: $number,
                            _: Ordering,
                            _: Ordering,
                        ) -> Result<$number, $number> {
                            let order = Ordering::SeqCst;
                            self.now().compare_exchange(old, new, order, order)
                        }

                        pub fn get_mut(&mut self) -> &mut $number {
                            self.0.get_mut()
                        }
                    }

                    impl From<$number> for $name {
                        fn from(value: $number) -> Self {
                            Self::new(value)
                        }
                    }
                };
            }

            number!(AtomicU32, u32);
            number!(AtomicU64, u64);
        }
    }
}

/// Searches by the engine's source, and by its copy with an injected fault. Here, because the
/// evaluation is private.
pub mod searches {
    /// A whole search with helper threads, stopped from outside: it answers with a
    /// legal move, and afterwards has its table to itself.
    macro_rules! search {
        ($room:ident) => {
            #[allow(missing_docs)]
            pub fn $room() {
                use crate::base::Host;
                use crate::eval::EvalSource;
                use crate::game::breakthrough::Position;
                use crate::game::{Game, MoveList, Notation};
                use crate::$room::search::{Control, Limits, SearchInput, Searcher};
                let position = Position::<u64>::from_fen("1p1/3/3/1P1 w").expect("a position");
                let mut searcher = Searcher::new(1).expect("a megabyte");
                searcher.set_threads(Host::System, 3).expect("threads");
                let control = shuttle::sync::Arc::new(Control::new(false));
                let stops = {
                    let control = shuttle::sync::Arc::clone(&control);
                    shuttle::thread::spawn(move || control.stop())
                };
                let limits = Limits {
                    depth: Some(2),
                    infinite: true,
                    ..Limits::default()
                };
                let evaluator = || EvalSource::default().breakthrough(&position);
                let request = SearchInput::new(&position, &[], limits);
                let mut reports = 0;
                let found = searcher.search(request, evaluator, &control, &mut |_| reports += 1);
                let found = found.expect("a move");
                assert!(position.is_legal(found.line[0]) && reports > 0);
                stops.join().expect("the stop");
                searcher.clear();
                let mut moves = MoveList::new();
                position.moves(&mut moves);
                let children = moves.iter().map(|&mv| position.play(mv).key());
                for key in children.chain([position.key()]) {
                    assert!(searcher.table().probe(key, 0).is_none(), "not cleared");
                }
            }
        };
    }

    search!(sound);
    search!(table_still_in_use);
}

include!(concat!(env!("OUT_DIR"), "/rooms.rs"));
