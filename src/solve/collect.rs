//! Turns a table that holds the proof of a position into the positions and moves
//! of a certificate.

use super::certificate::move_code;
use super::dfpn::ProofWorker;
use super::keys::Key;
use super::shared::{Node, SharedSearch};
use super::table::{SPREAD, Store as _};
use crate::base::{MAX_MOVES, OutOfMemory, check_available};
use crate::game::breakthrough::{Bits, Proven, Step};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes keys with one multiplication: nobody gains by forcing collisions.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, word: u64) {
        // A map uses the low bits too.
        let spread = (self.0.rotate_left(29) ^ word).wrapping_mul(SPREAD);
        self.0 = spread ^ spread >> 32;
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The entries of a certificate, if they have been found.
type Collected = Result<Option<Vec<(u128, u16)>>, OutOfMemory>;

type Entries<K> = HashMap<K, u16, BuildHasherDefault<KeyHasher>>;

/// Which of up to 128 positions, by number, the checker already knows to be won: one
/// bit each, the lowest for the first. Each lookup is a cache miss, and in a batch the
/// misses can overlap.
pub(super) type KnownWins<'a> = dyn FnMut(&[u128]) -> u128 + 'a;

/// For certificates that leave nothing out.
pub(super) fn no_known_wins(_: &[u128]) -> u128 {
    0
}

const AT_ONCE: usize = u128::BITS as usize;

impl<B: Bits, K: Key> SharedSearch<B, K> {
    /// The entries of a certificate for a position for which `wins` is proven, with
    /// the table to itself; `Ok(None)` if stopped, or if that takes more nodes.
    pub(super) fn entries_within(
        &self,
        node: &Node<B, K>,
        wins: bool,
        depth: u8,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
        known: &mut KnownWins<'_>,
    ) -> Collected {
        self.begin_search(None);
        let mut poll = || self.poll(stop);
        let mut worker = ProofWorker::new(self, false).limited(nodes.unwrap_or(u64::MAX));
        worker.polled(&mut poll);
        collect(&mut worker, node, wins, depth, stop, known)
    }

    /// The entries for a win of the side to move, found within `nodes` nodes on this
    /// thread, and how many it took. Other threads may do the same meanwhile, if the
    /// table cannot grow.
    pub(crate) fn win_entries_within(
        &self,
        node: &Node<B, K>,
        nodes: u64,
        depth: u8,
        known: &mut KnownWins<'_>,
    ) -> (Collected, u64) {
        let mut worker = ProofWorker::new(self, true).limited(nodes);
        let stop = || self.stop.is_raised();
        let entries = collect(&mut worker, node, true, depth, &stop, known);
        self.keep(worker.learner());
        (entries, nodes - worker.left())
    }
}

/// Collects the entries of a certificate below a position for which `wins` is
/// proven, except positions that are `known`, by number, and those that only
/// such positions lead to; `Ok(None)` if stopped.
fn collect<B: Bits, K: Key>(
    worker: &mut ProofWorker<'_, B, K>,
    root: &Node<B, K>,
    wins: bool,
    depth: u8,
    stop: &dyn Fn() -> bool,
    known: &mut KnownWins<'_>,
) -> Collected {
    let shared = worker.shared();
    let mut collector = Collector {
        shared,
        depth,
        entries: Entries::default(),
        known,
    };
    let mut open = Vec::new();
    if wins {
        open.push(*root);
    } else {
        open.extend(shared.replies(root));
    }
    collector.keep_open(&mut open);
    while let Some(node) = open.pop() {
        if collector.entries.contains_key(&node.keys.key()) {
            continue;
        }
        if stop() {
            return Ok(None);
        }
        collector.make_room(&mut open)?;
        let (step, left) = if let Some(cheapest) = collector.cheapest_step(&node) {
            cheapest
        } else if worker.left() == 0 {
            // Where the rules show the win, a search of one node finds the step, and
            // there may be any number of such positions.
            return Ok(None);
        } else {
            worker.run(&node);
            let Some(step) = worker.winning() else {
                return Ok(None);
            };
            let next = shared.child(&node, step, node.view.enemy.has(step.to));
            (step, collector.open_replies(&next))
        };
        let geometry = shared.statics.geometry();
        let code = move_code(geometry, node.keys.is_mirrored(), step);
        collector.entries.insert(node.keys.key(), code);
        open.extend(left);
    }
    let wide = |(key, step): (K, u16)| (key.wide(), step);
    check_available(collector.entries.len() * size_of::<(u128, u16)>())?;
    Ok(Some(collector.entries.into_iter().map(wide).collect()))
}

/// A winning step, and the replies still to be written down.
type WinningStep<B, K> = (Step, Vec<Node<B, K>>);

struct Collector<'a, 'k, B: Bits, K: Key> {
    shared: &'a SharedSearch<B, K>,
    /// Wins within this many plies are not written down.
    depth: u8,
    entries: Entries<K>,
    known: &'a mut KnownWins<'k>,
}

impl<B: Bits, K: Key> Collector<'_, '_, B, K> {
    /// Makes room for one more position, and for its replies among the open ones.
    fn make_room(&mut self, open: &mut Vec<Node<B, K>>) -> Result<(), OutOfMemory> {
        if self.entries.len() == self.entries.capacity() {
            let size = size_of::<(K, u16)>() + 1;
            let bytes = 4 * (self.entries.len() + 1) * size;
            check_available(bytes)?;
            let error = |_| OutOfMemory { bytes };
            self.entries.try_reserve(1).map_err(error)?;
        }
        if open.capacity() - open.len() < MAX_MOVES {
            let bytes = 2 * (open.capacity() + MAX_MOVES) * size_of::<Node<B, K>>();
            check_available(bytes)?;
            let error = |_| OutOfMemory { bytes };
            open.try_reserve(MAX_MOVES).map_err(error)?;
        }
        Ok(())
    }

    /// Whether a position of the winner is written down, or need not be.
    fn is_covered(&self, node: &Node<B, K>) -> bool {
        if node.view.own.is_empty() {
            return false;
        }
        let verdict = self.shared.statics.judge(node.view);
        matches!(verdict, Proven::Win(plies) if plies <= self.depth)
            || self.entries.contains_key(&node.keys.key())
    }

    /// Keeps only the positions of the winner still to be written down.
    fn keep_open(&mut self, list: &mut Vec<Node<B, K>>) {
        list.retain(|node| !self.is_covered(node));
        let numbers: Vec<u128> = list.iter().map(|node| node.keys.key().wide()).collect();
        let mut known = self.ask(&numbers).into_iter();
        list.retain(|_| known.next() == Some(false));
    }

    /// The replies of the loser still to be written down.
    fn open_replies(&mut self, node: &Node<B, K>) -> Vec<Node<B, K>> {
        let mut list = self.shared.replies(node);
        self.keep_open(&mut list);
        list
    }

    /// The winning step that leaves the fewest replies open, and
    /// those replies. The table must say that it wins, or it must leave none
    /// open; `None` if no such step is known.
    fn cheapest_step(&mut self, node: &Node<B, K>) -> Option<WinningStep<B, K>> {
        let shared = self.shared;
        let mut all = Vec::new();
        shared.steps(node).for_each(|(step, next)| {
            let is_over = next.view.own.is_empty();
            if is_over || !matches!(shared.statics.judge(next.view), Proven::Win(_)) {
                shared.table.prefetch(next.keys.key());
                all.push((step, next));
            }
        });
        let mut best: Option<WinningStep<B, K>> = None;
        let mut others = Vec::new();
        for (step, next) in all {
            if next.view.own.is_empty() {
                return Some((step, Vec::new()));
            }
            let found = shared.table.get(next.keys.key());
            if found.is_some_and(|found| found.numbers.won()) {
                continue;
            }
            if !found.is_some_and(|found| found.numbers.lost()) {
                others.push((step, next));
                continue;
            }
            let left = self.open_replies(&next);
            if left.is_empty() {
                return Some((step, left));
            }
            let fewest = best.as_ref().map_or(usize::MAX, |(_, left)| left.len());
            if left.len() < fewest {
                best = Some((step, left));
            }
        }
        self.closed_step(&others).or(best)
    }

    /// One of these steps that leaves no reply open.
    fn closed_step(&mut self, all: &[(Step, Node<B, K>)]) -> Option<WinningStep<B, K>> {
        // One reply of each is asked about, in a batch: few need a second.
        let mut asked = Vec::new();
        let mut list = Vec::new();
        for (step, next) in all {
            list.clear();
            list.extend(self.shared.steps(next).map(|(_, reply)| reply));
            match list.iter().find(|reply| !self.is_covered(reply)) {
                Some(reply) => asked.push((*step, next, reply.keys.key().wide())),
                None => return Some((*step, Vec::new())),
            }
        }
        let numbers: Vec<u128> = asked.iter().map(|&(.., number)| number).collect();
        let known = self.ask(&numbers);
        let hopeful = asked.iter().zip(known).filter(|&(_, known)| known);
        hopeful
            .map(|(&asked, _)| asked)
            .find_map(|(step, next, _)| {
                let left = self.open_replies(next);
                left.is_empty().then_some((step, left))
            })
    }

    fn ask(&mut self, numbers: &[u128]) -> Vec<bool> {
        let mut all = Vec::with_capacity(numbers.len());
        for part in numbers.chunks(AT_ONCE) {
            let known = (self.known)(part);
            all.extend((0..part.len()).map(|index| known >> index & 1 == 1));
        }
        all
    }
}
