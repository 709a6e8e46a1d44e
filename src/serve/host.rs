//! What all connections of a server have in common.

use super::Config;
use super::guard::Guard;
use super::page::Page;
use super::seats::Seats;

/// What all connections have in common.
#[derive(Debug)]
pub(super) struct Host {
    pub page: Page,
    pub guard: Guard,
    pub connections: Seats,
    pub sessions: Seats,
    pub config: Config,
}
