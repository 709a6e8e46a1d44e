//! Copies the modules that are modelled from the engine's source, once as they
//! are and once for each fault that is put in: a model that does not find the
//! fault would show nothing.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A fault: its name, the file, what stands there, and what is put there.
const FAULTS: [(&str, &str, &str, &str); 6] = [
    (
        "torn_entries",
        "search/tt.rs",
        "chosen.key_xor_data.store(key ^ data, Relaxed);",
        "chosen.key_xor_data.store(key ^ unpack_nothing(data), Relaxed);",
    ),
    (
        "lost_stop",
        "search/time.rs",
        "let guard = self.changed.lock().unwrap_or_else(PoisonError::into_inner);\n        change();\n        drop(guard);",
        "change();",
    ),
    (
        "early_answer",
        "search/time.rs",
        "while !is_over() {",
        "if !is_over() {",
    ),
    (
        "jobs_cut_off",
        "search/threads.rs",
        "&& handle.join().is_err()",
        "&& handle.thread().name().is_none()",
    ),
    (
        "table_still_in_use",
        "search/searcher.rs",
        "let _ = sender.send(verdict);",
        "let _ = sender.send(verdict);\n    drop(kept);",
    ),
    (
        "unheard_end",
        "engine/activity.rs",
        "self.idle.notify_all();",
        "",
    ),
];

/// What goes with a fault in another place of the same file.
const MORE: [(&str, &str, &str); 3] = [
    (
        "torn_entries",
        "slot.key_xor_data.load(Relaxed) ^ data == key",
        "slot.key_xor_data.load(Relaxed) == key",
    ),
    (
        "torn_entries",
        "impl Table {",
        "const fn unpack_nothing(_: u64) -> u64 {\n    0\n}\n\nimpl Table {",
    ),
    (
        "table_still_in_use",
        "let verdict = {\n        let Helper {",
        "let kept = Arc::clone(&helper.shared);\n    let verdict = {\n        let Helper {",
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
    for folder in ["search", "engine/activity.rs"] {
        println!("cargo::rerun-if-changed=../src/{folder}");
    }
    let names = FAULTS.map(|(name, ..)| name);
    let mut rooms = String::new();
    for name in ["sound"].into_iter().chain(names) {
        let folder = target.join(name);
        copy(
            &source.join("search"),
            &folder.join("search"),
            name,
            "search/",
        );
        copy(
            &source.join("engine"),
            &folder.join("engine"),
            name,
            "engine/",
        );
        let folder = folder.display();
        rooms += &format!(
            "#[allow(warnings)]\npub mod {name} {{\n    \
             #[path = \"{folder}/search/mod.rs\"]\n    pub mod search;\n    \
             #[path = \"{folder}/engine/activity.rs\"]\n    pub mod activity;\n}}\n"
        );
    }
    fs::write(target.join("rooms.rs"), rooms).expect("the file is written");
}

/// Copies the files of a room, with the fault of this name.
fn copy(from: &Path, to: &Path, name: &str, room: &str) {
    fs::create_dir_all(to).expect("the folder is made");
    for entry in fs::read_dir(from).expect("the room is there") {
        let path = entry.expect("it is listed").path();
        let Some(file) = path.file_name().and_then(|file| file.to_str()) else {
            continue;
        };
        if !path.is_file() || (room == "engine/" && file != "activity.rs") {
            continue;
        }
        let mut text = fs::read_to_string(&path).expect("it is text");
        let place = format!("{room}{file}");
        for (fault, where_from, old, new) in FAULTS {
            if fault == name && where_from == place {
                text = put(&text, old, new, fault);
                for (fault, old, new) in MORE.into_iter().filter(|more| more.0 == name) {
                    text = put(&text, old, new, fault);
                }
            }
        }
        // What only its own room sees is seen by the models too.
        let mut text = text.replace("pub(super)", "pub");
        if place == "search/threads.rs" {
            // shuttle's channels can be shown only if what they carry can be.
            text = put(&text, "#[derive(Debug)]\n", "", "threads");
            text += SHOWN;
        }
        fs::write(to.join(file), text).expect("the file is written");
    }
}

/// Puts a fault in; the source must still say what the table above has.
fn put(text: &str, old: &str, new: &str, fault: &str) -> String {
    assert!(
        text.contains(old),
        "{fault}: the source has no '{old}' any more"
    );
    text.replace(old, new)
}
