//! One thread's search: what it shares with the others, what is its own, and what it
//! reports.

use super::history::{Histories, Played};
use super::params::Params;
use super::probed::ProbedResults;
use super::time::{Control, SearchOptions};
use super::tt::{Bound, NO_EVAL, Table};
use crate::base::sync::Arc;
use crate::base::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::base::{INFINITE, MAX_PLY, PvLine, Score, loss_in};
use crate::eval::Evaluator;
use crate::game::{Game, Move, Outcome, Tactics};
use arrayvec::ArrayVec;
use std::time::Duration;

/// What all threads of one search share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The hash table.
    pub(super) table: Arc<Table>,
    /// Tells the search to stop.
    pub(super) control: Arc<Control>,
    /// The search parameters.
    pub(super) params: Params,
    pub(super) options: SearchOptions,
    /// Nodes searched, by thread.
    pub(super) nodes: Box<[AtomicU64]>,
    /// How many nodes each thread may have searched when it checks next.
    pub(super) next_checks: Box<[AtomicU64]>,
}

impl Shared {
    /// Nodes searched by all threads, as last published by each.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// The nodes after which a search on one thread ends that has finished this many
    /// iterations; none if the limit does not apply yet. Several threads
    /// share the nodes by [`Shared::nodes_left`] instead.
    pub(super) fn node_limit(&self, iterations: i32) -> u64 {
        let options = &self.options;
        let is_due = self.nodes.len() == 1
            && (options.limits_pondering || !self.control.is_pondering())
            && (iterations > 0 || !options.finishes_first);
        options.limits.nodes.filter(|_| is_due).unwrap_or(u64::MAX)
    }

    /// With several threads, the nodes left to a thread that has searched this many,
    /// once the others have searched what they may before they check again.
    fn nodes_left(&self, thread: usize, nodes: u64) -> Option<u64> {
        let threads = self.nodes.len();
        let limit = self.options.limits.nodes.filter(|_| threads > 1)?;
        let others = (0..threads).filter(|&other| other != thread);
        let others: u64 = others
            .map(|other| self.next_checks[other].load(Relaxed))
            .sum();
        Some(limit.saturating_sub(others + nodes))
    }
}

/// One of the best lines as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineReport {
    /// The depth of the iteration, in plies.
    pub(crate) depth: u32,
    /// The greatest depth reached on it, in plies.
    pub(crate) selective_depth: u32,
    /// Its rank among the best lines, from 1.
    pub(crate) rank: u32,
    /// The score from the mover's view.
    pub(crate) score: Score,
    /// Whether the score is exact or a bound.
    pub(crate) bound: Bound,
    /// Nodes over all threads.
    pub(crate) nodes: u64,
    /// How full the hash table is, in per mille.
    pub(crate) hashfull: u32,
    /// Time since the start.
    pub(crate) time: Duration,
    pub(crate) moves: PvLine<Move>,
}

/// What a running search reports.
#[derive(Clone, Debug, PartialEq, Eq)]
// Reports are made a few times a second and consumed on the spot.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Report {
    /// A line has been searched, or found better or worse than expected.
    Line(LineReport),
    /// A root move is being searched (reported in long searches only, and after the
    /// first one only if it takes long).
    Current {
        /// The depth of the iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        number: u32,
    },
}

/// What a search found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) score: Score,
    /// Whether the score is exact or a bound.
    pub(crate) bound: Bound,
    /// The last depth finished; 0 if there is none.
    pub(crate) depth: i32,
    /// The line, starting with the move to play.
    pub(crate) line: PvLine<Move>,
    /// Nodes searched by all threads.
    pub(crate) nodes: u64,
    /// The lines as last reported, the best first.
    pub(crate) reported: Vec<LineReport>,
}

impl Verdict {
    /// The move to play.
    pub(crate) fn best(&self) -> Move {
        self.line[0]
    }
}

/// What a node leaves for its neighbours on the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) eval: Score,
    pub(super) killers: [Move; 2],
    /// The move played here; none before the root, and if it is a null move.
    pub(super) played: Played,
    pub(super) excluded: Move,
}

impl Frame {
    const EMPTY: Self = Self {
        eval: NO_EVAL,
        killers: [Move::NONE; 2],
        played: Played::NONE,
        excluded: Move::NONE,
    };
}

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// The score in the current window; `-INFINITE` until there is one, and where
    /// only a bound below the best move's score is known.
    pub(super) score: Score,
    /// The score before that.
    pub(super) previous: Score,
    /// Whether the last score is exact or a bound, its depth, and its line.
    pub(super) bound: Bound,
    pub(super) depth: i32,
    pub(super) line: PvLine<Move>,
    pub(super) selective_depth: usize,
    pub(super) nodes: u64,
    /// Whether the score is proven and its distance exact.
    pub(super) exact: bool,
    /// Plies within which the move is proven to lose; `u32::MAX` if it is not.
    pub(super) lost: u32,
    /// For `exact`: plies within which the move is proven not to win.
    pub(super) not_won: u32,
    /// For `exact`: plies within which it is proven not to lose.
    pub(super) not_lost: u32,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> Self {
        Self {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            bound: Bound::Exact,
            depth: 0,
            line: std::iter::once(mv).collect(),
            selective_depth: 0,
            nodes: 0,
            exact: false,
            lost: u32::MAX,
            not_won: 0,
            not_lost: 0,
        }
    }

    /// The last score, if there is one.
    pub(super) fn last_score(&self) -> Option<Score> {
        [self.score, self.previous]
            .into_iter()
            .find(|&score| score != -INFINITE)
    }

    /// Whether the move is proven to lose.
    pub(super) const fn is_lost(&self) -> bool {
        self.lost != u32::MAX
    }

    /// Begins a new window: the last one's score becomes the previous one.
    pub(super) fn forget_score(&mut self) {
        if self.score != -INFINITE {
            self.previous = self.score;
            self.score = -INFINITE;
        }
    }
}

/// What the search for exact distances keeps between iterations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distances {
    /// Plies within which `go mate` has found neither a win nor a loss.
    pub(super) mate_depth: u32,
    /// Nodes spent.
    pub(super) nodes: u64,
    /// The thread's count of nodes at which to give up.
    pub(super) limit: u64,
}

/// Frames before the root, so that looking back needs no special case.
const LOOK_BACK: usize = 2;

/// Nodes between checks of the clock and the stop flag, a power of two; at two
/// million nodes a second, that is four checks a millisecond.
const CHECK_INTERVAL: u64 = 512;

/// A single reply is played after this depth, in plies: enough for a score.
const REPLY_DEPTH: i32 = 5;

/// One thread of a search. Its methods stand in files by what they do: `root` deepens,
/// `node` searches a node and its leaves, `pruning` cuts nodes off, `exact` finds exact
/// distances, and here is what all of them need.
pub(super) struct Worker<'a, G: Game, E: Evaluator<G>> {
    pub(super) shared: &'a Shared,
    pub(super) evaluator: E,
    pub(super) histories: &'a mut Histories,
    pub(super) root: G,
    /// Keys of the game's positions up to the root, then those of the line.
    pub(super) keys: Vec<u64>,
    root_keys: usize,
    /// Positions that have occurred twice, counting the root: the next time is
    /// a draw.
    pub(super) drawn: Vec<u64>,
    /// Stands for all of these in the keys of the table.
    drawn_key: u64,
    pub(super) frames: Box<[Frame]>,
    pub(super) pv: Vec<PvLine<Move>>,
    pub(super) root_moves: Vec<RootMove>,
    pub(super) pv_index: usize,
    pub(super) nodes: u64,
    /// The number of nodes at which the clock and the limits are checked next.
    next_check: u64,
    pub(super) node_limit: u64,
    pub(super) selective_depth: usize,
    pub(super) completed_depth: i32,
    pub(super) root_depth: i32,
    /// While a null move is verified, neither side makes one before this ply.
    pub(super) no_null_until: usize,
    pub(super) is_aborted: bool,
    /// The window that the root is searched with.
    pub(super) root_window: [Score; 2],
    /// When the search of this window began.
    pub(super) window_begin: Duration,
    /// The lines as last reported, the best first, for `bestmove` to agree with.
    pub(super) reported: Vec<LineReport>,
    pub(super) distances: Distances,
    /// Results proven elsewhere.
    pub(super) probed: Option<ProbedResults<G>>,
    /// What receives the search's reports, if anything.
    pub(super) report: Option<&'a mut dyn FnMut(Report)>,
    id: usize,
}

/// A key mixed (the finaliser of SplitMix64, Steele, Lea and Flood 2014): combined
/// as they are, the keys of several positions would cancel or make other ones.
fn mixed(key: u64) -> u64 {
    let key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ key >> 31
}

/// One key for the positions that are drawn now; 0 if there are none.
fn drawn_key(drawn: &[u64]) -> u64 {
    drawn
        .iter()
        .fold(0, |sum, &key| sum.wrapping_add(mixed(key)))
}

/// The keys that occur at least twice among the game's and the root's.
fn occurred_twice(keys: &[u64], root: u64) -> Vec<u64> {
    let mut keys = keys.to_vec();
    keys.push(root);
    keys.sort_unstable();
    let twice = keys.chunk_by(|a, b| a == b).filter(|same| same.len() >= 2);
    twice.map(|same| same[0]).collect()
}

impl<'a, G: Game, E: Evaluator<G>> Worker<'a, G, E> {
    /// A worker on a position, at which `evaluator` has been started. `keys` holds the
    /// keys of the game's earlier positions, oldest first. Thread 0 reports and decides
    /// when to stop.
    pub(super) fn new(
        id: usize,
        shared: &'a Shared,
        histories: &'a mut Histories,
        evaluator: E,
        root: &G,
        keys: &[u64],
    ) -> Self {
        let drawn = if G::CAN_REPEAT {
            occurred_twice(keys, root.key())
        } else {
            Vec::new()
        };
        Self {
            shared,
            evaluator,
            histories,
            root: root.clone(),
            keys: keys.to_vec(),
            root_keys: keys.len(),
            drawn_key: drawn_key(&drawn),
            drawn,
            frames: vec![Frame::EMPTY; MAX_PLY + LOOK_BACK + 2].into_boxed_slice(),
            pv: vec![ArrayVec::new(); MAX_PLY + 1],
            root_moves: Vec::new(),
            pv_index: 0,
            nodes: 0,
            // The first share of nodes that are limited together is taken at once.
            next_check: match shared.nodes_left(id, 0) {
                Some(_) => 1,
                None => CHECK_INTERVAL,
            },
            node_limit: shared.node_limit(0),
            selective_depth: 0,
            completed_depth: 0,
            root_depth: 0,
            no_null_until: 0,
            is_aborted: false,
            root_window: [-INFINITE, INFINITE],
            window_begin: Duration::ZERO,
            reported: Vec::new(),
            distances: Distances::default(),
            probed: None,
            report: None,
            id,
        }
    }

    /// Whether this is the first thread.
    pub(super) const fn is_main(&self) -> bool {
        self.id == 0
    }

    #[inline]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + LOOK_BACK]
    }

    #[inline]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + LOOK_BACK]
    }

    /// The last two moves played before the node at this ply.
    #[inline]
    pub(super) fn before(&self, ply: usize) -> [Played; 2] {
        [
            self.frames[ply + LOOK_BACK - 1].played,
            self.frames[ply + LOOK_BACK - 2].played,
        ]
    }

    /// Counts a node; `true` if the search must be abandoned now.
    #[inline]
    pub(super) fn enter_node(&mut self) -> bool {
        if self.nodes >= self.node_limit {
            self.is_aborted = true;
        }
        if self.is_aborted {
            return true;
        }
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check();
        }
        self.is_aborted
    }

    /// Checks the stop flag and the limits.
    #[cold]
    fn check(&mut self) {
        let shared = self.shared;
        self.publish_nodes();
        shared.control.pause();
        // A ponder hit makes it apply.
        self.node_limit = shared.node_limit(self.completed_depth);
        let left = shared.nodes_left(self.id, self.nodes);
        let left = left.filter(|_| !shared.control.is_pondering());
        // Not all of its share, so that the others have some, too.
        let share = left.map(|left| left / (2 * shared.nodes.len() as u64));
        self.next_check =
            self.nodes + share.map_or(CHECK_INTERVAL, |share| share.clamp(1, CHECK_INTERVAL));
        shared.next_checks[self.id].store(self.next_check, Relaxed);
        // Finish the first iteration, unless it is long, to have a move to play.
        if self.is_main() && self.completed_depth == 0 && self.nodes < 100_000 {
            return;
        }
        if !shared.control.is_pondering() {
            // Every thread checks the clock and the nodes: with more threads than
            // cores, the main one may have to wait for the others before it can,
            // and it is the last to end an infinite search.
            let hard = shared.options.deadlines.hard;
            let late = hard.is_some_and(|hard| shared.control.thinking_time() >= hard);
            // After pondering, an iteration may be under way that has no time.
            let is_idle = || {
                self.is_main() && !shared.options.limits.infinite && self.has_nothing_to_choose()
            };
            if late || left == Some(0) || is_idle() {
                self.is_aborted = true;
            }
        }
        if shared.control.is_stopped() {
            self.is_aborted = true;
        }
    }

    /// Whether there is no choice: only one move, or only one that does not
    /// lose at once.
    fn has_single_reply(&self) -> bool {
        self.root_moves.len() == 1
            || matches!(self.root.tactics(), Tactics::Only(replies) if replies.len() == 1)
    }

    /// Whether the clock need not run any longer.
    pub(super) fn has_nothing_to_choose(&self) -> bool {
        self.shared.options.limits.clock.is_some()
            && self.completed_depth >= REPLY_DEPTH
            && self.has_single_reply()
    }

    pub(super) fn publish_nodes(&self) {
        self.shared.nodes[self.id].store(self.nodes, Relaxed);
    }

    /// The score by the rules alone, if the game ends here.
    #[inline]
    pub(super) fn score_by_rules(&self, position: &G, ply: usize) -> Option<Score> {
        match position.outcome() {
            Outcome::Ongoing => {}
            Outcome::Draw => return Some(0),
            Outcome::Win(side) => {
                let lost = loss_in(ply);
                let own = side == position.side_to_move();
                return Some(if own { -lost } else { lost });
            }
        }
        (G::CAN_REPEAT && self.is_repetition(position.key())).then_some(0)
    }

    /// Whether the position is a draw by repetition, or as good as one: it has
    /// occurred on this line since the root, or twice before in the game.
    fn is_repetition(&self, key: u64) -> bool {
        self.keys[self.root_keys..].contains(&key) || self.drawn.contains(&key)
    }

    /// Whether reaching the position now would be its third occurrence.
    #[inline]
    pub(super) fn is_drawn(&self, position: &G) -> bool {
        G::CAN_REPEAT && self.drawn.contains(&position.key())
    }

    /// What the rules prove. Where a repetition could draw, only a win in one
    /// is certain.
    #[inline]
    pub(super) fn tactics_here(&self, position: &G) -> Tactics {
        match position.tactics() {
            win @ Tactics::Win { plies: 1, .. } => win,
            _ if G::CAN_REPEAT && !self.drawn.is_empty() => Tactics::Open,
            tactics => tactics,
        }
    }

    /// The position's key in the table. Results hold only for the positions that
    /// are drawn now.
    #[inline]
    pub(super) fn table_key(&self, position: &G) -> u64 {
        if G::CAN_REPEAT {
            position.key() ^ self.drawn_key
        } else {
            position.key()
        }
    }

    /// Descends into a move: updates the evaluator and records the key.
    #[inline]
    pub(super) fn descend(&mut self, parent: &G, mv: Move, child: &G, ply: usize) {
        self.shared.table.prefetch(self.table_key(child));
        let played = Played::new(parent, mv);
        self.frame_mut(ply).played = played;
        self.evaluator.push(parent, mv, child);
        if G::CAN_REPEAT {
            self.keys.push(parent.key());
        }
    }

    /// Undoes [`Worker::descend`].
    #[inline]
    pub(super) fn ascend(&mut self) {
        self.evaluator.pop();
        if G::CAN_REPEAT {
            self.keys.pop();
        }
    }

    /// Begins the line of a node of the principal variation.
    #[inline]
    pub(super) fn begin_line(&mut self, ply: usize) {
        self.pv[ply].clear();
        self.selective_depth = self.selective_depth.max(ply);
    }

    /// Sets the line to a move followed by the line of the node below.
    #[inline]
    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        for &next in tail.first().into_iter().flatten() {
            if line.try_push(next).is_err() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::drawn_key;

    #[test]
    fn keys_of_drawn_positions_do_not_cancel() {
        let (key, side, one, other) = (0x1234_5678_9abc_def0, 1 << 40, 1 << 20, 1 << 30);
        // A pass, and a step of each side forth and back.
        assert_ne!(drawn_key(&[key, key ^ side]), side);
        assert_ne!(
            drawn_key(&[key, key ^ one, key ^ other, key ^ one ^ other]),
            0
        );
        assert_ne!(drawn_key(&[key]), key);
        assert_eq!(drawn_key(&[]), 0);
    }
}
