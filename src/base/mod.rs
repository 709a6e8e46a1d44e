//! What every layer builds on: sides, scores, bounds of small lists, files that are read,
//! memory for large tables and its sharing by several engines, and where threads run.

mod budget;
mod files;
mod host;
mod machine;
mod memory;
mod score;
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
/// The standard library's clock panics in a browser.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

use arrayvec::ArrayVec;
use std::fmt;
use std::ops::Not;

/// The most moves any position of any game can have: 127 pieces with three moves
/// each, rounded up.
pub(crate) const MAX_MOVES: usize = 384;

/// The deepest line the search follows, in plies.
pub const MAX_PLY: usize = 240;

/// A line of moves of type `M`, at most [`MAX_PLY`] long.
pub(crate) type PvLine<M> = ArrayVec<M, MAX_PLY>;

/// A player. White moves up the board, Black down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// The player of the lower ranks, who moves first in the start position.
    White = 0,
    /// The player of the upper ranks.
    Black = 1,
}

impl Side {
    /// Both sides, White first.
    pub const BOTH: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black: for indexing.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Side {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "white",
            Self::Black => "black",
        })
    }
}
