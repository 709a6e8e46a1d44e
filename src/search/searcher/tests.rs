use super::*;
use crate::base::Score;
use crate::eval::Term;
use crate::game::breakthrough::Position;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Board = Position<u64>;

/// An evaluator that may fail.
struct Fragile {
    fails: bool,
    failures: Arc<AtomicUsize>,
}

impl Evaluator<Board> for Fragile {
    fn reset(&mut self, _: &Board) {}

    fn evaluate(&mut self, _: &Board) -> Score {
        if self.fails {
            self.failures.fetch_add(1, Relaxed);
            panic!("this panic is meant");
        }
        0
    }

    fn explain(&mut self, _: &Board) -> Vec<Term> {
        Vec::new()
    }
}

/// Searches with three threads, of which the last `failing` to get their
/// evaluator fail; the main thread gets its own first.
fn search(searcher: &mut Searcher, failing: usize, depth: u32) -> Option<Verdict> {
    search_counting(searcher, failing, depth, &Arc::default())
}

/// The same, counting the failures.
fn search_counting(
    searcher: &mut Searcher,
    failing: usize,
    depth: u32,
    failures: &Arc<AtomicUsize>,
) -> Option<Verdict> {
    let position = Board::start(6, 6).unwrap();
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let made = Cell::new(0);
    let evaluator = || Fragile {
        fails: made.replace(made.get() + 1) + failing >= 3,
        failures: Arc::clone(failures),
    };
    let control = Arc::new(Control::new(false));
    let mut last = None;
    let verdict = searcher.search(
        SearchInput::new(&position, &[], limits),
        evaluator,
        &control,
        &mut |report| {
            if let Report::Line(line) = report {
                last = Some(line);
            }
        },
    );
    if let Some(verdict) = &verdict {
        assert_eq!(
            last.as_slice(),
            verdict.reported,
            "one line, as last reported"
        );
        assert_eq!(verdict.reported[0].moves, verdict.line);
    }
    verdict
}

#[test]
fn helpers_that_panic_leave_an_answer_and_let_go_of_the_table() {
    let mut searcher = Searcher::new(1).unwrap();
    searcher.set_threads(Host::System, 3).unwrap();
    let failures = Arc::default();
    for failing in [0, 1, 2, 0] {
        let verdict = search_counting(&mut searcher, failing, 6, &failures).unwrap();
        assert!(verdict.depth >= 6 && verdict.nodes > 0);
        assert!(Arc::get_mut(&mut searcher.table).is_some());
    }
    assert!(failures.load(Relaxed) > 0);
}

#[test]
fn a_search_that_panics_ends_its_helpers_and_the_next_one_is_sound() {
    let mut searcher = Searcher::new(1).unwrap();
    searcher.set_threads(Host::System, 3).unwrap();
    let failed =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| search(&mut searcher, 3, 6)));
    assert!(failed.is_err());
    assert!(Arc::get_mut(&mut searcher.table).is_some());
    assert!(search(&mut searcher, 0, 6).is_some());
}

/// How many nodes a search takes that is allowed so many.
fn nodes_of(searcher: &mut Searcher, threads: usize, nodes: u64) -> u64 {
    let position = Board::start(6, 6).unwrap();
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let evaluator = || Fragile {
        fails: false,
        failures: Arc::default(),
    };
    let control = Arc::new(Control::new(false));
    let mut request = SearchInput::new(&position, &[], limits);
    request.options.threads = threads;
    let verdict = searcher.search(request, evaluator, &control, &mut |_| {});
    verdict.unwrap().nodes
}

#[test]
fn as_many_nodes_are_searched_as_are_allowed() {
    for nodes in [1, 100, 12_345] {
        let mut searcher = Searcher::new(1).unwrap();
        assert_eq!(nodes_of(&mut searcher, 1, nodes), nodes);
    }
}

#[test]
fn many_threads_share_the_nodes_that_are_allowed() {
    const THREADS: usize = 64;
    let mut searcher = Searcher::new(1).unwrap();
    searcher.set_threads(Host::System, THREADS).unwrap();
    for nodes in [1, 1_000, 20_000] {
        // One node for each thread that finds none left, and the first iteration.
        let most = nodes + 2 * THREADS as u64 + 100;
        assert!(
            nodes_of(&mut searcher, THREADS, nodes) <= most,
            "{nodes} are allowed"
        );
    }
}

/// The helpers do not go on when only the stop is awaited.
#[test]
fn an_infinite_search_searches_no_more_nodes_than_are_allowed() {
    let position = Board::start(6, 6).unwrap();
    let mut searcher = Searcher::new(1).unwrap();
    searcher.set_threads(Host::System, 3).unwrap();
    let limits = Limits {
        nodes: Some(5_000),
        infinite: true,
        ..Limits::default()
    };
    let evaluator = || Fragile {
        fails: false,
        failures: Arc::default(),
    };
    let control = Arc::new(Control::new(false));
    let stop = Arc::clone(&control);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        stop.stop();
    });
    let request = SearchInput::new(&position, &[], limits);
    let verdict = searcher.search(request, evaluator, &control, &mut |_| {});
    stopper.join().unwrap();
    assert!(verdict.unwrap().nodes < 5_100);
}

#[test]
fn a_table_that_cannot_be_had_leaves_the_old_one() {
    let mut searcher = Searcher::new(2).unwrap();
    for has_room in [true, false] {
        assert!(searcher.set_hash(usize::MAX >> 20, has_room).is_err());
        assert_eq!(searcher.table().megabytes(), 2);
    }
    searcher.set_hash(3, false).unwrap();
    assert_eq!(searcher.table().megabytes(), 3);
}

#[test]
fn after_clearing_a_search_is_the_first_one_again() {
    let mut searcher = Searcher::new(1).unwrap();
    let timeless = |searcher: &mut Searcher| {
        let mut verdict = search(searcher, 0, 7).unwrap();
        for line in &mut verdict.reported {
            line.time = Duration::ZERO;
        }
        verdict
    };
    let first = timeless(&mut searcher);
    let second = timeless(&mut searcher);
    assert_ne!(first, second);
    searcher.clear();
    assert_eq!(timeless(&mut searcher), first);
}
