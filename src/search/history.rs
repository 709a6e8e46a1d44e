//! What earlier cut-offs teach about moves (main, capture and continuation
//! history), and the correction of the static evaluation.

use crate::base::{MATE_BOUND, Score, Side};
use crate::game::{Game, Move, MoveFacts};

/// History values stay within this.
pub(super) const HISTORY_MAX: i32 = 16_384;

/// Entries of the correction history for each side.
const CORRECTIONS: usize = 16_384;

/// Correction values stay within this, in `CORRECTION_GRAIN`ths of a
/// centipawn.
const CORRECTION_MAX: i32 = 128 * CORRECTION_GRAIN;
const CORRECTION_GRAIN: i32 = 256;

/// A played move as the histories see it: its side and index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Played(u16);

impl Played {
    /// No move: before the root, or a pass.
    pub(super) const NONE: Self = Self(0);

    /// A move played in this position.
    #[inline]
    pub(super) fn new<G: Game>(position: &G, mv: Move) -> Self {
        let side = position.side_to_move().index();
        Self((1 + position.move_index(mv) + side * G::MOVE_INDICES) as u16)
    }
}

/// All tables of one thread, kept from search to search until a new game.
/// They need no ageing: [`add_bonus`] makes old values fade.
#[derive(Debug)]
pub(super) struct Histories {
    indices: usize,
    main: Box<[i16]>,
    captures: Box<[i16]>,
    /// Indexed by the move before, or the one before that, and by this move.
    continuation: [Box<[i16]>; 2],
    correction: Box<[i16]>,
}

/// Moves a value in the bonus's direction, the less the further it already is
/// ("history gravity").
#[inline]
fn add_bonus(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

/// The weighted sum of a quiet move's histories; the weight is that of the main
/// one, in hundredths.
#[inline]
fn summed(main: i16, continuation: [i16; 2], weight: i32) -> i32 {
    let [last, earlier] = continuation.map(i32::from);
    weight * i32::from(main) / 100 + last + earlier
}

/// A static evaluation with its correction applied.
#[inline]
pub(super) fn corrected(eval: Score, correction: Score) -> Score {
    (eval + correction).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
}

/// The table rows in which a node's moves are looked up by index: located
/// once per node.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryRows<'a> {
    main: &'a [i16],
    captures: &'a [i16],
    continuation: [&'a [i16]; 2],
    weight: i32,
}

impl HistoryRows<'_> {
    /// The history of the quiet move with this index.
    #[inline]
    pub(super) fn quiet(&self, index: usize) -> i32 {
        let continuation = self.continuation.map(|row| row[index]);
        summed(self.main[index], continuation, self.weight)
    }

    /// The history of the capture with this index.
    #[inline]
    pub(super) fn capture(&self, index: usize) -> i32 {
        i32::from(self.captures[index])
    }
}

impl Histories {
    /// Empty tables for a game with this many move indices.
    pub(super) fn new(indices: usize) -> Self {
        let table = |size: usize| vec![0; size].into_boxed_slice();
        let pairs = (2 * indices + 1) * indices;
        Self {
            indices,
            main: table(2 * indices),
            captures: table(2 * indices),
            continuation: [table(pairs), table(pairs)],
            correction: table(2 * CORRECTIONS),
        }
    }

    /// The number of move indices the tables are made for.
    pub(super) fn indices(&self) -> usize {
        self.indices
    }

    #[inline]
    fn slot<G: Game>(side: Side, index: usize) -> usize {
        side.index() * G::MOVE_INDICES + index
    }

    /// A move's history after the two moves before it, with the main history's
    /// weight in hundredths.
    #[inline]
    pub(super) fn score<G: Game>(
        &self,
        side: Side,
        facts: MoveFacts,
        before: [Played; 2],
        weight: i32,
    ) -> i32 {
        let slot = Self::slot::<G>(side, facts.index);
        if facts.is_capture {
            return i32::from(self.captures[slot]);
        }
        let [last, earlier] = &self.continuation;
        let at = |played: Played| usize::from(played.0) * G::MOVE_INDICES + facts.index;
        let continuation = [last[at(before[0])], earlier[at(before[1])]];
        summed(self.main[slot], continuation, weight)
    }

    /// The rows for a side's moves after the two moves before them, with the
    /// main history's weight in hundredths.
    #[inline]
    pub(super) fn rows<G: Game>(
        &self,
        side: Side,
        before: [Played; 2],
        weight: i32,
    ) -> HistoryRows<'_> {
        #[inline]
        fn row<G: Game>(table: &[i16], number: usize) -> &[i16] {
            &table[number * G::MOVE_INDICES..][..G::MOVE_INDICES]
        }
        let [last, earlier] = &self.continuation;
        HistoryRows {
            main: row::<G>(&self.main, side.index()),
            captures: row::<G>(&self.captures, side.index()),
            continuation: [
                row::<G>(last, usize::from(before[0].0)),
                row::<G>(earlier, usize::from(before[1].0)),
            ],
            weight,
        }
    }

    /// Applies a bonus to the quiet move with this index.
    #[inline]
    pub(super) fn update_quiet<G: Game>(
        &mut self,
        side: Side,
        index: usize,
        before: [Played; 2],
        bonus: i32,
    ) {
        add_bonus(&mut self.main[Self::slot::<G>(side, index)], bonus);
        for (table, played) in self.continuation.iter_mut().zip(before) {
            let at = usize::from(played.0) * G::MOVE_INDICES + index;
            add_bonus(&mut table[at], bonus);
        }
    }

    /// Applies a bonus to the capture with this index.
    #[inline]
    pub(super) fn update_capture<G: Game>(&mut self, side: Side, index: usize, bonus: i32) {
        add_bonus(&mut self.captures[Self::slot::<G>(side, index)], bonus);
    }

    #[inline]
    fn correction_slot<G: Game>(position: &G) -> usize {
        let key = position.structure_key() as usize % CORRECTIONS;
        position.side_to_move().index() * CORRECTIONS + key
    }

    /// How far the evaluation was off in positions of the same structure.
    /// Read it before evaluating, which then hides the memory latency.
    #[inline]
    pub(super) fn correction<G: Game>(&self, position: &G) -> Score {
        i32::from(self.correction[Self::correction_slot(position)]) / CORRECTION_GRAIN
    }

    /// Learns from how far the evaluation was from the result of a search of
    /// this depth, in centipawns.
    #[inline]
    pub(super) fn update_correction<G: Game>(&mut self, position: &G, error: Score, depth: i32) {
        let value = &mut self.correction[Self::correction_slot(position)];
        let weight = (depth + 1).min(16);
        let target = error.clamp(-128, 128) * CORRECTION_GRAIN;
        let mixed = (i32::from(*value) * (256 - weight) + target * weight) / 256;
        *value = mixed.clamp(1 - CORRECTION_MAX, CORRECTION_MAX - 1) as i16;
    }
}
