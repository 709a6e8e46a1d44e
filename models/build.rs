//! Copies the modelled modules from the engine's source, once as they are and
//! once for each injected fault: a model that does not find its fault would
//! show nothing.

#[path = "../tests/architecture/model_faults.rs"]
mod faults;
#[path = "../src/eval/nnue/build.rs"]
mod networks;

use faults::{FAULTS, Fault};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// What is copied together: a folder of `src`, its files (none means all), and
/// the modules they make up.
const UNITS: [(&str, &[&str], &str); 3] = [
    (
        "search",
        &[],
        "#[path = \"{}/search/mod.rs\"] pub mod search;",
    ),
    (
        "engine",
        &["activity.rs"],
        "#[path = \"{}/engine/activity.rs\"] pub mod activity;",
    ),
    (
        "solve",
        &["table.rs", "numbers.rs"],
        "pub mod solve {\n\
         #[path = \"{}/solve/numbers.rs\"] pub mod numbers;\n\
         #[path = \"{}/solve/table.rs\"] pub mod table; }",
    ),
];

const SHOWN: &str = "
impl<M> std::fmt::Debug for Threads<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(\"Threads\")
    }
}
";

fn main() {
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says")).join("../src");
    let target = PathBuf::from(env::var("OUT_DIR").expect("cargo says"));
    println!("cargo::rerun-if-changed=build.rs");
    networks::pack_all(Path::new("../src/eval/nnue"));
    println!("cargo::rerun-if-changed=../tests/architecture/model_faults.rs");
    for (room, ..) in UNITS {
        println!("cargo::rerun-if-changed=../src/{room}");
    }
    let mut rooms = room_of(None, &source, &target);
    for fault in &FAULTS {
        rooms += &room_of(Some(fault), &source, &target);
    }
    fs::write(target.join("rooms.rs"), rooms).expect("the file is written");
}

/// Makes the copies with a fault, or all of them without one, and their module.
fn room_of(fault: Option<&Fault>, source: &Path, target: &Path) -> String {
    let name = fault.map_or("sound", |fault| fault.name);
    let folder = target.join(name);
    let mut room = format!("#[allow(warnings)]\npub mod {name} {{\n");
    for (unit, files, modules) in UNITS {
        if fault.is_none_or(|fault| fault.file.starts_with(unit)) {
            copy(&source.join(unit), &folder.join(unit), unit, files, fault);
            room += &modules.replace("{}", &folder.display().to_string());
        }
    }
    room + "}\n"
}

/// Copies files of a room, with the fault if it is in one of them.
fn copy(from: &Path, to: &Path, unit: &str, files: &[&str], fault: Option<&Fault>) {
    fs::create_dir_all(to).expect("the folder is made");
    for entry in fs::read_dir(from).expect("the room is there") {
        let path = entry.expect("it is listed").path();
        let Some(file) = path.file_name().and_then(|file| file.to_str()) else {
            continue;
        };
        if !path.is_file() || !(files.is_empty() || files.contains(&file)) {
            continue;
        }
        let mut text = fs::read_to_string(&path).expect("it is text");
        let place = format!("{unit}/{file}");
        if let Some(fault) = fault.filter(|fault| fault.file == place) {
            for (old, new) in fault.changes {
                text = put(&text, old, new);
            }
        }
        // The models see what is private to a room, too.
        let mut text = text.replace("pub(super)", "pub").replace("pub(crate)", "pub");
        if place == "search/threads.rs" {
            // shuttle's channels are `Debug` only if what they carry is.
            text = text.replace("#[derive(Debug)]\n", "") + SHOWN;
        }
        fs::write(to.join(file), text).expect("the file is written");
    }
}

/// Injects a fault.
fn put(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "'{old}' is no longer in the source");
    text.replace(old, new)
}
