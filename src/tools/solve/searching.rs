//! The searches of `petard solve`.

use super::Solve;
use super::report::FirstMoves;
use super::run::Run;
use crate::game::breakthrough::Position;
use crate::game::{Game as _, Move, MoveList, Notation as _};
use crate::solve::{Progress, ProofLimits, Prospect, Solution};
use crate::tools::console::Status;
use std::error::Error;
use std::time::{Duration, Instant};

/// Nodes that every first move gets in the first round.
const FIRST_ROUND: u64 = 1 << 16;

/// The progress as it looks before the move, as if there were no other.
fn before_move(after: &Progress) -> Progress {
    Progress {
        phi: after.delta,
        delta: after.phi,
        ..*after
    }
}

impl Solve {
    /// The move to prove first, if there is one.
    ///
    /// # Errors
    /// If that is not a legal move.
    pub(super) fn first_move(
        &self,
        position: &Position<u128>,
    ) -> Result<Option<Move>, Box<dyn Error>> {
        let parse = |text: &String| position.parse_move(text);
        let first = self.first_move.as_ref().map(parse).transpose();
        first.map_err(|error| format!("--first-move: {error}").into())
    }

    /// Searches. The progress counts what the run has spent before.
    pub(super) fn search(
        &self,
        run: &Run<'_>,
        position: &Position<u128>,
        limits: &ProofLimits,
    ) -> Solution {
        self.search_reporting(run, position, (limits, limits.time), |progress| *progress)
    }

    /// Searches the position after a move; the answer and the progress are
    /// those of the position before it, as if there were no other move.
    fn search_after(
        &self,
        run: &Run<'_>,
        (position, mv): (&Position<u128>, Move),
        limits: (&ProofLimits, Option<Duration>),
    ) -> Solution {
        let next = position.play(mv);
        let mut solution = self.search_reporting(run, &next, limits, before_move);
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

    /// Searches within limits, and for a line as long as the whole run may take.
    fn search_reporting(
        &self,
        run: &Run<'_>,
        position: &Position<u128>,
        (limits, whole): (&ProofLimits, Option<Duration>),
        seen: impl Fn(&Progress) -> Progress,
    ) -> Solution {
        let mut status = Status::new(self.quiet);
        let mut progress = |progress: &Progress| {
            let time = run.spent.time + progress.time;
            let seen = seen(&Progress { time, ..*progress });
            status.show(&seen.to_string());
        };
        let stop = || run.interrupt.is_raised();
        run.solver
            .solve_part(position, limits, whole, &stop, &mut progress)
    }

    /// Searches, if requested one move before all others, and saves the table at
    /// regular intervals if requested.
    pub(super) fn search_and_save(
        &self,
        run: &mut Run<'_>,
        position: &Position<u128>,
        mut first: Option<Move>,
    ) -> Solution {
        run.solver.count_work(self.opened);
        loop {
            let slice = self.slice(run);
            let limits = (&slice, self.time_left(run));
            let mut solution = match first {
                Some(mv) => self.search_after(run, (position, mv), limits),
                None => self.search_reporting(run, position, limits, |progress| *progress),
            };
            run.add(solution.nodes, solution.time);
            if solution.side_to_move_wins == Some(false) && first.take().is_some() {
                if !self.is_over(run) {
                    continue;
                }
                // It loses, and there is nothing left to try the others with.
                solution.side_to_move_wins = None;
                solution.line.clear();
                solution.prospect = Prospect {
                    proof: Some(1),
                    disproof: Some(1),
                };
            }
            if solution.side_to_move_wins.is_some() || !self.goes_on(run, &slice, solution.time) {
                let total = run.total();
                (solution.nodes, solution.time) = (total.nodes, total.time);
                return solution;
            }
            run.save_so_far();
        }
    }

    /// Whether this move wins, as far as the limits of the run and this many
    /// nodes allow; the table is saved at regular intervals if requested.
    fn prove_and_save(
        &self,
        run: &mut Run<'_>,
        (position, mv, most): (&Position<u128>, Move, u64),
        status: &mut Status,
    ) -> Option<bool> {
        let (name, next) = (position.move_text(mv), position.play(mv));
        let end = run.spent.nodes.saturating_add(most);
        while !self.is_over(run) && run.spent.nodes < end {
            let mut slice = self.slice(run);
            let left = end - run.spent.nodes;
            slice.nodes = Some(slice.nodes.map_or(left, |nodes| nodes.min(left)));
            let (before, start) = (run.solver.nodes(), Instant::now());
            let stop = || run.interrupt.is_raised();
            let mut progress = |progress: &Progress| {
                let seen = Progress {
                    time: run.spent.time + progress.time,
                    ..before_move(progress)
                };
                status.show(&format!("{name}: {seen}"));
            };
            let reply_wins = run.solver.prove(&next, &slice, &stop, &mut progress);
            let time = start.elapsed();
            run.add(run.solver.nodes() - before, time);
            if reply_wins.is_some() || !self.goes_on(run, &slice, time) {
                return reply_wins.map(|wins| !wins);
            }
            run.save_so_far();
        }
        None
    }

    /// Tries all first moves of a position that is won, by this move among
    /// others. They take turns, each time with twice as many nodes: what is
    /// found out about the easier ones helps with the others.
    pub(super) fn all_first_moves(
        &self,
        run: &mut Run<'_>,
        position: &Position<u128>,
        known: Option<Move>,
    ) -> FirstMoves {
        let mut list = MoveList::new();
        position.moves(&mut list);
        let is_known = |mv: &Move| Some(*mv) == known;
        let (mut winning, mut undecided): (Vec<_>, Vec<_>) =
            list.iter().copied().partition(is_known);
        let mut status = Status::new(self.quiet);
        let mut most = FIRST_ROUND;
        while !undecided.is_empty() && !self.is_over(run) {
            let before = run.spent.nodes;
            undecided.retain(|&mv| {
                let wins = self.prove_and_save(run, (position, mv, most), &mut status);
                if let Some(wins) = wins {
                    let word = if wins { "wins" } else { "loses" };
                    status.note(&format!("{} {word}", position.move_text(mv)));
                    winning.extend(wins.then_some(mv));
                }
                wins.is_none()
            });
            // Something is missing, such as threads, that no round can make up for.
            if run.spent.nodes - before < most / 2 {
                break;
            }
            most = most.saturating_mul(2);
        }
        // In the order in which moves are generated.
        winning.sort_by_key(|mv| list.iter().position(|other| other == mv));
        FirstMoves { winning, undecided }
    }
}
