//! The order in which a node tries its moves.

use super::history::{Histories, HistoryRows, Played};
use super::params::Params;
use crate::base::MAX_MOVES;
use crate::game::{Game, Move, MoveFacts, MoveList};
use arrayvec::ArrayVec;

/// What the order is based on besides the histories.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hints {
    /// The hash table's move.
    pub(super) table: Move,
    /// Quiet moves that caused cut-offs at this ply.
    pub(super) killers: [Move; 2],
    /// The last two moves played.
    pub(super) before: [Played; 2],
}

/// Hands out a node's moves, the best first, each with what the rules say about it.
/// It is filled in place because it is large: moving it would mean copying it.
pub(super) struct Picker<'a> {
    stage: Stage,
    /// The moves to pick from; none means all legal ones.
    among: &'a [Move],
    hints: Hints,
    ranked: ArrayVec<Ranked, MAX_MOVES>,
}

/// The table move is tried before the others are generated: most nodes that have
/// one cut off on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    Ranking { is_table_move_out: bool },
    Picking,
}

const TABLE_MOVE: i32 = 1 << 23;
const GOOD_CAPTURE: i32 = 1 << 18;
const KILLER: i32 = 1 << 17;

/// A move and its facts below its rank, in one number: a comparison orders two, by
/// rank and then by move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked(i64);

impl Ranked {
    /// From the lowest bit: exchange 8, urgency 4, is_capture 1, index 12, move 14,
    /// rank 25.
    #[inline]
    fn new(rank: i32, mv: Move, facts: MoveFacts) -> Self {
        debug_assert!(rank.abs() < 1 << 24 && facts.index < 1 << 12 && facts.urgency < 1 << 4);
        Self(
            i64::from(rank) << 39
                | i64::from(mv.raw()) << 25
                | (facts.index as i64) << 13
                | i64::from(facts.is_capture) << 12
                | i64::from(facts.urgency) << 8
                | i64::from(facts.exchange as u8),
        )
    }

    #[inline]
    const fn unpack(self) -> (Move, MoveFacts) {
        let facts = MoveFacts {
            index: (self.0 >> 13 & 0xfff) as usize,
            is_capture: self.0 >> 12 & 1 != 0,
            exchange: self.0 as i8 as i32,
            urgency: (self.0 >> 8 & 15) as i32,
        };
        (Move::from_raw((self.0 >> 25) as u16), facts)
    }
}

impl<'a> Picker<'a> {
    /// Picks from these moves, or from all legal ones if there are none.
    #[inline]
    pub(super) fn new(among: &'a [Move], hints: Hints) -> Self {
        Self {
            stage: if among.is_empty() && hints.table.is_some() {
                Stage::TableMove
            } else {
                Stage::Ranking {
                    is_table_move_out: false,
                }
            },
            among,
            hints,
            ranked: ArrayVec::new(),
        }
    }

    /// Picks from captures and whatever else quiescence tries, ranked cheaply.
    #[inline]
    pub(super) fn rough<G: Game>(position: &G, list: &MoveList, table: Move) -> Self {
        let mut picker = Self {
            stage: Stage::Picking,
            among: &[],
            hints: Hints::default(),
            ranked: ArrayVec::new(),
        };
        for &mv in list {
            let facts = MoveFacts::new(position, mv);
            let rank = if mv == table {
                TABLE_MOVE
            } else {
                facts.urgency + 16 * facts.exchange
            };
            picker.push(rank, mv, facts);
        }
        picker
    }

    /// The best remaining move and its facts.
    #[inline]
    pub(super) fn next<G: Game>(
        &mut self,
        position: &G,
        histories: &Histories,
        params: &Params,
    ) -> Option<(Move, MoveFacts)> {
        match self.stage {
            Stage::TableMove => {
                self.stage = Stage::Ranking {
                    is_table_move_out: true,
                };
                let mv = self.hints.table;
                return Some((mv, MoveFacts::new(position, mv)));
            }
            Stage::Ranking { is_table_move_out } => {
                self.stage = Stage::Picking;
                self.rank_all(position, is_table_move_out, histories, params);
            }
            Stage::Picking => {}
        }
        self.next_ranked()
    }

    /// The best move of those ranked. Most nodes cut off after a few, so picking
    /// is cheaper than sorting.
    #[inline]
    pub(super) fn next_ranked(&mut self) -> Option<(Move, MoveFacts)> {
        // First the maximum and then its index, as no two are equal: neither loop has
        // branches that a processor cannot predict.
        let ranks = self.ranked.iter().map(|ranked| ranked.0);
        let best_rank = ranks.fold(i64::MIN, i64::max);
        let mut best = 0;
        for (index, ranked) in self.ranked.iter().enumerate() {
            if ranked.0 == best_rank {
                best = index;
            }
        }
        Some(self.ranked.swap_pop(best)?.unpack())
    }

    /// Drops the remaining moves that are not wanted.
    #[inline]
    pub(super) fn retain(&mut self, mut is_wanted: impl FnMut(MoveFacts) -> bool) {
        self.ranked.retain(|ranked| is_wanted(ranked.unpack().1));
    }

    #[inline]
    fn rank_all<G: Game>(
        &mut self,
        position: &G,
        is_table_move_out: bool,
        histories: &Histories,
        params: &Params,
    ) {
        let hints = self.hints;
        let out = if is_table_move_out {
            hints.table
        } else {
            Move::NONE
        };
        let rows = histories.rows::<G>(position.side_to_move(), hints.before, params.main_weight);
        if self.among.is_empty() {
            position.moves_with_facts(|mv, facts| {
                if mv != out {
                    self.push(rank(mv, facts, &hints, rows, params), mv, facts);
                }
            });
        } else {
            for &mv in self.among {
                let facts = MoveFacts::new(position, mv);
                self.push(rank(mv, facts, &hints, rows, params), mv, facts);
            }
        }
    }

    #[inline]
    fn push(&mut self, rank: i32, mv: Move, facts: MoveFacts) {
        self.ranked.push(Ranked::new(rank, mv, facts));
    }
}

#[inline]
fn rank(mv: Move, facts: MoveFacts, hints: &Hints, rows: HistoryRows<'_>, params: &Params) -> i32 {
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
