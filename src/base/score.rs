//! Scores: centipawn-like values from the mover's view, and proven results.
//!
//! A proven win in `n` plies is `MATE - n`, a proven loss `-(MATE - n)`; so a
//! shorter win scores higher, and proven results never mix with estimates,
//! which stay within [`MATE_BOUND`].

/// A score in centipawns, or a proven result, from the mover's view.
pub type Score = i32;

/// Larger than every score that can occur.
pub(crate) const INFINITE: Score = 32_001;

/// The score of a position that is won right now; "mate" as in UCI.
pub const MATE: Score = 32_000;

/// Scores of at least this size are proven results, smaller ones estimates.
pub const MATE_BOUND: Score = MATE - 1_000;

/// A proven win `plies` plies from the root.
#[inline]
pub(crate) const fn win_in(plies: usize) -> Score {
    MATE - plies as Score
}

/// A proven loss `plies` plies from the root.
#[inline]
pub(crate) const fn loss_in(plies: usize) -> Score {
    -win_in(plies)
}

/// Whether the score is a proven win for the mover.
#[inline]
pub const fn is_win(score: Score) -> bool {
    score >= MATE_BOUND
}

/// Whether the score is a proven loss for the mover.
#[inline]
pub(crate) const fn is_loss(score: Score) -> bool {
    score <= -MATE_BOUND
}

/// Whether the score is a proven result.
#[inline]
pub(crate) const fn is_mate(score: Score) -> bool {
    is_win(score) || is_loss(score)
}

/// The plies to the end of the game in a proven result, negative for a loss
/// (`Some(0)` for a side that has already lost); `None` for an estimate.
pub const fn mate_plies(score: Score) -> Option<i32> {
    if is_win(score) {
        Some(MATE - score)
    } else if is_loss(score) {
        Some(-(MATE + score))
    } else {
        None
    }
}

/// Converts plies counted from the root to plies counted from the node, for storing.
#[inline]
pub(crate) const fn to_table(score: Score, ply: usize) -> Score {
    if is_win(score) {
        score + ply as Score
    } else if is_loss(score) {
        score - ply as Score
    } else {
        score
    }
}

/// The inverse of [`to_table`], at a node `ply` plies from the root.
#[inline]
pub(crate) const fn from_table(score: Score, ply: usize) -> Score {
    if is_win(score) {
        score - ply as Score
    } else if is_loss(score) {
        score + ply as Score
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_wins_and_longer_losses_are_better() {
        assert!(win_in(1) > win_in(3));
        assert!(loss_in(4) > loss_in(2));
        assert!(win_in(500) > MATE_BOUND && is_win(win_in(500)));
        assert!(!is_mate(MATE_BOUND - 1) && !is_mate(0));
    }

    #[test]
    fn table_scores_are_counted_from_the_node() {
        for score in [win_in(9), loss_in(12), 0, 345, -345] {
            assert_eq!(from_table(to_table(score, 7), 7), score);
        }
        // A win nine plies from the root is two plies from a node at ply 7.
        assert_eq!(to_table(win_in(9), 7), win_in(2));
    }

    #[test]
    fn plies_of_proven_results() {
        assert_eq!(mate_plies(win_in(3)), Some(3));
        assert_eq!(mate_plies(loss_in(4)), Some(-4));
        assert_eq!(mate_plies(loss_in(0)), Some(0));
        assert_eq!(mate_plies(120), None);
    }
}
