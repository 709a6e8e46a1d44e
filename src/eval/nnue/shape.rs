//! How large networks are.

use super::simd::{LANES, PAIRS};
use crate::base::{OutOfMemory, Side};
use crate::game::breakthrough::{Bits, Geometry};
use crate::game::{Game as _, Notation, breakthrough, freeling};
use std::fmt::Debug;
use std::{fmt, io};
use thiserror::Error;

/// Positions that networks can evaluate.
pub(crate) trait Inputs: Notation {
    /// Sets of squares.
    type Set: Bits;
    /// A side's pieces: the squares with at least one of them, those with at least
    /// two, and so on up to the most that a square holds.
    type Pieces: AsRef<[Self::Set]> + AsMut<[Self::Set]> + Copy + PartialEq + Debug + Send;

    /// The most pieces that a square holds.
    const HEIGHT: u8;

    /// The pieces of a side.
    fn pieces_of(&self, side: Side) -> Self::Pieces;

    fn square_name(&self, square: u8) -> String;
}

/// How many pieces there are.
#[inline]
pub(super) fn count<B: Bits>(pieces: &impl AsRef<[B]>) -> u32 {
    pieces.as_ref().iter().map(|set| set.count()).sum()
}

impl<B: Bits> Inputs for breakthrough::Position<B> {
    type Set = B;
    type Pieces = [B; 1];

    const HEIGHT: u8 = 1;

    #[inline]
    fn pieces_of(&self, side: Side) -> [B; 1] {
        [self.pieces(side)]
    }

    fn square_name(&self, square: u8) -> String {
        let geometry = self.geometry();
        breakthrough::square_name(geometry.file(square), geometry.rank(square))
    }
}

impl Inputs for freeling::Position {
    // These have as many squares per row as the board has files, like the
    // position's own sets.
    type Set = u128;
    type Pieces = [u128; 2];

    const HEIGHT: u8 = 2;

    #[inline]
    fn pieces_of(&self, side: Side) -> [u128; 2] {
        [self.pieces(side).into(), self.pairs(side).into()]
    }

    fn square_name(&self, square: u8) -> String {
        freeling::square_name(square)
    }
}

/// Why a network was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum NetworkError {
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    #[error("it is not a petard network")]
    Magic,
    #[error("it is a petard network of another version ('{}')", .0.escape_ascii())]
    Version(u8),
    #[error("its header is wrong: {0}")]
    Shape(String),
    #[error("it has {found} bytes, expected {expected}: it is truncated or has trailing data")]
    Length {
        /// What the header says.
        expected: usize,
        /// What there is; files are read to at most one byte past their expected end.
        found: usize,
    },
    #[error("it is damaged: its checksum is {found:08x}, expected {expected:08x}")]
    Checksum {
        /// What the header says.
        expected: u32,
        /// What the file has.
        found: u32,
    },
    #[error("its weights are too large: {0}")]
    Weights(String),
}

/// The fewest files and ranks of a board.
pub(super) const SMALLEST: (u8, u8) = (2, 4);
/// The most squares of a window.
pub(super) const MAX_CELLS: usize = 9;
/// The most contents that a window can have.
const MAX_PATTERNS: u32 = 3u32.pow(9);
/// The most kinds of window in a network.
pub(super) const MAX_KINDS: usize = 2;
/// The most pieces on a board.
pub(super) const MAX_PIECES: usize = 128;

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The most pieces on a square: 1 in Breakthrough, 2 in Freeling's.
    pub(crate) height: u8,
    pub(crate) board_files: u8,
    pub(crate) board_ranks: u8,
    pub(crate) window_files: u8,
    pub(crate) window_ranks: u8,
    /// Files and ranks of the second kind of window; `None` if there is only
    /// one.
    pub(crate) second_window: Option<(u8, u8)>,
    /// Width of an accumulator.
    pub(crate) hidden: u16,
    /// Sets of output weights.
    pub(crate) buckets: u16,
    /// Pairs of units in the second layer; 0 if there is none.
    pub(crate) second_pairs: u8,
    /// Whether the right half of the board is the mirror image of the left one.
    /// Its windows have no rows: they use those of the left half, with the
    /// contents of the window mirrored and the halves of the row exchanged.
    pub(crate) is_mirrored: bool,
}

impl Shape {
    /// Refuses an invalid shape.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let (board_files, board_ranks) = self.board();
        let is_board = if self.height == freeling::Position::HEIGHT {
            self.board() == (freeling::FILES, freeling::RANKS)
        } else {
            Geometry::<u128>::new(board_files.into(), board_ranks.into()).is_ok()
        };
        let unfit = self.windows().find(|&(files, ranks)| {
            !(1..=board_files).contains(&files)
                || !(1..=board_ranks).contains(&ranks)
                || usize::from(files) * usize::from(ranks) > MAX_CELLS
                || self.patterns_of((files, ranks)) > MAX_PATTERNS as usize
        });
        let error = if !is_board {
            let what = if self.height > 1 { "stacks on " } else { "" };
            format!("{what}a board of {board_files}x{board_ranks} squares")
        } else if let Some((files, ranks)) = unfit {
            format!("windows of {files}x{ranks} squares on a board of {board_files}x{board_ranks}")
        } else {
            return check_sizes(self.hidden, self.buckets, self.second_pairs);
        };
        Err(NetworkError::Shape(error))
    }

    /// Whether it is for this board of this game.
    pub(crate) fn is_for<P: Inputs>(&self, board: (u8, u8)) -> bool {
        self.height == P::HEIGHT && self.board() == board
    }

    /// Blocks of lanes in an accumulator.
    pub(super) fn blocks(&self) -> usize {
        usize::from(self.hidden) / LANES
    }

    /// How many contents a square can have.
    pub(super) fn states(&self) -> u32 {
        2 * u32::from(self.height) + 1
    }

    /// Blocks from a row to the next one in memory: a power of two, so that a
    /// place in a row is found by XOR.
    pub(super) fn stride(&self) -> usize {
        self.blocks().next_power_of_two()
    }

    /// Whether rows have two halves that can be exchanged.
    pub(super) fn has_halves(&self) -> bool {
        has_halves(self.hidden)
    }

    /// The kinds of windows, files and ranks.
    pub(super) fn windows(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let first = (self.window_files, self.window_ranks);
        [Some(first), self.second_window].into_iter().flatten()
    }

    /// How many contents a window can have.
    pub(super) fn patterns_of(&self, (files, ranks): (u8, u8)) -> usize {
        let cells = u32::from(files) * u32::from(ranks);
        self.states().saturating_pow(cells) as usize
    }

    /// Places of a window, across and upward.
    pub(super) const fn places_of(&self, (files, ranks): (u8, u8)) -> (u8, u8) {
        (self.board_files + 1 - files, self.board_ranks + 1 - ranks)
    }

    /// Places of the first kind of window.
    pub(super) const fn places(&self) -> (u8, u8) {
        self.places_of((self.window_files, self.window_ranks))
    }

    /// The same for windows that have rows of their own.
    pub(super) const fn kept_places_of(&self, window: (u8, u8)) -> (u8, u8) {
        let (across, upward) = self.places_of(window);
        if self.is_mirrored {
            (across.div_ceil(2), upward)
        } else {
            (across, upward)
        }
    }

    /// Rows of all windows of a kind.
    pub(super) fn rows_of(&self, window: (u8, u8)) -> usize {
        let (across, upward) = self.kept_places_of(window);
        usize::from(across) * usize::from(upward) * self.patterns_of(window)
    }

    /// Rows of all windows.
    pub(super) fn rows(&self) -> usize {
        self.windows().map(|window| self.rows_of(window)).sum()
    }

    /// The board it is for, files and ranks.
    pub(crate) const fn board(&self) -> (u8, u8) {
        (self.board_files, self.board_ranks)
    }

    /// The output weights to use, by number of pieces on the board.
    pub(super) fn bucket_of_pieces(&self) -> [u8; MAX_PIECES + 1] {
        let (buckets, full) = (usize::from(self.buckets), 4 * usize::from(self.board_files));
        // Positions from outside may have more pieces than a game begins with.
        let bucket = |pieces: usize| (pieces.saturating_sub(1) * buckets / full).min(buckets - 1);
        std::array::from_fn(|pieces| bucket(pieces) as u8)
    }

    /// Bytes of a payload of this shape.
    pub(super) fn payload_bytes(&self) -> usize {
        2 * usize::from(self.hidden) * (self.rows() + 1)
            + output_bytes(self.hidden, self.buckets, self.second_pairs)
    }
}

/// Bytes of everything behind the accumulators.
fn output_bytes(hidden: u16, buckets: u16, second_pairs: u8) -> usize {
    let (hidden, buckets) = (usize::from(hidden), usize::from(buckets));
    let pairs = usize::from(second_pairs);
    4 * hidden * (buckets + pairs) + 2 * buckets * pairs + 4 * (buckets + pairs)
}

/// Whether an accumulator has two halves that can be exchanged.
fn has_halves(hidden: u16) -> bool {
    let blocks = usize::from(hidden) / LANES;
    blocks.is_power_of_two() && blocks > 1
}

/// Refuses an invalid width or number of buckets or of units in the second layer.
fn check_sizes(hidden: u16, buckets: u16, second_pairs: u8) -> Result<(), NetworkError> {
    let error = if hidden == 0 || hidden > 512 || usize::from(hidden) % LANES != 0 {
        format!("an accumulator of {hidden}")
    } else if !(1..=16).contains(&buckets) {
        format!("{buckets} output buckets")
    } else if usize::from(second_pairs) > PAIRS || second_pairs > 0 && !has_halves(hidden) {
        let units = 2 * u32::from(second_pairs);
        format!("a second layer of {units} units on an accumulator of {hidden}")
    } else {
        return Ok(());
    };
    Err(NetworkError::Shape(error))
}

/// Board or game, windows, width, units of the second layer if there are any, and
/// buckets: `8x8 3x2-64-8`, `8x8 2x3-128-16-8`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.height == freeling::Position::HEIGHT {
            write!(f, "{}", freeling::Position::NAME)?;
        } else {
            write!(f, "{}x{}", self.board_files, self.board_ranks)?;
        }
        write!(f, " {}x{}", self.window_files, self.window_ranks)?;
        if let Some((files, ranks)) = self.second_window {
            write!(f, "+{files}x{ranks}")?;
        }
        write!(f, "-{}", self.hidden)?;
        if self.second_pairs > 0 {
            write!(f, "-{}", 2 * u32::from(self.second_pairs))?;
        }
        write!(f, "-{}", self.buckets)
    }
}

/// How large a network for every board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) window_files: u8,
    pub(super) window_ranks: u8,
    pub(super) hidden: u16,
    pub(super) buckets: u16,
    /// Distances from an end of the board that are distinguished.
    pub(super) end_classes: u8,
    /// Distances from an edge of the board that are distinguished.
    pub(super) edge_classes: u8,
    /// How many files beyond the minimum add to the bias.
    pub(super) file_steps: u8,
    /// The same for ranks.
    pub(super) rank_steps: u8,
    /// Pairs of units in the second layer; 0 if there is none.
    pub(super) second_pairs: u8,
}

impl Parts {
    /// Refuses invalid sizes.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let (files, ranks) = (self.window_files, self.window_ranks);
        let error = if !(1..=SMALLEST.0).contains(&files)
            || !(1..=SMALLEST.1).contains(&ranks)
            || files * ranks > 6
        {
            format!("windows of {files}x{ranks} squares for every board")
        } else if !(1..=8).contains(&self.end_classes) || !(1..=4).contains(&self.edge_classes) {
            format!(
                "{} distances from an end, {} from an edge",
                self.end_classes, self.edge_classes
            )
        } else {
            return check_sizes(self.hidden, self.buckets, self.second_pairs);
        };
        Err(NetworkError::Shape(error))
    }

    pub(super) fn patterns(&self) -> usize {
        3usize.pow(u32::from(self.window_files) * u32::from(self.window_ranks))
    }

    /// How many numbers a table of rows with this many classes has.
    pub(super) fn table(&self, classes: u8) -> usize {
        usize::from(classes) * self.patterns() * usize::from(self.hidden)
    }

    /// Bytes of a payload of these sizes.
    pub(super) fn payload_bytes(&self) -> usize {
        let steps = usize::from(self.file_steps) + usize::from(self.rank_steps);
        let tables = 2 * self.table(self.end_classes) + 2 * self.table(self.edge_classes);
        2 * (tables + usize::from(self.hidden) * (1 + steps))
            + output_bytes(self.hidden, self.buckets, self.second_pairs)
    }

    /// The shape of the network for a board.
    pub(super) fn shape(&self, board_files: u8, board_ranks: u8) -> Shape {
        Shape {
            height: 1,
            board_files,
            board_ranks,
            window_files: self.window_files,
            window_ranks: self.window_ranks,
            second_window: None,
            hidden: self.hidden,
            buckets: self.buckets,
            second_pairs: self.second_pairs,
            is_mirrored: false,
        }
    }
}
