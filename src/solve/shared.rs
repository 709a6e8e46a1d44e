//! What all threads of a search share, and the first numbers of positions that
//! have not been searched: from the static facts, or else from what has been
//! learned and mobility.

use super::keys::{Key, KeyMap, Keys};
use super::learner::{BoardParams, Learner, Windows};
use super::numbers::{INFINITE, Numbers, finite};
use super::profile::WorkProfile;
use super::stop::{Reason, Stop};
use super::table::Store;
use crate::base::OutOfMemory;
use crate::game::breakthrough::{Bits, Perspective, StaticSolver, Verdict};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// What a move counts in a position that looks even.
const UNIT: f32 = 64.0;

/// A capture counts as this many moves; having one makes a win as much easier.
const CAPTURE: f32 = 8.0;

/// Slots that show where other threads are.
const SLOTS: usize = 1 << 16;

/// The table is checked each time this many positions have been searched.
const INSPECTION: u64 = 1 << 14;

/// A position of the search.
#[derive(Clone, Copy, Debug)]
pub struct Node<B, K> {
    /// The pieces.
    pub view: Perspective<B>,
    /// The keys.
    pub keys: Keys<K>,
    /// How many more pieces than the enemy the side to move has.
    pub lead: i32,
}

/// A step of a node and what is known about where it leads.
#[derive(Clone, Copy, Debug)]
pub struct Child<K> {
    /// The key of the position it leads to.
    pub key: K,
    /// The numbers of that position.
    pub numbers: Numbers,
    /// The square it starts from.
    pub from: u8,
    /// The square it ends on.
    pub to: u8,
    /// Whether it takes a piece.
    pub takes: bool,
}

/// What all threads of a search share.
pub struct Shared<B, K: Key> {
    /// The board, and what is decided on it without search.
    pub statics: StaticSolver<B>,
    /// The weights of its pieces.
    pub map: KeyMap<K>,
    /// The numbers of the positions searched.
    pub table: K::Table,
    /// Tells all threads to stop, and why.
    pub stop: Stop,
    /// Positions searched, as far as the threads have reported them.
    pub nodes: AtomicU64,
    /// The count of positions searched at which all threads stop.
    pub last_node: AtomicU64,
    /// Which positions take most of the search.
    pub profile: WorkProfile<K>,
    /// The numbers at the root, for display.
    pub root: [AtomicU32; 2],
    /// How many threads are below a position, by its key's hash; only a hint.
    busy: Vec<AtomicU8>,
    /// The windows that first numbers are learned by.
    pub windows: Windows,
    /// What the last worker that stopped had learned.
    learned: Mutex<Learner>,
}

impl<B: Bits, K: Key> Shared<B, K> {
    /// A search on a board with a table of `bytes` bytes.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(
        statics: StaticSolver<B>,
        bytes: usize,
        params: BoardParams,
    ) -> Result<Self, OutOfMemory> {
        let geometry = statics.geometry();
        let squares = usize::from(geometry.files()) * usize::from(geometry.ranks());
        let windows = Windows::new(&statics, params);
        Ok(Self {
            statics,
            map: KeyMap::new(&statics),
            table: K::Table::new(bytes, K::bits(squares))?,
            stop: Stop::default(),
            nodes: AtomicU64::new(0),
            last_node: AtomicU64::new(u64::MAX),
            profile: WorkProfile::new(),
            root: [AtomicU32::new(1), AtomicU32::new(1)],
            busy: (0..SLOTS).map(|_| AtomicU8::new(0)).collect(),
            learned: Mutex::new(Learner::new(&windows)),
            windows,
        })
    }

    /// From here on, at most `nodes` positions are searched.
    pub fn allow(&self, nodes: Option<u64>) {
        let told = self.nodes.load(Relaxed);
        let last = nodes.map_or(u64::MAX, |nodes| told.saturating_add(nodes));
        self.last_node.store(last, Relaxed);
        self.stop.clear();
    }

    /// Makes the searching threads stop if the caller says so.
    pub fn poll(&self, stop: &dyn Fn() -> bool) {
        if stop() {
            self.stop.raise(Reason::Caller);
        }
    }

    /// Whether no more positions may be searched.
    pub fn is_spent(&self) -> bool {
        self.nodes.load(Relaxed) >= self.last_node.load(Relaxed)
    }

    /// Counts positions searched, and every so often checks that the table has
    /// space left; if not, stops all threads. Returns the count.
    pub fn add_nodes(&self, nodes: u64) -> u64 {
        let before = self.nodes.fetch_add(nodes, Relaxed);
        let now = before + nodes;
        if before / INSPECTION != now / INSPECTION && self.table.is_crowded() {
            self.stop.raise(Reason::Crowded);
        }
        now
    }

    /// Grows the table if the threads have stopped for that and for no other
    /// reason, and returns whether they can go on. None may be searching.
    pub fn make_room(&self, threads: usize) -> bool {
        let is_crowded = self.stop.has(Reason::Crowded);
        self.stop.lower(Reason::Crowded);
        let is_ended = self.stop.has(Reason::Caller) || self.is_spent();
        let goes_on = is_crowded && !is_ended && self.table.grow(threads);
        if goes_on {
            self.stop.lower(Reason::Returned);
        }
        goes_on
    }

    /// A position as the search keeps it.
    pub fn node(&self, view: Perspective<B>) -> Node<B, K> {
        Node {
            view,
            keys: self.map.keys(view),
            lead: view.own.count() as i32 - view.enemy.count() as i32,
        }
    }

    /// The position a step leads to.
    #[inline]
    pub fn child(&self, node: &Node<B, K>, from: u8, to: u8, takes: bool) -> Node<B, K> {
        Node {
            view: self.statics.step(node.view, B::bit(from), B::bit(to)),
            keys: self.map.after(&node.keys, from, to, takes),
            lead: -node.lead - i32::from(takes),
        }
    }

    /// Calls `visit` with the legal steps, from and to, and the positions they lead to.
    pub fn steps(&self, node: &Node<B, K>, mut visit: impl FnMut(u8, u8, Node<B, K>)) {
        let geometry = self.statics.geometry();
        let back = geometry.stride() as u8 - 1;
        for (direction, squares) in (0..).zip(self.statics.targets(node.view, geometry.board())) {
            for to in squares.squares() {
                let from = to - back - direction;
                let takes = node.view.enemy.has(to);
                visit(from, to, self.child(node, from, to, takes));
            }
        }
    }

    /// The positions that the legal steps lead to.
    pub fn replies(&self, node: &Node<B, K>) -> Vec<Node<B, K>> {
        let mut all = Vec::new();
        self.steps(node, |_, _, next| all.push(next));
        all
    }

    /// Tells the profile what a visit of a position cost.
    pub fn count(&self, key: K, cost: u64) {
        self.profile.add(key, cost, self.nodes.load(Relaxed));
    }

    /// Whether a position has taken its share of all nodes so far.
    pub fn is_large(&self, key: K) -> bool {
        self.profile.is_large(key, self.nodes.load(Relaxed))
    }

    #[inline]
    pub fn slot(&self, key: K) -> &AtomicU8 {
        &self.busy[key.mixed() as usize % SLOTS]
    }

    /// What has been learned so far.
    pub fn learned(&self) -> Learner {
        self.learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Forgets what all searches have found out and learned. None may be
    /// running.
    pub fn forget(&self) {
        self.table.buckets().clear();
        self.keep(&Learner::new(&self.windows));
    }

    /// Accepts without proof that the side to move wins or has lost a position.
    /// The table may grow, so no search may be running.
    pub fn take_for_granted(&self, node: &Node<B, K>, wins: bool) {
        let key = node.keys.key();
        if key.mixed().is_multiple_of(INSPECTION) && self.table.is_crowded() {
            self.table.grow(1);
        }
        let numbers = if wins { Numbers::WON } else { Numbers::LOST };
        // The last to be evicted by what is found later.
        self.table.put(key, numbers, u64::MAX);
    }

    /// Accepts without proof that the side to move has lost a position, so that the
    /// other side wins after every reply. The table may grow, so no search may be
    /// running.
    pub fn take_loss_for_granted(&self, node: &Node<B, K>) {
        let mut won = self.replies(node);
        // Nobody probes the table for what the rules show.
        won.retain(|reply| {
            let is_open = !reply.view.own.is_empty()
                && matches!(self.statics.judge(reply.view), Verdict::Open);
            if is_open {
                self.table.prefetch(reply.keys.key());
            }
            is_open
        });
        self.take_for_granted(node, false);
        for reply in &won {
            self.take_for_granted(reply, true);
        }
    }

    /// Keeps what a worker has learned.
    pub fn keep(&self, learner: &Learner) {
        self.learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(learner);
    }

    /// First numbers of a position that is not in the table, given its score
    /// for the side to move.
    #[inline]
    pub fn first_numbers(&self, view: Perspective<B>, score: impl FnOnce() -> f32) -> Numbers {
        match self.statics.judge(view) {
            Verdict::Win(_) => Numbers::WON,
            Verdict::Loss(_) => Numbers::LOST,
            Verdict::Open => {
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
            phi: number(statics.replies(view) as f32 * UNIT / (odds * quiet)),
            delta: number(weight * UNIT * odds),
        }
    }

    /// First numbers from the positions one ply on, where only steps into the
    /// zone may hold.
    fn look_ahead(&self, view: Perspective<B>, odds: f32, zone: B) -> Numbers {
        let statics = &self.statics;
        let mut phi = INFINITE;
        let mut delta = 0u64;
        for (direction, squares) in statics.targets(view, zone).into_iter().enumerate() {
            for square in squares.squares() {
                let to = B::bit(square);
                let next = statics.step(view, statics.origin(to, direction), to);
                if next.own.is_empty() {
                    return Numbers::WON;
                }
                match statics.judge(next) {
                    Verdict::Win(_) => {}
                    Verdict::Loss(_) => return Numbers::WON,
                    Verdict::Open => {
                        let takes = !(view.enemy & to).is_empty();
                        let odds = if takes { odds * CAPTURE } else { odds };
                        phi = phi.min(number(statics.mobility(next) as f32 * UNIT / odds));
                        delta += u64::from(number(UNIT * odds));
                    }
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::breakthrough::Position;

    #[test]
    fn a_table_that_grows_takes_back_no_stop_but_its_own() {
        let start = Position::<u64>::start(5, 5).unwrap();
        let statics = StaticSolver::new(start.geometry());
        let shared = Shared::<u64, u64>::new(statics, 8 << 20, BoardParams::new(5, 5)).unwrap();
        shared.stop.raise(Reason::Crowded);
        assert!(shared.make_room(1) && !shared.stop.is_raised());
        shared.stop.raise(Reason::Crowded);
        shared.stop.raise(Reason::Caller);
        assert!(!shared.make_room(1), "the caller wants no more");
        assert!(shared.stop.has(Reason::Caller));
        shared.allow(Some(0));
        shared.stop.raise(Reason::Crowded);
        shared.stop.raise(Reason::Spent);
        assert!(!shared.make_room(1), "no more positions are allowed");
        assert!(shared.stop.has(Reason::Spent));
    }
}
