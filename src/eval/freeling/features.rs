//! What the evaluation counts for each side.

use crate::base::Side;
use crate::game::Game as _;
use crate::game::freeling::{
    EDGES, FILES, Position, RANKS, SQUARES, ahead, beside, goal, rank_before_goal, reached, shots,
    squares,
};
use std::ops::Range;

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

    const fn after(name: &'static str, previous: Self, len: usize) -> Self {
        Self::new(name, previous.first + previous.len, len)
    }

    /// The number of features in the group.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.len
    }

    /// The features of the group.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.first..self.first + self.len
    }
}

/// Ranks a piece can stand on before it has won.
const ROWS: usize = RANKS as usize - 1;
/// Files by their distance to the edge of the board.
const COLUMNS: usize = 3;
/// Parts of the way: home and the near wall, the middle, the far wall and
/// beyond.
const ZONES: usize = 3;

/// The pieces that a side starts with.
const MOST_MEN: usize = 10;

/// Single pieces by rank and distance to the edge.
pub const SINGLES: Group = Group::new("single pieces by square", 0, ROWS * COLUMNS);
/// Pairs by rank and distance to the edge; the outer files have none.
pub const PAIRS: Group = Group::after("pairs by square", SINGLES, ROWS * COLUMNS);
/// Squares that can be made to explode, directly or by a chain, by rank: of
/// the mover, and of the other side.
const TRIGGERS: Group = Group::after("explosions at hand, mover's", PAIRS, ROWS);
const TRIGGERS_OTHER: Group = Group::after("explosions at hand, other's", TRIGGERS, ROWS);
/// Enemy stacks that such explosions hit, by the zone they have reached, of the
/// mover and of the other side.
const HITS: Group = Group::after("stacks under fire, mover's", TRIGGERS_OTHER, ZONES);
const HITS_OTHER: Group = Group::after("stacks under fire, other's", HITS, ZONES);
/// Pairs among them.
const HIT_PAIRS: Group = Group::after("pairs under fire, mover's", HITS_OTHER, 1);
const HIT_PAIRS_OTHER: Group = Group::after("pairs under fire, other's", HIT_PAIRS, 1);
/// A win in one, by a step or an explosion, that the mover has to stop.
const THREAT: Group = Group::after("win threatened", HIT_PAIRS_OTHER, 1);
/// Full squares with pieces behind them, which an explosion behind sets off:
/// loaded columns, by zone, on the outer and on the inner files.
const SIDE_COLUMNS: Group = Group::after("loaded side columns", THREAT, ZONES);
const INNER_COLUMNS: Group = Group::after("loaded inner columns", SIDE_COLUMNS, ZONES);
/// The same where the square behind is full too: a chain.
const CHAINS: Group = Group::after("loaded chains", INNER_COLUMNS, ZONES);
/// Pieces with a friend beside them, by zone.
const BESIDE: Group = Group::after("pieces side by side", CHAINS, ZONES);
/// Pieces before the goal with no enemy in their way straight ahead, on the last
/// rank and on the far wall.
const OPEN_GOAL: Group = Group::after("pieces before an open goal", BESIDE, 2);
/// Squares in reach forward and backward.
const MOBILITY: Group = Group::after("squares in reach", OPEN_GOAL, 2);
/// The rank of the foremost piece.
const FOREMOST: Group = Group::after("foremost piece", MOBILITY, ROWS);
/// Files with no piece on the home ranks or the wall before them: ways in.
const HOLES: Group = Group::after("open home files", FOREMOST, 1);
/// The number of pieces, up to 10: a piece counts more when there are few.
const NUMBERS: Group = Group::after("number of pieces", HOLES, MOST_MEN + 1);

/// The number of features.
pub const FEATURES: usize = NUMBERS.first + NUMBERS.len;

/// All groups in order.
pub const GROUPS: [Group; 18] = [
    SINGLES,
    PAIRS,
    TRIGGERS,
    TRIGGERS_OTHER,
    HITS,
    HITS_OTHER,
    HIT_PAIRS,
    HIT_PAIRS_OTHER,
    THREAT,
    SIDE_COLUMNS,
    INNER_COLUMNS,
    CHAINS,
    BESIDE,
    OPEN_GOAL,
    MOBILITY,
    FOREMOST,
    HOLES,
    NUMBERS,
];

/// The feature of every square, within a group by square, for a side.
const fn by_square(side: Side) -> [u8; SQUARES as usize] {
    let mut table = [0; SQUARES as usize];
    let mut square = 0;
    while square < SQUARES {
        let (file, mut rank) = (square % FILES, square / FILES);
        if matches!(side, Side::Black) {
            rank = RANKS - 1 - rank;
        }
        // Finished positions are not evaluated; count the goal as the rank before.
        if rank as usize == ROWS {
            rank -= 1;
        }
        let other = FILES - 1 - file;
        let edge = if file < other { file } else { other };
        table[square as usize] = rank * COLUMNS as u8 + edge;
        square += 1;
    }
    table
}

static BY_SQUARE: [[u8; SQUARES as usize]; 2] = [by_square(Side::White), by_square(Side::Black)];

/// The squares of a zone as a side sees the board.
const fn zone(side: Side, index: usize) -> u64 {
    match index {
        0 => rank_before_goal(side, 8) | rank_before_goal(side, 7) | rank_before_goal(side, 6),
        1 => rank_before_goal(side, 5) | rank_before_goal(side, 4) | rank_before_goal(side, 3),
        _ => rank_before_goal(side, 2) | rank_before_goal(side, 1) | rank_before_goal(side, 0),
    }
}

/// The squares that a side can make explode with its next move, or nearly so:
/// full ones in reach, and full ones that these shoot at in turn.
#[inline]
fn explosions_at_hand(position: &Position, side: Side, reached: u64) -> u64 {
    let (pieces, pairs, enemy) = (
        position.pieces(side),
        position.pairs(side),
        position.pieces(!side),
    );
    let full = (pieces & EDGES) | pairs;
    let by_pairs = self::reached(side, pairs, position.occupied());
    let by_pairs = (by_pairs.forward | by_pairs.backward) & (EDGES | pieces) & !enemy;
    let mut exploding = (full & reached) | by_pairs;
    for _ in 0..2 {
        exploding |= full & shots(side, exploding);
    }
    exploding & !goal(side)
}

/// Counts every feature of a position and hands it to `add` as side, feature
/// and number.
#[inline]
pub fn count(position: &Position, mut add: impl FnMut(Side, usize, i32)) {
    for side in Side::BOTH {
        let (pieces, pairs) = (position.pieces(side), position.pairs(side));
        let by_square = &BY_SQUARE[side.index()];
        for square in squares(pieces & !pairs) {
            add(
                side,
                SINGLES.first + usize::from(by_square[usize::from(square)]),
                1,
            );
        }
        for square in squares(pairs) {
            add(
                side,
                PAIRS.first + usize::from(by_square[usize::from(square)]),
                1,
            );
        }
        let reached = reached(side, pieces, position.occupied());
        count_explosions(position, side, reached.forward, reached.backward, &mut add);
        let enemy = position.pieces(!side);
        let number = |set: u64| set.count_ones() as i32;
        add(side, MOBILITY.first, number(reached.forward & !enemy));
        add(side, MOBILITY.first + 1, number(reached.backward & !enemy));
        count_shape(position, side, &mut add);
    }
}

/// What explosions can do.
#[inline]
fn count_explosions(
    position: &Position,
    side: Side,
    forward: u64,
    backward: u64,
    add: &mut impl FnMut(Side, usize, i32),
) {
    let number = |set: u64| set.count_ones() as i32;
    let is_mover = position.side_to_move() == side;
    let pick = |own: Group, other: Group| if is_mover { own.first } else { other.first };
    let enemy = position.pieces(!side);
    let exploding = explosions_at_hand(position, side, forward | backward);
    let first = pick(TRIGGERS, TRIGGERS_OTHER);
    if exploding != 0 {
        for row in 0..ROWS {
            let rank = rank_before_goal(side, (ROWS - row) as u8);
            add(side, first + row, number(exploding & rank));
        }
        let hit = shots(side, exploding) & enemy & !goal(side);
        let first = pick(HITS, HITS_OTHER);
        for index in 0..ZONES {
            add(side, first + index, number(hit & zone(!side, index)));
        }
        let first = pick(HIT_PAIRS, HIT_PAIRS_OTHER);
        add(side, first, number(hit & position.pairs(!side)));
    }
    if !is_mover {
        let last = rank_before_goal(side, 1);
        let steps = self::reached(side, position.pieces(side) & last, position.occupied()).forward;
        let ways = (steps | shots(side, exploding & last)) & goal(side) & !enemy;
        add(side, THREAT.first, i32::from(ways != 0));
    }
}

/// How the pieces stand relative to each other and to the goal.
#[inline]
fn count_shape(position: &Position, side: Side, add: &mut impl FnMut(Side, usize, i32)) {
    let number = |set: u64| set.count_ones() as i32;
    let (pieces, pairs) = (position.pieces(side), position.pairs(side));
    let enemy = position.pieces(!side);
    let ahead = |set| ahead(side, set);
    let full = (pieces & EDGES) | pairs;
    let loaded = full & ahead(pieces);
    let chains = full & ahead(full);
    let beside = pieces & beside(pieces);
    for index in 0..ZONES {
        let zone = zone(side, index);
        for (group, set) in [
            (SIDE_COLUMNS, loaded & EDGES),
            (INNER_COLUMNS, loaded & !EDGES),
            (CHAINS, chains),
            (BESIDE, beside),
        ] {
            add(side, group.first + index, number(set & zone));
        }
    }
    let open = goal(side) & !enemy;
    let last = pieces & rank_before_goal(side, 1);
    let wall = pieces & rank_before_goal(side, 2);
    add(side, OPEN_GOAL.first, number(ahead(last) & open));
    add(
        side,
        OPEN_GOAL.first + 1,
        number(ahead(ahead(wall)) & open & !ahead(enemy)),
    );
    if let Some(row) = (0..ROWS)
        .rev()
        .find(|&row| pieces & rank_before_goal(side, (ROWS - row) as u8) != 0)
    {
        add(side, FOREMOST.first + row, 1);
    }
    let pieces_left = (position.count(side) as usize).min(MOST_MEN);
    add(side, NUMBERS.first + pieces_left, 1);
    let home = pieces & (goal(!side) | rank_before_goal(!side, 1) | rank_before_goal(!side, 2));
    let files = ahead(ahead(home)) | ahead(home) | home;
    add(
        side,
        HOLES.first,
        number(rank_before_goal(!side, 2) & !files),
    );
}
