//! What a search answers: its results become events.

use super::board::line_texts;
use super::event::{Event, Info, Sink};
use super::game_record::SearchRoot;
use super::opening::Opening;
use super::playable::Playable;
use super::proofs::{lookup, lookup_or_prove, score_of};
use super::strength::Handicap;
use crate::base::{MATE, PvLine, Score, is_mate, mate_plies};
use crate::eval::EvalSource;
use crate::game::{Game, Move, MoveList, Outcome, Tactics};
use crate::search::{
    Bound, Control, LineReport, ProbedResults, Report, SearchInput, SearchOptions, Searcher,
};
use crate::solve::{ProofBook, ProvenMove};
use std::sync::Arc;
use std::time::Duration;

/// A position to search, and how.
pub(super) struct SearchJob<G> {
    pub(super) root: SearchRoot<G>,
    pub(super) source: EvalSource,
    /// Already as weak as the handicap demands.
    pub(super) options: SearchOptions,
    pub(super) handicap: Option<Handicap>,
    /// A move of the opening book, to be played without a search.
    pub(super) opening: Option<Opening>,
    /// Proofs for the board, if there are any.
    pub(super) proof_book: Option<Arc<ProofBook>>,
}

/// What is proven before the search.
struct Proof<G> {
    proven: Option<ProvenMove>,
    /// Nodes that the prover took.
    spent: u64,
    /// If the prover did not decide it: what it found still helps the search.
    probed: Option<ProbedResults<G>>,
}

impl<G: Playable> SearchJob<G> {
    /// Finds an answer, waits until it is due, and returns it.
    pub(super) fn answer(
        self,
        searcher: &mut Searcher,
        control: &Arc<Control>,
        sink: &Sink,
    ) -> Event {
        let position = &self.root.position;
        if self.root.is_over {
            sink(Event::Info(finished_info(position)));
            control.wait_until_due(&self.options.limits);
            return best_event(position, &[]);
        }
        if let Some(opening) = &self.opening {
            let text = position.move_text(opening.line[0]);
            sink(Event::Message(format!("book move {text}")));
            sink(Event::Info(opening_info(position, opening, control)));
            return best_event(position, &opening.line);
        }
        let proof = self.proof(control);
        if let Some(proven) = &proof.proven {
            sink(proof_message(position, proven));
            if self.options.wants_a_move() {
                sink(Event::Info(proven_info(position, proven, control)));
                return best_event(position, &[proven.best]);
            }
        }
        self.search(proof, searcher, control, sink)
    }

    /// What the proofs of the board know of the position. At reduced strength, none
    /// are used.
    fn proof(&self, control: &Control) -> Proof<G> {
        let (position, options) = (&self.root.position, &self.options);
        let (deadline, nodes) = (options.deadlines.hard, options.limits.nodes);
        let book = self.proof_book.as_ref();
        let book = book.filter(|_| self.handicap.is_none());
        let (proven, spent) = match book {
            Some(book) if options.wants_a_move() => {
                lookup_or_prove(position, book, deadline, nodes, control)
            }
            Some(book) => (lookup(position, book, deadline, control), 0),
            None => (None, 0),
        };
        let asked = book.filter(|_| spent > 0);
        Proof {
            proven,
            spent,
            probed: asked.and_then(|book| position.book_probe(book)),
        }
    }

    /// Answers what a search finds, unless more is proven.
    fn search(
        self,
        proof: Proof<G>,
        searcher: &mut Searcher,
        control: &Arc<Control>,
        sink: &Sink,
    ) -> Event {
        let (position, mut options) = (&self.root.position, self.options);
        let nodes = &mut options.limits.nodes;
        *nodes = nodes.map(|nodes| nodes.saturating_sub(proof.spent).max(1));
        let proven = proof.proven.filter(|proven| {
            options.multi_pv == 1 && is_allowed(proven.best, &options.limits.search_moves)
        });
        let input = SearchInput {
            position,
            keys: &self.root.keys,
            options,
            probed: proof.probed,
        };
        let evaluator = || position.evaluator(&self.source);
        let verdict = searcher.search(input, evaluator, control, &mut |report| {
            sink(event(position, report));
        });
        let Some(verdict) = verdict else {
            return best_event(position, &[]);
        };
        let mut reported = verdict.reported;
        let weaker = self.handicap.as_ref().and_then(|handicap| {
            handicap.choose(position.key(), reported.iter().take(handicap.lines()))
        });
        let (mut line, score) = match weaker {
            None => (verdict.line, verdict.score),
            Some(index) => {
                if index > 0 {
                    report_exchange(position, &mut reported, index, control, sink);
                }
                (reported[0].moves.clone(), reported[0].score)
            }
        };
        if let Some(proven) = proven.filter(|_| !is_mate(score)) {
            // The search has not seen the proven result, which is reported last.
            sink(proof_message(position, &proven));
            let first = reported.first();
            sink(Event::Info(Info {
                depth: verdict.depth.max(1) as u32,
                selective_depth: first.map_or(1, |line| line.selective_depth),
                nodes: verdict.nodes + proof.spent,
                hashfull: first.map_or(0, |line| line.hashfull),
                ..proven_info(position, &proven, control)
            }));
            return best_event(position, &[proven.best]);
        }
        complete(position, &mut line, score);
        best_event(position, &line)
    }

    /// An answer without search, should the search fail: some legal move.
    pub(super) fn fallback(&self) -> Event {
        let mut list = MoveList::new();
        if !self.root.is_over {
            self.root.position.moves(&mut list);
        }
        best_event(&self.root.position, &list[..list.len().min(1)])
    }
}

/// Swaps the line that is played with the first one, and reports both.
fn report_exchange<G: Playable>(
    position: &G,
    lines: &mut [LineReport],
    index: usize,
    control: &Control,
    sink: &Sink,
) {
    let last = lines.last().map(|line| (line.nodes, line.hashfull));
    lines.swap(0, index);
    for at in [0, index] {
        let line = &mut lines[at];
        line.rank = at as u32 + 1;
        line.time = control.elapsed();
        (line.nodes, line.hashfull) = last.unwrap_or_default();
        sink(event(position, Report::Line(line.clone())));
    }
}

/// The answer that the line's first move is the best one.
fn best_event<G: Playable>(position: &G, line: &[Move]) -> Event {
    let mut moves = line_texts(position, &line[..line.len().min(2)]).into_iter();
    Event::Best {
        best: moves.next(),
        ponder: moves.next(),
    }
}

/// How a finished position is reported: no depth, no line, lost or won now.
fn finished_info<G: Playable>(position: &G) -> Info {
    let score = match position.outcome() {
        Outcome::Win(side) if side == position.side_to_move() => MATE,
        Outcome::Win(_) => -MATE,
        _ => 0,
    };
    Info {
        depth: 0,
        selective_depth: 0,
        ..unsearched_info(position, score, Duration::ZERO, &[])
    }
}

/// A score that no search has found.
fn unsearched_info<G: Playable>(position: &G, score: Score, time: Duration, line: &[Move]) -> Info {
    Info {
        depth: 1,
        selective_depth: 1,
        rank: 1,
        score,
        bound: Bound::Exact,
        chances: G::chances(score),
        nodes: 0,
        hashfull: 0,
        time,
        line: line_texts(position, line),
    }
}

/// Whether the move is among those to be searched.
fn is_allowed(mv: Move, moves: &[Move]) -> bool {
    moves.is_empty() || moves.contains(&mv)
}

/// Who wins, in the words of `go prove`.
fn proof_message<G: Playable>(position: &G, proven: &ProvenMove) -> Event {
    let side = position.side_to_move();
    let winner = if proven.wins { side } else { !side };
    Event::Message(format!("proof {winner} wins"))
}

/// A result proven without a search.
fn proven_info<G: Playable>(position: &G, proven: &ProvenMove, control: &Control) -> Info {
    Info {
        nodes: proven.nodes,
        ..unsearched_info(
            position,
            score_of(proven),
            control.elapsed(),
            &[proven.best],
        )
    }
}

/// A move of the opening book, with the line that the book expects.
fn opening_info<G: Playable>(position: &G, opening: &Opening, control: &Control) -> Info {
    unsearched_info(position, opening.score, control.elapsed(), &opening.line)
}

fn event<G: Playable>(position: &G, report: Report) -> Event {
    match report {
        Report::Current { depth, mv, number } => Event::Current {
            depth,
            mv: position.move_text(mv),
            number,
        },
        Report::Line(mut line) => {
            complete(position, &mut line.moves, line.score);
            Event::Info(Info {
                depth: line.depth,
                selective_depth: line.selective_depth,
                rank: line.rank,
                score: line.score,
                bound: line.bound,
                chances: G::chances(line.score),
                nodes: line.nodes,
                hashfull: line.hashfull,
                time: line.time,
                line: line_texts(position, &line.moves),
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
            Tactics::Win { first, .. } if first.is_some() => first,
            Tactics::Win { .. } => match winning_move(&position) {
                Some(mv) => mv,
                None => return,
            },
            Tactics::Loss { .. } => {
                let mut list = MoveList::new();
                position.moves(&mut list);
                list[0]
            }
            Tactics::Only(replies) if replies.len() == 1 => replies[0],
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
