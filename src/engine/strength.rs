//! Playing weaker on purpose: fewer nodes, and a choice among several good
//! moves that is the less careful the lower the rating asked for.

use crate::base::{PvLine, is_loss, is_win};
use crate::game::Move;
use crate::search::Line;
use rand_mt::Mt64;

/// The lowest and highest rating that can be asked for.
pub const ELO_RANGE: (u32, u32) = (500, 2500);

/// How much weaker to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handicap {
    elo: u32,
}

impl Handicap {
    /// A handicap to this rating, kept within [`ELO_RANGE`].
    #[must_use]
    pub fn new(elo: u32) -> Self {
        Self {
            elo: elo.clamp(ELO_RANGE.0, ELO_RANGE.1),
        }
    }

    /// Nodes a move. A doubling is worth roughly 115 points, as measured with
    /// Fairy-Stockfish against itself.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        let doublings = f64::from(self.elo - ELO_RANGE.0) / 115.0;
        (40.0 * doublings.exp2()) as u64
    }

    /// Lines to choose from.
    #[must_use]
    pub const fn lines(&self) -> usize {
        4
    }

    /// How far off the judgement of a line is, in centipawns.
    fn carelessness(&self) -> f64 {
        f64::from(ELO_RANGE.1 - self.elo) * 0.05
    }

    /// Picks a line: each score is read with an error, drawn from the position
    /// so that the same search gives the same move. A win at hand is taken and
    /// a proven loss avoided.
    #[must_use]
    pub fn choose(&self, key: u64, lines: &[Line]) -> Option<PvLine<Move>> {
        let best = lines.first()?;
        if is_win(best.score) {
            return Some(best.moves.clone());
        }
        let mut random = Mt64::new(key ^ u64::from(self.elo));
        lines
            .iter()
            .filter(|line| !is_loss(line.score))
            .map(|line| {
                // The sum of three uniform numbers is close to a normal one.
                let error: f64 = (0..3)
                    .map(|_| random.next_u64() as f64 / u64::MAX as f64 - 0.5)
                    .sum();
                (
                    f64::from(line.score) + 2.0 * error * self.carelessness(),
                    line,
                )
            })
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .or(Some((0.0, best)))
            .map(|(_, line)| line.moves.clone())
    }
}
