//! The engine object, as seen by a program that uses the library.
#![allow(clippy::unwrap_used)]

use petard::engine::{
    Changed, Engine, EngineError, Event, GameError, Limits, OptionError, OptionKind, Start, Variant,
};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A listener that panics stands in for any panic in a search thread, where it
/// is called.
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
        // The first progress event, while all threads search.
        assert!(!matches!(event, Event::Progress(_)), "this panic is meant");
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

fn idle_engine() -> Engine {
    Engine::new(|_| {}).unwrap()
}

#[test]
fn every_option_is_at_first_what_the_table_says() {
    for option in idle_engine().options() {
        let default = match option.kind {
            OptionKind::Check { default } => default.to_string(),
            OptionKind::Spin { default, .. } => default.to_string(),
            OptionKind::Combo { default, .. } | OptionKind::Text { default } => default.to_owned(),
            OptionKind::Button => String::new(),
        };
        assert_eq!(option.value, default, "{}", option.name);
        assert!(!option.help.is_empty(), "{}", option.name);
    }
}

#[test]
fn an_option_that_is_set_is_shown_as_set() {
    let mut engine = idle_engine();
    for (name, value, changed) in [
        ("hash", "3", Changed::Setting),
        ("THREADS", "2", Changed::Setting),
        ("MultiPV", "5", Changed::Setting),
        ("Move Overhead", "77", Changed::Setting),
        ("UCI_Variant", "breakthrough6", Changed::Variant),
        ("Board", "6x6", Changed::Variant),
        ("UCI_ShowWDL", "true", Changed::Setting),
        ("UCI_LimitStrength", "true", Changed::Setting),
        ("UCI_Elo", "1000", Changed::Setting),
        ("Evaluation", "article", Changed::Setting),
    ] {
        assert_eq!(engine.set_option(name, Some(value)).unwrap(), changed);
        let options = engine.options();
        let option = options
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name));
        assert_eq!(option.unwrap().value, value, "{name}");
    }
    assert_eq!(engine.board().size(), (6, 6));
    assert!(engine.settings().limit_strength);
    assert_eq!(engine.settings().elo, 1000);
    for (name, value) in [
        ("Nonsense", Some("1")),
        ("Hash", None),
        ("Evaluation", Some("?")),
    ] {
        let before = engine.options();
        engine.set_option(name, value).unwrap_err();
        assert_eq!(engine.options(), before);
    }
}

#[test]
fn options_that_need_an_idle_engine_are_refused_during_work_and_others_are_not() {
    let (news, events) = channel();
    let mut engine = Engine::new(move |event| drop(news.send(event))).unwrap();
    engine
        .go(
            Limits {
                infinite: true,
                ..Limits::default()
            },
            &[],
        )
        .unwrap();
    for option in engine.options() {
        let value = option.value.clone();
        let result = engine.set_option(option.name, Some(&value));
        if option.needs_idle {
            let is_busy = matches!(result, Err(OptionError::Engine(EngineError::Busy)));
            assert!(is_busy, "{}: {result:?}", option.name);
        } else {
            assert!(result.is_ok(), "{}: {result:?}", option.name);
        }
    }
    assert!(!engine.ends_by_itself());
    engine.stop();
    assert!(events.iter().any(|event| event.is_final()));
}

#[test]
fn a_search_that_ponders_does_not_end_by_itself() {
    for (ponder, ends) in [(false, true), (true, false)] {
        let (news, events) = channel();
        let mut engine = Engine::new(move |event| drop(news.send(event))).unwrap();
        let limits = Limits {
            depth: Some(1),
            ponder,
            ..Limits::default()
        };
        engine.go(limits, &[]).unwrap();
        assert_eq!(engine.ends_by_itself(), ends);
        engine.stop();
        assert!(events.iter().any(|event| event.is_final()));
    }
}

#[test]
fn the_engine_keeps_the_game() {
    let mut engine = idle_engine();
    engine.play(["a2a3", "a7a6"]).unwrap();
    engine.undo(1).unwrap();
    assert_eq!(engine.board().moves(), ["a2a3"]);
    engine.redo(1).unwrap();
    let before = engine.board().fen();
    let moves = ["a2a3".to_owned(), "a3a4".to_owned()];
    let error = engine.set_game(&Start::StartPos, &moves).unwrap_err();
    // The board stays, but no work starts on it until a position is accepted.
    assert_eq!(engine.board().fen(), before);
    let refused = GameError::NoPosition(error.to_string());
    assert_eq!(engine.play(["b2b3"]), Err(refused.clone()));
    assert_eq!(engine.undo(1), Err(refused.clone()));
    assert_eq!(engine.redo(0), Err(refused.clone()));
    assert_eq!(engine.valid_board().err(), Some(refused.clone()));
    assert!(matches!(
        engine.go(Limits::default(), &[]),
        Err(EngineError::Game(_))
    ));
    assert!(matches!(engine.perft(1), Err(EngineError::Game(_))));
    // It can be looked at, and turned.
    engine.flip();
    assert_eq!(engine.valid_board().err(), Some(refused));
    assert_eq!(engine.board().moves(), [""; 0]);
    engine.set_variant(Variant::Freeling).unwrap();
    engine.play(["pass"]).unwrap();
    let fen = Start::Fen(engine.board().fen());
    engine.set_game(&fen, &[]).unwrap();
    assert!(engine.undo(1).is_err());
}
