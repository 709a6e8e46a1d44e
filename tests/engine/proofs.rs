//! Playing by proofs: the option `ProofFile`, and the built-in proofs.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::{Driver, last_info, number};
use common::{below, moves};
use petard::game::breakthrough::Position;
use petard::game::{Game, Notation, Outcome};
use petard::solve::{ProofLimits, Solver};
use rand_mt::Mt64;
use std::path::PathBuf;
use std::process::Command;

/// The file of a board's short certificate, deleted on drop.
struct Proof(PathBuf);

impl Proof {
    fn new(name: &str, start: &Position<u64>, leaf_nodes: u64) -> Self {
        let path = std::env::temp_dir().join(format!("petard-{name}-{}", std::process::id()));
        let leaf_nodes = leaf_nodes.to_string();
        let made = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["solve", "-q", "--threads", "1", "--fen", &start.fen()])
            .args(["--certificate", path.to_str().unwrap()])
            .args(["--leaf-nodes", &leaf_nodes])
            .output();
        assert!(made.unwrap().status.success());
        Self(path)
    }

    fn option(&self) -> String {
        format!("setoption name ProofFile value {}", self.0.display())
    }
}

impl Drop for Proof {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Plays a game: the engine moves on its turn, the opponent otherwise. Whether
/// the engine has won.
fn wins_game(
    start: &Position<u64>,
    engine: &mut Driver,
    plays_white: bool,
    mut other: impl FnMut(&Position<u64>, &str) -> String,
) -> bool {
    let mut position = *start;
    let mut line = format!("position fen {}", start.fen());
    line += " moves";
    while position.outcome() == Outcome::Ongoing {
        let is_white = position.side_to_move() == petard::game::Side::White;
        let mv = if is_white == plays_white {
            engine.send(&line);
            let (best, lines) = engine.best("go nodes 2000");
            let reported = lines
                .iter()
                .any(|reported| reported.contains(" score mate "));
            assert!(reported, "proven: {}", position.fen());
            best
        } else {
            other(&position, &line)
        };
        line += &format!(" {mv}");
        position = position.play(position.parse_move(&mv).unwrap());
    }
    let winner_is_white = position.outcome() == Outcome::Win(petard::game::Side::White);
    winner_is_white == plays_white
}

#[test]
fn the_side_that_is_proven_to_win_wins_every_game() {
    let mut random = Mt64::new(24);
    for (files, ranks, white_wins) in [(4, 5, false), (3, 6, true)] {
        let start = Position::<u64>::start(files, ranks).unwrap();
        let proof = Proof::new(&format!("game-{files}x{ranks}"), &start, 300);
        let mut engine = Driver::start();
        assert!(engine.ask(&proof.option()).is_empty());
        let mut rival = Driver::start();
        rival.ask("setoption name ProofFile value <empty>");
        for _ in 0..6 {
            let won = wins_game(&start, &mut engine, white_wins, |position, _| {
                let list = moves(position);
                position.move_text(list[below(&mut random, list.len())])
            });
            assert!(won, "{files}x{ranks} against random moves");
        }
        for nodes in [500, 2000, 5000] {
            let won = wins_game(&start, &mut engine, white_wins, |_, line| {
                rival.send(line);
                rival.best(&format!("go nodes {nodes}")).0
            });
            assert!(won, "{files}x{ranks} against {nodes} nodes");
        }
        engine.quit();
        rival.quit();
    }
}

#[test]
fn what_is_proven_is_told_and_a_search_is_still_a_search() {
    let start = Position::<u64>::start(3, 6).unwrap();
    let proof = Proof::new("reported", &start, 200);
    let mut engine = Driver::start();
    engine.ask(&proof.option());
    engine.send(&format!("position fen {}", start.fen()));
    let (best, lines) = engine.best("go movetime 60000");
    assert_eq!(lines[0], "info string proof white wins");
    assert!(
        last_info(&lines).contains(&format!(" pv {best}")),
        "{lines:?}"
    );
    assert!(lines.iter().filter(|line| line.contains(" depth ")).count() == 1);
    // The longest possible game: 21 moves before a piece must arrive.
    assert!(last_info(&lines).contains(" score mate 22 "), "{lines:?}");
    // A depth is searched as asked; the proof is reported first and last.
    let (same, lines) = engine.best("go depth 4");
    assert_eq!(lines[0], "info string proof white wins");
    for depth in 1..=4 {
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with(&format!("info depth {depth} ")))
        );
    }
    assert_eq!(same, best);
    assert!(last_info(&lines).contains(" score mate "), "{lines:?}");
    assert!(
        last_info(&lines).contains(&format!(" pv {same}")),
        "{lines:?}"
    );
    let found = number(last_info(&lines), "depth");
    assert!(found >= Some(4), "{lines:?}");
    // Stopped at once, also below the leaves.
    engine.send("go infinite");
    let (stopped, _) = engine.best("stop");
    assert_eq!(stopped, best);
    // The other colour, and the loser's replies.
    engine.send(&format!("position fen {}", start.flipped().fen()));
    let (_, lines) = engine.best("go nodes 100");
    assert_eq!(lines[0], "info string proof black wins");
    engine.send(&format!("position fen {} moves {best}", start.fen()));
    let (reply, lines) = engine.best("go nodes 100");
    assert_eq!(lines[0], "info string proof white wins");
    assert!(last_info(&lines).contains(" score mate -"), "{lines:?}");
    assert!(last_info(&lines).contains(&format!(" pv {reply}")));
    // Without it, there is nothing to report.
    engine.ask("setoption name ProofFile value <empty>");
    let (_, lines) = engine.best("go nodes 100");
    assert!(
        lines.iter().all(|line| !line.contains("proof")),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn a_proof_file_that_is_refused_changes_nothing() {
    let start = Position::<u64>::start(3, 5).unwrap();
    let proof = Proof::new("option", &start, 50);
    let other = Proof::new("other", &Position::<u64>::start(4, 4).unwrap(), 50);
    let mut engine = Driver::start();
    engine.ask("setoption name ProofFile value <empty>");
    for proof in [&proof, &other] {
        assert!(engine.ask(&proof.option()).is_empty());
    }
    for refused in [
        "/no/such/file",
        env!("CARGO_MANIFEST_DIR"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
    ] {
        let answer = engine.ask(&format!("setoption name ProofFile value {refused}"));
        assert_eq!(answer.len(), 1);
        let start = format!("info string ProofFile '{refused}' refused: ");
        assert!(answer[0].starts_with(&start), "{answer:?}");
    }
    let damaged = std::fs::read(&proof.0).unwrap();
    let path = proof.0.with_extension("damaged");
    std::fs::write(&path, &damaged[..damaged.len() - 1]).unwrap();
    let answer = engine.ask(&format!(
        "setoption name ProofFile value {}",
        path.display()
    ));
    assert!(answer[0].contains("damaged"), "{answer:?}");
    std::fs::remove_file(&path).unwrap();
    // Both are still in use.
    for fen in ["ppp/ppp/3/PPP/PPP w 0 1", "pppp/pppp/PPPP/PPPP w 0 1"] {
        engine.send(&format!("position fen {fen}"));
        let (_, lines) = engine.best("go nodes 500");
        assert_eq!(lines[0], "info string proof black wins", "{fen}");
    }
    // At limited strength, proofs are not played.
    engine.send("setoption name UCI_LimitStrength value true");
    let (_, lines) = engine.best("go nodes 500");
    assert!(
        lines.iter().all(|line| !line.contains("proof")),
        "{lines:?}"
    );
    engine.quit();
}

/// Under `go mate`, the search also spends nodes after its last iteration, on
/// distances.
#[test]
fn a_proof_told_after_a_search_takes_back_nothing() {
    let mut engine = Driver::start();
    engine.ask("setoption name Hash value 1\nsetoption name Board value 4x5");
    engine.send("position startpos moves a2a3");
    let (_, lines) = engine.best("go mate 4");
    assert!(last_info(&lines).contains(" score mate 20 "), "{lines:?}");
    for field in ["depth", "nodes", "hashfull"] {
        let reported = lines.iter().filter(|line| line.contains(" pv "));
        let reported: Vec<_> = reported.map(|line| number(line, field)).collect();
        assert!(reported.is_sorted(), "{field}: {lines:?}");
    }
    assert!(number(last_info(&lines), "seldepth") > Some(1), "{lines:?}");
    engine.quit();
}

/// The prover gets few nodes, so that it often fails, and the search that follows
/// asks it for what it knows.
#[test]
fn what_a_search_claims_by_the_provers_word_is_true() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/certificates/5x6.proof");
    let start = Position::<u64>::start(5, 6).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 26).unwrap();
    let mut random = Mt64::new(25);
    let mut engine = Driver::start();
    let answer = engine.ask(&format!("setoption name ProofFile value {file}"));
    assert!(answer.is_empty(), "{answer:?}");
    let mut claims = 0;
    for _ in 0..40 {
        let mut position = start;
        let mut line = format!("position fen {} moves", start.fen());
        while position.outcome() == Outcome::Ongoing {
            engine.send(&line);
            let (best, lines) = engine.best("go nodes 120");
            let is_proven = lines
                .iter()
                .any(|reported| reported.contains("string proof"));
            // So few nodes may not be enough even for a first line.
            let last = lines.iter().rfind(|reported| reported.contains(" score "));
            let score = last.and_then(|reported| number(reported, "mate"));
            if let Some(mate) = score.filter(|_| !is_proven) {
                let solved =
                    solver.solve(&position, &ProofLimits::default(), &|| false, &mut |_| {});
                let wins = solved.side_to_move_wins;
                assert_eq!(wins, Some(mate > 0), "{}: {lines:?}", position.fen());
                claims += 1;
            }
            position = position.play(position.parse_move(&best).unwrap());
            line += &format!(" {best}");
            if position.outcome() == Outcome::Ongoing {
                let list = moves(&position);
                let reply = list[below(&mut random, list.len())];
                line += &format!(" {}", position.move_text(reply));
                position = position.play(reply);
            }
        }
    }
    assert!(claims > 20, "{claims}");
    engine.quit();
}

/// On a board with a built-in proof, the prover leaves the search its half of
/// the nodes; and what it has found out is forgotten with a new game.
#[test]
fn few_nodes_are_enough_for_a_search_and_the_same_after_a_new_game() {
    let mut random = Mt64::new(67);
    for (files, ranks) in [(5, 5), (7, 5)] {
        let start = Position::<u64>::start(files, ranks).unwrap();
        let mut engine = Driver::start();
        engine.ask(&format!("setoption name Board value {files}x{ranks}"));
        for _ in 0..25 {
            let game = common::random_game(&start, &mut random);
            let position = &game[below(&mut random, game.len() - 1)];
            let position = format!("position fen {}", position.fen());
            let mut reported = Vec::new();
            for _ in 0..2 {
                engine.ask("ucinewgame");
                engine.send(&position);
                let (best, lines) = engine.best("go nodes 600");
                assert!(
                    lines.iter().any(|line| line.contains(" pv ")),
                    "{position}: {lines:?}"
                );
                reported.push((best, number(last_info(&lines), "nodes")));
            }
            assert_eq!(reported[0], reported[1], "{position}");
        }
        engine.quit();
    }
}
