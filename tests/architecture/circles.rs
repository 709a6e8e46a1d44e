//! Files of a layer that import each other, directly or indirectly.

use super::rules::code_of;
use super::sources;
use std::collections::{BTreeMap, BTreeSet};

type Sources = BTreeMap<String, String>;

/// The files that hold modules, and the names that modules re-export from others.
struct Modules<'a> {
    /// The file of every module, by the module's path, such as `engine::board`.
    files: BTreeMap<String, &'a str>,
    /// What a name in a module stands for: the path in its `use`.
    aliases: BTreeMap<(String, String), String>,
}

/// The module that a file holds: `engine/board.rs` is `engine::board`.
fn module_of(file: &str) -> String {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    match path {
        "lib" => String::new(),
        path => path.replace('/', "::"),
    }
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() {
        name.to_owned()
    } else {
        format!("{module}::{name}")
    }
}

/// The code that is compiled without tests, without comments.
fn production_code(text: &str) -> String {
    let code = code_of(text);
    let mut kept = String::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        if !line.trim_start().starts_with("#[cfg(test)]") {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        // The item that follows ends at its semicolon or, since the code is
        // formatted, at a brace with the same indentation.
        let indentation = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indentation}}}");
        for line in lines.by_ref() {
            if line.ends_with(';')
                && line.starts_with(indentation)
                && !line.starts_with(&format!("{indentation} "))
                || line == end
            {
                break;
            }
        }
    }
    kept
}

/// The paths that begin at this text, with braces expanded: `a::{b, c::d}` has
/// the paths `a::b` and `a::c::d`. Outside a `use` there are no braces.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    expand(text.trim_start(), "", &mut found);
    found
}

/// Adds the paths of one tree to the list, and returns the text behind it.
fn expand<'a>(text: &'a str, prefix: &str, found: &mut Vec<String>) -> &'a str {
    let mut path = prefix.to_owned();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(mut list) = rest.strip_prefix('{') {
            loop {
                list = list.trim_start();
                if let Some(behind) = list.strip_prefix('}') {
                    return behind;
                }
                let behind = expand(list, &path, found);
                list = behind.trim_start();
                list = list.strip_prefix(',').unwrap_or(list);
                if list.is_empty() || behind.len() == list.len() && !list.starts_with('}') {
                    return list;
                }
            }
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*')
            .unwrap_or(rest.len());
        path = join(&path, &rest[..end]);
        rest = &rest[end..];
        match rest.strip_prefix("::") {
            Some(next) if next.starts_with(|c: char| c.is_alphabetic() || "_{*".contains(c)) => {
                rest = next;
            }
            _ => break,
        }
    }
    found.push(path);
    let behind = rest.trim_start();
    match behind.strip_prefix("as ") {
        Some(name) => {
            name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ' ')
        }
        None => rest,
    }
}

/// A path as seen from the crate's root; `None` if it leads out of the crate.
fn absolute(path: &str, module: &str, modules: &BTreeMap<String, &str>) -> Option<String> {
    let mut base = module.to_owned();
    let mut segments = path.split("::").peekable();
    match segments.peek().copied() {
        Some("crate") => {
            segments.next();
            base.clear();
        }
        Some("self") => {
            segments.next();
        }
        Some("super") => {
            while segments.next_if_eq(&"super").is_some() {
                base = base
                    .rsplit_once("::")
                    .map_or("", |(parent, _)| parent)
                    .to_owned();
            }
        }
        Some(name) if modules.contains_key(&join(module, name)) => {}
        _ => return None,
    }
    Some(segments.fold(base, |path, segment| join(&path, segment)))
}

/// Every path in the code that may lead to another file, and whether it only
/// re-exports what is there.
fn imports(code: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = code;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let before = &rest[..start];
        let at = &rest[start..];
        let end = at.find(|c: char| !is_word(c)).unwrap_or(at.len());
        let (name, behind) = at.split_at(end);
        if name == "use" && !before.ends_with(is_word) {
            let is_public = code[..code.len() - at.len()].trim_end().ends_with("pub")
                || code[..code.len() - at.len()].trim_end().ends_with(')');
            found.extend(paths(behind).into_iter().map(|path| (path, is_public)));
            rest = &behind[behind.find(';').unwrap_or(behind.len())..];
            continue;
        }
        if behind.starts_with("::") && !before.ends_with("::") {
            let path = paths(at).into_iter().next().unwrap_or_default();
            rest = &at[path.len().min(at.len())..];
            found.push((path, false));
            continue;
        }
        rest = behind;
    }
    found
}

fn is_test(file: &str) -> bool {
    file.contains("/tests/") || file.ends_with("tests.rs")
}

impl<'a> Modules<'a> {
    fn new(sources: &'a Sources) -> Self {
        let files: BTreeMap<String, &str> = sources
            .keys()
            .map(|file| (module_of(file), file.as_str()))
            .collect();
        let mut aliases = BTreeMap::new();
        for (file, text) in sources {
            let module = module_of(file);
            for (path, _) in imports(&production_code(text)) {
                if let Some(target) = absolute(&path, &module, &files) {
                    let name = target.rsplit("::").next().unwrap_or_default().to_owned();
                    aliases.insert((module.clone(), name), target);
                }
            }
        }
        Self { files, aliases }
    }

    /// The file that a path leads to, through re-exports.
    fn file_of(&self, path: &str) -> Option<&'a str> {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let mut module = String::new();
            let mut item = None;
            for segment in path.split("::") {
                let next = join(&module, segment);
                if !self.files.contains_key(&next) {
                    item = Some(segment.to_owned());
                    break;
                }
                module = next;
            }
            let alias = item.and_then(|item| self.aliases.get(&(module.clone(), item)));
            match alias {
                Some(target) if *target != path => path.clone_from(target),
                _ => return self.files.get(&module).copied(),
            }
        }
        None
    }

    /// The files of its own layer that a file needs.
    fn needs(&self, file: &str, text: &str) -> BTreeSet<&'a str> {
        let layer = |file: &str| file.split('/').next().unwrap_or_default().to_owned();
        let module = module_of(file);
        imports(&production_code(text))
            .iter()
            .filter(|(_, is_public)| !is_public)
            .filter_map(|(path, _)| absolute(path, &module, &self.files))
            .filter_map(|path| self.file_of(&path))
            .filter(|&other| other != file && layer(other) == layer(file))
            .collect()
    }
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
fn circles(sources: &Sources) -> BTreeSet<String> {
    let modules = Modules::new(sources);
    let graph: BTreeMap<&str, BTreeSet<&str>> = sources
        .iter()
        .filter(|(file, _)| !is_test(file))
        .map(|(file, text)| (file.as_str(), modules.needs(file, text)))
        .collect();
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

/// Files in circles that are still to be mended.
const KNOWN: [&str; 0] = [];

#[test]
fn no_files_of_a_layer_import_each_other() {
    let mut found = circles(&sources());
    found.retain(|circle| !KNOWN.iter().any(|start| circle.starts_with(start)));
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn circles_are_found() {
    let house = |files: &[(&str, &str)]| {
        let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.to_owned());
        circles(&files.iter().map(pair).collect())
    };
    let straight = house(&[
        (
            "a/mod.rs",
            "mod x;\npub mod y;\npub use y::Y;\n#[cfg(test)]\nmod tests;\nuse super::a::x::X;",
        ),
        ("a/x.rs", "use super::y::Y; use super::{Y, z::{A, B as C}};"),
        (
            "a/y.rs",
            "// super::x\nuse crate::b::B;\n#[cfg(test)]\nmod tests {\n    use super::x;\n}\n",
        ),
        ("a/z.rs", ""),
        ("a/tests.rs", "use super::x;"),
        ("b.rs", "use crate::a::x;"),
    ]);
    assert_eq!(straight, BTreeSet::new());
    let round = house(&[
        ("a/mod.rs", "mod x;"),
        ("a/x.rs", "use super::{B, y::{Y, Z}};"),
        ("a/y.rs", "fn f() { crate::a::z::g(); }"),
        ("a/z.rs", "use super::x;"),
        ("a/end.rs", "use super::x;"),
    ]);
    assert_eq!(
        round,
        BTreeSet::from(["a/x.rs - a/y.rs - a/z.rs".to_owned()])
    );
    // Through a name that the parent re-exports, and between folders.
    let hidden = house(&[
        ("a/mod.rs", "pub use x::X;\npub use b::y::Y;"),
        ("a/x.rs", "use super::Y;"),
        ("a/b/mod.rs", "pub mod y;"),
        ("a/b/y.rs", "fn f() { super::super::X::new(); }"),
    ]);
    assert_eq!(hidden, BTreeSet::from(["a/b/y.rs - a/x.rs".to_owned()]));
    // A parent that needs its child, which needs what the parent defines.
    let up = house(&[
        ("a/mod.rs", "mod x;\nuse x::X;\npub struct A(X);"),
        ("a/x.rs", "use super::A;\npub struct X;"),
    ]);
    assert_eq!(up, BTreeSet::from(["a/mod.rs - a/x.rs".to_owned()]));
}
