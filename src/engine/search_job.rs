//! A search of a position whose game the engine does not know: its results
//! become events.

use super::event::{Event, Info};
use super::playable::Playable;
use super::proven;
use super::strength::Handicap;
use crate::base::{PvLine, is_mate, mate_plies};
use crate::eval::EvalSource;
use crate::game::{Game, Move, MoveList, Outcome, Tactics};
use crate::search::{Control, Limits, Line, Report, Request, Searcher, Verdict};
use crate::solve::{Known, ProofBook};
use std::sync::Arc;

/// Where events go.
pub(super) type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// How to search.
pub(super) struct Order {
    pub limits: Limits,
    /// Best lines to report.
    pub multi_pv: usize,
    pub handicap: Option<Handicap>,
    /// Proofs for the board, if there are any.
    pub book: Option<Arc<ProofBook>>,
}

/// A position that is ready to be searched.
pub(super) trait SearchJob: Send + Sync {
    /// Searches, waits until an answer is due, and returns it.
    fn answer(
        &self,
        searcher: &mut Searcher,
        order: Order,
        control: &Arc<Control>,
        sink: &Sink,
    ) -> Event;

    /// Searches and reports only the nodes that it took.
    fn count_nodes(&self, searcher: &mut Searcher, limits: Limits, control: &Arc<Control>) -> u64;

    /// An answer without search, should the search fail: some legal move.
    fn emergency(&self) -> Event;
}

/// A position to search, with the keys of those before it.
struct Prepared<G> {
    position: G,
    keys: Vec<u64>,
    is_over: bool,
    source: EvalSource,
}

/// A job that searches the position.
pub(super) fn prepare<G: Playable>(
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

impl<G: Playable> Prepared<G> {
    fn search(
        &self,
        searcher: &mut Searcher,
        request: Request<'_, G>,
        control: &Arc<Control>,
        report: &mut dyn FnMut(Report),
    ) -> Option<Verdict> {
        let evaluator = || self.position.evaluator(&self.source);
        searcher.search(request, evaluator, control, report)
    }
}

impl<G: Playable> SearchJob for Prepared<G> {
    fn answer(
        &self,
        searcher: &mut Searcher,
        order: Order,
        control: &Arc<Control>,
        sink: &Sink,
    ) -> Event {
        let position = &self.position;
        if self.is_over {
            sink(Event::Info(finished_info(position)));
            control.wait_for_answer(&order.limits);
            return best(position, &[]);
        }
        let mut limits = order.limits;
        // At reduced strength, no proofs are used.
        let book = order.book.filter(|_| order.handicap.is_none());
        let at_once = proven::wants_a_move(&limits, order.multi_pv);
        let (known, spent) = match &book {
            Some(book) if at_once => proven::answer(position, book, &limits, control),
            Some(book) => (proven::known(position, book, &limits, control), 0),
            None => (None, 0),
        };
        if let Some(known) = &known {
            sink(proof_note(position, known));
            if at_once {
                let reached = Reached {
                    depth: 1,
                    select_depth: 1,
                    nodes: known.nodes,
                    hash_full: 0,
                };
                sink(Event::Info(proven_info(position, known, reached, control)));
                return best(position, &[known.best]);
            }
        }
        limits.nodes = limits.nodes.map(|nodes| nodes.saturating_sub(spent).max(1));
        // If the prover was asked in vain, what it found out still helps the search.
        let asked = book.filter(|_| spent > 0);
        let proofs = asked.and_then(|book| position.proofs_by(&book));
        let known = known
            .filter(|known| order.multi_pv == 1 && is_allowed(known.best, &limits.search_moves));
        let mut request = Request::new(position, &self.keys, limits);
        request.multi_pv = order.multi_pv;
        request.proofs = proofs;
        if let Some(handicap) = &order.handicap {
            request.multi_pv = handicap.lines().max(order.multi_pv);
            request.threads = 1;
        }
        let mut told = Told::default();
        let verdict = self.search(searcher, request, control, &mut |report| {
            told.note(&report);
            sink(event(position, report));
        });
        let Some(verdict) = verdict else {
            return best(position, &[]);
        };
        let handicap = order.handicap.as_ref();
        let weaker = handicap.and_then(|handicap| {
            let lines = told.lines.iter().map(|(line, _)| line);
            handicap.choose(position.key(), lines.take(handicap.lines()))
        });
        let (mut line, score) = match weaker {
            None => (verdict.line, verdict.score),
            Some(index) => {
                for report in told.exchange(index, control) {
                    sink(event(position, report));
                }
                let (chosen, _) = &told.lines[0];
                (chosen.moves.clone(), chosen.score)
            }
        };
        if let Some(known) = known.filter(|_| !is_mate(score)) {
            // The search has not seen the proven result, which is reported last.
            sink(proof_note(position, &known));
            let mut reached = told.reached(verdict.depth, verdict.nodes);
            reached.nodes += spent;
            sink(Event::Info(proven_info(position, &known, reached, control)));
            return best(position, &[known.best]);
        }
        complete(position, &mut line, score);
        best(position, &line)
    }

    fn count_nodes(&self, searcher: &mut Searcher, limits: Limits, control: &Arc<Control>) -> u64 {
        let request = Request::new(&self.position, &self.keys, limits);
        let verdict = self.search(searcher, request, control, &mut |_| {});
        verdict.map_or(0, |verdict| verdict.nodes)
    }

    fn emergency(&self) -> Event {
        let mut list = MoveList::new();
        if !self.is_over {
            self.position.moves(&mut list);
        }
        best(&self.position, &list[..list.len().min(1)])
    }
}

/// How far the search beside a proof has got, as a report tells it.
#[derive(Clone, Copy)]
struct Reached {
    depth: u32,
    select_depth: u32,
    nodes: u64,
    hash_full: u32,
}

/// The lines as last reported, each with its depth.
#[derive(Default)]
struct Told {
    lines: Vec<(Line, u32)>,
    nodes: u64,
    hash_full: usize,
}

impl Told {
    fn note(&mut self, report: &Report) {
        if let Report::Line {
            depth,
            line,
            nodes,
            hash_full,
            ..
        } = report
        {
            self.lines.truncate(line.rank - 1);
            self.lines.push((line.clone(), *depth));
            (self.nodes, self.hash_full) = (*nodes, *hash_full);
        }
    }

    /// How far a search has got that ends with this depth and so many nodes.
    fn reached(&self, depth: i32, nodes: u64) -> Reached {
        let first = self.lines.first();
        Reached {
            depth: depth.max(1) as u32,
            select_depth: first.map_or(1, |(line, _)| line.select_depth as u32),
            nodes,
            hash_full: self.hash_full as u32,
        }
    }

    /// Swaps the line that is played with the first one, and reports both.
    fn exchange(&mut self, index: usize, control: &Control) -> Vec<Report> {
        if index == 0 {
            return Vec::new();
        }
        self.lines.swap(0, index);
        let tell = |at: usize| {
            let (line, depth) = &mut self.lines[at];
            line.rank = at + 1;
            Report::Line {
                depth: *depth,
                line: line.clone(),
                nodes: self.nodes,
                time: control.elapsed(),
                hash_full: self.hash_full,
            }
        };
        [0, index].map(tell).to_vec()
    }
}

/// The answer that the line's first move is the best one.
fn best<G: Playable>(position: &G, line: &[Move]) -> Event {
    let mut moves = texts(position, &line[..line.len().min(2)]).into_iter();
    Event::Best {
        best: moves.next(),
        ponder: moves.next(),
    }
}

/// How a finished position is reported: no depth, no line, lost or won now.
fn finished_info<G: Playable>(position: &G) -> Info {
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

/// Whether the move is among those to be searched.
fn is_allowed(mv: Move, moves: &[Move]) -> bool {
    moves.is_empty() || moves.contains(&mv)
}

/// Who wins, in the words of `go prove`.
fn proof_note<G: Playable>(position: &G, known: &Known) -> Event {
    let side = position.side_to_move();
    let winner = if known.wins { side } else { !side };
    Event::Note(format!("proof {winner} wins"))
}

/// A result proven without a search, beside which one has got so far.
fn proven_info<G: Playable>(
    position: &G,
    known: &Known,
    reached: Reached,
    control: &Control,
) -> Info {
    let score = proven::score(known);
    Info {
        depth: reached.depth,
        select_depth: reached.select_depth,
        rank: 1,
        score,
        bound: crate::search::Bound::Exact,
        chances: G::chances(score),
        nodes: reached.nodes,
        hash_full: reached.hash_full,
        time: control.elapsed(),
        line: texts(position, &[known.best]),
    }
}

fn event<G: Playable>(position: &G, report: Report) -> Event {
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

/// Extends a proven line towards its end as far as the rules alone show it.
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

/// The quickest move after which the rules alone show that the other side has
/// lost.
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

fn texts<G: Playable>(position: &G, line: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    line.iter()
        .map(|&mv| {
            let text = position.move_text(mv);
            position = position.play(mv);
            text
        })
        .collect()
}
