//! Files of a room that import each other.

use super::rules::{code_of, heads, word};
use super::sources;
use std::collections::{BTreeMap, BTreeSet};

/// The source files, and for each the files of its own folder that it imports
/// by name. What a `mod.rs` defines or re-exports is its room's own language and
/// makes no circle.
fn import_graph(sources: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let file_of = |folder: &str, name: &str| {
        let path = if folder.is_empty() {
            format!("{name}.rs")
        } else {
            format!("{folder}/{name}.rs")
        };
        sources.get_key_value(&path).map(|(key, _)| key.as_str())
    };
    let mut graph = BTreeMap::new();
    for (path, text) in sources {
        let code = code_of(text.split("#[cfg(test)]").next().unwrap_or_default());
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        if file == "mod.rs" {
            continue;
        }
        let mut imported = BTreeSet::new();
        for name in names_after(&code, "super::") {
            imported.extend(file_of(folder, &name));
        }
        let own = format!("crate::{}::", folder.replace('/', "::"));
        for name in names_after(&code, &own) {
            imported.extend(file_of(folder, &name));
        }
        imported.remove(path.as_str());
        graph.insert(path.as_str(), imported);
    }
    graph
}

/// The names that follow `start` in paths, also inside braces.
fn names_after(code: &str, start: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(heads(list)),
            None => found.extend(word(rest)),
        }
    }
    found
}

/// Everything reachable from a file by at least one import.
fn reached<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(path) = open.pop() {
        for &next in graph.get(path.as_str()).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next.to_owned());
            }
        }
    }
    seen
}

/// Files that import each other, directly or indirectly: a line for each circle.
fn circles(sources: &BTreeMap<String, String>) -> BTreeSet<String> {
    let graph = import_graph(sources);
    let reach: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|&path| (path, reached(&graph, path)))
        .collect();
    let mut found = BTreeSet::new();
    for (path, ahead) in &reach {
        if ahead.contains(path) {
            let members = ahead.iter().filter(|&next| reach[next].contains(path));
            found.insert(members.copied().collect::<Vec<_>>().join(" - "));
        }
    }
    found
}

#[test]
fn no_files_of_a_room_import_each_other() {
    assert_eq!(circles(&sources()), BTreeSet::new());
}

#[test]
fn circles_are_found() {
    let house = |files: &[(&str, &str)]| {
        let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.to_owned());
        circles(&files.iter().map(pair).collect())
    };
    let straight = house(&[
        ("a/mod.rs", "mod x; mod y; use super::a::x::X;"),
        ("a/x.rs", "use super::y::Y; use super::{A, B};"),
        (
            "a/y.rs",
            "// super::x\n#[cfg(test)]\nmod tests { use super::x; }",
        ),
    ]);
    assert_eq!(straight, BTreeSet::new());
    let round = house(&[
        ("a/x.rs", "use super::{B, y::{Y, Z}};"),
        ("a/y.rs", "fn f() { crate::a::z::g(); }"),
        ("a/z.rs", "use super::x;"),
        ("a/end.rs", "use super::x;"),
    ]);
    assert_eq!(
        round,
        BTreeSet::from(["a/x.rs - a/y.rs - a/z.rs".to_owned()])
    );
}
