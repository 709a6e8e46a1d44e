//! The line shown with a proof.

use super::answer::Prospect;
use super::dfpn::ProofWorker;
use super::keys::Key;
use super::numbers::Numbers;
use super::shared::{Node, SharedSearch};
use super::table::Store as _;
use crate::game::breakthrough::{Bits, Proven};
use std::collections::{HashSet, VecDeque};

/// A position and its steps with how far each is from a proof, as in an
/// [`ExpandedNode`](super::ExpandedNode); with steps as their mover sees them.
pub(crate) type ExpandedSteps = (Vec<(u8, u8)>, Vec<((u8, u8), Prospect)>);

struct ShownStep<B, K> {
    from: u8,
    to: u8,
    next: Node<B, K>,
    /// Whether it ends the game.
    ends: bool,
}

/// The steps of a position, including those that lose at once.
fn steps<B: Bits, K: Key>(shared: &SharedSearch<B, K>, node: &Node<B, K>) -> Vec<ShownStep<B, K>> {
    let geometry = shared.statics.geometry();
    let last = geometry.ranks() - 1;
    let steps = shared.steps(node).map(|(from, to, next)| ShownStep {
        from,
        to,
        next,
        ends: geometry.rank(to) == last || next.view.own.is_empty(),
    });
    steps.collect()
}

impl<B: Bits, K: Key> SharedSearch<B, K> {
    /// The steps of a position and how far each is from a proof, for its mover, as
    /// the last search left it; first numbers where the table knows nothing. The
    /// same for all open positions below it that took their share.
    pub(crate) fn expanded(&self, root: &Node<B, K>) -> Vec<ExpandedSteps> {
        let mut learner = self.learned();
        let mut found = Vec::new();
        let mut listed = HashSet::new();
        let mut waiting = VecDeque::from([(Vec::new(), *root)]);
        while let Some((line, node)) = waiting.pop_front() {
            if !listed.insert(node.keys.key()) {
                continue;
            }
            let mut prospects = Vec::new();
            for step in steps(self, &node) {
                let key = step.next.keys.key();
                let numbers = if step.ends {
                    Numbers::LOST
                } else {
                    self.table.get(key).map_or_else(
                        || {
                            learner.look(&self.windows, step.next.view);
                            self.first_numbers(step.next.view, || {
                                learner.score(self.windows.params, step.next.lead)
                            })
                        },
                        |found| found.numbers,
                    )
                };
                if !numbers.won() && !numbers.lost() && self.is_large(key) {
                    let mut line = line.clone();
                    line.push((step.from, step.to));
                    waiting.push_back((line, step.next));
                }
                let prospect = Prospect::new(numbers.delta, numbers.phi);
                prospects.push(((step.from, step.to), prospect));
            }
            found.push((line, prospects));
        }
        found
    }

    /// A line to the end of the game: proven moves for the winner, preferring those
    /// whose win is seen without search; for the loser the moves that look hardest.
    /// Shorter if the stop flag is raised, and where the table does not know what it
    /// would take too many nodes, or too late, to find out again. `wins` is what has
    /// been proven for the side to move.
    pub(super) fn line(
        &self,
        node: &Node<B, K>,
        wins: bool,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
        is_late: &dyn Fn() -> bool,
    ) -> Vec<(u8, u8)> {
        self.allow(nodes);
        let mut poll = || self.poll(&|| stop() || is_late());
        let mut worker = ProofWorker::new(self, false);
        worker.polled(&mut poll);
        let mut found = Vec::new();
        let mut node = *node;
        let mut is_winner = wins;
        while !stop() {
            let steps = steps(self, &node);
            let step = if is_winner {
                winning(self, &mut worker, &node, &steps, is_late)
            } else {
                steps.iter().max_by_key(|step| resistance(self, step))
            };
            let Some(step) = step else {
                break;
            };
            found.push((step.from, step.to));
            if step.ends {
                break;
            }
            node = step.next;
            is_winner = !is_winner;
        }
        self.allow(None);
        found
    }
}

/// A winning step: the quickest that is seen without search, or else whatever
/// the search finds, or what the table knows if there are no more nodes, or no
/// time.
fn winning<'a, B: Bits, K: Key>(
    shared: &SharedSearch<B, K>,
    worker: &mut ProofWorker<B, K>,
    node: &Node<B, K>,
    steps: &'a [ShownStep<B, K>],
    is_late: &dyn Fn() -> bool,
) -> Option<&'a ShownStep<B, K>> {
    let seen = steps.iter().filter_map(|step| {
        if step.ends {
            return Some((0, step));
        }
        match shared.statics.judge(step.next.view) {
            Proven::Loss(plies) => Some((plies, step)),
            _ => None,
        }
    });
    if let Some((_, step)) = seen.min_by_key(|&(plies, _)| plies) {
        return Some(step);
    }
    if !shared.is_spent() && !is_late() {
        worker.run(node);
        if let Some(found) = worker.winning() {
            return steps.iter().find(|step| (step.from, step.to) == found);
        }
    }
    let lost = |step: &&ShownStep<B, K>| {
        let found = shared.table.get(step.next.keys.key());
        found.is_some_and(|found| found.numbers.lost())
    };
    steps.iter().find(lost)
}

/// How long the winner needs after a step of the loser, as far as is known.
fn resistance<B: Bits, K: Key>(shared: &SharedSearch<B, K>, step: &ShownStep<B, K>) -> u32 {
    match shared.statics.judge(step.next.view) {
        Proven::Win(plies) => u32::from(plies),
        _ => {
            let found = shared.table.get(step.next.keys.key());
            256 + found.map_or(0, |found| found.work)
        }
    }
}
