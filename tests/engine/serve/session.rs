//! Sessions, from start to end.

use super::{Client, Server, wait_for_session};
use std::time::{Duration, Instant};

#[test]
fn a_session_speaks_the_protocol() {
    let server = Server::start(&[]);
    let (mut one, mut other) = (server.session(), server.session());
    one.send("position startpos moves b2b3\ngo depth 3");
    let lines = one.until("bestmove ");
    assert!(lines.iter().any(|line| line.starts_with("info depth 3 ")));
    // Each has a position of its own.
    let moves = other.ask("moves");
    assert!(moves[0].contains(" a2a3 "), "{moves:?}");
    one.send("quit");
    assert_eq!(one.end(), (1000, Vec::new()));
    assert_eq!(other.ask("moves"), moves);
}

#[test]
fn a_search_ends_with_its_page() {
    let server = Server::start(&["--sessions", "1"]);
    let mut client = server.session();
    client.send("go infinite");
    client.until("info depth");
    // There is room for only one, as long as it searches.
    let mut late = server.session();
    assert_eq!(late.end(), (1013, Vec::new()));
    // A closed tab, and one that disappears without a word.
    client.0.close(None).unwrap();
    client = wait_for_session(&server);
    client.send("go prove");
    client.until("info nodes");
    drop(client);
    wait_for_session(&server);
}

#[test]
fn a_session_in_which_nothing_happens_ends() {
    let server = Server::start(&["--sessions", "1", "--idle", "0.002"]);
    assert_eq!(server.session().end(), (4000, Vec::new()));
    wait_for_session(&server);
}

/// An infinite search is no sign that anybody is watching.
#[test]
fn a_search_that_nobody_watches_ends() {
    let server = Server::start(&["--sessions", "1", "--idle", "0.01"]);
    let mut client = server.session();
    client.send("go infinite");
    let (code, lines) = client.end();
    assert_eq!(code, 4000);
    assert!(
        lines.iter().all(|line| line.starts_with("info ")),
        "{lines:?}"
    );
    drop(client);
    wait_for_session(&server);
}

/// An empty line is such a sign. On a machine that stalls for seconds, it may come
/// too late: then try again.
#[test]
fn a_search_that_somebody_watches_goes_on() {
    const IDLE: Duration = Duration::from_secs(2);
    let minutes = (IDLE.as_secs_f64() / 60.0).to_string();
    let server = Server::start(&["--idle", &minutes]);
    for _ in 0..10 {
        if is_kept(&mut server.session(), 2 * IDLE) {
            return;
        }
    }
    panic!("a session ends although its page shows signs of life");
}

/// Whether a search goes on for `time` while its page sends signs of life.
fn is_kept(client: &mut Client, time: Duration) -> bool {
    client.send("go infinite");
    let start = Instant::now();
    while start.elapsed() < time {
        if client.0.send(tungstenite::Message::text("")).is_err() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    // It may be closing right now.
    if client.0.send(tungstenite::Message::text("stop")).is_err() {
        return false;
    }
    loop {
        match client.next() {
            Ok(line) if line.starts_with("bestmove") => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Those who wait for an answer wait for other threads than those that search.
#[cfg(target_os = "linux")]
#[test]
fn searches_and_proofs_run_at_low_priority() {
    let server = Server::start(&["--max-threads", "2"]);
    let mut clients = [server.session(), server.session()];
    for (client, work) in clients.iter_mut().zip(["go infinite", "go prove"]) {
        client.send("setoption name Threads value 2");
        client.send(work);
        client.until("info ");
    }
    let niceness = |stat: &str| -> i32 {
        let (_, numbers) = stat.rsplit_once(')').unwrap();
        numbers.split(' ').nth(17).unwrap().parse().unwrap()
    };
    // The tests themselves may run at low priority.
    let own = niceness(&std::fs::read_to_string("/proc/self/stat").unwrap());
    let mut working = 0;
    for task in std::fs::read_dir(format!("/proc/{}/task", server.child.id())).unwrap() {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap();
        let works = ["(engine", "(search", "(proof"]
            .iter()
            .any(|kind| stat.contains(kind));
        assert_eq!(niceness(&stat) > own, works, "{stat}");
        working += usize::from(works);
    }
    // Two engines, each with a helper, and two provers.
    assert_eq!(working, 6);
}

/// All kinds of work, with more threads than cores: every session makes progress
/// and is answered.
#[test]
fn many_sessions_share_the_cores() {
    let server = Server::start(&["--sessions", "12", "--max-threads", "3"]);
    let works = ["go infinite", "go prove", "go infinite", "perft 30"];
    let answers = [
        "bestmove ",
        "bestmove ",
        "bestmove ",
        "info string perft stopped",
    ];
    let mut clients: Vec<Client> = (0..12).map(|_| server.session()).collect();
    for (index, client) in clients.iter_mut().enumerate() {
        client.ask(&format!(
            "setoption name Hash value 8\nsetoption name Threads value {}",
            1 + index % 3
        ));
        client.send(works[index % works.len()]);
    }
    for (index, client) in clients.iter_mut().enumerate() {
        if index % works.len() != 3 {
            client.until("info ");
        }
    }
    for (index, client) in clients.iter_mut().enumerate() {
        client.send("stop");
        client.until(answers[index % works.len()]);
    }
    // One with a deadline among others without.
    let (timed, others) = clients.split_first_mut().unwrap();
    for client in others.iter_mut() {
        client.send("go infinite");
    }
    timed.send("go movetime 100");
    assert_ne!(timed.until("bestmove").last().unwrap(), "bestmove (none)");
}
