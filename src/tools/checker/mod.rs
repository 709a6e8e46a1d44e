//! The checker: whether a certificate proves what it claims.
//!
//! Written only from `docs/certificates.md`.
//! Nothing in this folder uses anything from the engine, and a test enforces
//! that: a checker that shared a mistake with the solver would be worthless.
//! `scripts/check_certificate.py` is a second, slow implementation.

mod board;
mod file;
mod index;
mod memory;
mod short;

pub use file::CheckError;
pub(crate) use memory::CheckedPositions;
pub(crate) use short::{KnownNumbers, Short, Witness};

use arrayvec::ArrayVec;
use board::{MAX_SQUARES, NumberPair, PieceStep, Pieces, after_reply};
use file::ParsedCertificate;
use index::{Index, hash};
use std::collections::TryReserveError;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, scope};
use std::time::Duration;

/// What a certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The position, as written in the file.
    pub fen: String,
    /// Files and ranks of its board.
    pub board: (u32, u32),
    /// Whether White wins it.
    pub white_wins: bool,
    /// Whether the side to move wins it.
    pub side_to_move_wins: bool,
    /// How many positions were checked.
    pub positions: usize,
    /// How deep the checker had to look, in plies.
    pub depth: u32,
}

/// How often the caller is asked whether to go on.
const TICK: Duration = Duration::from_millis(5);

/// Entries that a thread takes at a time.
const BATCH: usize = 1 << 10;

/// Bytes that must be free for a thread to start. Its stack is a mapping, and what glibc
/// holds in reserve for smaller blocks, of up to 32 MB, is no use for one.
const THREAD_BYTES: usize = 33 << 20;

/// What the data prove; they must be a whole certificate. `go_on` receives how
/// many positions have been checked, and of how many, and ends the check by
/// returning `false`.
pub fn check(
    data: &[u8],
    threads: usize,
    go_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Claim, CheckError> {
    let checker = Checker::new(file::parse(data)?, &|_| false)?;
    if checker.certificate.leaf_nodes.is_some() {
        let error = "it is a short certificate: its leaves must be proven again";
        return Err(CheckError::Refused(error.to_owned()));
    }
    checker.check_root(&mut Uncovered::Refuse)?;
    checker.check_entries(threads, go_on)?;
    Ok(checker.proven())
}

/// Whether the data are a short certificate, judging by the first line.
pub(crate) fn is_short(data: &[u8]) -> bool {
    data.starts_with(file::SHORT_TITLE.as_bytes())
}

/// A certificate with an index of its positions.
struct Checker<'a> {
    certificate: ParsedCertificate,
    index: Index,
    /// Whether a position, by its number, is known to be won without being in
    /// the file.
    known: &'a (dyn Fn(u128) -> bool + Sync),
}

/// The most replies: each leads from a square of the side to one that is not,
/// and at most three lead from or to any square.
const MAX_REPLIES: usize = 3 * MAX_SQUARES as usize / 2;

/// What becomes of a position that the file does not cover.
enum Uncovered {
    /// The certificate is refused: it is a whole one, or a leaf's.
    Refuse,
    /// It is a leaf of a short one; here are the numbers of all of them.
    Leaves(Vec<u128>),
}

impl Uncovered {
    /// Makes room for the leaves of one more position.
    fn make_room(&mut self) -> Result<(), TryReserveError> {
        match self {
            Self::Refuse => Ok(()),
            Self::Leaves(leaves) => leaves.try_reserve(MAX_REPLIES),
        }
    }

    /// Whether the position with this number is a leaf.
    fn is_leaf(&mut self, number: u128) -> bool {
        match self {
            Self::Refuse => false,
            Self::Leaves(leaves) => {
                leaves.push(number);
                true
            }
        }
    }
}

/// Whether this much memory can be had.
fn has_memory(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

impl<'a> Checker<'a> {
    fn new(
        certificate: ParsedCertificate,
        known: &'a (dyn Fn(u128) -> bool + Sync),
    ) -> Result<Self, CheckError> {
        Ok(Self {
            index: Index::new(&certificate.positions)?,
            certificate,
            known,
        })
    }

    fn proven(&self) -> Claim {
        let certificate = &self.certificate;
        Claim {
            board: (certificate.board.files, certificate.board.ranks),
            white_wins: certificate.winner_is_white,
            side_to_move_wins: certificate.winner_moves,
            positions: certificate.positions.len(),
            depth: certificate.depth,
            fen: certificate.fen.clone(),
        }
    }

    /// Whether the position to prove is covered.
    fn check_root(&self, uncovered: &mut Uncovered) -> Result<(), CheckError> {
        let ParsedCertificate { board, pieces, .. } = &self.certificate;
        if !board.is_possible(*pieces) {
            return Err("both sides have won in the position to prove"
                .to_owned()
                .into());
        }
        let numbers = board.numbers(*pieces);
        let holds = match board.result(*pieces) {
            // If the game is over, the rules say who has won.
            Some(won) => won,
            None if self.certificate.winner_moves => self.is_good(*pieces, numbers, uncovered),
            None => {
                uncovered.make_room()?;
                self.covers_replies(*pieces, numbers, uncovered)
            }
        };
        if holds {
            Ok(())
        } else {
            Err("the position to prove is not covered".to_owned().into())
        }
    }

    /// Whether all replies of the loser lead to positions that are good.
    fn covers_replies(
        &self,
        pieces: Pieces,
        numbers: NumberPair,
        uncovered: &mut Uncovered,
    ) -> bool {
        let board = &self.certificate.board;
        let mut sought = ArrayVec::<_, MAX_REPLIES>::new();
        let goes_on = board.all_replies(pieces, |reply: PieceStep| {
            let next = after_reply(pieces, reply);
            if !board.is_won_at_once(next) {
                let numbers = board.numbers_after_reply(numbers, pieces.0, reply);
                let number = numbers[0].min(numbers[1]);
                sought.push((next, number, hash(number)));
            }
            true
        });
        // A loop of its own, so that the cache misses overlap. Filled in place:
        // it is too large to be moved.
        let mut first = ArrayVec::<u64, MAX_REPLIES>::new();
        first.extend(sought.iter().map(|&(_, _, hash)| self.index.first(hash)));
        let is_listed = |number, hash, first| {
            let positions = &self.certificate.positions;
            self.index.has_from(positions, number, hash, first)
        };
        goes_on
            && sought
                .iter()
                .zip(&first)
                .all(|(&(pieces, number, hash), &first)| {
                    is_listed(number, hash, first) || self.is_won_without(pieces, number, uncovered)
                })
    }

    /// Whether the position is in the file.
    fn has(&self, number: u128) -> bool {
        self.index.has(&self.certificate.positions, number)
    }

    /// Whether the position is in the file, or won soon, or else a leaf.
    fn is_good(&self, pieces: Pieces, numbers: NumberPair, uncovered: &mut Uncovered) -> bool {
        let number = numbers[0].min(numbers[1]);
        // Looking a position up in the file is faster than searching for a win.
        self.has(number) || self.is_won_without(pieces, number, uncovered)
    }

    /// Whether a position that is not in the file is won soon, or else a leaf.
    fn is_won_without(&self, pieces: Pieces, number: u128, uncovered: &mut Uncovered) -> bool {
        let ParsedCertificate { board, depth, .. } = &self.certificate;
        if (self.known)(number) || board.wins_within(pieces, *depth) {
            return true;
        }
        uncovered.is_leaf(number)
    }

    /// Whether an entry's move is legal and wins, or leaves only good replies.
    fn check_entry(&self, index: usize, uncovered: &mut Uncovered) -> Result<(), CheckError> {
        uncovered.make_room()?;
        self.check_move(index, uncovered)
            .map_err(|error| self.named(index, &error).into())
    }

    fn check_move(&self, index: usize, uncovered: &mut Uncovered) -> Result<(), String> {
        let ParsedCertificate {
            board,
            positions,
            moves,
            ..
        } = &self.certificate;
        let number = positions[index];
        let pieces = board
            .pieces(number)
            .ok_or("it has more squares than the board")?;
        let numbers = board.numbers(pieces);
        if numbers[1] < number {
            return Err("its mirror image has a smaller number".to_owned());
        }
        if board.result(pieces).is_some() {
            return Err("the game is already over".to_owned());
        }
        let code = u32::from(moves[index]);
        let step = board
            .step(pieces, code / 3, code % 3)
            .ok_or_else(|| format!("move {code} is not legal"))?;
        let (winner, loser) = pieces;
        if board.ends(loser, step) {
            return Ok(());
        }
        let next = (winner ^ (step.start | step.target), loser & !step.target);
        let numbers = board.numbers_after_step(numbers, loser, step);
        if self.covers_replies(next, numbers, uncovered) {
            Ok(())
        } else {
            Err(format!("a reply to move {code} refutes it"))
        }
    }

    /// Checks all entries on this thread.
    fn check_all(&self, uncovered: &mut Uncovered) -> Result<(), CheckError> {
        let mut all = 0..self.certificate.positions.len();
        all.try_for_each(|index| self.check_entry(index, uncovered))
    }

    fn named(&self, index: usize, error: &str) -> String {
        let number = self.certificate.positions[index];
        format!("entry {index}, position {number}: {error}")
    }

    /// Checks all entries on this many threads; returns the leaves.
    fn check_entries(
        &self,
        threads: usize,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Vec<u128>, CheckError> {
        let all = self.certificate.positions.len();
        let next = AtomicUsize::new(0);
        // Nothing more is to be checked: the caller says so, or an entry is false.
        let is_over = AtomicBool::new(false);
        let found = Mutex::new(Vec::new());
        let is_short = self.certificate.leaf_nodes.is_some();
        let work = || {
            let mut uncovered = match is_short {
                true => Uncovered::Leaves(Vec::new()),
                false => Uncovered::Refuse,
            };
            loop {
                let start = next.fetch_add(BATCH, Relaxed);
                if start >= all {
                    if let (Uncovered::Leaves(leaves), Ok(mut found)) = (uncovered, found.lock()) {
                        found.try_reserve(leaves.len())?;
                        found.extend(leaves);
                    }
                    return Ok(());
                }
                for index in start..all.min(start + BATCH) {
                    if is_over.load(Relaxed) {
                        return Ok(());
                    }
                    if let Err(error) = self.check_entry(index, &mut uncovered) {
                        is_over.store(true, Relaxed);
                        return Err(error);
                    }
                }
            }
        };
        let gate = Mutex::new(());
        scope(|scope| {
            // If a thread cannot be started, the others do its share. None begins before
            // all have started: to ask for the next one's memory takes it for a moment.
            let closed = gate.lock();
            let start = |_| {
                has_memory(THREAD_BYTES).then_some(())?;
                let (gate, work) = (&gate, &work);
                let run = move || {
                    drop(gate.lock());
                    work()
                };
                Builder::new().spawn_scoped(scope, run).ok()
            };
            let others: Vec<_> = (0..threads.max(1)).map_while(start).collect();
            drop(closed);
            if others.is_empty() {
                return work();
            }
            let mut is_ended = false;
            while !others.iter().all(|other| other.is_finished()) {
                std::thread::park_timeout(TICK);
                if !is_ended && !go_on(next.load(Relaxed).min(all), all) {
                    is_ended = true;
                    is_over.store(true, Relaxed);
                }
            }
            others
                .into_iter()
                .try_for_each(|other| match other.join() {
                    Ok(result) => result,
                    Err(_) => Err(CheckError::Refused("the checker failed".to_owned())),
                })?;
            (!is_ended).then_some(()).ok_or(CheckError::Ended)
        })?;
        found
            .into_inner()
            .map_err(|_| CheckError::Refused("the checker failed".to_owned()))
    }
}
