//! What all threads of a search share: the board, the table, why they stop, how much
//! work each position took, and what is assumed; and how positions become nodes and
//! back.

use super::certificate::legal_step;
use super::keys::{Key, KeyMap, PositionKeys};
use super::learner::{BoardParams, Learner, LearnerWindows};
use super::numbers::Numbers;
use super::table::Store;
use super::types::Prospect;
use crate::base::{OutOfMemory, Side};
use crate::game::breakthrough::{
    Bits, Geometry, Perspective, Position, Proven, StaticSolver, Step,
};
use crate::game::{Game as _, Move};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Slots that show where other threads are.
const SLOTS: usize = 1 << 16;

/// The table is checked each time this many positions have been searched.
const INSPECTION: u64 = 1 << 14;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum StopReason {
    /// The caller wants no more: its stop flag is raised, or time is up.
    Caller = 1,
    /// As many positions as allowed have been searched.
    NodeLimit = 2,
    Crowded = 4,
    /// One thread has returned, and the others should too.
    Returned = 8,
}

#[derive(Debug, Default)]
pub(super) struct Stop(AtomicU8);

impl Stop {
    #[inline]
    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    pub(super) fn has(&self, reason: StopReason) -> bool {
        self.0.load(Relaxed) & reason as u8 != 0
    }

    pub(super) fn raise(&self, reason: StopReason) {
        self.0.fetch_or(reason as u8, Relaxed);
    }

    pub(super) fn lower(&self, reason: StopReason) {
        self.0.fetch_and(!(reason as u8), Relaxed);
    }

    pub(super) fn clear(&self) {
        self.0.store(0, Relaxed);
    }
}

/// A visit counts if it took at least one part in this many of the share.
const SHARE_GRAIN: u64 = 16;

/// Which positions a search has opened: how much work it did below each.
pub(super) struct OpenedCounter<K> {
    /// A position counts if it took one part in this many; 0 if none does.
    parts: AtomicU64,
    /// The nodes that earlier searches had taken when the count began.
    before: AtomicU64,
    work: Mutex<HashMap<K, u64>>,
}

impl<K: Key> OpenedCounter<K> {
    pub(super) fn new() -> Self {
        Self {
            parts: AtomicU64::new(0),
            before: AtomicU64::new(0),
            work: Mutex::new(HashMap::new()),
        }
    }

    /// Begins a new count, when all searches have taken `nodes` so far.
    pub(super) fn begin(&self, parts: Option<u64>, nodes: u64) {
        self.parts.store(parts.unwrap_or(0), Relaxed);
        self.before.store(nodes, Relaxed);
        self.all().clear();
    }

    #[inline]
    pub(super) fn is_enabled(&self) -> bool {
        self.parts.load(Relaxed) > 0
    }

    /// Records that a visit of a position cost `work` nodes, when all searches
    /// have taken `nodes` so far.
    pub(super) fn add(&self, key: K, work: u64, nodes: u64) {
        let parts = self.parts.load(Relaxed).saturating_mul(SHARE_GRAIN);
        if work.saturating_mul(parts) >= self.since(nodes) {
            *self.all().entry(key).or_default() += work;
        }
    }

    /// Whether a position has taken its share of the nodes since the count began.
    pub(super) fn is_opened(&self, key: K, nodes: u64) -> bool {
        let work = self.all().get(&key).copied().unwrap_or(0);
        work > 0 && work.saturating_mul(self.parts.load(Relaxed)) >= self.since(nodes)
    }

    fn since(&self, nodes: u64) -> u64 {
        nodes.saturating_sub(self.before.load(Relaxed))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<K, u64>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node<B, K> {
    pub(super) view: Perspective<B>,
    pub(super) keys: PositionKeys<K>,
    /// How many more pieces than the enemy the side to move has.
    pub(super) lead: i32,
}

/// A step of a node and what is known about where it leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<K> {
    pub(super) key: K,
    pub(super) numbers: Numbers,
    pub(super) step: Step,
    pub(super) takes: bool,
}

/// A search on one board. Its methods stand in files by what they do: `prove` runs it
/// under limits, `dfpn` searches and shows a line, `collect` makes certificates, and here
/// is what all of them need.
pub(super) struct SharedSearch<B, K: Key> {
    /// The board, and what is decided on it without search.
    pub(super) statics: StaticSolver<B>,
    /// The weights of its pieces.
    pub(super) map: KeyMap<K>,
    pub(super) table: K::Table,
    pub(super) stop: Stop,
    /// Positions searched, as far as the threads have reported them.
    pub(super) nodes: AtomicU64,
    /// The count of positions searched at which all threads stop.
    pub(super) last_node: AtomicU64,
    pub(super) opened: OpenedCounter<K>,
    /// The numbers at the root, for display.
    pub(super) root: [AtomicU32; 2],
    /// How many threads are below a position, by its key's hash; only a hint.
    busy: Vec<AtomicU8>,
    pub(super) windows: LearnerWindows,
    /// What the last worker that stopped had learned.
    learned: Mutex<Learner>,
}

/// A step as its mover sees it, from where to where, as a move on a board that may
/// keep its squares in another type of sets.
pub(super) fn board_move<B: Bits, C: Bits>(
    own: &Geometry<B>,
    board: &Geometry<C>,
    is_white: bool,
    step: Step,
) -> Move {
    let converted = |mut square: u8| {
        if !is_white {
            square = B::bit(square).turned(own.files(), own.ranks()).lowest();
        }
        board.square(own.file(square), own.rank(square))
    };
    Move::new(converted(step.from), converted(step.to))
}

impl<B: Bits, K: Key> SharedSearch<B, K> {
    pub(super) fn new(
        statics: StaticSolver<B>,
        bytes: usize,
        params: BoardParams,
    ) -> Result<Self, OutOfMemory> {
        let geometry = statics.geometry();
        let squares = usize::from(geometry.files()) * usize::from(geometry.ranks());
        let windows = LearnerWindows::new(&statics, params);
        Ok(Self {
            statics,
            map: KeyMap::new(&statics),
            table: K::Table::new(bytes, K::bits(squares))?,
            stop: Stop::default(),
            nodes: AtomicU64::new(0),
            last_node: AtomicU64::new(u64::MAX),
            opened: OpenedCounter::new(),
            root: [AtomicU32::new(1), AtomicU32::new(1)],
            busy: (0..SLOTS).map(|_| AtomicU8::new(0)).collect(),
            learned: Mutex::new(Learner::new(&windows)),
            windows,
        })
    }

    /// Begins a search of at most this many positions, with nothing that stops it yet.
    pub(super) fn begin_search(&self, nodes: Option<u64>) {
        let before = self.nodes.load(Relaxed);
        let last = nodes.map_or(u64::MAX, |nodes| before.saturating_add(nodes));
        self.last_node.store(last, Relaxed);
        self.stop.clear();
    }

    /// Takes back the limit and all reasons to stop.
    pub(super) fn end_search(&self) {
        self.begin_search(None);
    }

    /// Makes the searching threads stop if the caller says so.
    pub(super) fn poll(&self, stop: &dyn Fn() -> bool) {
        if stop() {
            self.stop.raise(StopReason::Caller);
        }
    }

    pub(super) fn is_out_of_nodes(&self) -> bool {
        self.nodes.load(Relaxed) >= self.last_node.load(Relaxed)
    }

    /// Counts positions searched, and every so often checks that the table has
    /// space left; if not, stops all threads. Returns the count.
    pub(super) fn add_nodes(&self, nodes: u64) -> u64 {
        let before = self.nodes.fetch_add(nodes, Relaxed);
        let now = before + nodes;
        if before / INSPECTION != now / INSPECTION && self.table.is_crowded() {
            self.stop.raise(StopReason::Crowded);
        }
        now
    }

    /// Grows the table if the threads have stopped for that and for no other
    /// reason, and returns whether they can go on. None may be searching.
    pub(super) fn make_room(&self, threads: usize) -> bool {
        let is_crowded = self.stop.has(StopReason::Crowded);
        self.stop.lower(StopReason::Crowded);
        let is_ended = self.stop.has(StopReason::Caller) || self.is_out_of_nodes();
        let goes_on = is_crowded && !is_ended && self.table.grow(threads);
        if goes_on {
            self.stop.lower(StopReason::Returned);
        }
        goes_on
    }

    pub(super) fn node(&self, view: Perspective<B>) -> Node<B, K> {
        Node {
            view,
            keys: self.map.keys(view),
            lead: view.own.count() as i32 - view.enemy.count() as i32,
        }
    }

    #[inline]
    pub(super) fn child(&self, node: &Node<B, K>, step: Step, takes: bool) -> Node<B, K> {
        Node {
            view: self
                .statics
                .step(node.view, B::bit(step.from), B::bit(step.to)),
            keys: self.map.after(&node.keys, step.from, step.to, takes),
            lead: -node.lead - i32::from(takes),
        }
    }

    /// A caller's position as the search keeps it.
    #[inline]
    pub(super) fn enter<C: Bits>(&self, position: &Position<C>) -> Node<B, K> {
        let geometry = self.statics.geometry();
        let [own, enemy] = Side::BOTH.map(|side| geometry.converted(position.pieces(side)));
        let view = Perspective { own, enemy };
        self.node(match position.side_to_move() {
            Side::White => view,
            Side::Black => self.statics.other_side(view),
        })
    }

    /// The step at a ply of a line from a caller's position, as a move on its board:
    /// the search sees every step from the side that makes it.
    pub(super) fn leave<C: Bits>(&self, position: &Position<C>, ply: usize, step: Step) -> Move {
        let is_white = (position.side_to_move() == Side::White) == ply.is_multiple_of(2);
        board_move(self.statics.geometry(), position.geometry(), is_white, step)
    }

    pub(super) fn moves<C: Bits>(&self, position: &Position<C>, line: &[Step]) -> Vec<Move> {
        let moves = line.iter().enumerate();
        moves
            .map(|(ply, &step)| self.leave(position, ply, step))
            .collect()
    }

    /// The legal steps, and the positions they lead to.
    pub(super) fn steps(&self, node: &Node<B, K>) -> impl Iterator<Item = (Step, Node<B, K>)> {
        self.statics.steps(node.view).into_iter().map(|step| {
            let takes = node.view.enemy.has(step.to);
            (step, self.child(node, step, takes))
        })
    }

    pub(super) fn replies(&self, node: &Node<B, K>) -> Vec<Node<B, K>> {
        self.steps(node).map(|(_, next)| next).collect()
    }

    /// The number of a position in certificates, unless the side to move sees a win
    /// within `depth` plies.
    pub(super) fn number_if_open(&self, node: &Node<B, K>, depth: u8) -> Option<u128> {
        let verdict = self.statics.judge(node.view);
        let is_soon = matches!(verdict, Proven::Win(plies) if plies <= depth);
        (!is_soon).then(|| node.keys.key().wide())
    }

    /// Who wins, and at most how many nodes one visit of the position has taken, if
    /// that is known without a search.
    pub(super) fn result_without_search(&self, node: &Node<B, K>) -> Option<(bool, u64)> {
        match self.statics.judge(node.view) {
            Proven::Win(_) => return Some((true, 0)),
            Proven::Loss(_) => return Some((false, 0)),
            Proven::Open => {}
        }
        let found = self.table.get(node.keys.key())?;
        let wins = found.numbers.decided()?;
        Some((wins, K::Table::most_work(found)))
    }

    pub(super) fn prospect(&self) -> Prospect {
        Prospect::new(self.root[0].load(Relaxed), self.root[1].load(Relaxed))
    }

    pub(super) fn count_opened(&self, key: K, cost: u64) {
        self.opened.add(key, cost, self.nodes.load(Relaxed));
    }

    pub(super) fn is_opened(&self, key: K) -> bool {
        self.opened.is_opened(key, self.nodes.load(Relaxed))
    }

    #[inline]
    pub(super) fn slot(&self, key: K) -> &AtomicU8 {
        &self.busy[key.mixed() as usize % SLOTS]
    }

    pub(super) fn learned(&self) -> Learner {
        self.learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Forgets what all searches have found out and learned. None may be
    /// running.
    pub(super) fn forget(&self) {
        self.table.buckets().clear();
        self.keep(&Learner::new(&self.windows));
    }

    /// Assumes that the side to move wins or has lost a position. The table may
    /// grow, so no search may be running.
    fn assume(&self, node: &Node<B, K>, wins: bool) {
        let key = node.keys.key();
        if key.mixed().is_multiple_of(INSPECTION) && self.table.is_crowded() {
            self.table.grow(1);
        }
        let numbers = if wins { Numbers::WON } else { Numbers::LOST };
        // The last to be evicted by what is found later.
        self.table.put(key, numbers, u64::MAX);
    }

    /// Assumes that the side to move has lost a position, so that the other side
    /// wins after every reply. No search may be running.
    pub(super) fn assume_lost(&self, node: &Node<B, K>) {
        let mut won = self.replies(node);
        // Nobody probes the table for what the rules show.
        won.retain(|reply| {
            let is_open = !reply.view.own.is_empty()
                && matches!(self.statics.judge(reply.view), Proven::Open);
            if is_open {
                self.table.prefetch(reply.keys.key());
            }
            is_open
        });
        self.assume(node, false);
        for reply in &won {
            self.assume(reply, true);
        }
    }

    /// Assumes that the side to move wins the position with this number, if a code is
    /// given by this step; then the other side has lost after it, and that it has lost
    /// `with_replies` means that the first wins after each of them. Skips what is
    /// illegal. No search may be running.
    pub(super) fn assume_won(&self, number: u128, code: Option<u16>, with_replies: bool) {
        let geometry = self.statics.geometry();
        let Some(view) = KeyMap::<K>::view(geometry, number) else {
            return;
        };
        if let Some(code) = code {
            let Some(Step { from, to }) = legal_step(geometry, view, false, code) else {
                return;
            };
            let next = self.statics.step(view, B::bit(from), B::bit(to));
            if !next.own.is_empty() {
                let next = self.node(next);
                if with_replies {
                    self.assume_lost(&next);
                } else {
                    self.assume(&next, false);
                }
            }
        }
        self.assume(&self.node(view), true);
    }

    pub(super) fn keep(&self, learner: &Learner) {
        self.learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(learner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::breakthrough::Position;

    #[test]
    fn a_table_that_grows_takes_back_no_stop_but_its_own() {
        let start = Position::<u64>::start(5, 5).unwrap();
        let statics = StaticSolver::new(start.geometry());
        let shared =
            SharedSearch::<u64, u64>::new(statics, 8 << 20, BoardParams::new(5, 5)).unwrap();
        shared.stop.raise(StopReason::Crowded);
        assert!(shared.make_room(1) && !shared.stop.is_raised());
        shared.stop.raise(StopReason::Crowded);
        shared.stop.raise(StopReason::Caller);
        assert!(!shared.make_room(1), "the caller wants no more");
        assert!(shared.stop.has(StopReason::Caller));
        shared.begin_search(Some(0));
        shared.stop.raise(StopReason::Crowded);
        shared.stop.raise(StopReason::NodeLimit);
        assert!(!shared.make_room(1), "no more positions are allowed");
        assert!(shared.stop.has(StopReason::NodeLimit));
    }

    #[test]
    fn positions_that_take_their_share_are_found() {
        let counter = OpenedCounter::<u64>::new();
        assert!(!counter.is_enabled());
        counter.begin(Some(10), 0);
        assert!(counter.is_enabled());
        // By small visits; only those of the last are too small to count.
        for _ in 0..20 {
            counter.add(1, 50, 1000);
            counter.add(2, 7, 1000);
            counter.add(3, 6, 1000);
        }
        assert!(counter.is_opened(1, 10_000) && !counter.is_opened(1, 10_001));
        assert!(counter.is_opened(2, 1_400) && !counter.is_opened(2, 1_401));
        assert!(!counter.is_opened(3, 0), "too small to count");
        counter.begin(Some(10), 9_000);
        assert!(!counter.is_opened(1, 1), "a new count");
        // Now the nodes of before do not count.
        counter.add(1, 50, 10_000);
        assert!(counter.is_opened(1, 9_500) && !counter.is_opened(1, 9_501));
        counter.begin(None, 0);
        assert!(!counter.is_enabled());
        assert!(!counter.is_opened(1, 0));
    }

    #[test]
    fn a_reason_that_is_taken_back_leaves_the_others() {
        let stop = Stop::default();
        assert!(!stop.is_raised());
        for other in [
            StopReason::Caller,
            StopReason::NodeLimit,
            StopReason::Returned,
        ] {
            stop.raise(other);
            stop.raise(StopReason::Crowded);
            stop.lower(StopReason::Crowded);
            assert!(stop.has(other) && stop.is_raised(), "{other:?}");
            assert!(!stop.has(StopReason::Crowded));
            stop.clear();
            assert!(!stop.is_raised());
        }
    }
}
