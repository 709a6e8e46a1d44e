//! Results proven elsewhere for positions that a search reaches, probed as chess
//! engines probe endgame tables. `engine` fills them from the table of the prover that
//! it tried before the search, if that did not decide the position.

use crate::base::sync::Arc;
use crate::base::{Score, loss_in, win_in};
use std::fmt;

/// Whether the side to move wins a position or loses it, and within how many plies
/// at most; `None` if that is not known.
type Probe<G> = dyn Fn(&G) -> Option<(bool, u16)> + Send + Sync;

/// Who wins positions, as far as that is known. Probed at every node except the root
/// and those of quiescence, unless the rules show the result.
#[derive(Clone)]
pub(crate) struct ProbedResults<G>(Arc<Probe<G>>);

impl<G> ProbedResults<G> {
    /// The results that `probe` gives. It is called often, and by all threads.
    pub(crate) fn new(probe: impl Fn(&G) -> Option<(bool, u16)> + Send + Sync + 'static) -> Self {
        Self(Arc::new(probe))
    }

    /// The score of a position this many plies from the root. Its distance to the end
    /// is an upper bound.
    pub(super) fn score(&self, position: &G, ply: usize) -> Option<Score> {
        let (wins, plies) = (self.0)(position)?;
        let plies = ply + usize::from(plies);
        Some(if wins { win_in(plies) } else { loss_in(plies) })
    }
}

impl<G> fmt::Debug for ProbedResults<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProbedResults").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Host;
    use crate::eval::EvalSource;
    use crate::game::breakthrough::Position;
    use crate::game::{Game, Move, MoveList};
    use crate::search::{Control, Limits, SearchInput, Searcher, Verdict};

    type Board = Position<u64>;

    /// Searches the start position of 6x6 with these results.
    fn search(threads: usize, probed: ProbedResults<Board>) -> Verdict {
        let start = Board::start(6, 6).unwrap();
        let limits = Limits {
            depth: Some(4),
            ..Limits::default()
        };
        let mut searcher = Searcher::new(1).unwrap();
        searcher.set_threads(Host::System, threads).unwrap();
        let mut request = SearchInput::new(&start, &[], limits);
        request.probed = Some(probed);
        let source = EvalSource::default();
        let evaluator = || source.breakthrough(&start);
        let control = Arc::new(Control::new(false));
        searcher
            .search(request, evaluator, &control, &mut |_| {})
            .unwrap()
    }

    fn moves() -> (Board, Vec<Move>) {
        let (start, mut list) = (Board::start(6, 6).unwrap(), MoveList::new());
        start.moves(&mut list);
        (start, list.to_vec())
    }

    #[test]
    fn the_move_after_which_the_other_side_has_lost_is_played() {
        let (start, list) = moves();
        for mv in list {
            let lost = start.play(mv).key();
            let probe = move |position: &Board| (position.key() == lost).then_some((false, 30));
            for threads in [1, 2] {
                let verdict = search(threads, ProbedResults::new(probe));
                assert_eq!((verdict.best(), verdict.score), (mv, win_in(31)));
            }
        }
    }

    #[test]
    fn moves_after_which_the_other_side_wins_are_not() {
        let (start, list) = moves();
        for (index, &mv) in list.iter().enumerate() {
            let others = list.iter().filter(|&&other| other != mv);
            let won: Vec<u64> = others.map(|&other| start.play(other).key()).collect();
            let probe = move |position: &Board| {
                let is_won = won.contains(&position.key());
                is_won.then_some((true, 20 + index as u16))
            };
            assert_eq!(search(1, ProbedResults::new(probe)).best(), mv);
        }
        let probe = |_: &Board| Some((true, 20));
        assert_eq!(search(1, ProbedResults::new(probe)).score, loss_in(21));
    }
}
