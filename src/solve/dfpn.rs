//! Depth-first proof-number search (Nagai 2002) with thresholds widened by
//! (1 + epsilon) (Pawlewicz and Lew 2006), on a game whose positions never
//! repeat, by all threads on one table.

use super::keys::{Key as _, KeyMap, Keys};
use super::numbers::{INFINITE, Numbers, finite};
use super::table::Table;
use crate::game::troyka::{Bits, Duel, Field, Verdict};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A position of the search.
#[derive(Clone, Copy, Debug)]
pub struct Node<B> {
    pub duel: Duel<B>,
    pub keys: Keys<u64>,
    /// Men more than the enemy has.
    pub lead: i32,
}

/// A move of a node and what is known of where it leads.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    pub key: u64,
    pub numbers: Numbers,
    pub from: u8,
    pub to: u8,
    pub takes: bool,
}

/// What all threads of a search share.
pub struct Shared<B> {
    pub field: Field<B>,
    pub map: KeyMap<u64>,
    pub table: Table,
    pub stop: AtomicBool,
    pub nodes: AtomicU64,
    pub knobs: Knobs,
}

#[derive(Clone, Debug)]
pub struct Knobs {
    pub look: u32,
    pub eps: u64,
    pub man: i32,
    pub clamp: i32,
    pub mob: u32,
}

/// One thread's search.
pub struct Worker<'a, B> {
    shared: &'a Shared<B>,
    /// The moves of the nodes on the current line, one after another.
    children: Vec<Child>,
    nodes: u64,
    phi: Vec<u32>,
    /// 
    pub judged: u64,
    pub visits: u64,
}

impl<B: Bits> Shared<B> {
    pub fn node(&self, duel: Duel<B>) -> Node<B> {
        Node {
            duel,
            keys: self.map.keys(duel),
            lead: duel.own.count() as i32 - duel.enemy.count() as i32,
        }
    }

    #[inline]
    pub fn child(&self, node: &Node<B>, child: &Child) -> Node<B> {
        Node {
            duel: self
                .field
                .step(node.duel, B::bit(child.from), B::bit(child.to)),
            keys: self.map.after(&node.keys, child.from, child.to, child.takes),
            lead: -node.lead - i32::from(child.takes),
        }
    }
}

impl<'a, B: Bits> Worker<'a, B> {
    pub fn new(shared: &'a Shared<B>) -> Self {
        let k = &shared.knobs;
        let phi = (-64..=64)
            .map(|lead: i32| {
                let v = (k.man * lead).clamp(-k.clamp, k.clamp);
                (64.0 * 2f64.powf(-f64::from(v) / 4.0)).round().max(1.0) as u32
            })
            .collect();
        Self {
            shared,
            children: Vec::with_capacity(1 << 12),
            nodes: 0,
            phi,
            judged: 0,
            visits: 0,
        }
    }

    /// First numbers of a position about which nothing is known, from material
    /// and the mobility of both sides.
    #[inline]
    fn estimate(&self, duel: Duel<B>, lead: i32) -> Numbers {
        let field = &self.shared.field;
        let [left, ahead, right] = field.targets(duel, field.geometry().board());
        let moves = left.count() + ahead.count() + right.count();
        let takes = (left & duel.enemy).count() + (right & duel.enemy).count();
        let replies: u32 = field.replies(duel);
        let best = lead + i32::from(takes > 0);
        Numbers {
            phi: replies * self.phi[(64 + best) as usize],
            delta: (moves - takes) * self.phi[(64 - lead) as usize]
                + takes * self.phi[(63 - lead) as usize],
        }
    }

    /// First numbers of a position that is not in the table.
    #[inline]
    fn appraise(&mut self, duel: Duel<B>, lead: i32) -> Numbers {
        self.judged += 1;
        let field = &self.shared.field;
        match field.judge(duel) {
            Verdict::Win(_) => Numbers::WON,
            Verdict::Loss(_) => Numbers::LOST,
            Verdict::Open => {
                // Where the enemy would not win if it could move now, hardly
                // any move loses at once.
                let zone = field.zone(duel);
                if zone == field.geometry().board() && !field.faces_offer(duel) {
                    self.estimate(duel, lead)
                } else {
                    self.look_ahead(duel, lead, zone)
                }
            }
        }
    }

    /// First numbers from the positions one ply on.
    fn look_ahead(&mut self, duel: Duel<B>, lead: i32, zone: B) -> Numbers {
        let field = &self.shared.field;
        let mut phi = INFINITE;
        let mut delta = 0u64;
        for (direction, squares) in field.targets(duel, zone).into_iter().enumerate() {
            for square in squares.squares() {
                let to = B::bit(square);
                let next = field.step(duel, field.origin(to, direction), to);
                if next.own.is_empty() {
                    return Numbers::WON;
                }
                self.judged += 1;
                match field.judge(next) {
                    Verdict::Win(_) => {}
                    Verdict::Loss(_) => return Numbers::WON,
                    Verdict::Open => {
                        let lead = lead + i32::from(!(duel.enemy & to).is_empty());
                        phi = phi.min(field.mobility(next) * self.phi[(64 + lead) as usize]);
                        delta += u64::from(self.phi[(64 - lead) as usize]);
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

    /// Puts the moves of a node that are not known to lose on the list; the
    /// result if the node is decided.
    fn expand(&mut self, node: &Node<B>) -> Option<Numbers> {
        let shared = self.shared;
        let base = self.children.len();
        let stride = shared.field.geometry().stride() as u8;
        let duel = node.duel;
        let mut touched = 0;
        for (direction, squares) in shared.field.targets(duel, shared.field.zone(duel)).into_iter().enumerate() {
            let back = stride - 1 + direction as u8;
            for to in squares.squares() {
                let takes = duel.enemy.has(to);
                let from = to - back;
                let key = shared.map.after(&node.keys, from, to, takes).key();
                touched ^= shared.table.touch(key);
                self.children.push(Child {
                    key,
                    numbers: Numbers::WON,
                    from,
                    to,
                    takes,
                });
            }
        }
        std::hint::black_box(touched);
        let mut kept = base;
        for index in base..self.children.len() {
            let mut child = self.children[index];
            child.numbers = match shared.table.get(child.key) {
                Some(found) => found.numbers,
                None => {
                    let next = shared.field.step(duel, B::bit(child.from), B::bit(child.to));
                    if next.own.is_empty() {
                        Numbers::LOST
                    } else {
                        self.appraise(next, -node.lead - i32::from(child.takes))
                    }
                }
            };
            if child.numbers.lost() {
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

    /// Searches a node until it is decided or one of its numbers reaches its
    /// threshold; its numbers and the nodes it took.
    pub fn search(&mut self, node: &Node<B>, max_phi: u64, max_delta: u64) -> (Numbers, u64) {
        let base = self.children.len();
        let mut work = 1;
        self.visits += 1;
        self.nodes += 1;
        if self.nodes >= 1 << 10 {
            self.shared.nodes.fetch_add(self.nodes, Relaxed);
            self.nodes = 0;
        }
        let mut result = self.expand(node);
        let numbers = loop {
            if let Some(numbers) = result {
                break numbers;
            }
            let (mut best, mut first, mut second) = (base, INFINITE, INFINITE);
            let mut sum = 0u64;
            for (index, child) in self.children.iter().enumerate().skip(base) {
                sum += u64::from(child.numbers.phi);
                if child.numbers.delta < first {
                    second = first;
                    first = child.numbers.delta;
                    best = index;
                } else {
                    second = second.min(child.numbers.delta);
                }
            }
            if u64::from(first) >= max_phi || sum >= max_delta || self.shared.stop.load(Relaxed) {
                break Numbers {
                    phi: first,
                    delta: finite(sum),
                };
            }
            let child = self.children[best];
            let next = self.shared.child(node, &child);
            let child_phi = max_delta - (sum - u64::from(child.numbers.phi));
            let wide = u64::from(second) + (u64::from(second) * self.shared.knobs.eps >> 8) + 1;
            let (numbers, cost) = self.search(&next, child_phi, max_phi.min(wide));
            work += cost;
            self.children[best].numbers = numbers;
            if numbers.lost() {
                result = Some(Numbers::WON);
            } else if numbers.won() {
                self.children.swap_remove(best);
                if self.children.len() == base {
                    result = Some(Numbers::LOST);
                }
            }
        };
        self.children.truncate(base);
        self.shared.table.put(node.keys.key(), numbers, work);
        (numbers, work)
    }

    /// Hands the count of nodes over.
    pub fn flush(&mut self) {
        self.shared.nodes.fetch_add(self.nodes, Relaxed);
        self.nodes = 0;
    }
}
