//! The windows on the board: which of them a change touches, and which rows of
//! the network their contents stand for.

use super::shape::Shape;
use crate::game::troyka::Bits;
use arrayvec::ArrayVec;

/// The most squares, and so the most windows, that a board has; an accumulator
/// sums up one row of each.
const MOST_WINDOWS: usize = 128;

/// Places of rows in a network's table.
pub(super) type Rows = ArrayVec<u32, MOST_WINDOWS>;

/// The rows of one position's windows, from White's and from Black's view.
pub(super) type BothRows = [Rows; 2];

/// Look-up tables of one shape, for boards kept in such sets.
#[derive(Clone, Debug)]
pub(super) struct Windows<B> {
    files: u32,
    ranks: u32,
    /// Files of the board.
    board_files: u8,
    /// The squares that are the lowest left corner of a window.
    corners: B,
    /// The lowest row of the window at a1.
    row: B,
    tables: Box<Tables>,
}

#[derive(Clone, Debug)]
struct Tables {
    /// Where the rows of a corner's window begin, from either view.
    bases: [[u32; MOST_WINDOWS]; 2],
    /// What a window's men of one side add to the place of a row: the digit 1
    /// of base 3 for each, as White sees it and as Black does.
    digits: [[u32; 2]; 512],
}

impl<B: Bits> Windows<B> {
    /// The tables for a network of this shape.
    pub fn new(shape: &Shape) -> Self {
        let (files, ranks) = (u32::from(shape.window_files), u32::from(shape.window_ranks));
        let blocks = shape.blocks() as u32;
        let (across, upward) = shape.places();
        let (across, upward) = (u32::from(across), u32::from(upward));
        let stride = B::stride(shape.board_files);
        let mut corners = B::EMPTY;
        let mut tables = Box::new(Tables {
            bases: [[0; MOST_WINDOWS]; 2],
            digits: [[0; 2]; 512],
        });
        for row in 0..upward {
            for file in 0..across {
                let corner = (stride * row + file) as u8;
                corners |= B::bit(corner);
                let seen_from_black = upward - 1 - row;
                for (view, row) in [row, seen_from_black].into_iter().enumerate() {
                    let window = row * across + file;
                    tables.bases[view][usize::from(corner)] =
                        window * shape.patterns() as u32 * blocks;
                }
            }
        }
        let used = &mut tables.digits[..1 << (files * ranks)];
        for (bits, places) in used.iter_mut().enumerate() {
            for cell in 0..files * ranks {
                if bits >> cell & 1 == 0 {
                    continue;
                }
                let (row, file) = (cell / files, cell % files);
                let turned = (ranks - 1 - row) * files + file;
                places[0] += 3u32.pow(cell) * blocks;
                places[1] += 3u32.pow(turned) * blocks;
            }
        }
        Self {
            files,
            ranks,
            board_files: shape.board_files,
            corners,
            row: (0..shape.window_files).fold(B::EMPTY, |set, file| set | B::bit(file)),
            tables,
        }
    }

    /// How many windows there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.corners.count() as usize
    }

    /// The corners of all windows.
    #[inline]
    pub const fn corners(&self) -> B {
        self.corners
    }

    /// The corners of the windows that hold any of these squares.
    #[inline]
    pub fn touched(&self, squares: B) -> B {
        let stride = B::stride(self.board_files);
        // What is shifted over the edge of a row lands on its last files, which
        // are no corner's.
        let across = (0..self.files).fold(B::EMPTY, |set, file| set | squares.down(file));
        let touched = (0..self.ranks).fold(B::EMPTY, |set, rank| set | across.down(stride * rank));
        touched & self.corners
    }

    /// Appends the rows of the windows with these corners, both views.
    #[inline]
    pub fn collect(&self, men: [B; 2], corners: B, rows: &mut BothRows) {
        match self.ranks {
            1 => self.collect_of::<1>(men, corners, rows),
            2 => self.collect_of::<2>(men, corners, rows),
            3 => self.collect_of::<3>(men, corners, rows),
            _ => self.collect_of::<9>(men, corners, rows),
        }
    }

    /// The same for windows of at most so many ranks.
    #[inline]
    fn collect_of<const RANKS: u32>(&self, men: [B; 2], mut corners: B, rows: &mut BothRows) {
        let ranks = if RANKS <= 3 { RANKS } else { self.ranks };
        while !corners.is_empty() {
            let corner = corners.lowest();
            corners = corners.without_lowest();
            let [white, black] = men.map(|men| self.contents(men.down(u32::from(corner)), ranks));
            let (white, black) = (self.tables.digits[white], self.tables.digits[black]);
            let corner = usize::from(corner) & (MOST_WINDOWS - 1);
            let bases = self.tables.bases.each_ref().map(|bases| bases[corner]);
            rows[0].push(bases[0] + white[0] + 2 * black[0]);
            rows[1].push(bases[1] + black[1] + 2 * white[1]);
        }
    }

    /// The cells of the window at a1 that hold a man, as bits.
    #[inline]
    fn contents(&self, men: B, ranks: u32) -> usize {
        let stride = B::stride(self.board_files);
        let bits = (0..ranks).fold(0, |bits, rank| {
            // A window's row is in the lowest bits, which folding keeps.
            let row = (men.down(stride * rank) & self.row).fold();
            bits | row << (rank * self.files)
        });
        bits as usize & 511
    }
}
