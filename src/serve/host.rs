//! What all connections of a server have in common.

use super::Config;
use super::guard::Guard;
use super::page::Page;
use super::seats::Seats;
use crate::base::Budget;
use std::sync::Arc;

/// What all connections have in common.
#[derive(Debug)]
pub(super) struct Host {
    pub page: Page,
    pub guard: Guard,
    pub connections: Seats,
    pub sessions: Seats,
    /// The memory shared by their tables.
    pub memory: Arc<Budget>,
    pub config: Config,
}
