//! What every layer builds on: scores, sides, bounds of small lists, files that are read,
//! memory for large tables and its sharing by several engines, and where threads run.

mod budget;
mod files;
mod host;
mod machine;
mod memory;
mod score;
mod side;
pub(crate) mod sync;

pub use budget::Budget;
pub(crate) use budget::{OverBudget, Share};
pub(crate) use files::{read_titled, regular_file};
pub use host::{Host, Pause, Task};
pub(crate) use machine::MachineMemory;
/// For the tools.
#[cfg(feature = "cli")]
pub(crate) use machine::peak_memory;
pub(crate) use memory::{
    BigSlice, OutOfMemory, STACK, check_available, check_thread_available, parallel_for_each,
    prefetch, start_threads,
};
/// For the command and its tools.
#[cfg(feature = "cli")]
pub(crate) use memory::{cores, use_one_arena};
pub(crate) use score::{INFINITE, from_table, is_loss, is_mate, loss_in, to_table, win_in};
pub use score::{MATE, MATE_BOUND, Score, is_win, mate_plies};
pub use side::Side;
/// The standard library's clock panics in a browser.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

use arrayvec::ArrayVec;

/// The most moves any position of any game can have: 127 pieces with three moves
/// each, rounded up.
pub(crate) const MAX_MOVES: usize = 384;

/// The deepest line the search follows, in plies.
pub const MAX_PLY: usize = 240;

/// A line of moves of type `M`, at most [`MAX_PLY`] long.
pub(crate) type PvLine<M> = ArrayVec<M, MAX_PLY>;
