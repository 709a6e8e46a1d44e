//! What is allowed in a file.

use super::sources;

/// The layers, and what each may import besides itself.
const LAYERS: [(&str, &[&str]); 12] = [
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
    ("command", &["base", "protocol", "serve", "tools"]),
    ("main", &["command"]),
    ("lib", &[]),
];

/// Layers that may write to standard output.
const PRINTERS: [&str; 3] = ["protocol", "tools", "command"];

/// Layers that may read arguments and the environment.
const READERS: [&str; 3] = ["tools", "command", "main"];

/// The certificate checker, which uses nothing from the engine, and nothing from
/// its own layer except for printing.
const CHECKER: &str = "tools/checker/";

/// Whether the checker's code uses anything foreign.
fn has_foreign_imports(code: &str) -> bool {
    let own = code.replace("super::console::", "");
    ["crate::", "petard::", "super::super"]
        .iter()
        .any(|name| own.contains(name))
}

/// Files that may contain unsafe code: the SIMD facade, prefetch, big memory.
const UNSAFE_FILES: [&str; 2] = ["base/memory.rs", "eval/nnue/simd/"];

/// The layer of a file: its folder, or itself.
fn layer(path: &str) -> &str {
    path.split(['/', '\\'])
        .next()
        .unwrap()
        .trim_end_matches(".rs")
}

/// Layers named in the code after `crate::` or `petard::`, also inside braces.
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
fn errors(path: &str, text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    // What build scripts run is not part of the crate.
    if path.ends_with("/build.rs") {
        return errors;
    }
    let own = layer(path);
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == own) else {
        return vec![format!("{path}: there is no layer '{own}'")];
    };
    let code = code_of(text);
    let layers = LAYERS.map(|(name, _)| name);
    for import in imports(&code) {
        if layers.contains(&import.as_str()) && import != own && !allowed.contains(&import.as_str())
        {
            errors.push(format!("{path}: {own} must not import {import}"));
        }
    }
    // A checker that shared a mistake with the solver would be useless.
    if path.replace('\\', "/").starts_with(CHECKER) && has_foreign_imports(&code) {
        errors.push(format!("{path}: a checker must not use the engine"));
    }
    let is_test = path.contains("/tests/") || path.ends_with("tests.rs");
    let uses = |names: &[&str]| names.iter().any(|name| code.contains(name));
    if uses(&["println!", "print!(", "stdout()"]) && !PRINTERS.contains(&own) && !is_test {
        errors.push(format!("{path}: {own} must not print"));
    }
    if uses(&["env::args", "env::var", "clap::"]) && !READERS.contains(&own) {
        errors.push(format!("{path}: {own} must not read arguments"));
    }
    let may_be_unsafe = UNSAFE_FILES.iter().any(|start| path.starts_with(start));
    if words(&code).any(|word| word == "unsafe") && !may_be_unsafe {
        errors.push(format!("{path}: {own} must not be unsafe here"));
    }
    errors
}

/// Names and numbers, in order.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn every_file_keeps_to_its_layer() {
    let errors: Vec<String> = sources()
        .iter()
        .flat_map(|(path, text)| errors(path, text))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_checker_finds_errors() {
    for (path, text, error) in [
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
            "tools/checker/board.rs",
            "use crate::game::breakthrough::Position;",
            "a checker must not use the engine",
        ),
        (
            "tools/checker/mod.rs",
            "use super::super::solve::Solve;",
            "a checker must not use the engine",
        ),
        ("cellar/mod.rs", "", "there is no layer 'cellar'"),
        (
            "solve/table.rs",
            "fn f() { unsafe { g() } }",
            "solve must not be unsafe here",
        ),
    ] {
        let found = errors(path, text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert!(found[0].ends_with(error), "{found:?}");
    }
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
        (
            "tools/checker/mod.rs",
            "use super::console::{Status, print};",
        ),
        ("tools/bench.rs", "use clap::Args;\nprintln!(\"{}\", 1);"),
        ("protocol/output.rs", "writeln!(output)?;"),
        ("command.rs", "use crate::{protocol, tools};"),
        ("base/memory.rs", "#[allow(unsafe_code)]\nunsafe { f() }"),
        ("game/mod.rs", "#![forbid(unsafe_code)]\nfn f() {}"),
    ] {
        assert_eq!(errors(path, text), Vec::<String>::new(), "{path}");
    }
}
