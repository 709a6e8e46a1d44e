//! Short certificates: their positions are checked like those of a whole one,
//! and what they leave out is checked leaf by leaf. A witness writes the proof
//! of a leaf as a whole certificate, which is checked like any other and thrown
//! away.
//!
//! The proof of a leaf may use the positions of the file and other
//! leaves. This is not circular, as every move brings a piece closer to its goal
//! and no position recurs: if a winning move is checked in all these positions,
//! all of them are won.

use super::file::{self, ParsedCertificate};
use super::index::{Index, hash};
use super::memory::CheckedPositions;
use super::{CheckError, Checker, Claim, Uncovered};
use arrayvec::ArrayVec;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::{Duration, Instant};

/// The most positions looked up at once.
const MAX_AT_ONCE: usize = u128::BITS as usize;

/// A set of position numbers.
type NumberSet = HashSet<u128, BuildHasherDefault<Spread>>;

/// Hashes them as the [`Index`] does: nobody gains by choosing numbers that collide.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u128(byte.into());
        }
    }

    fn write_u128(&mut self, number: u128) {
        // A `HashSet` uses the low bits too.
        let spread = hash(number ^ u128::from(self.0));
        self.0 = spread ^ spread >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Which of up to 128 positions, by their numbers, are checked elsewhere: a bit
/// each, the lowest for the first.
pub(crate) type KnownNumbers<'a> = dyn FnMut(&[u128]) -> u128 + 'a;

/// A source of proofs for leaves.
pub(crate) trait Witness {
    /// A whole certificate that the side to move, White, wins the position. It
    /// may leave out positions that `known` has reported as known.
    fn certificate(
        &mut self,
        fen: &str,
        known: &mut KnownNumbers<'_>,
    ) -> Result<Vec<u8>, CheckError>;
}

/// A short certificate whose positions and moves hold if its leaves do.
pub(crate) struct Short {
    checker: Checker<'static>,
    /// The numbers of the `kept` positions and, after them, of the leaves, each
    /// in ascending order.
    claims: Vec<u128>,
    kept: usize,
    index: Index,
}

/// What it took to check a leaf.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeafCheck {
    /// Positions of its certificate.
    pub(crate) positions: usize,
    /// The time it took to check them.
    pub(crate) time: Duration,
}

impl Short {
    /// Checks everything but the leaves. `go_on` receives how many positions have
    /// been checked, and of how many, and ends the check by returning `false`.
    pub(crate) fn new(
        data: &[u8],
        threads: usize,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Self, CheckError> {
        let checker = Checker::new(file::parse(data)?, &|_| false)?;
        if checker.certificate.leaf_nodes.is_none() {
            let error = "it is a whole certificate, not a short one";
            return Err(CheckError::Refused(error.to_owned()));
        }
        let mut uncovered = Uncovered::Leaves(Vec::new());
        checker.check_root(&mut uncovered)?;
        let mut leaves = checker.check_entries(threads, go_on)?;
        if let Uncovered::Leaves(first) = uncovered {
            leaves.try_reserve(first.len())?;
            leaves.extend(first);
        }
        leaves.sort_unstable();
        leaves.dedup();
        let kept = &checker.certificate.positions;
        let mut claims = Vec::new();
        claims.try_reserve_exact(kept.len() + leaves.len())?;
        claims.extend_from_slice(kept);
        claims.append(&mut leaves);
        Ok(Self {
            kept: checker.certificate.positions.len(),
            checker,
            index: Index::new(&claims)?,
            claims,
        })
    }

    /// What is proven if all leaves hold.
    pub(crate) fn proven(&self) -> Claim {
        self.checker.proven()
    }

    /// How many leaves there are.
    pub(crate) const fn leaves(&self) -> usize {
        self.claims.len() - self.kept
    }

    /// How many squares its board has.
    pub(crate) const fn squares(&self) -> u32 {
        let board = &self.checker.certificate.board;
        board.files * board.ranks
    }

    /// The most nodes a prover is said to need for a leaf.
    pub(crate) fn leaf_nodes(&self) -> u64 {
        self.checker.certificate.leaf_nodes.unwrap_or(0)
    }

    /// The FEN of a leaf.
    pub(crate) fn leaf(&self, index: usize) -> String {
        let board = &self.checker.certificate.board;
        let pieces = board.pieces(self.claims[self.kept + index]);
        pieces.map_or_else(String::new, |pieces| board.fen(pieces))
    }

    /// What is claimed about every position, by its number: that the side to
    /// move wins it, by this move or else as a leaf.
    pub(crate) fn claims(&self) -> impl Iterator<Item = (u128, Option<u16>)> {
        let ParsedCertificate {
            positions, moves, ..
        } = &self.checker.certificate;
        let moves = moves.iter().map(|&code| Some(code));
        let kept = positions.iter().copied().zip(moves);
        kept.chain(
            self.claims[self.kept..]
                .iter()
                .map(|&number| (number, None)),
        )
    }

    /// Which of these are positions of the file or leaves.
    fn claimed(&self, numbers: &[u128]) -> u128 {
        // A loop of its own, so that the cache misses overlap.
        let look = |&number| {
            let hash = hash(number);
            (number, hash, self.index.first(hash))
        };
        // Filled in place: it is too large to be moved.
        let mut first = ArrayVec::<_, MAX_AT_ONCE>::new();
        first.extend(numbers.iter().map(look));
        let is_claimed = |&(number, hash, first): &_| {
            u128::from(self.index.has_from(&self.claims, number, hash, first))
        };
        let bits = first.iter().map(is_claimed).zip(0..);
        bits.fold(0, |all, (bit, index)| all | bit << index)
    }

    /// Checks a leaf by the witness's proof. With a memory, it may use the
    /// other positions, so that it holds if they do, and what earlier checks of
    /// this certificate's leaves have stored there. Without one, it holds by
    /// itself.
    pub(crate) fn check_leaf(
        &self,
        index: usize,
        witness: &mut dyn Witness,
        memory: Option<&CheckedPositions>,
    ) -> Result<LeafCheck, CheckError> {
        let own = self.claims[self.kept + index];
        if memory.is_some_and(|memory| memory.has(own)) {
            return Ok(LeafCheck::default());
        }
        let fen = self.leaf(index);
        let named = |error| match error {
            CheckError::Refused(error) => {
                CheckError::Refused(format!("leaf {index}, {fen}: {error}"))
            }
            other => other,
        };
        // Queried only once: the lookup is a cache miss, and another thread may
        // evict the entry.
        let mut reported = NumberSet::default();
        let mut known = |numbers: &[u128]| {
            let Some(memory) = memory else { return 0 };
            let mut places = ArrayVec::<_, MAX_AT_ONCE>::new();
            places.extend(numbers.iter().map(|&number| memory.place(number)));
            let claimed = self.claimed(numbers);
            let all = (0..).zip(numbers).zip(&places);
            all.fold(0, |known, ((index, &number), &place)| {
                let is_claimed = number != own && claimed >> index & 1 == 1;
                // What cannot be written down must be proven.
                let is_known =
                    (is_claimed || memory.has_at(number, place)) && reported.try_reserve(1).is_ok();
                if is_known {
                    reported.insert(number);
                }
                known | u128::from(is_known) << index
            })
        };
        let data = witness.certificate(&fen, &mut known).map_err(named)?;
        let start = Instant::now();
        let found = file::parse(&data).map_err(named)?;
        let board = &self.checker.certificate.board;
        let is_it = found.leaf_nodes.is_none()
            && (found.board.files, found.board.ranks) == (board.files, board.ranks)
            && Some(found.pieces) == board.pieces(own)
            && found.winner_is_white
            && found.winner_moves;
        if !is_it {
            let error = "its certificate is for something else";
            return Err(named(error.to_owned().into()));
        }
        let known = |number| reported.contains(&number);
        let checker = Checker::new(found, &known)?;
        checker
            .check_root(&mut Uncovered::Refuse)
            .and_then(|()| checker.check_all(&mut Uncovered::Refuse))
            .map_err(named)?;
        let positions = &checker.certificate.positions;
        if let Some(memory) = memory {
            positions.iter().for_each(|&number| memory.keep(number));
        }
        Ok(LeafCheck {
            positions: positions.len(),
            time: start.elapsed(),
        })
    }
}
