//! What every room builds on: scores, sides, small fixed lists, memory for
//! large tables, and sharing of memory by several engines.

mod budget;
mod clock;
mod host;
mod list;
mod machine;
mod memory;
mod prefetch;
mod score;
mod side;
pub mod sync;

pub use budget::{Budget, OverBudget, Share};
pub use clock::Instant;
pub use host::{Host, Pause, Task};
pub use list::{MAX_MOVES, MAX_PLY, PvLine};
pub use machine::MachineMemory;
pub use memory::{BigSlice, OutOfMemory, STACK, ask_for, ask_for_thread, share_out};
pub use prefetch::prefetch;
pub use score::{
    INFINITE, MATE, MATE_BOUND, Score, from_table, is_loss, is_mate, is_win, loss_in, mate_plies,
    to_table, win_in,
};
pub use side::Side;
