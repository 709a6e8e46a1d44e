//! Playing weaker on purpose: fewer nodes and, in the lower half of the scale,
//! a choice among several moves, with larger errors at lower ratings.
//!
//! The scale is measured: on 8x8, Debian's Fairy-Stockfish 11.1 with 100 nodes
//! per move is set to 1000, and every other number follows from games
//! (`docs/strength.md`, "The scale of UCI_Elo").

use crate::base::{MAX_MOVES, Score, is_loss, is_win};
use crate::search::{LineReport, SearchOptions};
use rand_mt::Mt64;

/// A way to play and the rating measured for it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    elo: i32,
    /// Nodes per move.
    nodes: f64,
    /// How far off the judgement of a move is, in centipawns: the standard
    /// deviation of its error.
    error: f64,
    /// How much a score counts: 0 moves at random, and below 0 the engine would
    /// rather lose, so that even someone who moves at random can win.
    ambition: f64,
}

const fn level(elo: i32, nodes: f64, error: f64) -> Level {
    Level {
        elo,
        nodes,
        error,
        ambition: 1.0,
    }
}

const fn beginner(elo: i32, ambition: f64) -> Level {
    Level {
        elo,
        nodes: 600.0,
        error: 1_000.0,
        ambition,
    }
}

/// From the weakest to the strongest.
const LEVELS: [Level; 18] = [
    beginner(-350, -0.4),
    beginner(-110, 0.0),
    beginner(120, 0.5),
    beginner(300, 0.7),
    beginner(590, 1.5),
    beginner(719, 2.0),
    level(720, 600.0, 4_600.0),
    level(850, 600.0, 1_350.0),
    level(1030, 600.0, 390.0),
    level(1290, 600.0, 165.0),
    level(1600, 740.0, 72.0),
    level(1950, 920.0, 35.0),
    level(2210, 1_130.0, 17.0),
    level(2370, 1_300.0, 10.0),
    level(2560, 1_600.0, 0.0),
    level(2710, 5_500.0, 0.0),
    level(2850, 14_000.0, 0.0),
    level(2990, 33_000.0, 0.0),
];

/// The lowest and highest ratings that can be asked for.
pub const ELO_RANGE: (i32, i32) = (LEVELS[0].elo, LEVELS[LEVELS.len() - 1].elo);

/// The most lines to choose from.
const LINES: f64 = 12.0;

/// From here on, the engine is honest: it takes a win that it sees, and does not
/// move into a proven loss. The levels below are for children and first games.
const HONEST_ELO: i32 = 720;

/// Below [`HONEST_ELO`], the engine chooses from all moves.
const ALL_LINES: usize = MAX_MOVES;

/// Below [`HONEST_ELO`], a win counts no more than this many centipawns, and can
/// be missed.
const WIN_SEEN: Score = 1_500;

/// Centipawns of error for each line to choose from.
const ERROR_A_LINE: f64 = 8.0;

/// How much weaker to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Handicap {
    elo: i32,
    nodes: f64,
    error: f64,
    ambition: f64,
}

impl Handicap {
    /// A handicap to this rating, clamped to [`ELO_RANGE`]: interpolated
    /// between two levels.
    pub(super) fn new(elo: i32) -> Self {
        let elo = elo.clamp(ELO_RANGE.0, ELO_RANGE.1);
        let above = LEVELS.iter().position(|level| level.elo >= elo);
        let above = above.unwrap_or(LEVELS.len() - 1).max(1);
        let (low, high) = (LEVELS[above - 1], LEVELS[above]);
        let part = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        Self {
            elo,
            nodes: low.nodes * (high.nodes / low.nodes).powf(part),
            error: low.error + (high.error - low.error) * part,
            ambition: low.ambition + (high.ambition - low.ambition) * part,
        }
    }

    /// Makes a search as weak as this.
    pub(super) fn apply(&self, options: &mut SearchOptions) {
        let wanted = options.limits.nodes;
        options.limits.nodes = Some(wanted.map_or(self.nodes(), |nodes| nodes.min(self.nodes())));
        options.limits_pondering = true;
        options.finishes_first = wanted.is_none() && self.lines() > 1;
        options.multi_pv = options.multi_pv.max(self.lines());
        options.threads = 1;
    }

    /// Nodes per move.
    fn nodes(&self) -> u64 {
        self.nodes.round() as u64
    }

    /// Lines to choose from.
    pub(super) fn lines(&self) -> usize {
        if self.error == 0.0 {
            return 1;
        }
        if !self.is_honest() {
            return ALL_LINES;
        }
        (self.error / ERROR_A_LINE).ceil().clamp(2.0, LINES) as usize
    }

    /// Whether it plays to win, as well as it can see.
    fn is_honest(&self) -> bool {
        self.elo >= HONEST_ELO
    }

    /// Picks a line and returns its index: each score is read with an error, seeded by
    /// the position so that the same search gives the same move. An honest choice
    /// takes a win at hand and avoids a proven loss.
    pub(super) fn choose<'a>(
        &self,
        key: u64,
        lines: impl Iterator<Item = &'a LineReport> + Clone,
    ) -> Option<usize> {
        let best = lines.clone().next()?;
        let honest = self.is_honest();
        if honest && (is_win(best.score) || self.error == 0.0) {
            return Some(0);
        }
        let mut random = Mt64::new(key ^ self.elo as u64);
        lines
            .enumerate()
            .filter(|(_, line)| !honest || !is_loss(line.score))
            .map(|(index, line)| {
                // The sum of twelve uniform numbers is close to normal, with a
                // standard deviation of 1.
                let error: f64 = (0..12)
                    .map(|_| random.next_u64() as f64 / u64::MAX as f64 - 0.5)
                    .sum();
                let seen = if honest {
                    line.score
                } else {
                    line.score.clamp(-WIN_SEEN, WIN_SEEN)
                };
                (f64::from(seen) * self.ambition + error * self.error, index)
            })
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(Some(0), |(_, index)| Some(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_rating_never_thinks_less_or_errs_more() {
        let levels = (ELO_RANGE.0..=ELO_RANGE.1).map(Handicap::new);
        for (low, high) in levels.clone().zip(levels.skip(1)) {
            assert!(low.nodes() <= high.nodes(), "{low:?} {high:?}");
            assert!(low.lines() >= high.lines(), "{low:?} {high:?}");
            if low.is_honest() {
                assert!(low.error >= high.error, "{low:?} {high:?}");
            } else if !high.is_honest() {
                assert!(low.ambition <= high.ambition, "{low:?} {high:?}");
            }
        }
    }

    #[test]
    fn measured_levels_are_played_as_measured() {
        for level in LEVELS {
            let handicap = Handicap::new(level.elo);
            assert_eq!(handicap.nodes(), level.nodes as u64);
            assert!((handicap.error - level.error).abs() < 1e-9);
        }
        assert_eq!(Handicap::new(i32::MIN), Handicap::new(ELO_RANGE.0));
        assert_eq!(Handicap::new(i32::MAX), Handicap::new(ELO_RANGE.1));
    }
}
