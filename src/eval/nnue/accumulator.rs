//! The network as an evaluation: accumulators of every position of the line,
//! computed when a value is asked for.

use super::network::Network;
use super::simd::{Change, Lanes};
use super::windows::{BothRows, Windows};
use crate::base::{Score, Side};
use crate::eval::{Evaluator, Term};
use crate::game::troyka::{Bits, Position, square_name};
use crate::game::{Game, Move};
use std::sync::Arc;

/// The network's evaluation of positions on the board it is for, and on no
/// other.
#[derive(Clone, Debug)]
pub struct Nnue<B> {
    network: Arc<Network>,
    windows: Windows<B>,
    /// The positions of the line, the present one last.
    entries: Vec<Entry<B>>,
    /// Their accumulators, White's view first, where they are computed.
    sums: Vec<Lanes>,
}

/// A position of the line.
#[derive(Clone, Copy, Debug)]
struct Entry<B> {
    /// White's and Black's men.
    men: [B; 2],
    is_computed: bool,
}

/// The men of a position.
#[inline]
fn men_of<B: Bits>(position: &Position<B>) -> [B; 2] {
    Side::BOTH.map(|side| position.men(side))
}

impl<B: Bits> Nnue<B> {
    /// The evaluation, at a position; `None` if the network is for another
    /// board.
    #[must_use]
    pub fn new(network: Arc<Network>, position: &Position<B>) -> Option<Self> {
        let geometry = position.geometry();
        if (geometry.files(), geometry.ranks()) != network.shape().board() {
            return None;
        }
        let mut evaluation = Self {
            windows: Windows::new(network.shape()),
            network,
            entries: Vec::new(),
            sums: Vec::new(),
        };
        evaluation.restart(men_of(position));
        Some(evaluation)
    }

    /// The network.
    #[must_use]
    pub const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    fn restart(&mut self, men: [B; 2]) {
        self.entries.clear();
        self.entries.push(Entry {
            men,
            is_computed: true,
        });
        self.sums.clear();
        self.sums.resize(self.size(), Lanes::ZERO);
        rebuild(&self.network, &self.windows, men, &mut self.sums);
    }

    /// Blocks of lanes in the accumulators of one position.
    fn size(&self) -> usize {
        2 * self.network.shape().blocks()
    }

    fn push_men(&mut self, men: [B; 2]) {
        self.entries.push(Entry {
            men,
            is_computed: false,
        });
    }

    /// Computes the accumulators of the present position, from the nearest ones
    /// before it that there are, and gives them with their network.
    fn bring_up(&mut self) -> (&Network, &[Lanes]) {
        let (top, size) = (self.entries.len() - 1, self.size());
        let place = top * size;
        if self.sums.len() < place + size {
            self.sums.resize(place + size, Lanes::ZERO);
        }
        let men = self.entries[top].men;
        if !self.entries[top].is_computed {
            // The first one always is.
            let nearest = self.entries.iter().rposition(|entry| entry.is_computed);
            let nearest = nearest.unwrap_or_default();
            let (before, after) = self.sums.split_at_mut(place);
            let (source, target) = (&before[nearest * size..][..size], &mut after[..size]);
            let old = self.entries[nearest].men;
            update(&self.network, &self.windows, old, source, men, target);
            self.entries[top].is_computed = true;
        }
        let sums = &self.sums[place..place + size];
        debug_assert!({
            let mut anew = vec![Lanes::ZERO; size];
            rebuild(&self.network, &self.windows, men, &mut anew);
            anew == sums
        });
        (&self.network, sums)
    }
}

/// The accumulators of both views from nothing.
fn rebuild<B: Bits>(network: &Network, windows: &Windows<B>, men: [B; 2], target: &mut [Lanes]) {
    let mut rows = BothRows::default();
    windows.collect(men, windows.corners(), &mut rows);
    let halves = target.chunks_exact_mut(network.shape().blocks());
    for (half, rows) in halves.zip(&rows) {
        let change = Change {
            rows: network.rows(),
            out: &[],
            into: rows,
        };
        network.simd().update(half, network.bias(), &change);
    }
}

/// The accumulators of both views from those of other men.
fn update<B: Bits>(
    network: &Network,
    windows: &Windows<B>,
    old: [B; 2],
    source: &[Lanes],
    men: [B; 2],
    target: &mut [Lanes],
) {
    let corners = windows.touched((old[0] ^ men[0]) | (old[1] ^ men[1]));
    let count = corners.count() as usize;
    if 2 * count > windows.count() {
        rebuild(network, windows, men, target);
        return;
    }
    let (mut out, mut into) = (BothRows::default(), BothRows::default());
    windows.collect(old, corners, &mut out);
    windows.collect(men, corners, &mut into);
    let blocks = network.shape().blocks();
    for (view, half) in target.chunks_exact_mut(blocks).enumerate() {
        let change = Change {
            rows: network.rows(),
            out: &out[view],
            into: &into[view],
        };
        let source = &source[view * blocks..][..blocks];
        network.simd().update(half, source, &change);
    }
}

/// The value of accumulators from the view of the side to move.
#[inline]
fn value<B: Bits>(network: &Network, sums: &[Lanes], men: [B; 2], side: Side) -> Score {
    let (white, black) = sums.split_at(network.shape().blocks());
    let (mover, other) = match side {
        Side::White => (white, black),
        Side::Black => (black, white),
    };
    network.value(mover, other, (men[0] | men[1]).count())
}

impl<B: Bits> Evaluator<Position<B>> for Nnue<B> {
    fn reset(&mut self, position: &Position<B>) {
        self.restart(men_of(position));
    }

    #[inline]
    fn push(&mut self, _parent: &Position<B>, _mv: Move, child: &Position<B>) {
        self.push_men(men_of(child));
    }

    #[inline]
    fn push_pass(&mut self) {
        if let Some(&Entry { men, .. }) = self.entries.last() {
            self.push_men(men);
        }
    }

    #[inline]
    fn pop(&mut self) {
        self.entries.pop();
        debug_assert!(!self.entries.is_empty());
    }

    #[inline]
    fn evaluate(&mut self, position: &Position<B>) -> Score {
        let men = men_of(position);
        debug_assert_eq!(self.entries.last().map(|entry| entry.men), Some(men));
        let (network, sums) = self.bring_up();
        value(network, sums, men, position.side_to_move())
    }

    /// First the network and the whole value, then what each man adds to it:
    /// the value less that without him.
    fn explain(&mut self, position: &Position<B>) -> Vec<Term> {
        let (men, side, geometry) = (
            men_of(position),
            position.side_to_move(),
            position.geometry(),
        );
        let mut sums = vec![Lanes::ZERO; self.size()];
        let mut value_of = |men: [B; 2]| {
            rebuild(&self.network, &self.windows, men, &mut sums);
            let value = value(&self.network, &sums, men, side);
            if side == Side::White { value } else { -value }
        };
        let whole = value_of(men);
        let bucket = self.network.bucket((men[0] | men[1]).count());
        let mut terms = vec![Term {
            name: format!("network {}, bucket {bucket}", self.network.shape()),
            white: men[0].count() as i32,
            black: men[1].count() as i32,
            value: whole,
        }];
        for owner in Side::BOTH {
            for square in men[owner.index()].squares() {
                let mut others = men;
                others[owner.index()] &= !B::bit(square);
                terms.push(Term {
                    name: format!(
                        "man on {}",
                        square_name(geometry.file(square), geometry.rank(square))
                    ),
                    white: i32::from(owner == Side::White),
                    black: i32::from(owner == Side::Black),
                    value: whole - value_of(others),
                });
            }
        }
        terms
    }
}
