//! A session in a single-threaded host: work runs when the host runs it, and
//! lets it take over in between.

use petard::engine::{Host, Pause, Settings};
use petard::protocol::{HostedSession, Output, Policy};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// The output.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Written {}

thread_local! {
    static SESSION: RefCell<Option<HostedSession<Written>>> = const { RefCell::new(None) };
    /// Lines that arrive one by one, every `PAUSES_BETWEEN` pauses.
    static COMING: RefCell<VecDeque<&'static str>> = const { RefCell::new(VecDeque::new()) };
    static PAUSES: Cell<usize> = const { Cell::new(0) };
}

/// How many pauses there are between two lines.
const PAUSES_BETWEEN: usize = 5;

fn with_session<T>(act: impl FnOnce(&mut HostedSession<Written>) -> T) -> T {
    SESSION.with_borrow_mut(|session| act(session.as_mut().unwrap()))
}

fn take_over(how_long: Pause) {
    let pauses = PAUSES.get() + 1;
    PAUSES.set(pauses);
    if how_long == Pause::UntilInput || pauses.is_multiple_of(PAUSES_BETWEEN) {
        let line = COMING.with_borrow_mut(VecDeque::pop_front);
        match line {
            Some(line) => with_session(|session| session.execute_lines(line)).unwrap(),
            None => assert!(how_long == Pause::Moment, "nothing ends the work"),
        }
    }
}

/// The answers to these lines, and to those that come during the work they
/// start.
fn answers(lines: &str, coming: &[&'static str]) -> String {
    let policy = Policy {
        settings: Settings {
            host: Host::SingleThread(take_over),
            max_hash: Some(8),
            max_threads: Some(1),
            ..Settings::default()
        },
        ..Policy::default()
    };
    let written = Written::default();
    let handle_events = || {
        SESSION.with(|session| {
            if let Ok(mut session) = session.try_borrow_mut() {
                session.as_mut().unwrap().handle_events().unwrap();
            }
        });
    };
    let session = HostedSession::new(policy, written.clone(), handle_events).unwrap();
    SESSION.set(Some(session));
    COMING.set(coming.iter().copied().collect());
    with_session(|session| session.execute_lines(lines)).unwrap();
    while let Some(work) = with_session(|session| session.take_work()) {
        work();
    }
    SESSION.set(None);
    let text = written.0.lock().unwrap();
    String::from_utf8(text.clone()).unwrap()
}

#[test]
fn commands_are_answered_during_a_search() {
    let text = answers("go infinite", &["isready", "eval", "stop"]);
    let place = |what: &str| {
        text.find(what)
            .unwrap_or_else(|| panic!("{what} in {text}"))
    };
    assert!(place("readyok") < place("bestmove "));
    // Commands that need an idle engine come after the search.
    assert!(place("bestmove ") < place("Evaluation: "));
    assert!(place("info depth 1 ") < place("bestmove "));
}

#[test]
fn a_session_is_over_after_quit() {
    let policy = Policy {
        settings: Settings {
            max_hash: Some(8),
            ..Settings::default()
        },
        ..Policy::default()
    };
    let written = Written::default();
    let mut session = HostedSession::new(policy, written.clone(), || {}).unwrap();
    session.execute_lines("isready").unwrap();
    assert!(!session.is_over());
    session.execute_lines("quit\nisready").unwrap();
    assert!(session.is_over());
    assert_eq!(written.0.lock().unwrap().as_slice(), b"readyok\n");
}

#[test]
fn all_work_can_be_stopped() {
    let text = answers("perft 30", &["stop"]);
    assert!(text.contains("info string perft stopped\n"), "{text}");
    let text = answers("bench breakthrough 60", &["stop"]);
    assert!(text.contains("info string bench stopped\n"), "{text}");
    let text = answers("go prove", &["stop"]);
    assert!(text.contains("info string proof unknown\n"), "{text}");
}

#[test]
fn a_search_that_is_done_waits_for_its_stop() {
    let text = answers("go depth 2 infinite", &["isready", "isready", "stop"]);
    assert_eq!(text.matches("readyok").count(), 2, "{text}");
    assert!(
        text.ends_with('\n') && text.contains("\nbestmove "),
        "{text}"
    );
}

#[test]
fn what_waits_is_done_in_order() {
    let lines = "go depth 3\nsetoption name Board value 4x5\nposition startpos\ngo prove\nd";
    let text = answers(lines, &[]);
    let order = ["bestmove ", "proof black wins", "bestmove ", "Outcome:"];
    let mut rest = text.as_str();
    for what in order {
        let after = rest.split_once(what);
        rest = after.unwrap_or_else(|| panic!("{what} in {text}")).1;
    }
}

#[test]
fn the_nodes_are_those_of_every_host() {
    let expected = include_str!("../data/bench.txt");
    let (variant, nodes) = expected.lines().next().unwrap().split_once(' ').unwrap();
    let text = answers(&format!("bench {variant}"), &[]);
    assert!(text.starts_with(&format!("{nodes} nodes ")), "{text}");
}

#[test]
fn there_is_one_thread_and_no_more() {
    let text = answers("setoption name Threads value 2\nuci", &[]);
    assert!(
        text.contains("Threads takes a number from 1 to 1, not '2'"),
        "{text}"
    );
}
