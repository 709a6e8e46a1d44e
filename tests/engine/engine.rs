//! The engine object, as a program that uses the library meets it.
#![allow(clippy::unwrap_used)]

use petard::engine::{Engine, Event};
use petard::search::Limits;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A listener that panics stands for any panic in a search thread: it is
/// called there.
#[test]
fn a_panic_in_a_search_thread_still_leaves_an_answer() {
    let (news, events) = channel();
    let mut engine = Engine::new(move |event| {
        assert!(!matches!(event, Event::Info(_)), "this panic is meant");
        news.send(event).unwrap();
    })
    .unwrap();
    for threads in [1, 2] {
        engine.set_threads(threads).unwrap();
        for _ in 0..2 {
            let limits = Limits {
                depth: Some(4),
                ..Limits::default()
            };
            engine.go(limits, &[]).unwrap();
            match events.recv_timeout(Duration::from_secs(60)) {
                Ok(Event::Best { best, .. }) => {
                    let best = best.expect("a move");
                    assert!(engine.board().with_moves([best.as_str()]).is_ok());
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_panic_in_a_proof_still_leaves_an_answer() {
    let (news, events) = channel();
    let mut engine = Engine::new(move |event| {
        // The first word of progress, while all threads search.
        assert!(!matches!(event, Event::Note(_)), "this panic is meant");
        news.send(event).unwrap();
    })
    .unwrap();
    for _ in 0..2 {
        engine.prove(None, None).unwrap();
        match events.recv_timeout(Duration::from_secs(60)) {
            Ok(Event::Proof(result)) => assert_eq!(result.winner, None),
            other => panic!("{other:?}"),
        }
    }
}
