//! The layers: which may import which, who prints, who reads arguments,
//! and what the models in `models/` take from the sources.
#![allow(clippy::unwrap_used)]

mod circles;
mod model_faults;
mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Every file in `src` by its path, with slashes.
fn sources() -> BTreeMap<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&source, &mut found);
    assert!(found.len() > 30, "the sources are there");
    found
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&source).unwrap().to_string_lossy();
            (name.replace('\\', "/"), fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn the_sources_have_what_the_models_replace() {
    let sources = sources();
    for fault in &model_faults::FAULTS {
        let source = &sources[fault.file];
        for (old, _) in fault.changes {
            let is_there = source.contains(old);
            assert!(is_there, "{}: '{old}' in {}", fault.name, fault.file);
        }
    }
}
