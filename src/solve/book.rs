//! A short certificate as a book: what it proves about a position, and the move
//! to play. Colours do not matter: positions are as the side to move sees them.

use super::certificate::{FileError, ShortCertificate, coded_step, legal_step, move_code};
use super::keys::{Key as _, KeyMap, PositionKeys};
use super::learner::BoardParams;
use super::shared::board_move;
use super::solver::Solver;
use super::types::SolveError;
use crate::base::Side;
use crate::game::breakthrough::{Bits, Perspective, Position, StaticSolver, Step};
use crate::game::{Game as _, Move, Notation as _, Outcome, Tactics};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, TryLockError};

/// How many times a leaf's nodes a position outside the book may take: below a
/// leaf the search takes other paths.
const NODE_FACTOR: u64 = 4;

/// How many times where the winner moves: leaves that share their proofs take more on
/// their own. On 5x6, with shared leaves of 1,000 nodes, one in two took more
/// than that, one in ten 32,000 and one in a hundred 350,000.
const WINNER_NODE_FACTOR: u64 = 1000;

/// Nodes between checks of the stop flag: a few milliseconds.
const SLICE: u64 = 1000;

/// Bytes of the prover's table per kept position. That, the position after its move
/// and about eleven leaves take 104, four times as many on boards with wide keys; the
/// table's size is the next lower power of two.
const POSITION_BYTES: usize = 256;

/// The bytes of that table at least and at most.
const MIN_TABLE_BYTES: usize = 1 << 24;
const MAX_TABLE_BYTES: usize = 1 << 29;

/// How many positions below a reply are counted at first and at most, to see how
/// hard it makes the proof.
const FIRST_COUNT: usize = 60;
const MAX_COUNT: usize = 2000;

/// A short certificate to play by.
#[derive(Clone, Debug)]
pub(crate) struct ProofBook {
    board: (u8, u8),
    certificate: ShortCertificate,
    /// The proven position, as the side to move sees it.
    root: u128,
    root_wins: bool,
    /// The prover for what is left out, with all it has found so far.
    prover: ProverCache,
}

/// What is proven about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProvenMove {
    /// Whether the side to move wins.
    pub(crate) wins: bool,
    /// A winning move, or the reply that makes the winner's proof hardest.
    pub(crate) best: Move,
    /// The game ends within this many plies.
    pub(crate) plies: u16,
    /// Nodes it took to find out.
    pub(crate) nodes: u64,
}

/// A position of a board, with what is needed to look it up.
struct BookPosition<B> {
    statics: StaticSolver<B>,
    map: KeyMap<u128>,
    view: Perspective<B>,
    keys: PositionKeys<u128>,
}

impl<B: Bits> BookPosition<B> {
    fn new(position: &Position<B>) -> Self {
        let statics = StaticSolver::new(position.geometry());
        let map = KeyMap::<u128>::new(&statics);
        let view = position.perspective();
        Self {
            keys: map.keys(view),
            statics,
            map,
            view,
        }
    }

    fn steps(&self, view: Perspective<B>) -> Vec<(Step, Perspective<B>)> {
        let after = |step: Step| self.statics.step(view, B::bit(step.from), B::bit(step.to));
        let steps = self.statics.steps(view).into_iter();
        steps.map(|step| (step, after(step))).collect()
    }
}

/// A solver kept from one query to the next; none at first, nor in a clone.
#[derive(Default)]
struct ProverCache(Mutex<Option<Solver>>);

impl ProverCache {
    /// Works with the kept solver, or with a new one, which is then kept. If the
    /// kept one is busy, the new one is dropped afterwards.
    fn with<T>(
        &self,
        make: impl FnOnce() -> Result<Solver, SolveError>,
        work: impl FnOnce(&Solver) -> T,
    ) -> Result<T, SolveError> {
        let mut kept = match self.0.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::WouldBlock) => return Ok(work(&make()?)),
            // A panic may have left it in the middle of a search.
            Err(TryLockError::Poisoned(error)) => {
                let mut kept = error.into_inner();
                *kept = None;
                self.0.clear_poison();
                kept
            }
        };
        if let Some(solver) = &*kept {
            return Ok(work(solver));
        }
        let solver = make()?;
        let done = work(&solver);
        *kept = Some(solver);
        Ok(done)
    }

    /// Drops the kept solver, unless it is busy.
    fn forget(&self) {
        if let Ok(mut kept) = self.0.try_lock() {
            *kept = None;
        }
    }

    /// The kept solver, if there is one and it is not busy.
    fn get(&self) -> Option<Solver> {
        self.0
            .try_lock()
            .ok()?
            .as_ref()
            .map(Solver::with_same_table)
    }
}

impl Clone for ProverCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for ProverCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProverCache").finish_non_exhaustive()
    }
}

impl ProofBook {
    /// A book from the file of a short certificate, which is read, not checked.
    pub(crate) fn new(data: &[u8]) -> Result<Self, FileError> {
        let certificate = ShortCertificate::from_bytes(data)?;
        let position = Position::<u128>::from_fen(&certificate.fen)?;
        let (files, ranks) = position.board_size();
        if usize::from(files) * usize::from(ranks) > u128::SQUARES {
            return Err(FileError::Other(format!(
                "a board of {files}x{ranks}, which is too large"
            )));
        }
        let place = BookPosition::new(&position);
        Ok(Self {
            board: position.board_size(),
            root: place.keys.key(),
            root_wins: certificate.winner == position.side_to_move(),
            certificate,
            prover: ProverCache::default(),
        })
    }

    /// Forgets what its prover has found out.
    pub(crate) fn forget(&self) {
        self.prover.forget();
    }

    /// Makes a prover that knows the kept positions and the leaves, which helps a
    /// lot where leaves share their proofs. It takes two seconds per million kept
    /// positions: too long during a move.
    pub(crate) fn prepare(&self) -> Result<(), SolveError> {
        let params = BoardParams::for_book(self.board.0);
        let assuming = || {
            let solver = Solver::with_params(self.board, self.bytes(), params)?;
            solver.assume_certificate(&self.certificate);
            Ok(solver)
        };
        self.prover.with(assuming, |_| ())
    }

    fn bytes(&self) -> usize {
        let (files, ranks) = self.board;
        let is_wide = usize::from(files) * usize::from(ranks) > u64::SQUARES;
        let each = POSITION_BYTES << if is_wide { 2 } else { 0 };
        (self.certificate.entries.len() * each).clamp(MIN_TABLE_BYTES, MAX_TABLE_BYTES)
    }

    /// Who wins the proven position.
    pub(crate) const fn winner(&self) -> Side {
        self.certificate.winner
    }

    /// Files and ranks of its board.
    pub(crate) const fn board(&self) -> (u8, u8) {
        self.board
    }

    /// The winner's move in a kept position, unless it is illegal: the file is
    /// read, not checked.
    fn step<B: Bits>(
        &self,
        place: &BookPosition<B>,
        view: Perspective<B>,
        keys: &PositionKeys<u128>,
    ) -> Option<Step> {
        let entries = &self.certificate.entries;
        let key = keys.key();
        let index = entries.binary_search_by_key(&key, |&(key, _)| key).ok()?;
        let is_mirrored = keys.is_mirrored();
        legal_step(
            place.statics.geometry(),
            view,
            is_mirrored,
            entries[index].1,
        )
    }

    /// What the book says about a position, without any search. For the losing side,
    /// the reply that is hardest to prove is sought no longer than until `is_late`.
    pub(crate) fn lookup<B: Bits>(
        &self,
        position: &Position<B>,
        is_late: &dyn Fn() -> bool,
    ) -> Option<ProvenMove> {
        if position.board_size() != self.board || position.outcome() != Outcome::Ongoing {
            return None;
        }
        let place = BookPosition::new(position);
        if let Some(step) = self.step(&place, place.view, &place.keys) {
            return Some(proven_move(position, true, book_move(position, step), 0));
        }
        let is_lost = place.keys.key() == self.root && !self.root_wins || self.is_reached(&place);
        is_lost.then(|| {
            proven_move(
                position,
                false,
                book_move(position, self.hardest(&place, is_late)),
                0,
            )
        })
    }

    /// Whether a move of the book leads here: the other side's last move is
    /// taken back in every possible way.
    fn is_reached<B: Bits>(&self, place: &BookPosition<B>) -> bool {
        let statics = &place.statics;
        let geometry = statics.geometry();
        let files = geometry.files();
        // As seen by the other side, whose pieces go up.
        let winner = statics.other_side(place.view);
        for to in winner.own.squares() {
            let (file, rank) = (geometry.file(to), geometry.rank(to));
            for direction in 0..3 {
                // The piece came from the file to its right if it went left.
                let Some(start) = (file + 1).checked_sub(direction) else {
                    continue;
                };
                if rank == 0 || start >= files {
                    continue;
                }
                let from = geometry.square(start, rank - 1);
                if (winner.own | winner.enemy).has(from) {
                    continue;
                }
                for takes in [false, true] {
                    if takes && direction == 1 {
                        continue;
                    }
                    let mut before = Perspective {
                        own: winner.own ^ (B::bit(from) | B::bit(to)),
                        enemy: winner.enemy,
                    };
                    if takes {
                        before.enemy |= B::bit(to);
                    }
                    let keys = place.map.keys(before);
                    let found = self.step(place, before, &keys);
                    // In a symmetric position two steps are one.
                    let is_symmetric = keys.own[0] == keys.own[1];
                    let mirrored = || {
                        let code = move_code(geometry, true, Step { from, to });
                        coded_step(geometry, false, code)
                    };
                    if found == Some(Step { from, to })
                        || is_symmetric && found.is_some() && found == mirrored()
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The reply that leaves the most to prove: to a kept position with the
    /// most others below it. Few are counted first, then more of those that have
    /// as many, while there is time.
    fn hardest<B: Bits>(&self, place: &BookPosition<B>, is_late: &dyn Fn() -> bool) -> Step {
        let mut steps = place.steps(place.view);
        let mut limit = FIRST_COUNT;
        while steps.len() > 1 && limit <= MAX_COUNT {
            let mut sizes = Vec::with_capacity(steps.len());
            for (_, next) in &steps {
                if is_late() {
                    return steps[0].0;
                }
                sizes.push(self.size(place, *next, limit));
            }
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let mut size = sizes.into_iter();
            steps.retain(|_| size.next() == Some(largest));
            if largest < limit {
                break;
            }
            limit *= 3;
        }
        steps
            .first()
            .map_or(Step { from: 0, to: 0 }, |&(step, _)| step)
    }

    /// How many positions the book keeps from here on, at most `limit`.
    fn size<B: Bits>(&self, place: &BookPosition<B>, view: Perspective<B>, limit: usize) -> usize {
        let mut seen = HashSet::new();
        let mut open = vec![view];
        while let Some(view) = open.pop() {
            let keys = place.map.keys(view);
            let Some(Step { from, to }) = self.step(place, view, &keys) else {
                continue;
            };
            if !seen.insert(keys.key()) {
                continue;
            }
            if seen.len() >= limit {
                break;
            }
            let next = place.statics.step(view, B::bit(from), B::bit(to));
            if !next.own.is_empty() {
                open.extend(place.steps(next).into_iter().map(|(_, reply)| reply));
            }
        }
        seen.len()
    }

    /// Proves that the side to move wins a position on the book's board, as is
    /// done for leaves and what is below them; `None` if that takes too many
    /// nodes or is stopped. The limit is a few times the nodes of a leaf, or many
    /// times those where the book's winner moves, and half of `nodes`, so that a
    /// search gets the other half. What is found out is
    /// remembered for the next position, even if it is not a proof yet.
    pub(crate) fn prove<B: Bits>(
        &self,
        position: &Position<B>,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Option<ProvenMove>, u64), SolveError> {
        if position.board_size() != self.board || position.outcome() != Outcome::Ongoing {
            return Ok((None, 0));
        }
        // The prover does not look at positions in which a piece can arrive.
        if let Tactics::Win { plies: 1, first } = position.tactics() {
            let win = ProvenMove {
                wins: true,
                best: first,
                plies: 1,
                nodes: 0,
            };
            return Ok((Some(win), 0));
        }
        let factor = if self.certificate.winner == position.side_to_move() {
            WINNER_NODE_FACTOR
        } else {
            NODE_FACTOR
        };
        let nodes = nodes
            .map_or(u64::MAX, |nodes| nodes / 2)
            .min(self.certificate.leaf_nodes.saturating_mul(factor));
        let search = |solver: &Solver| {
            // On the caller's thread, a slice at a time, to check the stop flag.
            let before = solver.nodes();
            let spent = || solver.nodes() - before;
            let best = loop {
                let left = || nodes.saturating_sub(spent()).min(SLICE);
                if left() == 0 || stop() {
                    break None;
                }
                match solver.prove_within(position, left(), &|| false) {
                    Some(true) => {
                        // The table holds the proof: one more node gives the move.
                        let best = solver.winning_move(position, left().max(1), stop);
                        if best.is_some() {
                            break best;
                        }
                    }
                    Some(false) => break None,
                    None => {}
                }
            };
            (best, spent())
        };
        // One that knows nothing yet, like the one that found the leaves.
        let make = || Solver::new(position.geometry(), self.bytes());
        let (best, spent) = self.prover.with(make, search)?;
        let found = best.map(|best| proven_move(position, true, best, spent));
        Ok((found, spent))
    }

    /// Who wins a position of the board, as far as the prover knows by now without a
    /// search: whether the side to move does, and within how many plies. Do not ask
    /// about one that is over or in which a piece can arrive. `None` if there is no
    /// prover, or it is busy.
    pub(crate) fn probe<B: Bits>(
        &self,
    ) -> Option<impl Fn(&Position<B>) -> Option<(bool, u16)> + use<B>> {
        let solver = self.prover.get()?;
        Some(move |position: &Position<B>| {
            let (wins, _) = solver.result_without_search(position)?;
            Some((wins, longest(position, wins)))
        })
    }
}

fn proven_move<B: Bits>(position: &Position<B>, wins: bool, best: Move, nodes: u64) -> ProvenMove {
    ProvenMove {
        wins,
        best,
        plies: longest(position, wins),
        nodes,
    }
}

fn book_move<B: Bits>(position: &Position<B>, step: Step) -> Move {
    let geometry = position.geometry();
    board_move(
        geometry,
        geometry,
        position.side_to_move() == Side::White,
        step,
    )
}

/// How many plies the game can last at most, if the side to move wins or has
/// lost: each side has only a limited number of moves before one of its pieces must arrive.
fn longest<B: Bits>(position: &Position<B>, wins: bool) -> u16 {
    let geometry = position.geometry();
    let moves = |side: Side| -> u16 {
        let pieces = position.pieces(side).squares();
        let left = pieces.map(|piece| {
            let rank = geometry.rank(piece);
            let distance = match side {
                Side::White => geometry.ranks() - 1 - rank,
                Side::Black => rank,
            };
            u16::from(distance.saturating_sub(1))
        });
        left.sum()
    };
    let side = position.side_to_move();
    let (own, enemy) = (moves(side), moves(!side));
    if wins {
        2 * own.min(enemy) + 1
    } else {
        2 * own.min(enemy + 1).max(1)
    }
}

/// Files and ranks of the board, and its certificate.
const PROOFS: [((u8, u8), &[u8]); 33] = [
    ((2, 4), include_bytes!("certificates/2x4.proof")),
    ((2, 5), include_bytes!("certificates/2x5.proof")),
    ((2, 6), include_bytes!("certificates/2x6.proof")),
    ((2, 7), include_bytes!("certificates/2x7.proof")),
    ((2, 8), include_bytes!("certificates/2x8.proof")),
    ((2, 9), include_bytes!("certificates/2x9.proof")),
    ((2, 10), include_bytes!("certificates/2x10.proof")),
    ((2, 11), include_bytes!("certificates/2x11.proof")),
    ((2, 12), include_bytes!("certificates/2x12.proof")),
    ((2, 13), include_bytes!("certificates/2x13.proof")),
    ((2, 14), include_bytes!("certificates/2x14.proof")),
    ((2, 15), include_bytes!("certificates/2x15.proof")),
    ((2, 16), include_bytes!("certificates/2x16.proof")),
    ((3, 4), include_bytes!("certificates/3x4.proof")),
    ((3, 5), include_bytes!("certificates/3x5.proof")),
    ((3, 6), include_bytes!("certificates/3x6.proof")),
    ((3, 7), include_bytes!("certificates/3x7.proof")),
    ((3, 8), include_bytes!("certificates/3x8.proof")),
    ((3, 9), include_bytes!("certificates/3x9.proof")),
    ((4, 4), include_bytes!("certificates/4x4.proof")),
    ((4, 5), include_bytes!("certificates/4x5.proof")),
    ((4, 6), include_bytes!("certificates/4x6.proof")),
    ((4, 7), include_bytes!("certificates/4x7.proof")),
    ((5, 4), include_bytes!("certificates/5x4.proof")),
    ((5, 5), include_bytes!("certificates/5x5.proof")),
    ((6, 4), include_bytes!("certificates/6x4.proof")),
    ((6, 5), include_bytes!("certificates/6x5.proof")),
    ((7, 4), include_bytes!("certificates/7x4.proof")),
    ((7, 5), include_bytes!("certificates/7x5.proof")),
    ((8, 4), include_bytes!("certificates/8x4.proof")),
    ((8, 5), include_bytes!("certificates/8x5.proof")),
    ((9, 4), include_bytes!("certificates/9x4.proof")),
    ((10, 4), include_bytes!("certificates/10x4.proof")),
];

/// The proof of a board's start position, if there is one.
pub(crate) fn built_in_proof(board: (u8, u8)) -> Option<&'static [u8]> {
    let found = PROOFS.iter().find(|(of, _)| *of == board);
    found.map(|(_, data)| *data)
}
