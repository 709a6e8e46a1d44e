//! The order in which a node tries its moves.

use super::history::{Histories, Played, Rows};
use super::params::Params;
use crate::base::MAX_MOVES;
use crate::game::{Game, Move, MoveFacts, MoveList};
use arrayvec::ArrayVec;

/// What the order is based on besides the histories.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    /// The hash table's move.
    pub table: Move,
    /// Quiet moves that caused cut-offs at this ply.
    pub killers: [Move; 2],
    /// The last two moves played.
    pub before: [Played; 2],
}

/// Hands out moves, the best first. It is filled in place because it is large:
/// moving it would mean copying it.
#[derive(Default)]
pub struct Picker {
    /// A move in the lowest 16 bits, its rank above them: one comparison orders two.
    moves: ArrayVec<i64, MAX_MOVES>,
}

const TABLE_MOVE: i32 = 1 << 24;
const GOOD_CAPTURE: i32 = 1 << 18;
const KILLER: i32 = 1 << 17;

impl Picker {
    /// Ranks all legal moves and adds them.
    #[inline]
    pub fn fill_all<G: Game>(
        &mut self,
        position: &G,
        hints: &Hints,
        histories: &Histories,
        params: &Params,
    ) {
        let weight = params.main_weight;
        let rows = histories.rows::<G>(position.side_to_move(), hints.before, weight);
        position.moves_with_facts(|mv, facts| {
            self.push(Self::rank(mv, facts, hints, rows, params), mv)
        });
    }

    /// Ranks these moves and adds them.
    pub fn fill<G: Game>(
        &mut self,
        position: &G,
        list: &[Move],
        hints: &Hints,
        histories: &Histories,
        params: &Params,
    ) {
        let weight = params.main_weight;
        let rows = histories.rows::<G>(position.side_to_move(), hints.before, weight);
        for &mv in list {
            let facts = MoveFacts::new(position, mv);
            self.push(Self::rank(mv, facts, hints, rows, params), mv);
        }
    }

    #[inline]
    fn push(&mut self, rank: i32, mv: Move) {
        self.moves.push(i64::from(rank) << 16 | i64::from(mv.raw()));
    }

    /// Drops the remaining moves that are not wanted.
    #[inline]
    pub fn retain(&mut self, mut is_wanted: impl FnMut(Move) -> bool) {
        self.moves.retain(|&mut ranked| is_wanted(move_of(ranked)));
    }

    /// Ranks captures and whatever else quiescence tries, cheaply.
    #[inline]
    pub fn fill_noisy<G: Game>(&mut self, position: &G, list: &MoveList, table: Move) {
        for &mv in list {
            let rank = if mv == table {
                TABLE_MOVE
            } else {
                position.urgency(mv) + 16 * position.exchange(mv)
            };
            self.push(rank, mv);
        }
    }

    #[inline]
    fn rank(mv: Move, facts: MoveFacts, hints: &Hints, rows: Rows<'_>, params: &Params) -> i32 {
        if mv == hints.table {
            return TABLE_MOVE;
        }
        let urgency = params.rank_urgency * facts.urgency;
        if facts.is_capture {
            let base = if facts.exchange > 0 { GOOD_CAPTURE } else { 0 };
            return base + urgency + rows.capture(facts.index);
        }
        let killer = if mv == hints.killers[0] {
            KILLER
        } else if mv == hints.killers[1] {
            KILLER - 1
        } else {
            0
        };
        let lost = if facts.exchange < 0 {
            -params.rank_lost
        } else {
            0
        };
        killer + urgency + lost + rows.quiet(facts.index)
    }
}

impl Iterator for Picker {
    type Item = Move;

    /// The best remaining move. Most nodes cut off after a few, so picking is
    /// cheaper than sorting.
    #[inline]
    fn next(&mut self) -> Option<Move> {
        // First the maximum, which needs no branches, and then its index: no two
        // are equal.
        let most = self.moves.iter().copied().fold(i64::MIN, i64::max);
        let best = self.moves.iter().position(|&ranked| ranked == most)?;
        Some(move_of(self.moves.swap_remove(best)))
    }
}

#[inline]
const fn move_of(ranked: i64) -> Move {
    Move::from_raw(ranked as u16)
}
