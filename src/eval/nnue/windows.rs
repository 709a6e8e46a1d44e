//! The windows on the board: which rows of the network their contents select,
//! and how a change of pieces affects them.

use super::shape::{MAX_CELLS, MAX_KINDS, Shape};
use super::simd::RowPair;
use crate::game::breakthrough::Bits;
use arrayvec::ArrayVec;

/// The most squares, and so the most windows, that a board has; an accumulator
/// sums up one row of each.
const MAX_WINDOWS: usize = 128;

/// Rows of windows.
pub(super) type RowList = ArrayVec<RowPair, MAX_WINDOWS>;

/// The lower left corners of windows, by kind of window.
pub(super) type Corners<B> = [B; MAX_KINDS];

/// All windows of a network's shape, for boards kept in sets of this type.
#[derive(Clone, Debug)]
pub(super) struct Windows<B> {
    grids: ArrayVec<Grid<B>, MAX_KINDS>,
    /// How many windows there are.
    count: usize,
    /// The rows of empty windows, each grid's by corner. The entries between
    /// them belong to no window; they are updated like the others, which is
    /// cheaper than a check.
    empty: Vec<RowPair>,
    /// The most pieces on a square.
    height: u64,
    /// The file of each square.
    file_of: Vec<u8>,
}

/// The windows of one kind, everywhere on the board.
#[derive(Clone, Debug)]
struct Grid<B> {
    files: u32,
    ranks: u32,
    /// Squares per row of a set.
    stride: u32,
    /// The squares that are the lower left corner of a window.
    corners: B,
    /// Where the place of the window at a1 is.
    first: usize,
    /// For each file, the squares of a window that may lie on it, lowest ranks first.
    cells: Vec<ArrayVec<Cell, MAX_CELLS>>,
}

/// A square of a window.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// How far it is from the window's corner.
    offset: usize,
    /// What its contents, times this, add to the place, by view.
    weight: [u64; 2],
}

impl<B: Bits> Windows<B> {
    /// The windows of a network of this shape.
    pub(super) fn new(shape: &Shape) -> Self {
        let mut windows = Self {
            grids: ArrayVec::new(),
            count: 0,
            empty: Vec::new(),
            height: shape.height.into(),
            file_of: files_of::<B>(shape.board_files),
        };
        let mut row = 0;
        for window in shape.windows() {
            let grid = Grid::<B>::new(shape, window, windows.empty.len());
            windows.empty.resize(grid.first + B::CAPACITY, 0);
            grid.fill(shape, window, row, &mut windows.empty[grid.first..]);
            windows.count += grid.corners.count() as usize;
            windows.grids.push(grid);
            row += (shape.rows_of(window) * shape.stride()) as u64;
        }
        windows
    }

    /// How many windows there are.
    #[inline]
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// How many places there are to store.
    #[inline]
    pub(super) const fn size(&self) -> usize {
        self.empty.len()
    }

    /// The corners of all windows.
    #[inline]
    pub(super) fn corners(&self) -> Corners<B> {
        self.of_each(|grid| grid.corners)
    }

    #[inline]
    fn of_each(&self, corners: impl Fn(&Grid<B>) -> B) -> Corners<B> {
        let mut all = [B::EMPTY; MAX_KINDS];
        for (set, grid) in all.iter_mut().zip(&self.grids) {
            *set = corners(grid);
        }
        all
    }

    /// Where the places of windows with these corners are.
    #[inline]
    pub(super) fn places_of(&self, corners: Corners<B>) -> impl Iterator<Item = usize> {
        let grids = self.grids.iter().zip(corners);
        grids.flat_map(|(grid, set)| set.squares().map(|corner| grid.first + usize::from(corner)))
    }

    /// The places of all windows, from scratch.
    pub(super) fn refresh<M: AsRef<[B]>>(&self, pieces: &[M; 2], places: &mut [RowPair]) {
        places.copy_from_slice(&self.empty);
        let all = pieces.iter().flat_map(|pieces| pieces.as_ref());
        let occupied = all.fold(B::EMPTY, |set, &pieces| set | pieces);
        for square in occupied.squares() {
            self.change(square, self.contents(pieces, square), places);
        }
    }

    /// Computes the places of all windows from those with other pieces; returns
    /// the corners of the windows that the change touches.
    #[inline]
    pub(super) fn update<M: AsRef<[B]>>(
        &self,
        (old, old_places): (&[M; 2], &[RowPair]),
        pieces: &[M; 2],
        places: &mut [RowPair],
    ) -> Corners<B> {
        places.copy_from_slice(old_places);
        let changed = changed(old, pieces);
        for square in changed.squares() {
            let (was, is) = (self.contents(old, square), self.contents(pieces, square));
            let by = [is[0].wrapping_sub(was[0]), is[1].wrapping_sub(was[1])];
            self.change(square, by, places);
        }
        self.of_each(|grid| grid.touched(changed))
    }

    /// Adds to the contents of a square, as each side sees them.
    #[inline]
    fn change(&self, square: u8, by: [u64; 2], places: &mut [RowPair]) {
        let file = usize::from(self.file_of[usize::from(square)]);
        for grid in &self.grids {
            for cell in &grid.cells[file] {
                let place = &mut places[grid.first + usize::from(square) - cell.offset];
                let white = by[0].wrapping_mul(cell.weight[0]);
                let black = by[1].wrapping_mul(cell.weight[1]);
                *place = place.wrapping_add(white.wrapping_add(black));
            }
        }
    }

    /// What stands on a square, as White and as Black sees it: 0 for nothing,
    /// then own pieces by number, then enemies.
    #[inline]
    fn contents<M: AsRef<[B]>>(&self, pieces: &[M; 2], square: u8) -> [u64; 2] {
        let [white, black] = pieces.each_ref().map(|pieces| {
            let layers = pieces.as_ref().iter();
            layers.map(|set| u64::from(set.has(square))).sum::<u64>()
        });
        let seen = |own: u64, enemy: u64| own + enemy + self.height * enemy.min(1);
        [seen(white, black), seen(black, white)]
    }
}

/// How many corners there are.
#[inline]
pub(super) fn number<B: Bits>(corners: Corners<B>) -> usize {
    corners.iter().map(|set| set.count() as usize).sum()
}

impl<B: Bits> Grid<B> {
    /// The windows of this size; `before` places come before theirs.
    fn new(shape: &Shape, window: (u8, u8), before: usize) -> Self {
        let (files, ranks) = (u32::from(window.0), u32::from(window.1));
        let (states, row_stride) = (u64::from(shape.states()), shape.stride() as u64);
        let stride = B::stride(shape.board_files);
        let (across, upward) = shape.places_of(window);
        let row = (0..across).fold(B::EMPTY, |set, file| set | B::bit(file));
        let rows = (0..u32::from(upward)).map(|rank| row.up(stride * rank));
        let kept = i64::from(shape.kept_places_of(window).0);
        let cell = |on: u32, cell: u32| {
            let (rank, file) = (cell / files, cell % files);
            let is_right = i64::from(on) - i64::from(file) >= kept;
            let read = if is_right { files - 1 - file } else { file };
            let weight = |rank| states.pow(rank * files + read) * row_stride;
            Cell {
                offset: (stride * rank + file) as usize,
                weight: [weight(rank), weight(ranks - 1 - rank) << 32],
            }
        };
        let cells = |on| (0..files * ranks).map(|number| cell(on, number)).collect();
        Self {
            files,
            ranks,
            stride,
            corners: rows.fold(B::EMPTY, |set, row| set | row),
            first: before + (stride * (ranks - 1) + files - 1) as usize,
            cells: (0..stride).map(cells).collect(),
        }
    }

    /// Fills in the places of empty windows, whose rows begin at `row`.
    fn fill(&self, shape: &Shape, window: (u8, u8), row: u64, places: &mut [RowPair]) {
        let row_stride = shape.stride() as u64;
        let rows_of_a_window = shape.patterns_of(window) as u64 * row_stride;
        let (across, upward) = shape.places_of(window);
        let kept = u32::from(shape.kept_places_of(window).0);
        for corner in self.corners.squares() {
            let (rank, file) = (
                u32::from(corner) / self.stride,
                u32::from(corner) % self.stride,
            );
            // The row of the window's mirror image, from its second half.
            let (like, half) = if file < kept {
                (file, 0)
            } else {
                (u32::from(across) - 1 - file, row_stride / 2)
            };
            let first = |rank| row + u64::from(rank * kept + like) * rows_of_a_window + half;
            let turned = u32::from(upward) - 1 - rank;
            places[usize::from(corner)] = first(rank) | first(turned) << 32;
        }
    }

    /// The corners of the windows that hold any of these squares.
    #[inline]
    fn touched(&self, squares: B) -> B {
        // What is shifted past the edge of a row lands on the last files of
        // another, which hold no corners.
        let across = (0..self.files).fold(B::EMPTY, |set, file| set | squares.down(file));
        let touched =
            (0..self.ranks).fold(B::EMPTY, |set, rank| set | across.down(self.stride * rank));
        touched & self.corners
    }
}

/// The file of each square on a board with this many files.
fn files_of<B: Bits>(files: u8) -> Vec<u8> {
    let stride = B::stride(files) as usize;
    (0..B::CAPACITY)
        .map(|square| (square % stride) as u8)
        .collect()
}

/// The squares whose stacks differ.
#[inline]
fn changed<B: Bits, M: AsRef<[B]>>(old: &[M; 2], pieces: &[M; 2]) -> B {
    let mut squares = B::EMPTY;
    for (old, pieces) in old.iter().zip(pieces) {
        for (&old, &pieces) in old.as_ref().iter().zip(pieces.as_ref()) {
            squares |= old ^ pieces;
        }
    }
    squares
}
