//! Proofs.
#![allow(missing_docs)]
pub mod dfpn;
pub mod keys;
pub mod numbers;
pub mod table;
pub mod certificate;
mod search;
mod wide;

use std::time::Duration;

/// What a search may spend.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Threads that search.
    pub threads: usize,
    /// The longest time.
    pub time: Option<Duration>,
    /// The most nodes.
    pub nodes: Option<u64>,
}

/// How far a search is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Positions searched.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// The proof number of the root: how far from a win of the side to move.
    pub phi: u32,
    /// The disproof number of the root.
    pub delta: u32,
    /// How full the table is, in thousandths.
    pub per_mille: u32,
}
