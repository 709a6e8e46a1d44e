//! The searches of `petard solve`, and the table they leave.

use super::Solve;
use super::kept_table::KeptTable;
use crate::game::troyka::{Bits, Position};
use crate::game::{Game as _, Move, Notation as _};
use crate::solve::{Limits, Progress, Prospect, Solution, Solver};
use crate::tools::console::Status;
use crate::tools::interrupt::Interrupt;
use std::error::Error;
use std::time::Duration;

impl Solve {
    /// The move to prove first, if there is one.
    ///
    /// # Errors
    /// If that is not a legal move.
    pub(super) fn first_move<B: Bits>(
        &self,
        position: &Position<B>,
    ) -> Result<Option<Move>, Box<dyn Error>> {
        let parse = |text: &String| position.parse_move(text);
        let first = self.first_move.as_ref().map(parse).transpose();
        first.map_err(|error| format!("--first-move: {error}").into())
    }

    /// Searches. `before` is how long the solver has searched already; the
    /// nodes of that are in the progress too.
    pub(super) fn search<B: Bits>(
        &self,
        solver: &Solver<B>,
        position: &Position<B>,
        limits: &Limits,
        interrupt: &Interrupt,
        before: Duration,
    ) -> Solution {
        self.search_reporting(solver, position, limits, interrupt, |progress| Progress {
            time: before + progress.time,
            ..*progress
        })
    }

    /// Searches the position after a move; the answer and the progress are
    /// those of the position before it, as if there were no other move.
    fn search_after<B: Bits>(
        &self,
        solver: &Solver<B>,
        (position, mv): (&Position<B>, Move),
        limits: &Limits,
        interrupt: &Interrupt,
        before: Duration,
    ) -> Solution {
        let next = position.play(mv);
        let mut solution =
            self.search_reporting(solver, &next, limits, interrupt, |progress| Progress {
                time: before + progress.time,
                phi: progress.delta,
                delta: progress.phi,
                ..*progress
            });
        solution.side_to_move_wins = solution.side_to_move_wins.map(|wins| !wins);
        if solution.side_to_move_wins == Some(true) {
            solution.line.insert(0, mv);
        }
        solution.prospect = Prospect {
            proof: solution.prospect.disproof,
            disproof: solution.prospect.proof,
        };
        solution
    }

    fn search_reporting<B: Bits>(
        &self,
        solver: &Solver<B>,
        position: &Position<B>,
        limits: &Limits,
        interrupt: &Interrupt,
        seen: impl Fn(&Progress) -> Progress,
    ) -> Solution {
        solver.count_work(self.opened);
        let mut status = Status::new(self.quiet);
        let mut progress = |progress: &Progress| status.show(&seen(progress).to_string());
        let stop = || interrupt.is_raised();
        solver.solve(position, limits, &stop, &mut progress)
    }

    /// Searches, if requested one move before all others, and saves the table at
    /// regular intervals if requested.
    pub(super) fn search_and_save<B: Bits>(
        &self,
        solver: &Solver<B>,
        position: &Position<B>,
        mut first: Option<Move>,
        interrupt: &Interrupt,
        kept: &mut Option<KeptTable>,
    ) -> Result<Solution, Box<dyn Error>> {
        let mut limits = self.limits();
        let (mut nodes, mut time) = (0, Duration::ZERO);
        loop {
            limits.nodes = self.nodes.map(|most| most.saturating_sub(nodes));
            let left = self.time.map(|most| most.saturating_sub(time));
            limits.time = match (self.save, &kept) {
                (Some(save), Some(_)) => Some(left.map_or(save, |left| left.min(save))),
                _ => left,
            };
            let mut solution = match first {
                Some(mv) => self.search_after(solver, (position, mv), &limits, interrupt, time),
                None => self.search(solver, position, &limits, interrupt, time),
            };
            nodes += solution.nodes;
            time += solution.time;
            if let Some(kept) = kept {
                kept.spent.nodes += solution.nodes;
                kept.spent.time += solution.time;
            }
            if solution.side_to_move_wins == Some(false) && first.take().is_some() {
                // It loses, so the others are tried.
                continue;
            }
            let is_over = solution.side_to_move_wins.is_some()
                || interrupt.is_raised()
                || self.nodes.is_some_and(|most| nodes >= most)
                || self.time.is_some_and(|most| time >= most)
                || self.save.is_none()
                || kept.is_none();
            if is_over {
                let spent = kept.as_ref().map(|kept| kept.spent);
                (solution.nodes, solution.time) =
                    spent.map_or((nodes, time), |spent| (spent.nodes, spent.time));
                return Ok(solution);
            }
            if let Some(now) = kept.take() {
                *kept = Some(now.save_so_far(solver)?);
            }
        }
    }
}
