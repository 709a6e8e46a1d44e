//! The search: an iteratively deepened principal variation search with a
//! shared table. Generic over the game and its evaluation, and monomorphised
//! for each pair. A [`Searcher`] owns what is kept between searches.

mod exact;
mod history;
mod node;
mod params;
mod picker;
mod probed;
mod pruning;
mod root;
mod searcher;
#[cfg(test)]
mod tests;
mod threads;
mod time;
mod tt;
mod worker;

pub(crate) use params::{PARAMETERS, ParamSets};
pub(crate) use probed::ProbedResults;
pub(crate) use searcher::{SearchInput, Searcher};
pub(crate) use threads::{THREAD_BYTES, Threads, WORK_BYTES, catch_panic};
pub use time::{Clock, Limits};
pub(crate) use time::{Control, SearchOptions};
pub use tt::Bound;
pub(crate) use tt::TableError;
pub(crate) use worker::{LineReport, Report};

/// For the tools.
#[cfg(feature = "cli")]
pub(crate) use {
    tt::{Entry, NO_EVAL, Table},
    worker::Verdict,
};
