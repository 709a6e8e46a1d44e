//! The search: an iteratively deepened principal variation search with a
//! shared table. Generic over the game and its evaluation, and monomorphised
//! for each pair. A [`Searcher`] owns what is kept between searches.

mod exact;
mod history;
mod node;
mod params;
mod picker;
mod proofs;
mod pruning;
mod quiescence;
mod report;
mod root;
mod searcher;
#[cfg(test)]
mod tests;
mod threads;
mod time;
mod tt;
mod worker;

pub(crate) use params::{ParamSets, TABLE};
pub use proofs::Proofs;
pub use report::{LineReport, Report};
pub use searcher::{Request, Searcher};
pub use threads::{THREAD_BYTES, Threads, WORK_BYTES, catch_panic};
pub use time::{Clock, Control, Deadlines, Limits};
pub use tt::{Bound, TableError};

/// For the tools.
#[cfg(feature = "cli")]
pub use {
    report::Verdict,
    tt::{Entry, NO_EVAL, Table},
};
