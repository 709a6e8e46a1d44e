//! Depth-first proof-number search (Nagai 2002) with thresholds widened by
//! (1 + epsilon) (Pawlewicz and Lew 2006), on a game whose positions never
//! repeat, with all threads sharing one table (after Kaneko 2010).

use super::keys::Key;
use super::learner::Learner;
use super::numbers::{INFINITE, LARGEST, Numbers, finite};
use super::shared::{Child, Node, SharedSearch, StopReason};
use super::table::Store as _;
use super::types::Prospect;
use crate::game::breakthrough::{Bits, Perspective, Proven, Step};
use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

/// Epsilon in 256ths: how much farther than its best rival a move is followed.
const EPSILON: u64 = 200;

/// A threshold that no sum of finite numbers reaches.
const NEVER: u64 = u64::MAX >> 8;

/// What a move counts in a position that looks even.
const UNIT: f32 = 64.0;

/// A capture counts as this many moves; having one makes a win as much easier.
const CAPTURE: f32 = 8.0;

/// How hard a step may get before its rival is tried. Numbers past the largest
/// finite one are indistinguishable: a threshold there would be reached over
/// and over without progress, so it is never reached at all.
#[inline]
fn widened(rival: u32) -> u64 {
    let wide = u64::from(rival) + u64::from(rival) * EPSILON / 256 + 1;
    if wide > u64::from(LARGEST) {
        NEVER
    } else {
        wide
    }
}

struct Choice {
    index: usize,
    /// The smallest disproof number of the steps, which is the node's own
    /// proof number.
    phi: u32,
    /// The smallest disproof number of the steps not chosen.
    rival: u32,
    /// The sum of the steps' proof numbers.
    sum: u64,
    /// The two largest of them.
    hardest: [u32; 2],
    /// How far the sum of the others is shifted right before it is added.
    overlap: u32,
    /// The least by which a visit must raise a proof number, in 64ths.
    growth: u64,
}

impl Choice {
    /// The node's disproof number: that of the hardest step plus `2^-overlap`
    /// of the sum of the others, whose proofs have much in common with it and
    /// each other. Between the sum and the maximum of "weak" proof-number
    /// search (Ueda, Hashimoto, Hashimoto and Iida 2008).
    #[inline]
    fn delta(&self) -> u64 {
        let hardest = u64::from(self.hardest[0]);
        hardest + ((self.sum - hardest) >> self.overlap)
    }

    /// The proof number of the chosen step, now `phi`, at which the node's
    /// disproof number reaches its threshold; clearly above `phi`, even if that
    /// overshoots the node's threshold. Otherwise a node just below its
    /// threshold would go down a long line for next to nothing, return, and
    /// start over.
    #[inline]
    fn threshold(&self, phi: u32, max_delta: u64) -> u64 {
        if max_delta >= NEVER {
            return NEVER;
        }
        let others = self.sum - u64::from(phi);
        let is_hardest = phi == self.hardest[0];
        let hardest = u64::from(self.hardest[usize::from(is_hardest)]);
        let minimum = max_delta.saturating_sub(others >> self.overlap);
        let threshold = if minimum >= hardest {
            minimum
        } else {
            (max_delta.saturating_sub(hardest) << self.overlap).saturating_sub(others - hardest)
        };
        threshold.max(u64::from(phi) * (64 + self.growth) / 64 + 1)
    }
}

pub(super) struct ProofWorker<'a, B, K: Key> {
    shared: &'a SharedSearch<B, K>,
    /// Whether others search too.
    parallel: bool,
    counts_opened: bool,
    /// The steps of the nodes on the current line, one after another.
    children: Vec<Child<K>>,
    /// Positions searched but not yet reported.
    nodes: u64,
    /// How many to search before reporting them.
    batch: u64,
    /// How many more it may search, whatever the others do.
    left: u64,
    /// The winning step that was found at the root.
    winning: Option<Step>,
    learner: Learner,
    /// Called on every report, if nobody else watches the clock.
    poll: Option<&'a mut dyn FnMut()>,
}

impl<'a, B: Bits, K: Key> ProofWorker<'a, B, K> {
    /// A worker; `parallel` if others search too. Counting, if wanted, must
    /// have been started before.
    pub(super) fn new(shared: &'a SharedSearch<B, K>, parallel: bool) -> Self {
        Self {
            shared,
            parallel,
            counts_opened: shared.opened.is_enabled(),
            children: Vec::with_capacity(1 << 12),
            nodes: 0,
            batch: 1,
            left: u64::MAX,
            winning: None,
            learner: shared.learned(),
            poll: None,
        }
    }

    pub(super) const fn limited(mut self, nodes: u64) -> Self {
        self.left = nodes;
        self
    }

    pub(super) const fn left(&self) -> u64 {
        self.left
    }

    pub(super) const fn shared(&self) -> &'a SharedSearch<B, K> {
        self.shared
    }

    /// Makes the worker call this every so often as it searches.
    pub(super) fn polled(&mut self, poll: &'a mut dyn FnMut()) -> &mut Self {
        self.poll = Some(poll);
        self
    }

    /// The winning step of the position last searched; `None` if it was not won.
    pub(super) const fn winning(&self) -> Option<Step> {
        self.winning
    }

    pub(super) const fn learner(&self) -> &Learner {
        &self.learner
    }

    /// Searches a position until it is decided or the search is stopped. When
    /// others search too, it also stops for the table to grow.
    pub(super) fn run(&mut self, node: &Node<B, K>) -> Numbers {
        loop {
            self.winning = None;
            self.report();
            let (numbers, work) = self.search(node, NEVER, NEVER);
            self.report();
            if self.counts_opened {
                // The caller's own position may be below one of this node.
                self.shared.count_opened(node.keys.key(), work);
            }
            if self.parallel || numbers.won() || numbers.lost() || !self.shared.make_room(1) {
                return numbers;
            }
        }
    }

    /// Reports the positions searched, and stops all threads once no more are
    /// allowed. Batches end there, so that a single thread stops exactly at the
    /// limit, always in the same place.
    fn report(&mut self) {
        let shared = self.shared;
        let reported = shared.add_nodes(self.nodes);
        let left = shared.last_node.load(Relaxed).saturating_sub(reported);
        if left == 0 {
            shared.stop.raise(StopReason::NodeLimit);
        }
        self.left = self.left.saturating_sub(self.nodes);
        if let Some(poll) = &mut self.poll {
            poll();
        }
        self.nodes = 0;
        self.batch = left.min(self.left).clamp(1, 1 << 10);
    }

    /// Lists the steps of a node that are not known to lose; returns the result
    /// if the node is decided.
    fn expand(&mut self, node: &Node<B, K>) -> Option<Numbers> {
        let shared = self.shared;
        let statics = &shared.statics;
        let base = self.children.len();
        let back = statics.geometry().stride() as u8 - 1;
        let board = statics.geometry().board();
        let zone = statics.zone(node.view).unwrap_or(board);
        self.learner.look(&shared.windows, node.view);
        let children = &mut self.children;
        let _ = statics.try_each_step(node.view, zone, |from, to| {
            let takes = node.view.enemy.has(to);
            let key = shared.map.after(&node.keys, from, to, takes).key();
            shared.table.prefetch(key);
            children.push(Child {
                key,
                numbers: Numbers::WON,
                step: Step { from, to },
                takes,
            });
            ControlFlow::Continue(())
        });
        // All buckets are being prefetched before the first one is read.
        let learner = &self.learner;
        let mut kept = base;
        for index in base..self.children.len() {
            let mut child = self.children[index];
            child.numbers = shared.table.get(child.key).map_or_else(
                || {
                    let Step { from, to } = child.step;
                    let next = statics.step(node.view, B::bit(from), B::bit(to));
                    if next.own.is_empty() {
                        Numbers::LOST
                    } else {
                        let lead = -node.lead - i32::from(child.takes);
                        let direction = to - back - from;
                        shared.first_numbers(next, || {
                            let windows = &shared.windows;
                            learner.score_after(windows, from, direction, lead)
                        })
                    }
                },
                |found| found.numbers,
            );
            if child.numbers.lost() {
                if base == 0 {
                    self.winning = Some(child.step);
                }
                self.children.truncate(base);
                return Some(Numbers::WON);
            }
            if !child.numbers.won() {
                self.children[kept] = child;
                kept += 1;
            }
        }
        self.children.truncate(kept);
        (kept == base).then_some(Numbers::LOST)
    }

    /// The step with the smallest disproof number; if another thread is already
    /// below it, perhaps one that is at most twice as hard. But only if the
    /// side to move looks lost, so that all its steps must be refuted:
    /// otherwise one winning step is enough, and a second thread's search for
    /// another would be wasted.
    #[inline]
    fn choose(&self, base: usize, max_phi: u64) -> Choice {
        let params = &self.shared.windows.params;
        let mut choice = Choice {
            index: base,
            phi: INFINITE,
            rival: INFINITE,
            sum: 0,
            hardest: [0; 2],
            overlap: params.overlap,
            growth: params.growth,
        };
        for (index, child) in self.children.iter().enumerate().skip(base) {
            let phi = child.numbers.phi;
            choice.sum += u64::from(phi);
            if phi > choice.hardest[0] {
                choice.hardest = [phi, choice.hardest[0]];
            } else {
                choice.hardest[1] = choice.hardest[1].max(phi);
            }
            if child.numbers.delta < choice.phi {
                choice.rival = choice.phi;
                choice.phi = child.numbers.delta;
                choice.index = index;
            } else {
                choice.rival = choice.rival.min(child.numbers.delta);
            }
        }
        if !self.parallel
            || u64::from(choice.phi) < choice.delta()
            || u64::from(choice.rival) >= max_phi
            || u64::from(choice.rival) > 2 * u64::from(choice.phi)
            || self
                .shared
                .slot(self.children[choice.index].key)
                .load(Relaxed)
                == 0
        {
            return choice;
        }
        self.least_busy(base, max_phi, choice)
    }

    /// Chooses again, doubling a step's number for every thread below it.
    fn least_busy(&self, base: usize, max_phi: u64, mut choice: Choice) -> Choice {
        let (mut least, mut rival) = (u64::MAX, u64::MAX);
        for (index, child) in self.children.iter().enumerate().skip(base) {
            let threads = self.shared.slot(child.key).load(Relaxed).min(16);
            let seen = u64::from(child.numbers.delta) << threads;
            if seen < least && u64::from(child.numbers.delta) < max_phi {
                rival = least;
                least = seen;
                choice.index = index;
            } else {
                rival = rival.min(seen);
            }
        }
        choice.rival = rival.min(u64::from(INFINITE)) as u32;
        choice
    }

    /// Searches a node until it is decided or one of its numbers reaches its
    /// threshold; returns its numbers and the nodes it took.
    fn search(&mut self, node: &Node<B, K>, max_phi: u64, max_delta: u64) -> (Numbers, u64) {
        let shared = self.shared;
        let base = self.children.len();
        let mut work = 1;
        self.nodes += 1;
        if self.nodes >= self.batch {
            self.report();
        }
        let mut result = self.expand(node);
        let numbers = loop {
            if let Some(numbers) = result {
                break numbers;
            }
            let choice = self.choose(base, max_phi);
            if base == 0 {
                shared.root[0].store(choice.phi, Relaxed);
                shared.root[1].store(finite(choice.delta()), Relaxed);
            }
            if u64::from(choice.phi) >= max_phi
                || choice.delta() >= max_delta
                || shared.stop.is_raised()
                || self.left == 0
            {
                break Numbers {
                    phi: choice.phi,
                    delta: finite(choice.delta()),
                };
            }
            let child = self.children[choice.index];
            let child_phi = choice.threshold(child.numbers.phi, max_delta);
            let child_delta = max_phi.min(widened(choice.rival));
            let (numbers, cost) = self.visit(node, &child, child_phi, child_delta);
            work += cost;
            if self.counts_opened {
                shared.count_opened(child.key, cost);
            }
            self.children[choice.index].numbers = numbers;
            if numbers.lost() {
                if base == 0 {
                    self.winning = Some(child.step);
                }
                result = Some(Numbers::WON);
            } else if numbers.won() {
                self.children.swap_remove(choice.index);
                if self.children.len() == base {
                    result = Some(Numbers::LOST);
                }
            }
            if self.parallel && cost > 64 && base > 0 && result.is_none() {
                // Another thread may have decided this node.
                result = shared
                    .table
                    .get(node.keys.key())
                    .map(|found| found.numbers)
                    .filter(|numbers| numbers.won() || numbers.lost());
            }
        };
        self.children.truncate(base);
        shared.table.put(node.keys.key(), numbers, work);
        if numbers.won() || numbers.lost() {
            let won = numbers.won();
            self.learner
                .learn(&shared.windows, node.view, node.lead, won);
        }
        (numbers, work)
    }

    #[inline]
    fn visit(
        &mut self,
        node: &Node<B, K>,
        child: &Child<K>,
        max_phi: u64,
        max_delta: u64,
    ) -> (Numbers, u64) {
        let shared = self.shared;
        let next = shared.child(node, child.step, child.takes);
        if !self.parallel {
            return self.search(&next, max_phi, max_delta);
        }
        if let Some(found) = shared.table.get(child.key) {
            let numbers = found.numbers;
            if u64::from(numbers.phi) >= max_phi || u64::from(numbers.delta) >= max_delta {
                // Another thread has been there.
                return (numbers, 0);
            }
        }
        let slot = shared.slot(child.key);
        slot.fetch_add(1, Relaxed);
        let found = self.search(&next, max_phi, max_delta);
        slot.fetch_sub(1, Relaxed);
        found
    }
}

impl<B: Bits, K: Key> SharedSearch<B, K> {
    /// First numbers of a position that is not in the table, given its score
    /// for the side to move.
    #[inline]
    fn first_numbers(&self, view: Perspective<B>, score: impl FnOnce() -> f32) -> Numbers {
        match self.statics.judge(view) {
            Proven::Win(_) => Numbers::WON,
            Proven::Loss(_) => Numbers::LOST,
            Proven::Open => {
                let odds = self.windows.odds(score());
                // Where the enemy would not win if it could move now, hardly any
                // move loses at once.
                match self.statics.zone(view) {
                    None => self.estimate(view, odds),
                    Some(zone) => self.look_ahead(view, odds, zone),
                }
            }
        }
    }

    /// First numbers of a position about which nothing is known, from the
    /// odds and the mobility of both sides.
    #[inline]
    fn estimate(&self, view: Perspective<B>, odds: f32) -> Numbers {
        let statics = &self.statics;
        let [left, ahead, right] = statics.targets(view, statics.geometry().board());
        let moves = left.count() + ahead.count() + right.count();
        let takes = (left & view.enemy).count() + (right & view.enemy).count();
        let quiet = if takes > 0 { CAPTURE } else { 1.0 };
        let weight = (moves - takes) as f32 + CAPTURE * takes as f32;
        Numbers {
            phi: number(statics.enemy_mobility(view) as f32 * UNIT / (odds * quiet)),
            delta: number(weight * UNIT * odds),
        }
    }

    /// First numbers from the positions one ply on, where only steps into the
    /// zone may hold.
    fn look_ahead(&self, view: Perspective<B>, odds: f32, zone: B) -> Numbers {
        let statics = &self.statics;
        let mut phi = INFINITE;
        let mut delta = 0u64;
        let rest = statics.try_each_step(view, zone, |from, to| {
            let next = statics.step(view, B::bit(from), B::bit(to));
            if next.own.is_empty() {
                return ControlFlow::Break(());
            }
            match statics.judge(next) {
                Proven::Win(_) => {}
                Proven::Loss(_) => return ControlFlow::Break(()),
                Proven::Open => {
                    let takes = view.enemy.has(to);
                    let odds = if takes { odds * CAPTURE } else { odds };
                    phi = phi.min(number(statics.mobility(next) as f32 * UNIT / odds));
                    delta += u64::from(number(UNIT * odds));
                }
            }
            ControlFlow::Continue(())
        });
        if rest.is_break() {
            return Numbers::WON;
        }
        if delta == 0 {
            return Numbers::LOST;
        }
        Numbers {
            phi,
            delta: finite(delta),
        }
    }
}

/// A first number: at least 1, so that rounding makes no proof of it.
#[inline]
fn number(weight: f32) -> u32 {
    weight.max(1.0) as u32
}

/// A position and its steps with how far each is from a proof, as in an
/// [`OpenedNode`](super::OpenedNode); with steps as their mover sees them.
type OpenedSteps = (Vec<Step>, Vec<(Step, Prospect)>);

struct ShownStep<B, K> {
    step: Step,
    next: Node<B, K>,
    /// Whether it ends the game.
    ends: bool,
}

/// The steps of a position, including those that lose at once.
fn steps<B: Bits, K: Key>(shared: &SharedSearch<B, K>, node: &Node<B, K>) -> Vec<ShownStep<B, K>> {
    let geometry = shared.statics.geometry();
    let last = geometry.ranks() - 1;
    let steps = shared.steps(node).map(|(step, next)| ShownStep {
        step,
        next,
        ends: geometry.rank(step.to) == last || next.view.own.is_empty(),
    });
    steps.collect()
}

impl<B: Bits, K: Key> SharedSearch<B, K> {
    /// The steps of a position and how far each is from a proof, for its mover, as
    /// the last search left it; first numbers where the table knows nothing. The
    /// same for all open positions below it that took their share.
    pub(crate) fn opened(&self, root: &Node<B, K>) -> Vec<OpenedSteps> {
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
                if !numbers.won() && !numbers.lost() && self.is_opened(key) {
                    let mut line = line.clone();
                    line.push(step.step);
                    waiting.push_back((line, step.next));
                }
                let prospect = Prospect::new(numbers.delta, numbers.phi);
                prospects.push((step.step, prospect));
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
    ) -> Vec<Step> {
        self.begin_search(nodes);
        let mut poll = || self.poll(&|| stop() || is_late());
        let mut worker = ProofWorker::new(self, false);
        worker.polled(&mut poll);
        let mut found = Vec::new();
        let mut node = *node;
        let mut is_winner = wins;
        // What is proven has a move, however late it is.
        while found.is_empty() || !stop() {
            let steps = steps(self, &node);
            let step = if is_winner {
                winning(self, &mut worker, &node, &steps, is_late)
            } else {
                steps.iter().max_by_key(|step| resistance(self, step))
            };
            let Some(step) = step else {
                break;
            };
            found.push(step.step);
            if step.ends {
                break;
            }
            node = step.next;
            is_winner = !is_winner;
        }
        self.end_search();
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
    if !shared.is_out_of_nodes() && !is_late() {
        worker.run(node);
        if let Some(found) = worker.winning() {
            return steps.iter().find(|step| step.step == found);
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

#[cfg(test)]
mod tests;
