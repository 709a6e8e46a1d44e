//! `petard ablation`, as a user runs it.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::process::{Command, Output};

fn ablation(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_petard"))
        .arg("ablation")
        .args(arguments)
        .output()
        .unwrap()
}

/// The fields of the row for this depth.
fn row(text: &str, depth: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.split(['|', ' ']).filter(|field| !field.is_empty()))
        .map(|fields| fields.map(str::to_owned).collect::<Vec<_>>())
        .find(|fields| fields.first().is_some_and(|first| first == depth))
        .unwrap()
}

#[test]
fn it_tells_a_row_a_depth_beside_the_articles() {
    let output = ablation(&[
        "--depth",
        "5",
        "--a1-depth",
        "3",
        "--a2-depth",
        "4",
        "--json",
    ]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let published = ["2", "192", "12", "25", "29", "87.0"];
    assert_eq!(row(&text, "2")[..6], published);
    // The two-ply tree with everything off: the same on every machine.
    assert_eq!(row(&text, "2")[6], "89");
    assert_eq!(row(&text, "4")[6..9], ["-", "-", "-"]);
    assert_eq!(row(&text, "5")[9..13], ["-", "-", "-", "-"]);
    let reported: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        reported["fen"],
        "pppppppp/pppppppp/8/8/8/P7/1PPPPPPP/PPPPPPPP b 0 1"
    );
    assert_eq!(reported["rows"].as_array().unwrap().len(), 4);
    assert_eq!(reported["rows"][0]["article"]["a1_nodes"], 192);
    assert_eq!(reported["rows"][0]["a1"]["nodes"], 89);
    assert_eq!(reported["rows"][3]["a2"], Value::Null);
}

#[test]
fn it_counts_the_same_again() {
    let nodes = || {
        let output = ablation(&["--depth", "6"]);
        let text = String::from_utf8(output.stdout).unwrap();
        [6, 9, 13].map(|column| row(&text, "6")[column].clone())
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn a_depth_that_cannot_be_searched_is_refused() {
    for depth in ["1", "0", "-3", "many", "100000"] {
        assert!(!ablation(&["--depth", depth]).status.success(), "{depth}");
    }
}
