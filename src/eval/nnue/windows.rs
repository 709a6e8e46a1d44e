//! The windows on the board: which of them a change touches, and which rows of
//! the network their contents stand for.

use super::shape::{MOST_KINDS, Shape};
use crate::game::troyka::Bits;
use arrayvec::ArrayVec;

/// The most squares, and so the most windows, that a board has; an accumulator
/// sums up one row of each.
const MOST_WINDOWS: usize = 128;

/// Places of rows in a network's table.
pub(super) type Rows = ArrayVec<u32, MOST_WINDOWS>;

/// The rows of one position's windows, from White's and from Black's view.
pub(super) type BothRows = [Rows; 2];

/// The lowest left corners of windows, by kind of window.
pub(super) type Corners<B> = [B; MOST_KINDS];

/// All windows of one shape, for boards kept in such sets.
#[derive(Clone, Debug)]
pub(super) struct Windows<B> {
    kinds: ArrayVec<Grid<B>, MOST_KINDS>,
    count: usize,
}

/// The windows of one kind, everywhere on the board.
#[derive(Clone, Debug)]
struct Grid<B> {
    files: u32,
    ranks: u32,
    /// Squares a row of a set.
    stride: u32,
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
    /// What a set of a window's squares adds to the place of a row: the digit
    /// 1 for each square, as White sees it and as Black does.
    digits: [[u32; 2]; 512],
}

impl<B: Bits> Windows<B> {
    /// The windows of a network of this shape.
    pub fn new(shape: &Shape) -> Self {
        let mut first = 0;
        let grids = shape.windows().map(|window| {
            let grid = Grid::new(shape, window, first);
            first += (shape.rows_of(window) * shape.blocks()) as u32;
            grid
        });
        let kinds: ArrayVec<Grid<B>, MOST_KINDS> = grids.collect();
        let count = kinds.iter().map(|grid| grid.corners.count() as usize).sum();
        Self { kinds, count }
    }

    /// How many windows there are.
    #[inline]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The corners of all windows.
    #[inline]
    pub fn corners(&self) -> Corners<B> {
        self.of_each(|grid| grid.corners)
    }

    /// The corners of the windows that hold any of these squares.
    #[inline]
    pub fn touched(&self, squares: B) -> Corners<B> {
        self.of_each(|grid| grid.touched(squares))
    }

    #[inline]
    fn of_each(&self, corners: impl Fn(&Grid<B>) -> B) -> Corners<B> {
        let mut all = [B::EMPTY; MOST_KINDS];
        for (set, grid) in all.iter_mut().zip(&self.kinds) {
            *set = corners(grid);
        }
        all
    }

    /// Appends the rows of the windows with these corners, both views.
    #[inline]
    pub fn collect<M: AsRef<[B]>>(&self, men: &[M; 2], corners: Corners<B>, rows: &mut BothRows) {
        for (grid, corners) in self.kinds.iter().zip(corners) {
            match grid.ranks {
                1 => grid.collect::<1, M>(men, corners, rows),
                2 => grid.collect::<2, M>(men, corners, rows),
                3 => grid.collect::<3, M>(men, corners, rows),
                _ => grid.collect::<9, M>(men, corners, rows),
            }
        }
    }
}

/// How many corners there are.
#[inline]
pub(super) fn number<B: Bits>(corners: Corners<B>) -> usize {
    corners.iter().map(|set| set.count() as usize).sum()
}

impl<B: Bits> Grid<B> {
    /// The windows of so many files and ranks, whose rows begin at this place.
    fn new(shape: &Shape, window: (u8, u8), first: u32) -> Self {
        let (files, ranks) = (u32::from(window.0), u32::from(window.1));
        let (states, blocks) = (shape.states(), shape.blocks() as u32);
        let (across, upward) = shape.places_of(window);
        let (across, upward) = (u32::from(across), u32::from(upward));
        let rows_of_a_window = shape.patterns_of(window) as u32 * blocks;
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
                    let place = row * across + file;
                    tables.bases[view][usize::from(corner)] = first + place * rows_of_a_window;
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
                places[0] += states.pow(cell) * blocks;
                places[1] += states.pow(turned) * blocks;
            }
        }
        Self {
            files,
            ranks,
            stride,
            corners,
            row: (0..window.0).fold(B::EMPTY, |set, file| set | B::bit(file)),
            tables,
        }
    }

    /// The corners of the windows that hold any of these squares.
    #[inline]
    fn touched(&self, squares: B) -> B {
        // What is shifted over the edge of a row lands on its last files, which
        // are no corner's.
        let across = (0..self.files).fold(B::EMPTY, |set, file| set | squares.down(file));
        let touched =
            (0..self.ranks).fold(B::EMPTY, |set, rank| set | across.down(self.stride * rank));
        touched & self.corners
    }

    /// Appends the rows of the windows, which have at most so many ranks, with
    /// these corners.
    #[inline]
    fn collect<const RANKS: u32, M: AsRef<[B]>>(
        &self,
        men: &[M; 2],
        mut corners: B,
        rows: &mut BothRows,
    ) {
        let ranks = if RANKS <= 3 { RANKS } else { self.ranks };
        while !corners.is_empty() {
            let corner = corners.lowest();
            corners = corners.without_lowest();
            let [white, black] = men
                .each_ref()
                .map(|men| self.digits(men.as_ref(), corner, ranks));
            let corner = usize::from(corner) & (MOST_WINDOWS - 1);
            let bases = self.tables.bases.each_ref().map(|bases| bases[corner]);
            rows[0].push(bases[0] + white.own[0] + black.enemy[0]);
            rows[1].push(bases[1] + black.own[1] + white.enemy[1]);
        }
    }

    /// What the men of a side in a window add to the place of a row.
    #[inline]
    fn digits(&self, men: &[B], corner: u8, ranks: u32) -> Digits {
        let (mut own, mut any) = ([0; 2], [0; 2]);
        for (layer, set) in men.iter().enumerate() {
            let contents = self.contents(set.down(u32::from(corner)), ranks);
            let digits = self.tables.digits[contents];
            if layer == 0 {
                any = digits;
            }
            own = [own[0] + digits[0], own[1] + digits[1]];
        }
        // An enemy stack counts as a full own one and as many as it has men.
        let height = men.len() as u32;
        let enemy = [own[0] + height * any[0], own[1] + height * any[1]];
        Digits { own, enemy }
    }

    /// The cells of the window at a1 that are in a set, as bits.
    #[inline]
    fn contents(&self, set: B, ranks: u32) -> usize {
        let bits = (0..ranks).fold(0, |bits, rank| {
            // A window's row is in the lowest bits, which folding keeps.
            let row = (set.down(self.stride * rank) & self.row).fold();
            bits | row << (rank * self.files)
        });
        bits as usize & 511
    }
}

/// What the men of a side in a window add to the place of a row, as White and
/// as Black sees the board: where they are the viewer's own, and where they
/// are his enemy's.
struct Digits {
    own: [u32; 2],
    enemy: [u32; 2],
}
