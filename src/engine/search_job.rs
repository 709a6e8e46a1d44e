//! A search handed to the threads: every thread runs its own worker, thread 0
//! reports, waits until it may answer, and answers.

use super::event::{Event, Info};
use super::pool::Memory;
use super::strength::Handicap;
use super::tenant::Tenant;
use crate::base::{PvLine, is_mate, is_win, mate_plies};
use crate::eval::EvalSource;
use crate::game::{Game, Move, MoveList, Outcome, Tactics};
use crate::search::{Line, Report, Shared, Verdict, Worker};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Where events go.
pub(super) type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// A search of one position, ready to run on every thread.
pub(super) trait SearchJob: Send + Sync {
    /// Thread 0: searches, waits until an answer is due, and gives it.
    fn lead(&self, context: &ThreadContext, verdicts: &Verdicts, memory: &mut Memory) -> Event;

    /// Any other thread: searches until it is stopped.
    fn help(&self, context: &ThreadContext, memory: &mut Memory) -> Option<Verdict>;

    /// An answer without search, should the search fail: some legal move.
    fn emergency(&self) -> Event;
}

/// What one thread's run needs.
pub(super) struct ThreadContext {
    pub id: usize,
    pub shared: Arc<Shared>,
    pub sink: Sink,
    pub handicap: Option<Handicap>,
}

/// Where helper threads leave their verdicts.
pub(super) struct Verdicts {
    sender: Sender<Option<Verdict>>,
    receiver: Mutex<Receiver<Option<Verdict>>>,
}

impl Verdicts {
    pub fn new() -> Self {
        let (sender, receiver) = channel();
        Self {
            sender,
            receiver: Mutex::new(receiver),
        }
    }

    /// Leaves a verdict; the thread must have let go of the search by then.
    pub fn leave(&self, verdict: Option<Verdict>) {
        // The receiver lives as long as the sender beside it.
        let _ = self.sender.send(verdict);
    }

    /// Waits for this many verdicts.
    fn collect(&self, count: usize) -> Vec<Verdict> {
        let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.iter().take(count).flatten().collect()
    }
}

/// A position to search, with the keys of those before it.
struct Prepared<G> {
    position: G,
    keys: Vec<u64>,
    is_over: bool,
    source: EvalSource,
}

/// A job that searches the position.
pub(super) fn prepare<G: Tenant>(
    position: &G,
    keys: &[u64],
    is_over: bool,
    source: &EvalSource,
) -> Arc<dyn SearchJob> {
    Arc::new(Prepared {
        position: position.clone(),
        keys: keys.to_vec(),
        is_over,
        source: source.clone(),
    })
}

impl<G: Tenant> SearchJob for Prepared<G> {
    fn lead(&self, context: &ThreadContext, verdicts: &Verdicts, memory: &mut Memory) -> Event {
        lead(self, context, verdicts, memory)
    }

    fn help(&self, context: &ThreadContext, memory: &mut Memory) -> Option<Verdict> {
        if self.is_over {
            return None;
        }
        run(self, context, memory, &mut |_| {})
    }

    fn emergency(&self) -> Event {
        let mut list = MoveList::new();
        if !self.is_over {
            self.position.moves(&mut list);
        }
        Event::Best {
            best: list.first().map(|&mv| self.position.move_text(mv)),
            ponder: None,
        }
    }
}

fn run<G: Tenant>(
    job: &Prepared<G>,
    context: &ThreadContext,
    memory: &mut Memory,
    report: &mut dyn FnMut(Report),
) -> Option<Verdict> {
    let histories = memory.histories(G::MOVE_INDICES);
    let position = &job.position;
    let evaluator = position.evaluator(&job.source);
    let shared = &context.shared;
    Worker::new(
        context.id, shared, histories, evaluator, position, &job.keys,
    )
    .run(report)
}

fn lead<G: Tenant>(
    job: &Prepared<G>,
    context: &ThreadContext,
    verdicts: &Verdicts,
    memory: &mut Memory,
) -> Event {
    let position = &job.position;
    let (shared, sink) = (&context.shared, &context.sink);
    let mut lines: Vec<Line> = Vec::new();
    let verdict = if job.is_over {
        sink(Event::Info(finished_info(position)));
        None
    } else {
        run(job, context, memory, &mut |report| {
            if let Report::Line { line, .. } = &report {
                lines.truncate(line.rank - 1);
                lines.push(line.clone());
            }
            sink(event(position, report));
        })
    };
    if shared.limits.infinite || shared.control.is_pondering() {
        shared.control.wait(!shared.limits.infinite);
    }
    shared.control.stop();
    let others = verdicts.collect(shared.nodes.len() - 1);
    let Some(own) = verdict else {
        return Event::Best {
            best: None,
            ponder: None,
        };
    };
    let tell = |depth: i32, line: Line| {
        let report = Report::Line {
            depth: depth as u32,
            line,
            nodes: shared.total_nodes(),
            time: shared.control.elapsed(),
            hash_full: shared.table.permille_full(),
        };
        sink(event(position, report));
    };
    let weaker = context
        .handicap
        .as_ref()
        .and_then(|handicap| handicap.choose(position.key(), &lines));
    let depth = own.depth;
    let (mut chosen, score) = if let Some(index) = weaker {
        // What is played is told as the first line, in exchange for the first.
        if index > 0 {
            lines.swap(0, index);
            for at in [0, index] {
                lines[at].rank = at + 1;
                tell(depth, lines[at].clone());
            }
        }
        (lines[0].moves.clone(), lines[0].score)
    } else {
        // Several lines are those of one thread, and so is the best of them.
        let others = if shared.multi_pv > 1 {
            Vec::new()
        } else {
            others
        };
        let verdict = choose(own, others);
        // Another thread's mind must be told too.
        if lines.first().is_none_or(|line| line.moves != verdict.line) && verdict.depth > 0 {
            tell(verdict.depth, verdict.as_line());
        }
        (verdict.line, verdict.score)
    };
    complete(position, &mut chosen, score);
    let ponder = chosen.get(1).map(|&mv| {
        let child = position.play(chosen[0]);
        child.move_text(mv)
    });
    Event::Best {
        best: chosen.first().map(|&mv| position.move_text(mv)),
        ponder,
    }
}

/// The verdict of the thread that proved most or got deepest. What is proven
/// comes before every estimate, and no proof contradicts another.
fn choose(own: Verdict, others: Vec<Verdict>) -> Verdict {
    others.into_iter().fold(own, |best, other| {
        let is_better = if is_mate(best.score) {
            is_win(other.score) && other.score > best.score
        } else if is_mate(other.score) {
            other.depth > 0
        } else {
            other.depth > best.depth && other.score >= best.score
        };
        if is_better { other } else { best }
    })
}

/// What a finished position is told as: no depth, no line, lost or won now.
fn finished_info<G: Tenant>(position: &G) -> Info {
    let score = match position.outcome() {
        Outcome::Win(side) if side == position.side_to_move() => crate::base::MATE,
        Outcome::Win(_) => -crate::base::MATE,
        _ => 0,
    };
    Info {
        depth: 0,
        select_depth: 0,
        rank: 1,
        score,
        bound: crate::search::Bound::Exact,
        chances: G::chances(score),
        nodes: 0,
        hash_full: 0,
        time: std::time::Duration::ZERO,
        line: Vec::new(),
    }
}

fn event<G: Tenant>(position: &G, report: Report) -> Event {
    match report {
        Report::Current { depth, mv, number } => Event::Current {
            depth,
            mv: position.move_text(mv),
            number: number as u32,
        },
        Report::Line {
            depth,
            mut line,
            nodes,
            time,
            hash_full,
        } => {
            complete(position, &mut line.moves, line.score);
            Event::Info(Info {
                depth,
                select_depth: line.select_depth as u32,
                rank: line.rank as u32,
                score: line.score,
                bound: line.bound,
                chances: G::chances(line.score),
                nodes,
                hash_full: hash_full as u32,
                time,
                line: texts(position, &line.moves),
            })
        }
    }
}

/// Follows a proven line to its end where the rules alone show it.
fn complete<G: Game>(position: &G, line: &mut PvLine<Move>, score: i32) {
    let Some(plies) = mate_plies(score) else {
        return;
    };
    let mut position = line
        .iter()
        .fold(position.clone(), |position, &mv| position.play(mv));
    while line.len() < plies.unsigned_abs() as usize
        && !line.is_full()
        && position.outcome() == Outcome::Ongoing
    {
        let next = match position.tactics() {
            Tactics::Win { best, .. } if best.is_some() => best,
            Tactics::Win { .. } => match winning_move(&position) {
                Some(mv) => mv,
                None => return,
            },
            Tactics::Loss { .. } => {
                let mut list = MoveList::new();
                position.moves(&mut list);
                list[0]
            }
            Tactics::Only(reply) if reply.len() == 1 => reply[0],
            _ => return,
        };
        line.push(next);
        position = position.play(next);
    }
}

/// A move after which the rules alone show the other side lost, the quickest
/// of them.
fn winning_move<G: Game>(position: &G) -> Option<Move> {
    let mut list = MoveList::new();
    position.moves(&mut list);
    let plies = |mv: Move| {
        let child = position.play(mv);
        match child.outcome() {
            Outcome::Win(side) => (side != child.side_to_move()).then_some(0),
            Outcome::Draw => None,
            Outcome::Ongoing => match child.tactics() {
                Tactics::Loss { plies } => Some(plies),
                _ => None,
            },
        }
    };
    list.into_iter()
        .filter_map(|mv| plies(mv).map(|plies| (plies, mv)))
        .min_by_key(|&(plies, _)| plies)
        .map(|(_, mv)| mv)
}

fn texts<G: Tenant>(position: &G, line: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    line.iter()
        .map(|&mv| {
            let text = position.move_text(mv);
            position = position.play(mv);
            text
        })
        .collect()
}
