//! What is allowed in a file.

use super::sources;

/// The rooms, and what each may import besides itself.
const ROOMS: [(&str, &[&str]); 12] = [
    ("base", &[]),
    ("game", &["base"]),
    ("eval", &["base", "game"]),
    ("search", &["base", "game", "eval"]),
    ("solve", &["base", "game"]),
    ("engine", &["base", "game", "eval", "search", "solve"]),
    ("protocol", &["base", "engine"]),
    (
        "tools",
        &["base", "game", "eval", "search", "solve", "engine"],
    ),
    ("serve", &["base", "engine", "protocol"]),
    ("command", &["protocol", "serve", "tools"]),
    ("main", &["command"]),
    ("lib", &[]),
];

/// Rooms that may write to standard output.
const PRINTERS: [&str; 3] = ["protocol", "tools", "command"];

/// Rooms that may read arguments and the environment.
const READERS: [&str; 3] = ["tools", "command", "main"];

/// The certificate checker, which uses nothing from the engine, and nothing from
/// its own room except for printing.
const CHECKER: &str = "tools/check/";

/// Whether the checker's code uses anything foreign.
fn has_foreign_imports(code: &str) -> bool {
    let own = code.replace("super::console::", "");
    ["crate::", "petard::", "super::super"]
        .iter()
        .any(|name| own.contains(name))
}

/// The most lines of a file: "about 400" with some slack.
const LONGEST_FILE: usize = 450;

/// The most lines of a function: "about 80" with some slack.
const LONGEST_FUNCTION: usize = 90;

/// Functions that may be longer: a search node is one piece of logic.
const LONG_FUNCTIONS: [(&str, &str); 2] = [
    ("search/node.rs", "search"),
    ("search/quiescence.rs", "quiescence"),
];

/// Files that may contain unsafe code: the SIMD facade, prefetch, big memory.
const UNSAFE_FILES: [&str; 3] = ["base/memory.rs", "base/prefetch.rs", "eval/nnue/simd/"];

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
            // Not part of a longer name.
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

pub fn word(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The first names in a braced list, up to its end.
pub fn heads(list: &str) -> Vec<String> {
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

/// The code without comments; strings are kept.
pub fn code_of(text: &str) -> String {
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
    // A checker that shared a mistake with the solver would be useless.
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
    for (name, lines) in functions(text) {
        if lines > LONGEST_FUNCTION && !LONG_FUNCTIONS.contains(&(path, name)) {
            faults.push(format!("{path}: {name} has {lines} lines"));
        }
    }
    let may_be_unsafe = UNSAFE_FILES.iter().any(|start| path.starts_with(start));
    if words(&code).any(|word| word == "unsafe") && !may_be_unsafe {
        faults.push(format!("{path}: {own} must not be unsafe here"));
    }
    faults
}

/// Names and numbers, in order.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Functions and their line counts. The code is formatted, so a function ends at
/// the first brace with the indentation of its first line.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let start = line.trim_start();
        let mut names = words(start).skip_while(|&word| word != "fn");
        if start.starts_with("//") || names.next().is_none() {
            continue;
        }
        let name = names.next().unwrap_or_default();
        let end = format!("{}}}", &line[..line.len() - start.len()]);
        let length = lines[first..].iter().position(|line| *line == end);
        if let Some(length) = length.filter(|_| !line.ends_with(['}', ';'])) {
            found.push((name, length + 1));
        }
    }
    found
}

#[test]
fn the_house_is_in_order() {
    let faults: Vec<String> = sources()
        .iter()
        .flat_map(|(path, text)| faults(path, text))
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
            "game/breakthrough/bits.rs",
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
            "protocol/go.rs",
            "use crate::{engine::Engine, search::Limits};",
            "protocol must not import search",
        ),
        (
            "tools/bench.rs",
            "use crate::{\n    engine::Engine,\n    protocol::{run, parse},\n};",
            "tools must not import protocol",
        ),
        (
            "serve/socket.rs",
            "use crate::search::Limits;",
            "serve must not import search",
        ),
        ("serve/mod.rs", "println!(\"x\");", "serve must not print"),
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
            "use crate::game::breakthrough::Position;",
            "a checker must not use the engine",
        ),
        (
            "tools/check/mod.rs",
            "use super::super::solve::Solve;",
            "a checker must not use the engine",
        ),
        ("cellar/mod.rs", "", "there is no room 'cellar'"),
        (
            "solve/table.rs",
            "fn f() { unsafe { g() } }",
            "solve must not be unsafe here",
        ),
    ] {
        let found = faults(path, text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert!(found[0].ends_with(fault), "{found:?}");
    }
    let long = "\n".repeat(LONGEST_FILE + 1);
    assert_eq!(faults("base/long.rs", &long).len(), 1);
    let body = "        g();\n".repeat(LONGEST_FUNCTION - 1);
    let long = format!("impl A {{\n    pub fn f(\n    ) {{\n{body}    }}\n}}\n");
    let lines = LONGEST_FUNCTION + 2;
    assert_eq!(
        faults("base/long.rs", &long),
        [format!("base/long.rs: f has {lines} lines")]
    );
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
        ("command.rs", "use crate::{protocol, tools};"),
        ("base/prefetch.rs", "#[allow(unsafe_code)]\nunsafe { f() }"),
        ("game/mod.rs", "#![forbid(unsafe_code)]\nfn f() {}"),
    ] {
        assert_eq!(faults(path, text), Vec::<String>::new(), "{path}");
    }
}
