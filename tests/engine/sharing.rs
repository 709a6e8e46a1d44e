//! Engines that share a machine's cores by taking turns.

use petard::engine::{Bound, Engine, Event, Limits, Settings, Start, Turns};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// An engine whose threads use these turns, and its events.
fn engine(turns: Option<&Turns>, threads: usize) -> (Engine, Receiver<Event>) {
    let (news, events) = channel();
    let settings = Settings {
        hash: 8,
        threads,
        turns: turns.cloned(),
        ..Settings::default()
    };
    let engine = Engine::with_settings(settings, move |event| drop(news.send(event))).unwrap();
    (engine, events)
}

/// What is reported up to the end of the work, without times and without what
/// only long searches report.
fn told(events: &Receiver<Event>) -> Vec<(u32, i32, u64, Vec<String>)> {
    let mut told = Vec::new();
    loop {
        match events.recv_timeout(PATIENCE).unwrap() {
            Event::Info(info) if info.bound != Bound::Exact => {}
            Event::Info(info) => told.push((info.depth, info.score, info.nodes, info.line)),
            event if event.is_final() => return told,
            _ => {}
        }
    }
}

#[test]
fn a_search_by_turns_finds_what_it_finds_alone() {
    let limits = || Limits {
        depth: Some(7),
        ..Limits::default()
    };
    let (mut alone, events) = engine(None, 1);
    alone.go(limits(), &[]).unwrap();
    let expected = told(&events);
    let turns = Turns::new(1);
    let mut engines: Vec<_> = (0..4).map(|_| engine(Some(&turns), 1)).collect();
    for (engine, _) in &mut engines {
        engine.go(limits(), &[]).unwrap();
    }
    for (_, events) in &engines {
        assert_eq!(told(events), expected);
    }
}

/// A search that is done and waits to be stopped has no use for a core.
#[test]
fn who_has_nothing_left_to_search_keeps_no_turn() {
    let turns = Turns::new(1);
    let (mut done, news) = engine(Some(&turns), 1);
    let won = Start::Fen("8/8/3P4/8/8/2p5/8/8 w 0 1".to_owned());
    done.set_game(&won, &[]).unwrap();
    let endless = Limits {
        infinite: true,
        ..Limits::default()
    };
    done.go(endless, &[]).unwrap();
    let (mut other, events) = engine(Some(&turns), 1);
    for _ in 0..50 {
        let limits = Limits {
            depth: Some(6),
            ..Limits::default()
        };
        other.go(limits, &[]).unwrap();
        assert!(!told(&events).is_empty());
    }
    done.stop();
    assert!(!told(&news).is_empty());
}

/// More threads than places, all of them taken: work that is told to end does
/// not wait for a place, nor does work that must answer in time.
#[test]
fn who_must_end_waits_for_no_turn() {
    let endless = || Limits {
        infinite: true,
        ..Limits::default()
    };
    // Nobody ever gets a turn.
    let turns = Turns::new(0);
    let (mut engine, events) = engine(Some(&turns), 3);
    engine.go(endless(), &[]).unwrap();
    assert!(events.recv_timeout(Duration::from_millis(50)).is_err());
    engine.stop();
    assert!(!told(&events).is_empty());
    let timed = Limits {
        move_time: Some(Duration::from_millis(50)),
        ..Limits::default()
    };
    engine.go(timed, &[]).unwrap();
    assert!(!told(&events).is_empty());
    // A stop that comes first, then a count and a proof.
    engine.go(endless(), &[]).unwrap();
    engine.stop();
    assert!(!told(&events).is_empty());
    engine.perft(20).unwrap();
    engine.stop();
    assert_eq!(told(&events), []);
    engine.prove(None, None).unwrap();
    engine.stop();
    assert_eq!(told(&events), []);
}
