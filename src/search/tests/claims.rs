//! Everything that a search reports, line by line, against exhaustive values: the
//! sign, the bound and the distance of every claim, and the order of the lines, with
//! any threads, lines and limits, however the search ends, and as if three seconds
//! had passed already, after which failed windows are reported too.
//! `PETARD_TEST_FACTOR` multiplies the number of positions.

use crate::base::sync::Arc;
use crate::base::{Host, INFINITE, MATE, PvLine, Score, Side, is_loss, is_win, loss_in};
use crate::common::{below, cases, moves, random_game, random_position};
use crate::eval::EvalSource;
use crate::game::breakthrough::Position;
use crate::game::{Game, Move, Notation, Outcome};
use crate::search::{Bound, Clock, Control, Limits, Report, SearchInput, Searcher};
use rand_mt::Mt64;
use std::collections::HashMap;
use std::time::Duration;

type Board = Position<u128>;

/// The most positions that are looked at for one value.
const BUDGET: usize = 60_000;

/// Values under best play, as scores counted from the position.
#[derive(Default)]
struct Truth(HashMap<([u128; 2], Side), Score>);

impl Truth {
    /// The value of a position; `None` if that takes too long.
    fn value(&mut self, position: &Board, budget: usize) -> Option<Score> {
        if self.0.len() > 20 * BUDGET {
            self.0.clear();
        }
        let most = self.0.len() + budget;
        self.look(position, most)
    }

    fn look(&mut self, position: &Board, most: usize) -> Option<Score> {
        match position.outcome() {
            Outcome::Ongoing => {}
            Outcome::Win(side) if side == position.side_to_move() => return Some(MATE),
            _ => return Some(-MATE),
        }
        let key = (
            Side::BOTH.map(|side| position.pieces(side)),
            position.side_to_move(),
        );
        if let Some(&value) = self.0.get(&key) {
            return Some(value);
        }
        if self.0.len() >= most {
            return None;
        }
        let mut best = -INFINITE;
        for &mv in &moves(position) {
            best = best.max(after(self.look(&position.play(mv), most)?));
        }
        self.0.insert(key, best);
        Some(best)
    }
}

/// What a child's value is worth to its parent.
fn after(child: Score) -> Score {
    if child > 0 { 1 - child } else { -1 - child }
}

/// A reported line, as far as it claims something.
#[derive(Clone, Debug)]
struct Claim {
    depth: i32,
    rank: usize,
    score: Score,
    bound: Bound,
    moves: PvLine<Move>,
}

/// How to search.
#[derive(Clone, Debug)]
struct Setup {
    threads: usize,
    lines: usize,
    limits: Limits,
    /// Whether three seconds have already passed.
    is_late: bool,
    /// After how many reports it is stopped.
    stop_after: Option<usize>,
}

impl Setup {
    fn new(threads: usize, lines: usize, limits: Limits) -> Self {
        Self {
            threads,
            lines,
            limits,
            is_late: false,
            stop_after: None,
        }
    }
}

/// A position with the exact value of each of its moves.
struct Case {
    position: Board,
    values: Vec<(Move, Score)>,
}

impl Case {
    fn new(position: Board, truth: &mut Truth, budget: usize) -> Option<Self> {
        let list = moves(&position);
        let value = |&mv| Some((mv, after(truth.value(&position.play(mv), budget)?)));
        let values = list.iter().map(value).collect::<Option<_>>()?;
        Some(Self { position, values })
    }

    /// Searches, and says what is wrong with the reports.
    fn check(&self, searcher: &mut Searcher, source: &EvalSource, setup: &Setup) -> Vec<String> {
        searcher.set_threads(Host::System, setup.threads).unwrap();
        let mut request = SearchInput::new(&self.position, &[], setup.limits.clone());
        request.options.multi_pv = setup.lines;
        let control = Arc::new(if setup.is_late {
            Control::late(Duration::from_millis(3_100))
        } else {
            Control::new(false)
        });
        let mut claims: Vec<Claim> = Vec::new();
        let evaluator = || source.breakthrough(&self.position);
        let verdict = searcher.search(request, evaluator, &control, &mut |report| {
            if let Report::Line(line) = report {
                claims.push(Claim {
                    depth: line.depth as i32,
                    rank: line.rank as usize,
                    score: line.score,
                    bound: line.bound,
                    moves: line.moves,
                });
                if setup.stop_after == Some(claims.len()) {
                    control.stop();
                }
            }
        });
        let verdict = verdict.expect("there is a move");
        let mut faults = Vec::new();
        let mut shown: Vec<&Claim> = Vec::new();
        for claim in &claims {
            shown.truncate(claim.rank - 1);
            if shown.len() + 1 != claim.rank {
                faults.push(format!("no line before {claim:?}"));
                break;
            }
            let above: Vec<Move> = shown.iter().map(|claim| claim.moves[0]).collect();
            faults.extend(self.faults(claim, &above, &setup.limits));
            if shown.last().is_some_and(|last| last.score < claim.score) {
                faults.push(format!("out of order: {:?}, {claim:?}", shown.last()));
            }
            shown.push(claim);
        }
        if let Some(first) = shown.first() {
            let answer = (verdict.score, verdict.bound, &verdict.line);
            if (first.score, first.bound, &first.moves) != answer {
                faults.push(format!("the answer is {verdict:?}, not {first:?}"));
            }
            let limits = &setup.limits;
            let is_cut_off =
                limits.nodes.is_some() || limits.move_time.is_some() || limits.clock.is_some();
            let is_final = first.bound == Bound::Exact && first.depth >= verdict.depth;
            if !is_cut_off && setup.stop_after.is_none() && !is_final {
                faults.push(format!("not the last word: {shown:?}"));
            }
        }
        faults
    }

    /// What is wrong with a line below others that begin with these moves.
    fn faults(&self, claim: &Claim, above: &[Move], limits: &Limits) -> Vec<String> {
        let Claim {
            score,
            bound,
            moves,
            ..
        } = claim;
        let (score, first) = (*score, moves[0]);
        let wanted = &limits.search_moves;
        let candidates = self
            .values
            .iter()
            .filter(|(mv, _)| !above.contains(mv) && (wanted.is_empty() || wanted.contains(mv)));
        let Some(&(_, value)) = candidates.clone().find(|&&(mv, _)| mv == first) else {
            return vec![format!("no candidate: {claim:?}")];
        };
        let best = candidates.map(|&(_, value)| value).max().unwrap_or(value);
        let mut faults = Vec::new();
        let mut position = self.position;
        for &mv in moves {
            if position.outcome() != Outcome::Ongoing || !position.is_legal(mv) {
                faults.push(format!("no legal line: {claim:?}"));
                break;
            }
            position = position.play(mv);
        }
        // A win is the first move's own, a loss that of all candidates. A win may be
        // quicker than is claimed and a loss too, unless the bound says otherwise.
        let at_least = is_win(score) && *bound != Bound::Upper;
        let at_most = is_loss(score) && *bound != Bound::Lower;
        let denies = (is_win(score) && *bound == Bound::Upper && best > score)
            || (is_loss(score) && *bound == Bound::Lower && value < score);
        if (at_least && value < score) || (at_most && best > score) || denies {
            faults.push(format!("false, the move {value}, best {best}: {claim:?}"));
        }
        if claim.depth < 1 {
            faults.push(format!("no depth: {claim:?}"));
        }
        if (is_win(score) || is_loss(score)) && moves.len() as Score > MATE - score.abs() {
            faults.push(format!("too long a line: {claim:?}"));
        }
        faults
    }
}

fn at_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn of_nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn mate_in(moves: u32) -> Limits {
    Limits {
        mate: Some(moves),
        ..Limits::default()
    }
}

/// Any way of searching the position.
fn any_setup(case: &Case, random: &mut Mt64) -> Setup {
    let threads = [1, 1, 1, 1, 2, 3, 4, 8][below(random, 8)];
    let lines = [1, 1, 1, 2, 2, 3, 5][below(random, 7)];
    let nodes = 1 << below(random, 12);
    let nodes = (nodes + below(random, nodes)) as u64;
    let mut stop_after = None;
    let mut limits = match below(random, 16) {
        0..4 => at_depth(1 + below(random, 12) as u32),
        4..9 => of_nodes(nodes),
        9 => Limits {
            move_time: Some(Duration::from_micros(below(random, 3_000) as u64)),
            ..Limits::default()
        },
        10 => Limits {
            clock: Some(Clock {
                remaining: Duration::from_millis(1 + below(random, 20) as u64),
                increment: Duration::ZERO,
                moves_to_go: None,
            }),
            ..Limits::default()
        },
        11..14 => mate_in(1 + below(random, 7) as u32),
        _ => {
            stop_after = Some(1 + below(random, 20));
            at_depth(14)
        }
    };
    if below(random, 5) == 0 {
        let mut some: Vec<Move> = case.values.iter().map(|&(mv, _)| mv).collect();
        some.retain(|_| below(random, 3) > 0);
        limits.search_moves = some;
    }
    Setup {
        threads,
        lines,
        limits,
        is_late: below(random, 2) == 0,
        stop_after,
    }
}

/// Files, ranks and the most pieces per side; 0 for late positions of random games.
const KINDS: [(usize, usize, usize); 14] = [
    (2, 6, 5),
    (2, 8, 4),
    (2, 10, 4),
    (2, 12, 3),
    (2, 20, 4),
    (2, 28, 3),
    (3, 5, 4),
    (3, 6, 4),
    (4, 5, 4),
    (4, 6, 4),
    (2, 7, 0),
    (3, 5, 0),
    (4, 5, 0),
    (4, 6, 0),
];

fn any_position((files, ranks, pieces): (usize, usize, usize), random: &mut Mt64) -> Board {
    if pieces > 0 {
        return random_position(files, ranks, pieces, random);
    }
    let game = random_game(&Board::start(files, ranks).unwrap(), random);
    let late = game.len().saturating_sub(2 + below(random, 12));
    game[late.min(game.len() - 2)]
}

#[test]
fn every_report_is_true() {
    let mut random = Mt64::new(63);
    let source = EvalSource::default();
    let mut searcher = Searcher::new(1).unwrap();
    let (mut searches, mut wrong, mut positions) = (0, Vec::new(), 0);
    for kind in KINDS {
        let mut truth = Truth::default();
        for _ in 0..cases(6) {
            let position = any_position(kind, &mut random);
            let Some(case) = Case::new(position, &mut truth, BUDGET) else {
                continue;
            };
            positions += 1;
            for _ in 0..6 {
                let setup = any_setup(&case, &mut random);
                if below(&mut random, 3) > 0 {
                    searcher.clear();
                }
                searches += 1;
                let faults = case.check(&mut searcher, &source, &setup);
                if let Some(first) = faults.first() {
                    wrong.push(format!("{} {setup:?}: {first}", position.fen()));
                }
            }
        }
    }
    println!(
        "{searches} searches of {positions} positions, {} wrong",
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{} wrong: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(30)]
    );
    assert!(searches > 300, "{searches}");
}

/// The faults of a search of this position, repeated so many times.
fn faults(fen: &str, setup: &Setup, times: usize) -> Vec<String> {
    let position = Board::from_fen(fen).unwrap();
    let case = Case::new(position, &mut Truth::default(), 10 * BUDGET).expect("few positions");
    let source = EvalSource::default();
    let mut searcher = Searcher::new(1).unwrap();
    let mut all = Vec::new();
    for _ in 0..times {
        searcher.clear();
        all.extend(case.check(&mut searcher, &source, setup));
    }
    all
}

/// Searches a position once on one thread; returns the first line as last reported.
fn last_claim(fen: &str, setup: &Setup) -> (Score, Bound, i32) {
    let position = Board::from_fen(fen).unwrap();
    let source = EvalSource::default();
    let mut request = SearchInput::new(&position, &[], setup.limits.clone());
    request.options.multi_pv = setup.lines;
    let mut last = None;
    let evaluator = || source.breakthrough(&position);
    let control = Arc::new(Control::new(false));
    let mut searcher = Searcher::new(1).unwrap();
    searcher.search(request, evaluator, &control, &mut |report| {
        if let Report::Line(line) = report
            && line.rank == 1
        {
            last = Some((line.score, line.bound, line.depth as i32));
        }
    });
    last.expect("a line")
}

#[test]
fn a_first_move_that_fails_low_does_not_stand_for_all() {
    for (fen, lines, depth) in [
        ("pp/1p/1P/p1/P1/PP w 0 1", 3, 12),
        ("ppppp/1p1pp/pP1p1/PP2P/PPPPP w 0 3", 1, 12),
    ] {
        let mut setup = Setup::new(1, lines, at_depth(depth));
        setup.is_late = true;
        let position = Board::from_fen(fen).unwrap();
        if Case::new(position, &mut Truth::default(), BUDGET).is_some() {
            assert_eq!(faults(fen, &setup, 1), [""; 0], "{fen}");
        }
        assert!(is_win(last_claim(fen, &setup).0), "{fen}");
    }
}

#[test]
fn the_first_moves_distance_is_not_that_of_a_search_cut_off() {
    for (fen, nodes, longest) in [
        ("2/2/2/2/2/2/2/2/2/p1/P1/1p/1P/2/P1/2/2/2/2/2 w 0 1", 77, 20),
        ("p1/2/2/2/2/2/p1/2/1P/P1/P1/2 b 0 1", 209, 18),
    ] {
        let setup = Setup::new(1, 1, of_nodes(nodes));
        assert_eq!(faults(fen, &setup, 1), [""; 0], "{fen}");
        let (score, ..) = last_claim(fen, &setup);
        assert!(
            !is_loss(score) || score >= loss_in(longest),
            "{fen}: {score}"
        );
    }
    let setup = Setup::new(3, 1, of_nodes(1));
    assert_eq!(faults("p1/1p/p1/2/PP/2/P1/2 b 0 1", &setup, 50), [""; 0]);
    let fen = "pp/pp/2/P1/1P/PP b 0 1";
    let position = Board::from_fen(fen).unwrap();
    let mut limits = at_depth(9);
    limits.search_moves = ["b5a4", "a5b4", "a5a4"]
        .map(|text| position.parse_move(text).unwrap())
        .to_vec();
    assert_eq!(faults(fen, &Setup::new(3, 1, limits), 50), [""; 0]);
}

#[test]
fn a_finished_iteration_stands() {
    let fen = "1p/1p/1p/2/2/2/2/2/2/1P/2/2 w 0 1";
    for limits in [at_depth(8), mate_in(4)] {
        assert_eq!(faults(fen, &Setup::new(1, 2, limits), 1), [""; 0]);
    }
}

#[test]
fn an_exact_result_is_reported_as_one() {
    let fen = "p1/1p/p1/2/PP/2/P1/2 b 0 1";
    let setup = Setup::new(1, 1, at_depth(8));
    assert_eq!(faults(fen, &setup, 1), [""; 0]);
    let (score, bound, depth) = last_claim(fen, &setup);
    assert_eq!((score, bound, depth), (loss_in(12), Bound::Exact, 8));
}

#[test]
fn a_helpers_unfinished_iteration_is_not_the_last_word() {
    for (fen, threads, limits) in [
        ("ppp/2p/pp1/PPP/PP1 w 0 3", 4, at_depth(10)),
        ("ppp/pp1/P2/PPp/PP1 w 0 3", 2, mate_in(6)),
    ] {
        let setup = Setup::new(threads, 1, limits);
        assert_eq!(faults(fen, &setup, cases(100)), [""; 0], "{fen}");
    }
}

/// With helpers, a line may be lost of which it is not known how long it lasts: there was
/// an old report in its place, of the move that had come after it.
#[test]
fn lines_that_stand_together_begin_with_different_moves() {
    let setup = Setup {
        is_late: true,
        ..Setup::new(8, 5, at_depth(10))
    };
    let fen = "pp/1p/2/2/pP/1P/P1 b 0 4";
    assert_eq!(faults(fen, &setup, cases(100)), [""; 0]);
}

#[test]
fn a_faster_win_below_a_slower_one_is_not_called_slower() {
    let fen = "2/2/2/1p/2/1p/2/2/2/2/2/2/2/2/2/2/2/2/2/2/p1/2/2/2/2/2/2/1P b 0 1";
    for nodes in 300..450 {
        let setup = Setup::new(2, 5, of_nodes(nodes));
        assert_eq!(faults(fen, &setup, cases(10)), [""; 0], "{nodes}");
    }
}

#[test]
fn no_proven_loss_is_ranked_above_an_estimate() {
    let fen = "2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/p1/2/2/2/2/2/2/P1/P1/2/P1/1P/2/2/2 b 0 1";
    assert_eq!(faults(fen, &Setup::new(1, 2, mate_in(5)), 1), [""; 0]);
}

#[test]
fn a_line_below_an_exact_loss_stands_for_all_after_it() {
    let setup = Setup::new(3, 3, mate_in(7));
    assert_eq!(faults("pp/1p/2/1P/1p/PP/1P w 0 4", &setup, 20), [""; 0]);
}
