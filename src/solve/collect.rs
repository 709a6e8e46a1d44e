//! From a table that has the proof of a position to the positions and moves of a
//! certificate.

use super::certificate::written;
use super::dfpn::Worker;
use super::keys::Key;
use super::mixing::SPREAD;
use super::shared::{Node, Shared};
use super::table::Store;
use crate::game::troyka::{Bits, Verdict};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes keys by one multiplication: nobody gains by choosing bad ones.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, word: u64) {
        // A map looks at the low bits too.
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

/// The winning moves found so far.
type Entries<K> = HashMap<K, u16, BuildHasherDefault<KeyHasher>>;

/// Collects the entries of a certificate below a position of which `wins` is
/// proven, but no position that is `known`, by its number, and none that only
/// such ones lead to; `None` if stopped.
pub fn collect<B: Bits, K: Key>(
    worker: &mut Worker<'_, B, K>,
    root: &Node<B, K>,
    wins: bool,
    depth: u8,
    stop: &dyn Fn() -> bool,
    known: &mut dyn FnMut(u128) -> bool,
) -> Option<Vec<(u128, u16)>> {
    let shared = worker.shared();
    let mut entries = Entries::default();
    let mut open = Vec::new();
    if wins {
        open.push(*root);
    } else {
        replies(shared, root, &mut open);
    }
    while let Some(node) = open.pop() {
        let is_open = &mut |node: &Node<B, K>| {
            if node.view.own.is_empty() {
                return true;
            }
            let key = node.keys.key();
            let verdict = shared.statics.judge(node.view);
            let is_won = matches!(verdict, Verdict::Win(plies) if plies <= depth);
            !is_won && !entries.contains_key(&key) && !known(key.wide())
        };
        if !is_open(&node) {
            continue;
        }
        if stop() {
            return None;
        }
        let step = cheapest_step(shared, &node, is_open).or_else(|| {
            worker.run(&node);
            worker.winning()
        });
        let (from, to) = step?;
        entries.insert(node.keys.key(), written(shared, &node, from, to));
        let next = shared.child(&node, from, to, node.view.enemy.has(to));
        replies(shared, &next, &mut open);
    }
    let wide = |(key, step): (K, u16)| (key.wide(), step);
    Some(entries.into_iter().map(wide).collect())
}

/// The winning step that leaves the fewest replies open. It must be known to win
/// by the table, or because it leaves none open; `None` if no such step is known.
fn cheapest_step<B: Bits, K: Key>(
    shared: &Shared<B, K>,
    node: &Node<B, K>,
    is_open: &mut dyn FnMut(&Node<B, K>) -> bool,
) -> Option<(u8, u8)> {
    let (mut best, mut least) = (None, usize::MAX);
    let mut after = Vec::new();
    steps(shared, node, |from, to, next| {
        if next.view.own.is_empty() {
            (best, least) = (Some((from, to)), 0);
            return;
        }
        let most = match Store::get(&shared.table, next.keys.key()) {
            Some(found) if found.numbers.won() => return,
            Some(found) if found.numbers.lost() => least,
            _ => least.min(1),
        };
        if most == 0 || matches!(shared.statics.judge(next.view), Verdict::Win(_)) {
            return;
        }
        after.clear();
        replies(shared, &next, &mut after);
        let open = after.iter().filter(|reply| is_open(reply)).take(most);
        let open = open.count();
        if open < most {
            (best, least) = (Some((from, to)), open);
        }
    });
    best
}

/// The positions that the moves of the loser lead to.
fn replies<B: Bits, K: Key>(shared: &Shared<B, K>, node: &Node<B, K>, list: &mut Vec<Node<B, K>>) {
    steps(shared, node, |_, _, next| list.push(next));
}

/// Calls `visit` with the legal steps, from and to, and the positions they lead
/// to.
fn steps<B: Bits, K: Key>(
    shared: &Shared<B, K>,
    node: &Node<B, K>,
    mut visit: impl FnMut(u8, u8, Node<B, K>),
) {
    let geometry = shared.statics.geometry();
    let back = geometry.stride() as u8 - 1;
    for (direction, squares) in (0..).zip(shared.statics.targets(node.view, geometry.board())) {
        for to in squares.squares() {
            let from = to - back - direction;
            visit(
                from,
                to,
                shared.child(node, from, to, node.view.enemy.has(to)),
            );
        }
    }
}
