//! The windows on the board: which of them a change touches, and which rows of
//! the network their contents stand for.

use super::network::Shape;
use arrayvec::ArrayVec;

/// The most windows a board has, and so the most rows an accumulator sums up.
pub(super) const MOST_WINDOWS: usize = 64;

/// Places of rows in a network's table.
pub(super) type Rows = ArrayVec<u32, MOST_WINDOWS>;

/// The rows of one position's windows, from White's and from Black's view.
pub(super) type BothRows = [Rows; 2];

/// Look-up tables of one shape.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    files: u32,
    ranks: u32,
    /// The squares that are the lowest left corner of a window.
    corners: u64,
    /// Where the rows of a corner's window begin, from either view.
    bases: [[u32; 64]; 2],
    /// What a window's men of one side add to the place of a row: the digit 1
    /// of base 3 for each, as White sees it and as Black does.
    digits: Box<[[u32; 2]; 512]>,
}

impl Windows {
    /// The tables for a network whose rows have so many blocks of lanes.
    pub fn new(shape: &Shape) -> Self {
        let (files, ranks) = (u32::from(shape.window_files), u32::from(shape.window_ranks));
        let blocks = shape.blocks() as u32;
        let across = 9 - files;
        let mut corners = 0;
        let mut bases = [[0; 64]; 2];
        for row in 0..9 - ranks {
            for file in 0..across {
                let corner = 8 * row + file;
                corners |= 1 << corner;
                let seen_from_black = 8 - ranks - row;
                for (view, row) in [row, seen_from_black].into_iter().enumerate() {
                    let window = row * across + file;
                    bases[view][corner as usize] = window * shape.patterns() as u32 * blocks;
                }
            }
        }
        let mut digits = Box::new([[0; 2]; 512]);
        for (bits, places) in digits.iter_mut().enumerate() {
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
            corners,
            bases,
            digits,
        }
    }

    /// How many windows there are.
    pub const fn count(&self) -> usize {
        self.corners.count_ones() as usize
    }

    /// The corners of all windows.
    pub const fn corners(&self) -> u64 {
        self.corners
    }

    /// The corners of the windows that hold any of these squares.
    #[inline]
    pub fn touched(&self, squares: u64) -> u64 {
        // What is shifted over the edge of the board lands on files that are
        // no corner's.
        let across = (0..self.files).fold(0, |set, file| set | squares >> file);
        let touched = (0..self.ranks).fold(0, |set, rank| set | across >> (8 * rank));
        touched & self.corners
    }

    /// Appends the rows of the windows with these corners, both views.
    #[inline]
    pub fn collect(&self, men: [u64; 2], corners: u64, rows: &mut BothRows) {
        match self.ranks {
            1 => self.collect_of::<1>(men, corners, rows),
            2 => self.collect_of::<2>(men, corners, rows),
            3 => self.collect_of::<3>(men, corners, rows),
            _ => self.collect_of::<8>(men, corners, rows),
        }
    }

    /// The same for windows of at most so many ranks.
    #[inline]
    fn collect_of<const RANKS: u32>(&self, men: [u64; 2], mut corners: u64, rows: &mut BothRows) {
        let ranks = if RANKS <= 3 { RANKS } else { self.ranks };
        while corners != 0 {
            let corner = corners.trailing_zeros();
            corners &= corners - 1;
            let [white, black] = men.map(|men| self.contents(men >> corner, ranks));
            let (white, black) = (self.digits[white], self.digits[black]);
            let bases = self
                .bases
                .each_ref()
                .map(|bases| bases[corner as usize & 63]);
            rows[0].push(bases[0] + white[0] + 2 * black[0]);
            rows[1].push(bases[1] + black[1] + 2 * white[1]);
        }
    }

    /// The cells of the window at a1 that hold a man, as bits.
    #[inline]
    fn contents(&self, men: u64, ranks: u32) -> usize {
        let row = (1u64 << self.files) - 1;
        let bits = (0..ranks).fold(0, |bits, rank| {
            bits | (men >> (8 * rank) & row) << (rank * self.files)
        });
        bits as usize & 511
    }
}
