//! Resizes, new games, stops and quits at random moments of searches with more
//! threads than cores: no stop is lost, no answer comes twice or so late that it
//! meets another search, and the session always ends. `PETARD_TEST_FACTOR=200`
//! makes it 10,000 rounds.
#![allow(clippy::unwrap_used)]

use crate::common::{below, cases};
use crate::in_process::Session;
use crate::session_model::{Model, Owed};
use petard::engine::Board;
use rand_mt::Mt64;
use std::time::{Duration, Instant};

/// Searches that run until they are stopped, and some that may end earlier.
const SEARCHES: [&str; 6] = [
    "go infinite",
    "go",
    "go ponder wtime 900 btime 900",
    "go nodes 30000",
    "go nodes 3000",
    "go movetime 5",
];

/// Commands that may come while they run.
const MEANWHILE: [&str; 9] = [
    "ucinewgame",
    "setoption name Hash value 1",
    "setoption name Hash value 2",
    "setoption name Threads value 3",
    "setoption name Threads value 7",
    "setoption name Clear Hash",
    "setoption name EvalFile value <built-in>",
    "ponderhit",
    "position startpos moves a2a3 a7a6",
];

/// Sleeps for up to `most` milliseconds. Nothing depends on how long it takes.
fn moment(random: &mut Mt64, most: usize) {
    std::thread::sleep(Duration::from_micros(below(random, 1000 * most + 1) as u64));
}

/// Sends a command that may come during work, and records what it changes.
fn disturb(session: &mut Session, model: &mut Model, random: &mut Mt64) {
    let line = MEANWHILE[below(random, MEANWHILE.len())];
    session.send(line);
    if line.starts_with("position") {
        let moves = ["a2a3", "a7a6"].map(str::to_owned);
        model.begin(Board::start(model.variant).unwrap(), &moves);
    }
}

fn take(session: &mut Session, model: &mut Model, seed: u64) {
    let line = session.line().expect("it goes on");
    if let Err(error) = model.take(&line) {
        let log = session.log.join("\n");
        panic!("seed {seed}: '{line}': {error}\n{log}");
    }
}

/// A session of `searches` searches, each disturbed and stopped; it is ended in
/// the middle of the last one. Returns how long it took to end.
fn session(seed: u64, searches: usize) -> Duration {
    let mut random = Mt64::new(seed);
    let (mut session, mut model) = (Session::new(), Model::new());
    session.send("setoption name Hash value 1\nsetoption name Threads value 6");
    for search in 0..searches {
        for _ in 0..=below(&mut random, 2) {
            session.send(SEARCHES[below(&mut random, SEARCHES.len())]);
            model.owe(Owed::Move(model.board.clone(), Vec::new()));
            for _ in 0..below(&mut random, 4) {
                moment(&mut random, 2);
                disturb(&mut session, &mut model, &mut random);
            }
        }
        moment(&mut random, 3);
        if search + 1 == searches {
            break;
        }
        session.send("stop\nisready");
        model.ready += 1;
        while !model.owed.is_empty() || model.ready > 0 {
            take(&mut session, &mut model, seed);
        }
    }
    let quits = below(&mut random, 2) == 0;
    let left = Instant::now();
    if quits {
        session.send("quit");
    }
    session.input = None;
    while let Some(line) = session.line() {
        let taken = model.take(&line);
        assert!(taken.is_ok(), "seed {seed}: '{line}': {taken:?}");
    }
    let took = left.elapsed();
    assert!(
        quits || model.owed.is_empty(),
        "seed {seed}: {:?}",
        model.owed
    );
    assert!(session.end.join().unwrap(), "seed {seed}");
    took
}

#[test]
fn searches_are_disturbed_stopped_and_left_at_any_moment() {
    let seeds = 1000..1000 + cases(10) as u64;
    let mut ends: Vec<Duration> = seeds.map(|seed| session(seed, 5)).collect();
    ends.sort_unstable();
    // These are not checked: they depend on what else the machine is doing.
    let share = |thousandths: usize| ends[(ends.len() - 1) * thousandths / 1000];
    println!(
        "{} ends: median {:?}, 90% {:?}, 99% {:?}, longest {:?}",
        ends.len(),
        share(500),
        share(900),
        share(990),
        share(1000)
    );
}
