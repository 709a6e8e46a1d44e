//! What the evaluation counts for each side.

use crate::base::Side;
use crate::game::Game as _;
use crate::game::breakthrough::{Bits, Geometry, Position};
use std::ops::Range;

/// Rows a feature is split by: 0 unused, 1 to 5 steps to the goal (5 is "5 or
/// more"), 6 the second home rank, 7 the first.
const ROWS: usize = 8;

/// Distances of a file to the nearer edge; 3 is "3 or more".
const EDGES: usize = 4;

/// A run of features of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What is counted.
    pub name: &'static str,
    first: usize,
    len: usize,
}

impl Group {
    const fn new(name: &'static str, first: usize, len: usize) -> Self {
        Self { name, first, len }
    }

    const fn end(&self) -> usize {
        self.first + self.len
    }

    /// The features of the group.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.first..self.first + self.len
    }
}

/// Pieces by row and distance to the edge: piece value, advancement, home ground
/// and key squares in one.
const PIECES: Group = Group::new("pieces by square", 0, ROWS * EDGES);
/// Pieces that no enemy attacks.
const QUIET: Group = Group::new("unattacked pieces", PIECES.end(), ROWS);
/// Attacked pieces with at least as many guards as attackers.
const HELD: Group = Group::new("attacked pieces that hold", QUIET.end(), ROWS);
/// Attacked pieces with too few guards, of the side to move: it can react.
const LOOSE_OWN: Group = Group::new("loose pieces, mover's", HELD.end(), ROWS);
/// The same for the other side: they can be taken now.
const LOOSE_ENEMY: Group = Group::new("loose pieces, to be taken", LOOSE_OWN.end(), ROWS);
/// Pieces that one friend guards.
const GUARDED: Group = Group::new("guarded pieces", LOOSE_ENEMY.end(), ROWS);
/// Pieces that two friends guard.
const DOUBLY: Group = Group::new("doubly guarded pieces", GUARDED.end(), ROWS);
/// Pieces with a friend on the next file of the same rank.
const BESIDE: Group = Group::new("horizontal connections", DOUBLY.end(), ROWS);
/// Pieces with a friend straight behind.
const BEHIND: Group = Group::new("vertical connections", BESIDE.end(), ROWS);
/// Pieces that no enemy can meet any more on the way to the goal, by row: the
/// mover's.
const PASSED_OWN: Group = Group::new("passed pieces, mover's", BEHIND.end(), ROWS);
/// The same, the other side's.
const PASSED_ENEMY: Group = Group::new("passed pieces, other's", PASSED_OWN.end(), ROWS);
/// The row of the foremost piece.
const FOREMOST: Group = Group::new("foremost piece", PASSED_ENEMY.end(), ROWS);
/// Steps that are open, straight and diagonal.
const MOBILITY: Group = Group::new("mobility", FOREMOST.end(), 1);
/// Files without a piece of one's own.
const HOLES: Group = Group::new("column holes", MOBILITY.end(), 1);
/// Squares that no own piece stands on or can reach any more.
const LEAKS: Group = Group::new("unguardable squares", HOLES.end(), ROWS);
/// Safe steps: onto squares where the piece would not be lost.
const SAFE_STEPS: Group = Group::new("safe steps", LEAKS.end(), ROWS);

/// The number of features.
pub const FEATURES: usize = SAFE_STEPS.end();

/// All groups in order.
pub const GROUPS: [Group; 16] = [
    PIECES,
    QUIET,
    HELD,
    LOOSE_OWN,
    LOOSE_ENEMY,
    GUARDED,
    DOUBLY,
    BESIDE,
    BEHIND,
    PASSED_OWN,
    PASSED_ENEMY,
    FOREMOST,
    MOBILITY,
    HOLES,
    LEAKS,
    SAFE_STEPS,
];

/// Sets of squares that depend on the shape of the board alone.
#[derive(Clone, Debug)]
pub struct Zones<B> {
    /// By side and row.
    rows: [[B; ROWS]; 2],
    /// By distance to the edge.
    edges: [B; EDGES],
}

impl<B: Bits> Zones<B> {
    /// The zones of a board.
    #[must_use]
    pub fn new(geometry: &Geometry<B>) -> Self {
        let mut zones = Self {
            rows: [[B::EMPTY; ROWS]; 2],
            edges: [B::EMPTY; EDGES],
        };
        for square in geometry.board().squares() {
            let file = geometry.file(square);
            let edge = file.min(geometry.files() - 1 - file);
            zones.edges[usize::from(edge).min(EDGES - 1)] |= B::bit(square);
            for side in Side::BOTH {
                let steps = geometry.steps_to_goal(side, square);
                let row = match geometry.ranks() - 1 - steps {
                    0 => 7,
                    1 => 6,
                    _ => usize::from(steps).min(5),
                };
                zones.rows[side.index()][row] |= B::bit(square);
            }
        }
        zones
    }
}

/// The squares a side attacks: at least once, and twice.
#[derive(Clone, Copy)]
struct Cover<B> {
    once: B,
    twice: B,
}

impl<B: Bits> Cover<B> {
    #[inline]
    fn of(geometry: &Geometry<B>, side: Side, pieces: B) -> Self {
        let left = geometry.ahead_left(side, pieces);
        let right = geometry.ahead_right(side, pieces);
        Self {
            once: left | right,
            twice: left & right,
        }
    }
}

/// All squares that pieces can still step to or take on, now or later.
#[inline]
fn reach<B: Bits>(geometry: &Geometry<B>, side: Side, pieces: B) -> B {
    let mut front = pieces;
    let mut all = B::EMPTY;
    for _ in 1..geometry.ranks() {
        front = (geometry.ahead(side, front) | geometry.attacks(side, front)) & geometry.board();
        all |= front;
        front |= pieces;
    }
    all
}

/// Counts every feature of a position and hands it to `add` as side, feature
/// and number.
#[inline]
pub fn count<B: Bits>(
    position: &Position<B>,
    zones: &Zones<B>,
    mut add: impl FnMut(Side, usize, i32),
) {
    let geometry = position.geometry();
    let cover = Side::BOTH.map(|side| Cover::of(geometry, side, position.pieces(side)));
    let reaches = Side::BOTH.map(|side| reach(geometry, side, position.pieces(side)));
    for side in Side::BOTH {
        let own = position.pieces(side);
        let enemy = position.pieces(!side);
        let rows = &zones.rows[side.index()];
        let (guard, attack) = (cover[side.index()], cover[(!side).index()]);
        let is_mover = position.side_to_move() == side;

        for (row, &squares) in rows.iter().enumerate().skip(1) {
            for (edge, &files) in zones.edges.iter().enumerate() {
                let pieces = (own & squares & files).count();
                add(side, PIECES.first + row * EDGES + edge, pieces as i32);
            }
        }

        // A square holds if it has at least as many guards as attackers.
        let lost = (attack.once & !guard.once) | (attack.twice & !guard.twice);
        let loose = own & lost;
        let quiet = own & !attack.once;
        let held = own & attack.once & !lost;
        let beside = (geometry.ahead(!side, geometry.attacks(side, own))) & own;
        let behind = geometry.ahead(side, own) & own;
        // Own pieces that are out of every enemy's reach.
        let passed = own & !reaches[(!side).index()];
        let loose_group = if is_mover { LOOSE_OWN } else { LOOSE_ENEMY };
        let passed_group = if is_mover { PASSED_OWN } else { PASSED_ENEMY };
        let leaks = geometry.board() & !reaches[side.index()] & !own;
        let free = geometry.board() & !own & !lost;
        let steps = ((geometry.ahead(side, own) & !enemy) | guard.once) & free;
        for (group, set) in [
            (QUIET, quiet),
            (HELD, held),
            (loose_group, loose),
            (GUARDED, own & guard.once),
            (DOUBLY, own & guard.twice),
            (BESIDE, beside),
            (BEHIND, behind),
            (passed_group, passed),
            (LEAKS, leaks),
            (SAFE_STEPS, steps),
        ] {
            for (row, &squares) in rows.iter().enumerate().skip(1) {
                add(side, group.first + row, (set & squares).count() as i32);
            }
        }
        if let Some(row) = (1..ROWS).find(|&row| !(own & rows[row]).is_empty()) {
            add(side, FOREMOST.first + row, 1);
        }
        let open = geometry.ahead(side, own) & position.empty();
        let left = geometry.ahead_left(side, own) & !own & geometry.board();
        let right = geometry.ahead_right(side, own) & !own & geometry.board();
        add(
            side,
            MOBILITY.first,
            (open.count() + left.count() + right.count()) as i32,
        );
        add(side, HOLES.first, column_holes(geometry, own));
    }
}

/// Files without a piece.
#[inline]
pub fn column_holes<B: Bits>(geometry: &Geometry<B>, pieces: B) -> i32 {
    let mut columns = pieces;
    for _ in 1..geometry.ranks() {
        columns |= geometry.ahead(Side::Black, columns);
    }
    let first = B::first_rank(geometry.files());
    i32::from(geometry.files()) - (columns & first).count() as i32
}
