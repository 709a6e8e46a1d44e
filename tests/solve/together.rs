//! Checks by several threads that use one table, interrupted and resumed.

use super::short_files::{Folder, petard};
#[cfg(unix)]
use super::short_files::{checkpoint, sections};
#[cfg(unix)]
use crate::common::driver::Running;
use serde_json::Value;
#[cfg(unix)]
use std::io::Read as _;
#[cfg(unix)]
use std::process::{Command, Stdio};

#[test]
fn a_check_may_begin_with_the_table_of_the_proof() {
    let folder = Folder::new("check-table");
    let [table, file, other] = ["table", "proof", "other"].map(|name| folder.file(name));
    let solve = |board: &str, table: &str| {
        let done = petard(&[
            "solve", "--board", board, "-q", "--hash", "16", "--resume", table,
        ]);
        assert!(done.status.success());
    };
    solve("3x6", &table);
    solve("3x5", &other);
    let grow = ["solve", "--board", "3x6", "-q", "--certificate", &file];
    let how = ["--leaf-nodes", "50", "--shared-leaves", "--hash", "16"];
    assert!(
        petard(&[&grow[..], &how, &["--resume", &table]].concat())
            .status
            .success()
    );
    let nodes = |arguments: &[&str]| {
        let done = petard(
            &[
                &["check", &file, "-q", "--json", "--threads", "2"],
                arguments,
            ]
            .concat(),
        );
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let text = String::from_utf8_lossy(&done.stdout);
        let reported: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&reported["proven"], &reported["winner"]),
            (&true.into(), &"white".into())
        );
        reported["nodes"].as_u64().unwrap()
    };
    let (with, without) = (nodes(&["--from", &table]), nodes(&[]));
    assert!(with < without / 2, "{with} {without}");
    nodes(&["--from", &table, "--memory", "0"]);
    let missing = std::fs::read("/nowhere/table").unwrap_err().to_string();
    for (wrong, why) in [
        (&*other, "it is for a board of 3x5"),
        (&*file, "it is not a checkpoint"),
        ("/nowhere/table", &*missing),
    ] {
        let done = petard(&["check", &file, "-q", "--from", wrong]);
        let reported = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{reported}");
        assert!(
            reported.contains(why) && reported.contains(wrong),
            "{reported}"
        );
    }
}

/// Runs a check of several minutes, interrupted as soon as it reports leaves;
/// returns how many it has done.
#[cfg(unix)]
fn interrupted(file: &str, notes: &str) -> u64 {
    let mut child = Running::start(
        Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["check", file, "--threads", "2", "--memory", "32", "--json"])
            .args(["--resume", notes])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let mut reported = Vec::new();
    let mut byte = [0];
    while !reported.ends_with(b" leaves, about") {
        child
            .stderr
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .unwrap();
        reported.push(byte[0]);
    }
    child.signal("-INT");
    let output = child.output();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(" hold if the others do\n"), "{text}");
    let reported: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    reported["leaves"].as_u64().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupted_check_saves_its_table_and_resumes() {
    let folder = Folder::new("kept");
    let notes = folder.file("notes");
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/solve/certificates/8x5.proof"
    );
    let first = interrupted(file, &notes);
    let size = std::fs::metadata(&notes).unwrap().len();
    assert!(size >= 16 << 20, "half of the memory: {size}");
    assert!(interrupted(file, &notes) >= first);
}

/// What has been checked is not checked again, and only the file's own memory is
/// accepted.
#[cfg(unix)]
#[test]
fn an_interrupted_check_saves_what_it_has_checked() {
    let folder = Folder::new("kept-memory");
    let [notes, other] = ["notes", "other"].map(|name| folder.file(name));
    let root = env!("CARGO_MANIFEST_DIR");
    let file = format!("{root}/src/solve/certificates/8x5.proof");
    let mut done = 0;
    while done == 0 {
        done = interrupted(&file, &notes);
    }
    let check = |file: &str, more: &[&str]| {
        let arguments = ["check", file, "-q", "--json", "--resume", &other];
        petard(&[&arguments, more].concat())
    };
    let part = ["--leaves", &format!("0-{done}")];
    let positions = || {
        let output = check(&file, &part);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        let reported: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(reported["leaves"].as_u64(), Some(done));
        reported["checked"].as_u64().unwrap()
    };
    // The same memory, but no leaf is said to have been checked.
    let whole = std::fs::read(&notes).unwrap();
    let (subject, sections) = sections(&whole);
    let memory = &sections
        .iter()
        .find(|(name, _)| name == "memory")
        .unwrap()
        .1;
    let of_part = format!("{subject} leaves 0-{done}");
    let kept = [("record", &b"0 0 0 0\n"[..]), ("memory", memory)];
    std::fs::write(&other, checkpoint(&of_part, &kept)).unwrap();
    let once_more = positions();
    assert!(!std::path::Path::new(&other).exists(), "all is checked");
    // If both threads stored a position in the same place, one was lost.
    assert!(100 * once_more < positions(), "{once_more}");

    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    let files: [(&[u8], &str, &str); 5] = [
        (&changed, &file, "damaged"),
        (&whole[..whole.len() - 5], &file, "cut short"),
        (&[&whole[..], b"\n"].concat(), &file, "damaged"),
        (b"no memory", &file, "it is not a checkpoint"),
        (&whole, &file.replace("8x5", "5x5"), "another certificate"),
    ];
    for (data, file, error) in files {
        std::fs::write(&other, data).unwrap();
        let refused = check(file, &[]);
        assert_eq!(refused.status.code(), Some(1));
        let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            reported.contains(&other) && reported.contains(error),
            "{reported}"
        );
        assert_eq!(std::fs::read(&other).unwrap(), data, "it is left alone");
    }
}
