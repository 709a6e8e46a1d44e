//! The tools for Freeling's game, as a user runs them.

#![allow(clippy::unwrap_used)]

use std::process::Command;

/// What `petard` prints with these arguments; it must succeed.
fn petard(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn perft_and_bench_know_the_variant() {
    let text = petard(&["perft", "4", "--variant", "freeling"]);
    assert!(text.ends_with("Nodes searched: 356409\n"), "{text}");
    let fen = "1pdd1/P1DPp/P1DDP/1D1D1/5/1d1d1/p1ddp/p1dpP/1PDD1 w 0 1";
    let text = petard(&["perft", "3", "--variant", "freeling", "--fen", fen]);
    assert!(text.ends_with("Nodes searched: 15695\n"), "{text}");
    let nodes = |arguments: &[&str]| {
        let text = petard(arguments);
        text.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let freeling = nodes(&["bench", "freeling", "4"]);
    assert_eq!(freeling, nodes(&["bench", "4", "freeling"]));
    assert_ne!(freeling, nodes(&["bench", "4"]));
}

#[test]
fn games_are_recorded() {
    let folder = std::env::temp_dir().join(format!("petard-freeling-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [games, again] = ["games", "again"].map(path);
    let record = |file: &str| {
        let limits = ["--positions", "60", "--nodes", "100", "--threads", "1"];
        petard(&[&["datagen", file, "--variant", "freeling"], &limits[..]].concat());
        std::fs::read(file).unwrap()
    };
    let first = record(&games);
    assert_eq!(first, record(&again), "the same seed, the same games");
    assert_eq!(&first[..11], b"PETARDD2\x05\x09\x01");
    // Four sets of 45 squares, score, ply and flags.
    let positions = (first.len() - 16) / (4 * 6 + 5);
    assert!(positions >= 60);
    let refused = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(["datagen", &games, "--board", "8x8"])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(
        text.contains("positions of another board or game"),
        "{text}"
    );
    assert_eq!(std::fs::read(&games).unwrap(), first, "nothing changed");
    std::fs::remove_dir_all(&folder).unwrap();
}
