//! The solver as its callers see it: one type for all boards, which takes positions
//! as they are and answers with moves on their board. The word that a board is kept
//! in and the width of its keys are chosen here and nowhere else; what searches is
//! compiled for each of them.

use super::certificate::{Certificate, ShortCertificate};
use super::collect::{KnownWins, no_known_wins};
use super::keys::Key;
use super::learner::{BoardParams, Learner};
use super::numbers::INFINITE;
use super::saved::{Assumptions, Contents, LoadMode, SavedError, Spent};
use super::shared::{SharedSearch, StopReason};
use super::table::Store as _;
use super::types::{LeafError, OpenedNode, Progress, ProofLimits, Prospect, Solution, SolveError};
use crate::base::{Instant, OutOfMemory, Side};
use crate::game::breakthrough::{Bits, Geometry, Packed, Position, StaticSolver};
use crate::game::{Game as _, Move, Notation as _, Outcome};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of table per position assumed to be won.
const ASSUMED_BYTES: usize = 128;

/// A search with its table, for a word and a width of keys: boards of up to 8x8
/// have rows of eight squares, others of up to 64 squares are packed into one word,
/// and keys of more than 40 squares need two.
#[derive(Clone)]
pub(super) enum Search {
    Small(Arc<SharedSearch<u64, u64>>),
    SmallLong(Arc<SharedSearch<u64, u128>>),
    Packed(Arc<SharedSearch<Packed, u64>>),
    PackedLong(Arc<SharedSearch<Packed, u128>>),
    Large(Arc<SharedSearch<u128, u128>>),
}

/// Evaluates an expression in which `$shared` is the search, whatever its types.
macro_rules! on_search {
    ($solver:expr, $shared:ident => $result:expr) => {
        match &$solver.search {
            Search::Small($shared) => $result,
            Search::SmallLong($shared) => $result,
            Search::Packed($shared) => $result,
            Search::PackedLong($shared) => $result,
            Search::Large($shared) => $result,
        }
    };
}

/// Solves positions on one board, keeping what it has learnt in a table.
pub struct Solver {
    pub(super) search: Search,
    pub(super) board: (u8, u8),
    pub(super) assumptions: Assumptions,
}

pub(super) fn new_search<B: Bits, K: Key>(
    geometry: &Geometry<B>,
    bytes: usize,
    params: BoardParams,
) -> Result<Arc<SharedSearch<B, K>>, SolveError> {
    Ok(Arc::new(SharedSearch::new(
        StaticSolver::new(geometry),
        bytes,
        params,
    )?))
}

impl Solver {
    /// A solver for a board, with a table of at most `bytes` bytes, or the
    /// least that the keys of such a board need: 16 MB at 40 squares, less on
    /// smaller boards. Memory is used as the table fills.
    ///
    /// # Errors
    /// If the board has more than 80 squares, or there is not enough memory.
    pub fn new<B: Bits>(geometry: &Geometry<B>, bytes: usize) -> Result<Self, SolveError> {
        let board = (geometry.files(), geometry.ranks());
        Self::with_params(board, bytes, BoardParams::new(board.0, board.1))
    }

    /// A solver with other parameters than those for a search from scratch.
    pub(super) fn with_params(
        board: (u8, u8),
        bytes: usize,
        params: BoardParams,
    ) -> Result<Self, SolveError> {
        let too_large = SolveError::TooLarge(board.0, board.1);
        let (files, ranks) = (usize::from(board.0), usize::from(board.1));
        if files * ranks > u128::SQUARES {
            return Err(too_large);
        }
        let is_long = files * ranks > u64::SQUARES;
        let search = if let Ok(geometry) = Geometry::<u64>::new(files, ranks) {
            match is_long {
                false => Search::Small(new_search(&geometry, bytes, params)?),
                true => Search::SmallLong(new_search(&geometry, bytes, params)?),
            }
        } else if let Ok(geometry) = Geometry::<Packed>::new(files, ranks) {
            match is_long {
                false => Search::Packed(new_search(&geometry, bytes, params)?),
                true => Search::PackedLong(new_search(&geometry, bytes, params)?),
            }
        } else {
            let geometry = Geometry::<u128>::new(files, ranks).map_err(|_| too_large)?;
            Search::Large(new_search(&geometry, bytes, params)?)
        };
        Ok(Self {
            search,
            board,
            assumptions: Assumptions::None,
        })
    }

    /// Another solver on the same table.
    pub(super) fn with_same_table(&self) -> Self {
        Self {
            search: self.search.clone(),
            ..*self
        }
    }

    /// The same with a table that assumes what the certificate with this checksum
    /// claims: only such a solver loads it when it is saved.
    pub(crate) fn assuming(self, certificate: u32) -> Self {
        let assumptions = Assumptions::Claims(certificate);
        Self {
            assumptions,
            ..self
        }
    }

    /// Grows the table to its capacity.
    pub(crate) fn grow_to_capacity(self) -> Self {
        on_search!(self, s => while s.table.grow(1) {});
        self
    }

    /// Determines who wins a position on the solver's board, and a line.
    pub fn solve<B: Bits>(
        &self,
        position: &Position<B>,
        limits: &ProofLimits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Solution {
        let start = Instant::now();
        let before = self.nodes();
        let wins = self.prove(position, limits, stop, progress);
        let prospect = match wins {
            Some(true) => Prospect::new(0, INFINITE),
            Some(false) => Prospect::new(INFINITE, 0),
            None => on_search!(self, s => s.prospect()),
        };
        let spent = self.nodes() - before;
        let left = limits.nodes.map(|nodes| nodes.saturating_sub(spent));
        let line_time = limits.line_time.or(limits.time);
        let is_late = || line_time.is_some_and(|time| start.elapsed() >= time);
        let line = match wins {
            Some(wins) if position.outcome() == Outcome::Ongoing => on_search!(self, s => {
                let line = s.line(&s.enter(position), wins, left, stop, &is_late);
                s.moves(position, &line)
            }),
            _ => Vec::new(),
        };
        Solution {
            side_to_move_wins: wins,
            line,
            prospect,
            nodes: self.nodes() - before,
            time: start.elapsed(),
        }
    }

    /// Whether the side to move wins, without a line.
    pub(crate) fn prove<B: Bits>(
        &self,
        position: &Position<B>,
        limits: &ProofLimits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<bool> {
        debug_assert_eq!(position.board_size(), self.board);
        match position.outcome() {
            Outcome::Ongoing => {
                on_search!(self, s => s.prove(&s.enter(position), limits, stop, progress))
            }
            outcome => Some(outcome == Outcome::Win(position.side_to_move())),
        }
    }

    /// Whether the side to move wins, on the caller's thread alone, within this many
    /// nodes.
    pub(super) fn prove_within<B: Bits>(
        &self,
        position: &Position<B>,
        nodes: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<bool> {
        let limits = ProofLimits {
            nodes: Some(nodes),
            ..ProofLimits::default()
        };
        self.prove(position, &limits, stop, &mut |_| {})
    }

    /// Who wins, and at most how many nodes one visit of the position has taken, if
    /// that is known without a search. The game must not be over.
    pub(super) fn result_without_search<B: Bits>(
        &self,
        position: &Position<B>,
    ) -> Option<(bool, u64)> {
        on_search!(self, s => s.result_without_search(&s.enter(position)))
    }

    /// A winning move of a position that has been proven to be won; `None` if
    /// finding it takes more nodes.
    pub(super) fn winning_move<B: Bits>(
        &self,
        position: &Position<B>,
        nodes: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<Move> {
        on_search!(self, s => {
            let step = s.winning_step(&s.enter(position), nodes, stop)?;
            Some(s.leave(position, 0, step))
        })
    }

    /// The number of a position in certificates, unless the side to move sees a win
    /// within `depth` plies.
    pub(super) fn number_if_open(&self, position: &Position<u128>, depth: u8) -> Option<u128> {
        on_search!(self, s => s.number_if_open(&s.enter(position), depth))
    }

    /// The numbers of the positions after all moves, without those in which the other
    /// side sees a win within `depth` plies.
    pub(super) fn open_replies(&self, position: &Position<u128>, depth: u8) -> Vec<u128> {
        on_search!(self, s => {
            let replies = s.replies(&s.enter(position));
            let open = replies.iter().filter_map(|reply| s.number_if_open(reply, depth));
            open.collect()
        })
    }

    /// Counts the work of searches from now on, so that [`Solver::opened`]
    /// lists all positions that took at least one in `parts` of the nodes.
    /// Earlier counts are discarded.
    pub(crate) fn count_opened(&self, parts: Option<u64>) {
        let nodes = self.nodes();
        on_search!(self, s => s.opened.begin(parts, nodes));
    }

    /// How far each move of a position is from a proof for the side that makes it, as
    /// the last search left it; then the same for the undecided positions below it
    /// that took their share of the nodes ([`Solver::count_opened`]), each once, after
    /// those above it. Where the table has no numbers, they are first guesses. Empty
    /// if the game is over.
    pub(crate) fn opened<B: Bits>(&self, position: &Position<B>) -> Vec<OpenedNode> {
        if position.outcome() != Outcome::Ongoing {
            return Vec::new();
        }
        on_search!(self, s => {
            let nodes = s.opened(&s.enter(position)).into_iter();
            let nodes = nodes.map(|(line, steps)| OpenedNode {
                moves: steps
                    .into_iter()
                    .map(|(step, prospect)| (s.leave(position, line.len(), step), prospect))
                    .collect(),
                line: s.moves(position, &line),
            });
            nodes.collect()
        })
    }

    /// The certificate of a position that [`Solver::solve`] has decided; wins
    /// within `depth` plies, one of [`DEPTHS`](super::DEPTHS), are left to the
    /// checker.
    ///
    /// # Errors
    /// If the winner is not known, or the stop flag was raised.
    pub fn certificate<B: Bits>(
        &self,
        position: &Position<B>,
        solution: &Solution,
        depth: u8,
        stop: &dyn Fn() -> bool,
    ) -> Result<Certificate, SolveError> {
        let wins = solution.side_to_move_wins.ok_or(SolveError::NotSolved)?;
        self.certificate_within(position, wins, depth, None, stop, &mut no_known_wins)
            .map_err(SolveError::CertificateMemory)?
            .ok_or(SolveError::Stopped)
    }

    /// The certificate of a position that has been decided, without the wins that its
    /// checker knows; `None` if it takes more nodes or is stopped.
    pub(super) fn certificate_within<B: Bits>(
        &self,
        position: &Position<B>,
        wins: bool,
        depth: u8,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
        known: &mut KnownWins<'_>,
    ) -> Result<Option<Certificate>, OutOfMemory> {
        let entries = match position.outcome() {
            Outcome::Ongoing => {
                on_search!(self, s => s.entries_within(&s.enter(position), wins, depth, nodes, stop, known))?
            }
            _ => Some(Vec::new()),
        };
        let Some(entries) = entries else {
            return Ok(None);
        };
        let winner: Side = match wins {
            true => position.side_to_move(),
            false => !position.side_to_move(),
        };
        Ok(Some(Certificate::new(position, winner, depth, entries)))
    }

    /// The certificate of a win of the side to move, whether decided before or not, and
    /// how many nodes it took: at most `nodes`. Wins within `depth` plies are left to its
    /// checker, and so are those that it knows. The table must be [at its capacity](Solver::grow_to_capacity); then several threads may
    /// do this at the same time.
    pub(crate) fn win_certificate_within<B: Bits>(
        &self,
        position: &Position<B>,
        nodes: u64,
        depth: u8,
        known: &mut KnownWins<'_>,
    ) -> Result<(Certificate, u64), LeafError> {
        let winner: Side = position.side_to_move();
        if let Outcome::Win(side) = position.outcome() {
            let certificate = Certificate::new(position, winner, depth, Vec::new());
            let is_won = side == winner;
            return is_won.then_some((certificate, 0)).ok_or(LeafError::Lost);
        }
        let (entries, spent) = on_search!(self, s => {
            s.win_entries_within(&s.enter(position), nodes, depth, known)
        });
        let entries = entries?.ok_or_else(|| match self.result_without_search(position) {
            Some((false, _)) => LeafError::Lost,
            _ => LeafError::Open(nodes),
        })?;
        Ok((Certificate::new(position, winner, depth, entries), spent))
    }

    /// Makes running calls of [`Solver::win_certificate_within`] end soon, without a
    /// proof, and later ones at once, until [`Solver::prove`] is called.
    pub(crate) fn halt(&self) {
        on_search!(self, s => s.stop.raise(StopReason::Caller));
    }

    /// Forgets everything. No search may be running.
    pub(super) fn forget(&self) {
        on_search!(self, s => s.forget());
    }

    /// Assumes what a short certificate for this board claims: that its kept
    /// positions are won, that the other side has lost after their moves, and that
    /// its replies lead to kept positions or leaves, which are won too; and who wins
    /// the position it is about. Illegal entries are skipped. No search may be
    /// running. The table is [assuming](Solver::assuming) it from then on.
    pub(crate) fn assume_certificate(&self, certificate: &ShortCertificate) {
        on_search!(self, s => for &(number, code) in &certificate.entries {
            s.assume_won(number, Some(code), true);
        });
        if let Ok(root) = Position::<u128>::from_fen(&certificate.fen)
            && root.board_size() == self.board
            && root.outcome() == Outcome::Ongoing
            && root.side_to_move() != certificate.winner
        {
            on_search!(self, s => s.assume_lost(&s.enter(&root)));
        }
    }

    /// Assumes that the side to move wins these positions, by their numbers in a
    /// certificate, and by which moves, if given; but only as many as leave most of
    /// the table to what searches find. Illegal entries are skipped. No search may
    /// be running. The table is [assuming](Solver::assuming) them from then on.
    pub(crate) fn assume_won(&self, won: impl Iterator<Item = (u128, Option<u16>)>) {
        let won = won.take(self.table_bytes() / ASSUMED_BYTES);
        on_search!(self, s => for (number, code) in won {
            s.assume_won(number, code, false);
        });
    }

    fn contents(&self) -> Contents<'_> {
        Contents {
            board: self.board,
            assumptions: self.assumptions,
            weights: on_search!(self, s => s.learned()).into_weights(),
            buckets: on_search!(self, s => s.table.buckets()),
        }
    }

    /// Writes the table and what was learned, with what has been spent on it;
    /// no search may be running.
    pub(crate) fn save(&self, out: impl Write, spent: Spent) -> io::Result<()> {
        self.contents().write(out, spent)
    }

    /// Loads what [`Solver::save`] wrote into a solver that has not searched
    /// yet; returns what was spent on it.
    pub(crate) fn load(&self, input: impl Read, mode: LoadMode) -> Result<Spent, SavedError> {
        let mut contents = self.contents();
        let spent = contents.read(input, mode, &|words, index, bucket| {
            on_search!(self, s => s.table.import_bucket(words, index, bucket));
        })?;
        let weights = contents.weights;
        on_search!(self, s => s.keep(&Learner::from_weights(&s.windows, weights)));
        Ok(spent)
    }

    /// Positions searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        on_search!(self, s => s.nodes.load(Relaxed))
    }

    /// The size of the table in bytes.
    pub(crate) fn table_bytes(&self) -> usize {
        on_search!(self, s => s.table.buckets().bytes())
    }
}
