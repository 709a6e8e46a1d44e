//! Growing a short certificate: from the root down, each position is kept with
//! a winning move unless a prover that knows nothing settles it within a few
//! nodes. What has been found so far can be saved at any time, and another
//! process can go on from there.

use super::certificate::{coded_step, move_code};
use super::codec::{Input, Output};
use super::keys::KeyMap;
use super::leaf::LeafProver;
use super::short::{FileError, ShortCertificate, read_entries, winner, write_entries};
use super::{Limits, Progress, Solver};
use crate::base::{STACK, Side, ask_for_thread};
use crate::game::breakthrough::{Bits, Perspective, Position, StaticSolver, Verdict};
use crate::game::{Game as _, Move, Notation as _, Outcome};
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, scope};
use thiserror::Error;

/// How a draft starts.
const DRAFT: &str = "breakthrough certificate draft 1";

/// A short certificate that is not complete.
pub struct Growth<B> {
    position: Position<B>,
    statics: StaticSolver<B>,
    map: KeyMap<u128>,
    winner: Side,
    depth: u8,
    leaf_nodes: u64,
    /// Whether its leaves share their proofs.
    shares: bool,
    /// The kept positions, and the winner's move in each.
    entries: BTreeMap<u128, u16>,
    /// Positions that were settled quickly.
    leaves: HashSet<u128>,
    /// Positions that were not, the next one last, and all ever considered.
    open: Vec<u128>,
    seen: HashSet<u128>,
    /// Nodes spent, in all processes.
    nodes: u64,
}

/// How far a growth has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// One more position has its move.
    Kept,
    /// A limit or the stop flag came first; what was learned is in the table.
    Undecided,
    /// Nothing is left to do.
    Complete,
}

/// Why a growth cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GrowthError {
    /// A position said to be won is not.
    #[error("{0} is lost for the side that was said to win: the certificate so far is wrong")]
    Lost(String),
    /// The winner is not known.
    #[error("the position is not solved")]
    NotSolved,
    /// The provers were told to give up before there was anything to keep.
    #[error("stopped before the certificate was begun")]
    Stopped,
}

impl<B: Bits> Growth<B> {
    /// Starts from a position that `winner` wins. Wins within `depth` plies and
    /// positions proven within `leaf_nodes` nodes are left to the checker.
    ///
    /// # Errors
    /// If the position is lost for the winner, or the provers were stopped.
    pub fn begin(
        position: &Position<B>,
        winner: Side,
        depth: u8,
        provers: &[LeafProver<B>],
        leaf_nodes: u64,
    ) -> Result<Self, GrowthError> {
        let mut growth = Self::empty(position, winner, depth, leaf_nodes);
        growth.shares = provers.iter().any(LeafProver::is_sharing);
        if position.outcome() == Outcome::Ongoing {
            let view = position.perspective();
            let first = if winner == position.side_to_move() {
                vec![view]
            } else {
                growth.replies(view)
            };
            if !growth.consider(&first, provers)? {
                return Err(GrowthError::Stopped);
            }
            // A solver that had already proven where its move leads has hardly
            // searched the position itself. It is kept all the same.
            if winner == position.side_to_move() && growth.shares {
                let key = growth.map.keys(view).key();
                if growth.leaves.remove(&key) {
                    growth.open.push(key);
                }
            }
        }
        Ok(growth)
    }

    fn empty(position: &Position<B>, winner: Side, depth: u8, leaf_nodes: u64) -> Self {
        let statics = StaticSolver::new(position.geometry());
        Self {
            position: *position,
            map: KeyMap::new(&statics),
            statics,
            winner,
            depth,
            leaf_nodes,
            shares: false,
            entries: BTreeMap::new(),
            leaves: HashSet::new(),
            open: Vec::new(),
            seen: HashSet::new(),
            nodes: 0,
        }
    }

    /// Who wins.
    #[must_use]
    pub const fn winner(&self) -> Side {
        self.winner
    }

    /// Positions kept, leaves, positions that are still open, nodes spent.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize, u64) {
        (
            self.entries.len(),
            self.leaves.len(),
            self.open.len(),
            self.nodes,
        )
    }

    /// Finds the winner's move in the next open position, and considers the
    /// replies. The solver's table is used and filled.
    ///
    /// # Errors
    /// If the position is not won.
    pub fn advance(
        &mut self,
        solver: &Solver<B>,
        provers: &[LeafProver<B>],
        limits: &Limits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Advance, GrowthError> {
        let Some(&key) = self.open.last() else {
            return Ok(Advance::Complete);
        };
        let geometry = *self.statics.geometry();
        let Some(view) = KeyMap::<u128>::view::<B>(&geometry, key) else {
            return Err(GrowthError::Lost(format!("position {key}")));
        };
        let before = solver.prover.nodes();
        let wins = solver.prover.prove(view, limits, stop, progress);
        let step = match wins {
            None => None,
            Some(false) => return Err(self.lost(view)),
            Some(true) => solver.prover.winning_step(view, u64::MAX, stop),
        };
        self.nodes += solver.prover.nodes() - before;
        let Some((from, to)) = step else {
            return Ok(Advance::Undecided);
        };
        let next = self.statics.step(view, B::bit(from), B::bit(to));
        let replies = if next.own.is_empty() {
            Vec::new()
        } else {
            self.replies(next)
        };
        self.open.pop();
        if !self.consider(&replies, provers)? {
            self.open.push(key);
            return Ok(Advance::Undecided);
        }
        // The key is that of the view itself, so the move is not mirrored.
        self.entries
            .insert(key, move_code(&geometry, false, from, to));
        Ok(Advance::Kept)
    }

    fn lost(&self, view: Perspective<B>) -> GrowthError {
        let pieces = [view.own, view.enemy];
        let position = Position::new(*self.statics.geometry(), pieces, Side::White, 0);
        GrowthError::Lost(position.map_or_else(|_| "a position".to_owned(), |p| p.fen()))
    }

    /// The positions that the moves of the side to move lead to.
    fn replies(&self, view: Perspective<B>) -> Vec<Perspective<B>> {
        let geometry = self.statics.geometry();
        let mut found = Vec::new();
        for (direction, squares) in self
            .statics
            .targets(view, geometry.board())
            .into_iter()
            .enumerate()
        {
            for to in squares.squares() {
                let to = B::bit(to);
                let from = self.statics.origin(to, direction);
                found.push(self.statics.step(view, from, to));
            }
        }
        found
    }

    /// Settles the positions that take few nodes, and puts the others on the
    /// list, the first one last. Returns whether that is done: if the provers were
    /// stopped, only leaves are kept.
    fn consider(
        &mut self,
        views: &[Perspective<B>],
        provers: &[LeafProver<B>],
    ) -> Result<bool, GrowthError> {
        let mut fresh = Vec::new();
        for &view in views {
            let key = self.map.keys(view).key();
            let is_soon =
                matches!(self.statics.judge(view), Verdict::Win(plies) if plies <= self.depth);
            if !is_soon && self.seen.insert(key) {
                // As it is written down, so that mirror images are treated alike.
                let view = KeyMap::<u128>::view(self.statics.geometry(), key).unwrap_or(view);
                fresh.push((key, view));
            }
        }
        let before: u64 = provers.iter().map(LeafProver::nodes).sum();
        let settled = settle_all(&fresh, provers);
        self.nodes += provers.iter().map(LeafProver::nodes).sum::<u64>() - before;
        if provers.iter().any(LeafProver::is_stopped) {
            // Leaves stay leaves; the others may only have lacked time.
            for ((key, _), wins) in fresh.into_iter().zip(settled) {
                if wins == Some(true) {
                    self.leaves.insert(key);
                } else {
                    self.seen.remove(&key);
                }
            }
            return Ok(false);
        }
        for ((key, view), wins) in fresh.into_iter().zip(settled).rev() {
            match wins {
                Some(true) => {
                    self.leaves.insert(key);
                }
                Some(false) => return Err(self.lost(view)),
                None => self.open.push(key),
            }
        }
        Ok(true)
    }

    /// The winner's first move in the position, if it is known.
    #[must_use]
    pub fn first_move(&self) -> Option<Move> {
        let geometry = self.statics.geometry();
        let keys = self.map.keys(self.position.perspective());
        let code = *self.entries.get(&keys.key())?;
        let (from, to) = coded_step(geometry, keys.own[1] < keys.own[0], code)?;
        Some(on_board(&self.position, from, to))
    }

    /// The certificate, once nothing is open.
    #[must_use]
    pub fn certificate(&self) -> Option<ShortCertificate> {
        self.open.is_empty().then(|| ShortCertificate {
            fen: self.position.fen(),
            winner: self.winner,
            depth: self.depth,
            leaf_nodes: self.leaf_nodes,
            entries: self
                .entries
                .iter()
                .map(|(&key, &step)| (key, step))
                .collect(),
        })
    }

    /// Whether its leaves share their proofs.
    #[must_use]
    pub const fn shares_leaves(&self) -> bool {
        self.shares
    }

    /// What has been found so far, to resume from later.
    #[must_use]
    pub fn draft(&self) -> Vec<u8> {
        let mut output = Output::new(
            DRAFT,
            &[
                ("fen", self.position.fen()),
                ("winner", self.winner.to_string()),
                ("depth", self.depth.to_string()),
                ("leaf-nodes", self.leaf_nodes.to_string()),
                ("shared-leaves", self.shares.to_string()),
                ("entries", self.entries.len().to_string()),
                ("leaves", self.leaves.len().to_string()),
                ("open", self.open.len().to_string()),
                ("nodes", self.nodes.to_string()),
            ],
        );
        let entries: Vec<_> = self
            .entries
            .iter()
            .map(|(&key, &step)| (key, step))
            .collect();
        write_entries(&mut output, &entries);
        let mut leaves: Vec<u128> = self.leaves.iter().copied().collect();
        leaves.sort_unstable();
        for number in leaves.iter().chain(&self.open) {
            output.number(*number);
        }
        output.finish()
    }

    /// Resumes from a draft for the same position, depth and nodes of a leaf.
    ///
    /// # Errors
    /// If it is not a draft, or for something else.
    pub fn resume(
        position: &Position<B>,
        depth: u8,
        leaf_nodes: u64,
        data: &[u8],
    ) -> Result<Self, FileError> {
        let mut input = Input::new(data, DRAFT)?;
        let fen = input.text("fen")?;
        let winner = winner(&mut input)?;
        let of: (u8, u64) = (input.value("depth")?, input.value("leaf-nodes")?);
        if (fen, of) != (position.fen().as_str(), (depth, leaf_nodes)) {
            let what = format!("{fen}, depth {}, leaves of {} nodes", of.0, of.1);
            return Err(FileError::Other(what));
        }
        let mut growth = Self::empty(position, winner, depth, leaf_nodes);
        growth.shares = input.value("shared-leaves")?;
        let [entries, leaves, open]: [usize; 3] = [
            input.value("entries")?,
            input.value("leaves")?,
            input.value("open")?,
        ];
        growth.nodes = input.value("nodes")?;
        growth.entries = read_entries(&mut input, entries)?.into_iter().collect();
        for _ in 0..leaves {
            growth.leaves.insert(input.number()?);
        }
        for _ in 0..open {
            growth.open.push(input.number()?);
        }
        input.end()?;
        growth.seen = growth.entries.keys().copied().collect();
        growth.seen.extend(&growth.leaves);
        growth.seen.extend(&growth.open);
        Ok(growth)
    }
}

/// Converts a step as the side to move sees it to a move on the board.
pub(super) fn on_board<B: Bits>(position: &Position<B>, from: u8, to: u8) -> Move {
    let (files, ranks) = position.board_size();
    match position.side_to_move() {
        Side::White => Move::new(from, to),
        Side::Black => {
            let turned = |square: u8| B::bit(square).turned(files, ranks).lowest();
            Move::new(turned(from), turned(to))
        }
    }
}

/// Who wins each of the positions, using all provers; each answer is the same
/// whichever of them finds it.
fn settle_all<B: Bits>(
    views: &[(u128, Perspective<B>)],
    provers: &[LeafProver<B>],
) -> Vec<Option<bool>> {
    let settled: Vec<Mutex<Option<bool>>> = views.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = |prover: &LeafProver<B>| {
        while let Some((slot, (_, view))) = {
            let index = next.fetch_add(1, Relaxed);
            settled.get(index).zip(views.get(index))
        } {
            if let Ok(mut slot) = slot.lock() {
                *slot = prover.settle_view(*view);
            }
        }
    };
    scope(|scope| {
        let (first, others) = provers.split_at(provers.len().min(1));
        for prover in others {
            let settle = move || work(prover);
            // Those that cannot be started leave more work to the others.
            let is_room = ask_for_thread(STACK).is_ok();
            if !is_room || Builder::new().spawn_scoped(scope, settle).is_err() {
                break;
            }
        }
        first.iter().for_each(work);
    });
    settled
        .into_iter()
        .map(|slot| slot.into_inner().unwrap_or(None))
        .collect()
}
