//! The tools of Freeling's game, as a user runs them.

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
fn data_features_and_matches_fit_together() {
    let folder = std::env::temp_dir().join(format!("petard-freeling-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (games, rows, weights) = (path("games.txt"), path("games.features"), path("weights"));
    petard(&["freeling", "data", &games, "--games", "2", "--nodes", "100"]);
    let again = path("again.txt");
    petard(&["freeling", "data", &again, "--games", "2", "--nodes", "100"]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&games), read(&again), "the same seed, the same games");
    let text = petard(&["freeling", "features", &games, &rows]);
    let count: usize = text.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(read(&games).lines().count(), read(&rows).lines().count());
    // Any numbers are weights, as long as there are enough of them.
    std::fs::write(&weights, "100 ".repeat(count + 1)).unwrap();
    let arguments = ["freeling", "match", "--games", "2", "--movetime", "1"];
    let text = petard(&[&arguments[..], &["--second", &weights]].concat());
    assert!(text.starts_with("first player: "), "{text}");
    let refused = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(["freeling", "match", "--first", &games])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    std::fs::remove_dir_all(&folder).unwrap();
}
