//! The two searches that an article of 2009 compares: plain
//! alpha-beta, and alpha-beta with everything the article adds.
//!
//! Both are fail-soft negamax searches of a fixed depth that evaluate at depth
//! 0 and score a decided game by its distance from the root, whatever depth is
//! left.

use crate::base::{INFINITE, Score, loss_in, win_in};
use crate::eval::article::evaluate;
use crate::game::breakthrough::Position;
use crate::game::{Game, Move, MoveList, Outcome};
use crate::search::{Bound, Entry, NO_EVAL, Table, TableError};
use std::time::{Duration, Instant};

/// The boards of the measurement: at most 8x8.
pub(crate) type SmallBoard = Position<u64>;

/// What a search has found and done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArticleResult {
    /// The score from the mover's view.
    pub(crate) score: Score,
    /// The work it took.
    pub(crate) work: Work,
    /// The time it took, without clearing the table.
    pub(crate) time: Duration,
}

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Positions that the search entered: root, inner nodes and leaves, over
    /// all iterations, including those after a null move.
    pub(crate) nodes: u64,
    /// Those above depth 0 in which the game goes on.
    pub(crate) interior: u64,
    /// Interior nodes that ended because a score reached beta: a move's, the
    /// null move's or the table's.
    pub(crate) cuts: u64,
}

impl Work {
    /// The share of interior nodes that ended in a cut, from 0 to 1.
    pub(crate) fn cut_rate(&self) -> f64 {
        self.cuts as f64 / self.interior.max(1) as f64
    }
}

/// The score of a decided game, `ply` plies from the root.
fn decided(board: &SmallBoard, ply: usize) -> Option<Score> {
    match board.outcome() {
        Outcome::Win(side) if side == board.side_to_move() => Some(win_in(ply)),
        Outcome::Win(_) => Some(loss_in(ply)),
        _ => None,
    }
}

/// A1: alpha-beta and nothing else. Moves are searched in the order of generation.
pub(crate) fn plain(board: &SmallBoard, depth: u32) -> ArticleResult {
    let mut work = Work::default();
    let start = Instant::now();
    let score = plain_node(board, -INFINITE, INFINITE, depth, 0, &mut work);
    let time = start.elapsed();
    ArticleResult { score, work, time }
}

fn plain_node(
    board: &SmallBoard,
    mut alpha: Score,
    beta: Score,
    depth: u32,
    ply: usize,
    work: &mut Work,
) -> Score {
    work.nodes += 1;
    if let Some(score) = decided(board, ply) {
        return score;
    }
    if depth == 0 {
        return evaluate(board);
    }
    work.interior += 1;
    let mut moves = MoveList::new();
    board.moves(&mut moves);
    let mut best = -INFINITE;
    for mv in moves {
        let child = board.play(mv);
        best = best.max(-plain_node(&child, -beta, -alpha, depth - 1, ply + 1, work));
        if best >= beta {
            work.cuts += 1;
            break;
        }
        alpha = alpha.max(best);
    }
    best
}

/// A2: the article's full set.
#[derive(Debug)]
pub(crate) struct Full {
    table: Table,
    null_move: bool,
    work: Work,
}

/// The parameters of a node of A2.
#[derive(Clone, Copy)]
struct Ask {
    alpha: Score,
    beta: Score,
    depth: u32,
    ply: usize,
    /// Whether the side to move may pass.
    may_pass: bool,
}

/// With this many pieces on the board or fewer, nobody passes.
const NULL_MOVE_PIECES: u32 = 10;

/// Plies that a null move saves besides its own. The article's pseudocode tests
/// for depth 4 before depth 7 and never reaches 3; this is what it means.
const fn null_reduction(depth: u32) -> u32 {
    match depth {
        ..4 => 1,
        4..7 => 2,
        _ => 3,
    }
}

impl Full {
    /// The search with a table of this many megabytes.
    pub(crate) fn new(megabytes: usize, null_move: bool) -> Result<Self, TableError> {
        Ok(Self {
            table: Table::new(megabytes)?,
            null_move,
            work: Work::default(),
        })
    }

    /// Searches a position to every depth from 1 to this one, with a cleared
    /// table.
    pub(crate) fn search(&mut self, board: &SmallBoard, depth: u32) -> ArticleResult {
        self.table.clear();
        self.work = Work::default();
        let start = Instant::now();
        let mut score = 0;
        for depth in 1..=depth {
            score = self.node(
                board,
                Ask {
                    alpha: -INFINITE,
                    beta: INFINITE,
                    depth,
                    ply: 0,
                    may_pass: false,
                },
            );
        }
        ArticleResult {
            score,
            work: self.work,
            time: start.elapsed(),
        }
    }

    fn node(&mut self, board: &SmallBoard, ask: Ask) -> Score {
        let Ask {
            mut alpha,
            beta,
            depth,
            ply,
            ..
        } = ask;
        self.work.nodes += 1;
        if let Some(score) = decided(board, ply) {
            return score;
        }
        if depth == 0 {
            return evaluate(board);
        }
        self.work.interior += 1;
        let entry = self.table.probe(board.key(), ply);
        // Only entries of exactly this depth count, so that the table saves
        // work without changing any score.
        if let Some(entry) = entry
            && entry.depth == depth as i32
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.score >= beta,
                Bound::Upper => entry.score <= alpha,
            }
        {
            self.work.cuts += u64::from(entry.score >= beta);
            return entry.score;
        }
        if self.passes(board, ask) {
            self.work.cuts += 1;
            return beta;
        }

        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        for mv in ordered(board, entry.map_or(Move::NONE, |entry| entry.best)) {
            let below = Ask {
                alpha: -beta,
                beta: -alpha,
                depth: depth - 1,
                ply: ply + 1,
                may_pass: true,
            };
            let score = -self.node(&board.play(mv), below);
            if score > best {
                best = score;
                best_move = mv;
            }
            if best >= beta {
                self.work.cuts += 1;
                break;
            }
            alpha = alpha.max(best);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > ask.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: best_move,
            score: best,
            eval: NO_EVAL,
            depth: depth as i32,
            bound,
            was_pv: false,
        };
        self.table.store(board.key(), ply, entry);
        best
    }

    /// Null move: whether a shallower search still reaches beta after the side
    /// to move passes.
    fn passes(&mut self, board: &SmallBoard, ask: Ask) -> bool {
        if !self.null_move
            || !ask.may_pass
            || ask.beta == INFINITE
            || board.occupied().count_ones() <= NULL_MOVE_PIECES
        {
            return false;
        }
        let below = Ask {
            alpha: -ask.beta,
            beta: 1 - ask.beta,
            depth: ask.depth.saturating_sub(1 + null_reduction(ask.depth)),
            ply: ask.ply + 1,
            may_pass: false,
        };
        -self.node(&board.pass(), below) >= ask.beta
    }
}

/// All moves, the hash move first and the rest by the evaluation of the
/// position they lead to.
fn ordered(board: &SmallBoard, first: Move) -> MoveList {
    let mut moves = MoveList::new();
    board.moves(&mut moves);
    moves.sort_by_cached_key(|&mv| (mv != first, evaluate(&board.play(mv))));
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    #[test]
    fn nobody_passes_twice_running_or_with_few_pieces() {
        assert_eq!([1, 3, 4, 6, 7, 9].map(null_reduction), [1, 1, 2, 2, 3, 3]);
        let ask = Ask {
            alpha: -1001,
            beta: -1000,
            depth: 3,
            ply: 1,
            may_pass: true,
        };
        let mut full = Full::new(1, true).unwrap();
        let mut passes = |pieces: &str, ask: Ask| {
            let fen = format!("ppp5/8/8/8/8/8/8/{pieces} w 0 1");
            full.passes(&SmallBoard::from_fen(&fen).unwrap(), ask)
        };
        assert!(passes("PPPPPPPP", ask));
        assert!(!passes("PPPPPPP1", ask), "ten pieces");
        let passed = Ask {
            may_pass: false,
            ..ask
        };
        assert!(!passes("PPPPPPPP", passed));
        // A pass searched to depth 1 enters that position and those after its
        // moves, but not the one after a second pass.
        let mut full = Full::new(1, true).unwrap();
        let board = SmallBoard::from_fen("ppp5/8/8/8/8/8/8/PPPPPPPP w 0 1").unwrap();
        assert!(full.passes(&board, ask));
        assert_eq!(full.work.nodes, 1 + board.pass().count_moves());

        let mut off = Full::new(1, false).unwrap();
        let start = SmallBoard::start(8, 8).unwrap();
        assert!(!off.passes(&start, ask));
        let nodes = full.search(&start, 4).work.nodes;
        assert!(nodes < off.search(&start, 4).work.nodes);
    }

    #[test]
    fn the_table_settles_only_what_it_may() {
        let board = SmallBoard::start(5, 5).unwrap();
        let ask = Ask {
            alpha: 100,
            beta: 200,
            depth: 2,
            ply: 1,
            may_pass: true,
        };
        for (bound, depth, score, settled) in [
            (Bound::Exact, 2, 150, true),
            (Bound::Exact, 3, 150, false),
            (Bound::Exact, 1, 150, false),
            (Bound::Lower, 2, 150, false),
            (Bound::Lower, 2, 200, true),
            (Bound::Upper, 2, 150, false),
            (Bound::Upper, 2, 100, true),
        ] {
            let entry = Entry {
                best: Move::NONE,
                score,
                eval: NO_EVAL,
                depth,
                bound,
                was_pv: false,
            };
            let mut full = Full::new(1, false).unwrap();
            full.table.store(board.key(), ask.ply, entry);
            let found = full.node(&board, ask);
            assert_eq!(full.work.nodes == 1, settled, "{entry:?}");
            assert_eq!(found == score, settled, "{entry:?}");
        }
    }

    #[test]
    fn counts_fit_together() {
        let start = SmallBoard::start(6, 6).unwrap();
        let mut full = Full::new(1, true).unwrap();
        for work in [plain(&start, 4).work, full.search(&start, 4).work] {
            assert!(work.cuts <= work.interior && work.interior < work.nodes);
            assert!((0.5..1.0).contains(&work.cut_rate()));
        }
        // With nothing to cut, the whole tree.
        assert_eq!(plain(&start, 1).work.nodes, 1 + start.count_moves());
    }
}
