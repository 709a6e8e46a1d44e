//! One run of `petard solve`: its solver, what it has spent, and the table that
//! it leaves.

use super::Solve;
use super::kept_table::KeptTable;
use crate::solve::{ProofLimits, Solver, Spent};
use crate::tools::interrupt::Interrupt;
use std::error::Error;
use std::time::{Duration, Instant};

/// One run.
pub struct Run<'a> {
    pub solver: &'a Solver,
    pub interrupt: &'a Interrupt,
    kept: Option<KeptTable>,
    /// Nodes and time of this run.
    pub spent: Spent,
}

impl<'a> Run<'a> {
    /// Nothing is spent yet.
    pub fn new(solver: &'a Solver, interrupt: &'a Interrupt, kept: Option<KeptTable>) -> Self {
        Self {
            solver,
            interrupt,
            kept,
            spent: Spent::default(),
        }
    }

    /// Adds what a part of the work has taken.
    pub fn add(&mut self, nodes: u64, time: Duration) {
        let kept = self.kept.as_mut().map(|kept| &mut kept.spent);
        for spent in kept.into_iter().chain([&mut self.spent]) {
            spent.nodes += nodes;
            spent.time += time;
        }
    }

    /// What has been spent: with a table's file, in all runs on it.
    pub fn total(&self) -> Spent {
        self.kept.as_ref().map_or(self.spent, |kept| kept.spent)
    }

    /// Saves the table, if it is to be kept; a fault is told.
    pub fn save_so_far(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.save_so_far(self.solver);
        }
    }

    /// Saves the table, if it is to be kept.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&mut self) -> Result<(), Box<dyn Error>> {
        let kept = self.kept.as_mut();
        kept.map_or(Ok(()), |kept| kept.save(self.solver))
    }
}

impl Solve {
    /// How much time the run has left.
    pub(super) fn time_left(&self, run: &Run<'_>) -> Option<Duration> {
        self.time.map(|most| most.saturating_sub(run.spent.time))
    }

    /// When the run must end, if work that does not count yet begins now.
    pub(super) fn end(&self, run: &Run<'_>) -> Option<Instant> {
        let left = self.time_left(run);
        left.and_then(|left| Instant::now().checked_add(left))
    }

    /// What a search may take until the limits of the run are reached or, if
    /// requested, the table is to be saved.
    pub(super) fn slice(&self, run: &Run<'_>) -> ProofLimits {
        let left = self.time_left(run);
        ProofLimits {
            nodes: self.nodes.map(|most| most.saturating_sub(run.spent.nodes)),
            time: match (self.save, &run.kept) {
                (Some(save), Some(_)) => Some(left.map_or(save, |left| left.min(save))),
                _ => left,
            },
            ..self.limits()
        }
    }

    /// Whether the run is over: interrupted, or out of nodes or time.
    pub(super) fn is_over(&self, run: &Run<'_>) -> bool {
        run.interrupt.is_raised()
            || self.nodes.is_some_and(|most| run.spent.nodes >= most)
            || self.time.is_some_and(|most| run.spent.time >= most)
    }

    /// Whether a search without a result goes on after a slice that took this
    /// long: not if it was cut short by anything else, such as a lack of threads.
    pub(super) fn goes_on(&self, run: &Run<'_>, slice: &ProofLimits, time: Duration) -> bool {
        !self.is_over(run) && slice.time.is_some_and(|most| time >= most)
    }
}
