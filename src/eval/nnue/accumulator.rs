//! The network as an evaluation: accumulators for every position of the line,
//! computed when a value is asked for.

use super::network::Network;
use super::shape::{Inputs, count};
use super::simd::{Change, Lanes, RowPair};
use super::windows::{Corners, RowList, Windows, number};
use crate::base::{Score, Side};
use crate::eval::{Evaluator, Term, Tuning};
use crate::game::Move;
use crate::game::breakthrough::Bits;
use std::sync::Arc;

/// The network's evaluation of positions of the game and board it is for, and
/// of no others.
#[derive(Clone, Debug)]
pub(crate) struct Nnue<P: Inputs> {
    network: Arc<Network>,
    tuning: Tuning,
    windows: Windows<P::Set>,
    /// The positions of the line, the current one last.
    plies: Vec<Ply<P::Pieces>>,
    /// The rows of their windows, where computed.
    rows: Vec<RowPair>,
    /// Their accumulators, White's view first, where computed.
    accumulators: Vec<Lanes>,
}

/// A position of the line.
#[derive(Clone, Copy, Debug)]
struct Ply<M> {
    /// White's and Black's pieces.
    pieces: [M; 2],
    is_computed: bool,
}

/// The pieces of a position.
#[inline]
fn pieces_of<P: Inputs>(position: &P) -> [P::Pieces; 2] {
    Side::BOTH.map(|side| position.pieces_of(side))
}

impl<P: Inputs> Nnue<P> {
    /// The evaluation, started at a position; `tuning` is the search parameters that
    /// suit it.
    ///
    /// # Panics
    /// If the network is for another game or board.
    pub(crate) fn new(network: Arc<Network>, position: &P, tuning: Tuning) -> Self {
        assert!(network.shape().is_for::<P>(position.board_size()));
        let mut evaluation = Self {
            windows: Windows::new(network.shape()),
            network,
            tuning,
            plies: Vec::new(),
            rows: Vec::new(),
            accumulators: Vec::new(),
        };
        evaluation.refresh(pieces_of(position));
        evaluation
    }

    #[cfg(test)]
    pub(crate) const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    fn refresh(&mut self, pieces: [P::Pieces; 2]) {
        self.plies.clear();
        self.plies.push(Ply {
            pieces,
            is_computed: true,
        });
        self.rows.resize(self.windows.size(), 0);
        self.windows.refresh(&pieces, &mut self.rows);
        self.accumulators.resize(self.size(), Lanes::ZERO);
        refresh_accumulators(
            &self.network,
            &self.windows,
            &self.rows,
            &mut self.accumulators,
        );
    }

    /// Blocks of lanes in the accumulators of one position.
    fn size(&self) -> usize {
        2 * self.network.shape().blocks()
    }

    fn push_pieces(&mut self, pieces: [P::Pieces; 2]) {
        self.plies.push(Ply {
            pieces,
            is_computed: false,
        });
    }

    /// Computes the accumulators of the current position from the nearest
    /// earlier ones that are computed, and returns them with their network.
    fn catch_up(&mut self) -> (&Network, &[Lanes]) {
        let (top, size, count) = (self.plies.len() - 1, self.size(), self.windows.size());
        if self.accumulators.len() < (top + 1) * size {
            self.accumulators.resize((top + 1) * size, Lanes::ZERO);
            self.rows.resize((top + 1) * count, 0);
        }
        let pieces = self.plies[top].pieces;
        if !self.plies[top].is_computed {
            // The first one always is.
            let nearest = self.plies.iter().rposition(|ply| ply.is_computed);
            let nearest = nearest.unwrap_or_default();
            let (before, after) = self.rows.split_at_mut(top * count);
            let (old, new) = (&before[nearest * count..][..count], &mut after[..count]);
            let from = (&self.plies[nearest].pieces, old);
            let touched = self.windows.update(from, &pieces, new);
            let (before, after) = self.accumulators.split_at_mut(top * size);
            let (source, target) = (&before[nearest * size..][..size], &mut after[..size]);
            let windows = (&self.windows, touched);
            update_accumulators(&self.network, windows, (old, source), (new, target));
            self.plies[top].is_computed = true;
        }
        let accumulators = &self.accumulators[top * size..][..size];
        debug_assert!({
            let (mut rows, mut scratch) = (vec![0; count], vec![Lanes::ZERO; size]);
            self.windows.refresh(&pieces, &mut rows);
            refresh_accumulators(&self.network, &self.windows, &rows, &mut scratch);
            scratch == accumulators
        });
        (&self.network, accumulators)
    }
}

/// The accumulators of both views from scratch.
fn refresh_accumulators<B: Bits>(
    network: &Network,
    windows: &Windows<B>,
    of_windows: &[RowPair],
    target: &mut [Lanes],
) {
    let all = windows.places_of(windows.corners());
    let rows: RowList = all.map(|at| of_windows[at]).collect();
    let halves = target.chunks_exact_mut(network.shape().blocks());
    for (view, half) in halves.enumerate() {
        let change = Change {
            rows: network.rows(),
            removed: &[],
            added: &rows,
            view,
        };
        network.simd().update(half, network.bias(), &change);
    }
}

/// The accumulators of both views from others, which differ in the windows
/// with these corners.
fn update_accumulators<B: Bits>(
    network: &Network,
    (windows, touched): (&Windows<B>, Corners<B>),
    (old, source): (&[RowPair], &[Lanes]),
    (new, target): (&[RowPair], &mut [Lanes]),
) {
    if 2 * number(touched) > windows.count() {
        refresh_accumulators(network, windows, new, target);
        return;
    }
    let (mut removed, mut added) = (RowList::new(), RowList::new());
    for at in windows.places_of(touched) {
        removed.push(old[at]);
        added.push(new[at]);
    }
    let blocks = network.shape().blocks();
    for (view, half) in target.chunks_exact_mut(blocks).enumerate() {
        let change = Change {
            rows: network.rows(),
            removed: &removed,
            added: &added,
            view,
        };
        let source = &source[view * blocks..][..blocks];
        network.simd().update(half, source, &change);
    }
}

/// The value of accumulators from the view of the side to move, with this many
/// pieces on the board.
#[inline]
fn value(network: &Network, accumulators: &[Lanes], pieces: u32, side: Side) -> Score {
    let (white, black) = accumulators.split_at(network.shape().blocks());
    let (mover, other) = match side {
        Side::White => (white, black),
        Side::Black => (black, white),
    };
    network.value(mover, other, pieces)
}

/// How many pieces both sides have.
#[inline]
fn count_both<B: Bits, M: AsRef<[B]>>(pieces: &[M; 2]) -> u32 {
    pieces.iter().map(count).sum()
}

impl<P: Inputs> Evaluator<P> for Nnue<P> {
    fn reset(&mut self, position: &P) {
        self.refresh(pieces_of(position));
    }

    fn tuning(&self) -> Tuning {
        self.tuning
    }

    #[inline]
    fn push(&mut self, _parent: &P, _mv: Move, child: &P) {
        self.push_pieces(pieces_of(child));
    }

    #[inline]
    fn push_pass(&mut self) {
        if let Some(&Ply { pieces, .. }) = self.plies.last() {
            self.push_pieces(pieces);
        }
    }

    #[inline]
    fn pop(&mut self) {
        self.plies.pop();
        debug_assert!(!self.plies.is_empty());
    }

    #[inline]
    fn evaluate(&mut self, position: &P) -> Score {
        let pieces = pieces_of(position);
        debug_assert_eq!(self.plies.last().map(|ply| ply.pieces), Some(pieces));
        let (network, accumulators) = self.catch_up();
        value(
            network,
            accumulators,
            count_both(&pieces),
            position.side_to_move(),
        )
    }

    /// First the network and the whole value, then what each stack adds to it:
    /// the value less the value without it.
    fn explain(&mut self, position: &P) -> Vec<Term> {
        let (pieces, side) = (pieces_of(position), position.side_to_move());
        let mut rows = vec![0; self.windows.size()];
        let mut accumulators = vec![Lanes::ZERO; self.size()];
        let mut value_of = |pieces: &[P::Pieces; 2]| {
            self.windows.refresh(pieces, &mut rows);
            refresh_accumulators(&self.network, &self.windows, &rows, &mut accumulators);
            let value = value(&self.network, &accumulators, count_both(pieces), side);
            if side == Side::White { value } else { -value }
        };
        let whole = value_of(&pieces);
        let bucket = self.network.bucket(count_both(&pieces));
        let mut terms = vec![Term {
            name: format!("network {}, bucket {bucket}", self.network.shape()),
            white: count(&pieces[0]) as i32,
            black: count(&pieces[1]) as i32,
            value: whole,
        }];
        for owner in Side::BOTH {
            let all = pieces[owner.index()];
            let any = all.as_ref().first().copied().unwrap_or(P::Set::EMPTY);
            for square in any.squares() {
                let mut others = pieces;
                let mut number = 0;
                for set in others[owner.index()].as_mut() {
                    number += i32::from(set.has(square));
                    *set &= !P::Set::bit(square);
                }
                let kind = if number == 1 { "piece" } else { "pair" };
                terms.push(Term {
                    name: format!("{kind} on {}", position.square_name(square)),
                    white: if owner == Side::White { number } else { 0 },
                    black: if owner == Side::Black { number } else { 0 },
                    value: whole - value_of(&others),
                });
            }
        }
        terms
    }
}
