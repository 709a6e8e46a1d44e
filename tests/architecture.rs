//! The house: which room may import which, who prints, who reads arguments.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms and what each may import besides itself.
const ROOMS: [(&str, &[&str]); 10] = [
    ("base", &[]),
    ("game", &["base"]),
    ("eval", &["base", "game"]),
    ("search", &["base", "game", "eval"]),
    ("solve", &["base", "game"]),
    ("engine", &["base", "game", "eval", "search", "solve"]),
    (
        "protocol",
        &["base", "game", "eval", "search", "solve", "engine"],
    ),
    (
        "tools",
        &["base", "game", "eval", "search", "solve", "engine"],
    ),
    ("main", &["protocol", "tools"]),
    ("lib", &[]),
];

/// Rooms that may write to standard output.
const PRINTERS: [&str; 3] = ["protocol", "tools", "main"];

/// Rooms that may read arguments and the environment.
const READERS: [&str; 2] = ["tools", "main"];

/// The checker of certificates, which uses nothing of the engine, and nothing
/// of its own room but how things are printed.
const CHECKER: &str = "tools/check/";

/// Whether code of the checker uses what is not its own.
fn has_foreign_imports(code: &str) -> bool {
    let own = code.replace("super::console::", "");
    ["crate::", "petard::", "super::super"]
        .iter()
        .any(|name| own.contains(name))
}

/// Lines of a file at most: "about 400" with some room.
const LONGEST_FILE: usize = 450;

/// The room a file lives in: its folder, or itself.
fn room(path: &str) -> &str {
    path.split(['/', '\\'])
        .next()
        .unwrap()
        .trim_end_matches(".rs")
}

/// Rooms named in the code after `crate::` or `petard::`, also inside braces.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "petard::"] {
        for (at, _) in code.match_indices(start) {
            // Not a part of a longer name.
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = code[at + start.len()..].trim_start();
            match rest.strip_prefix('{') {
                Some(list) => found.extend(heads(list)),
                None => found.extend(word(rest)),
            }
        }
    }
    found
}

fn word(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The first names of a list in braces, up to its end.
fn heads(list: &str) -> Vec<String> {
    let (mut depth, mut found, mut begins) = (0, Vec::new(), true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && c.is_alphabetic() => {
                found.extend(word(&list[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    found
}

/// The code without comments; strings stay.
fn code_of(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is wrong with a file of `src`.
fn faults(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let own = room(path);
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == own) else {
        return vec![format!("{path}: there is no room '{own}'")];
    };
    let code = code_of(text);
    let rooms = ROOMS.map(|(name, _)| name);
    for import in imports(&code) {
        if rooms.contains(&import.as_str()) && import != own && !allowed.contains(&import.as_str())
        {
            faults.push(format!("{path}: {own} must not import {import}"));
        }
    }
    // A checker that shared a mistake with the solver would be none.
    if path.replace('\\', "/").starts_with(CHECKER) && has_foreign_imports(&code) {
        faults.push(format!("{path}: a checker must not use the engine"));
    }
    let uses = |names: &[&str]| names.iter().any(|name| code.contains(name));
    if uses(&["println!", "print!(", "stdout("]) && !PRINTERS.contains(&own) {
        faults.push(format!("{path}: {own} must not print"));
    }
    if uses(&["env::args", "env::var", "clap::"]) && !READERS.contains(&own) {
        faults.push(format!("{path}: {own} must not read arguments"));
    }
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        faults.push(format!("{path}: {lines} lines"));
    }
    faults
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_house_is_in_order() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&source, &mut found);
    assert!(found.len() > 30, "the sources are there");
    let faults: Vec<String> = found
        .iter()
        .flat_map(|path| {
            let name = path.strip_prefix(&source).unwrap();
            faults(&name.to_string_lossy(), &fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_checker_finds_faults() {
    for (path, text, fault) in [
        (
            "base/score.rs",
            "use crate::game::Move;",
            "base must not import game",
        ),
        (
            "game/troyka/bits.rs",
            "use crate::{base::Side, search::Table};",
            "game must not import search",
        ),
        (
            "search/node.rs",
            "fn f() { crate::engine::bench(3); }",
            "search must not import engine",
        ),
        (
            "solve/table.rs",
            "use crate::search::Table;",
            "solve must not import search",
        ),
        (
            "search/root.rs",
            "pub use crate::solve::prove;",
            "search must not import solve",
        ),
        (
            "protocol/session.rs",
            "use crate::tools::Bench;",
            "protocol must not import tools",
        ),
        (
            "tools/bench.rs",
            "use crate::{\n    engine::Engine,\n    protocol::{run, parse},\n};",
            "tools must not import protocol",
        ),
        (
            "main.rs",
            "use petard::engine::Engine;",
            "main must not import engine",
        ),
        ("engine/mod.rs", "println!(\"x\");", "engine must not print"),
        ("search/root.rs", "print!(\"x\");", "search must not print"),
        (
            "protocol/mod.rs",
            "std::env::args().nth(1)",
            "protocol must not read arguments",
        ),
        (
            "engine/mod.rs",
            "use clap::Args;",
            "engine must not read arguments",
        ),
        (
            "tools/check/board.rs",
            "use crate::game::troyka::Position;",
            "a checker must not use the engine",
        ),
        (
            "tools/check/mod.rs",
            "use super::super::solve::Solve;",
            "a checker must not use the engine",
        ),
        ("cellar/mod.rs", "", "there is no room 'cellar'"),
    ] {
        let found = faults(path, text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert!(found[0].ends_with(fault), "{found:?}");
    }
    let long = "\n".repeat(LONGEST_FILE + 1);
    assert_eq!(faults("base/long.rs", &long).len(), 1);
}

#[test]
fn the_checker_lets_pass_what_is_right() {
    for (path, text) in [
        (
            "search/node.rs",
            "use crate::base::{Score, Side};\nuse super::tt::Table;",
        ),
        (
            "engine/mod.rs",
            "use crate::{eval::Evaluator, search};\nuse std::fmt;",
        ),
        (
            "base/score.rs",
            "//! As [`crate::search`] reads it.\n// crate::game",
        ),
        ("tools/check/mod.rs", "use super::console::{Status, print};"),
        ("tools/bench.rs", "use clap::Args;\nprintln!(\"{}\", 1);"),
        ("protocol/output.rs", "writeln!(output)?;"),
        ("main.rs", "use petard::{protocol, tools};"),
    ] {
        assert_eq!(faults(path, text), Vec::<String>::new(), "{path}");
    }
}
