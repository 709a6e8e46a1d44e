//! Certificates.

use super::dfpn::{Node, Shared, Worker};
use super::keys::Key;
use crate::game::troyka::{Bits, Verdict};
use std::collections::HashMap;

/// Wins within so many plies are left to the checker.
pub const DEPTH: u8 = 3;

pub struct Collector<'a, B, K: Key> {
    shared: &'a Shared<B, K>,
    worker: Worker<'a, B, K>,
    pub entries: HashMap<K, (u8, u8)>,
    pub depth: u8,
}

impl<'a, B: Bits, K: Key> Collector<'a, B, K> {
    pub fn new(shared: &'a Shared<B, K>, depth: u8) -> Self {
        Self { shared, worker: Worker::new(shared, false), entries: HashMap::new(), depth }
    }

    /// Collects below a position that the side to move wins.
    pub fn winner(&mut self, node: &Node<B, K>) {
        let mut open = vec![*node];
        while let Some(node) = open.pop() {
            if matches!(self.shared.field.judge(node.duel), Verdict::Win(plies) if plies <= self.depth) {
                continue;
            }
            let key = node.keys.key();
            if self.entries.contains_key(&key) {
                continue;
            }
            let n = self.worker.run(&node);
            let Some((from, to)) = self.worker.winning() else { panic!("not won {n:?}") };
            self.entries.insert(key, (from, to));
            let next = self.shared.child(&node, from, to, node.duel.enemy.has(to));
            if !next.duel.own.is_empty() {
                self.loser(&next, &mut open);
            }
        }
    }

    pub fn loser(&mut self, node: &Node<B, K>, open: &mut Vec<Node<B, K>>) {
        let field = &self.shared.field;
        let back = field.geometry().stride() as u8 - 1;
        let targets = field.targets(node.duel, field.geometry().board());
        for (direction, squares) in (0..).zip(targets) {
            for to in squares.squares() {
                open.push(self.shared.child(node, to - back - direction, to, node.duel.enemy.has(to)));
            }
        }
    }
}
