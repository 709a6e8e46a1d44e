//! The board: squares, walls, goals, and the rays that stacks move along.

use crate::base::Side;

/// Files of the board.
pub const FILES: u8 = 5;
/// Ranks of the board.
pub const RANKS: u8 = 9;
/// Squares of the board, numbered from a1 along the ranks.
pub(crate) const SQUARES: u8 = FILES * RANKS;

/// All squares.
pub(crate) const BOARD: u64 = (1 << SQUARES) - 1;
const FIRST_FILE: u64 = 0x1084_2108_4210_8421 & BOARD;
const LAST_FILE: u64 = FIRST_FILE << (FILES - 1);
/// The squares of the outer files, which hold one piece.
pub(crate) const EDGES: u64 = FIRST_FILE | LAST_FILE;
/// The squares of the two walls, ranks 3 and 7.
pub(crate) const WALLS: u64 = rank(2) | rank(6);

/// The squares of a rank counted from 0.
const fn rank(index: u8) -> u64 {
    0b11111 << (FILES * index)
}

/// The pieces that a square holds without exploding.
#[inline]
pub(crate) const fn capacity(square: u8) -> u32 {
    if EDGES >> square & 1 == 0 { 2 } else { 1 }
}

/// The squares of the rank that a side wants to reach.
#[inline]
pub(crate) const fn goal(side: Side) -> u64 {
    rank_before_goal(side, 0)
}

/// The squares `steps` (at most 8) ranks before a side's goal.
#[inline]
pub(crate) const fn rank_before_goal(side: Side, steps: u8) -> u64 {
    match side {
        Side::White => rank(RANKS - 1 - steps),
        Side::Black => rank(steps),
    }
}

/// The squares that a side's pieces reach only by exploding on its far wall: the
/// last two ranks.
#[inline]
pub(super) const fn beyond_far_wall(side: Side) -> u64 {
    match side {
        Side::White => BOARD & !(BOARD >> (2 * FILES)),
        Side::Black => BOARD >> (7 * FILES),
    }
}

/// The squares one step forward.
#[inline]
pub(crate) const fn ahead(side: Side, set: u64) -> u64 {
    match side {
        Side::White => set << FILES & BOARD,
        Side::Black => set >> FILES,
    }
}

/// The neighbours towards the a-file.
#[inline]
pub(super) const fn left(set: u64) -> u64 {
    (set & !FIRST_FILE) >> 1
}

/// The neighbours away from the a-file.
#[inline]
pub(super) const fn right(set: u64) -> u64 {
    (set & !LAST_FILE) << 1
}

/// The squares of a set, lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Squares(u64);

/// The squares of a set, lowest first.
#[inline]
pub(crate) const fn squares(set: u64) -> Squares {
    Squares(set)
}

impl Iterator for Squares {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let square = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

pub(crate) fn square_name(square: u8) -> String {
    crate::game::breakthrough::square_name(square % FILES, square / FILES)
}

/// Diagonals by direction: up left, up right, down left, down right.
const STEPS: [(i8, i8); 4] = [(-1, 1), (1, 1), (-1, -1), (1, -1)];

/// Squares of one ray, starting beside `square`; with a side, as far as that
/// side's stacks may go: forward, no step off a wall and none past one.
const fn ray(square: u8, direction: usize, side: Option<Side>) -> u64 {
    let (sideways, up) = STEPS[direction];
    let forward = match side {
        Some(Side::White) => up > 0,
        Some(Side::Black) => up < 0,
        None => false,
    };
    if forward && WALLS >> square & 1 != 0 {
        return 0;
    }
    let (mut file, mut row) = ((square % FILES) as i8, (square / FILES) as i8);
    let mut set = 0;
    loop {
        (file, row) = (file + sideways, row + up);
        if file < 0 || file >= FILES as i8 || row < 0 || row >= RANKS as i8 {
            return set;
        }
        let bit = 1u64 << (row * FILES as i8 + file);
        set |= bit;
        if forward && WALLS & bit != 0 {
            return set;
        }
    }
}

const fn all_rays(side: Option<Side>) -> [[u64; 4]; SQUARES as usize] {
    let mut table = [[0; 4]; SQUARES as usize];
    let mut square = 0;
    while square < SQUARES {
        let mut direction = 0;
        while direction < 4 {
            table[square as usize][direction] = ray(square, direction, side);
            direction += 1;
        }
        square += 1;
    }
    table
}

static FREE: [[u64; 4]; SQUARES as usize] = all_rays(None);
static OF_SIDE: [[[u64; 4]; SQUARES as usize]; 2] =
    [all_rays(Some(Side::White)), all_rays(Some(Side::Black))];

/// Where a stack on `square` (on the board) can slide to, including the first
/// stack in its way, of either side.
#[inline]
pub(super) fn slides(side: Side, square: u8, occupied: u64) -> u64 {
    let rays = &OF_SIDE[side.index()][usize::from(square)];
    let mut reached = 0;
    for (direction, &ray) in rays.iter().enumerate() {
        let blockers = ray & occupied;
        reached |= if blockers == 0 {
            ray
        } else {
            let first = if direction < 2 {
                blockers.trailing_zeros()
            } else {
                63 - blockers.leading_zeros()
            };
            ray & !FREE[first as usize][direction]
        };
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_what_they_are_named() {
        assert_eq!(BOARD.count_ones(), 45);
        assert_eq!(EDGES.count_ones(), 18);
        assert_eq!(
            squares(WALLS)
                .map(square_name)
                .collect::<Vec<_>>()
                .join(" "),
            "a3 b3 c3 d3 e3 a7 b7 c7 d7 e7"
        );
        assert_eq!(goal(Side::White), rank(8));
        assert_eq!(rank_before_goal(Side::Black, 1), rank(1));
        assert_eq!((capacity(0), capacity(1), capacity(4)), (1, 2, 1));
        assert_eq!(beyond_far_wall(Side::White), rank(7) | rank(8));
        assert_eq!(beyond_far_wall(Side::Black), rank(0) | rank(1));
    }

    #[test]
    fn slides_stop_at_walls_forward_only() {
        let names = |set| squares(set).map(square_name).collect::<Vec<_>>().join(" ");
        // c1: forward to the wall on rank 3.
        assert_eq!(names(slides(Side::White, 2, 0)), "b2 d2 a3 e3");
        // a1 is on Black's goal: only backward, past a wall.
        assert_eq!(names(slides(Side::Black, 0, 0)), "b2 c3 d4 e5");
        // On the wall b3 White goes only backward.
        assert_eq!(names(slides(Side::White, 11, 0)), "d1 a2 c2");
        // A stack in the way is reached, not passed.
        assert_eq!(names(slides(Side::Black, 0, 1 << 12)), "b2 c3");
    }
}
