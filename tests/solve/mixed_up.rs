//! Files of one kind given as files of another, and files that would overwrite
//! each other.

use super::short_files::{Folder, checkpoint, grow, petard, sections, short};
use std::process::Output;

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A short certificate of 4x5 that does not hold: White is said to win by a2a3.
fn false_certificate() -> Vec<u8> {
    let pieces = (0..8).map(|square| 3u128.pow(square));
    let others = (12..20).map(|square| 2 * 3u128.pow(square));
    let lines = "fen pppp/pppp/4/PPPP/PPPP w 0 1\nwinner white\ndepth 5\nleaf-nodes 1000";
    short(lines, &[(pieces.chain(others).sum(), 3 * 4 + 1)])
}

/// A check takes what its certificate claims for granted, and its table shows it.
#[test]
fn the_table_of_a_check_proves_nothing_elsewhere() {
    let folder = Folder::new("claims");
    let (bad, good) = (folder.file("bad"), folder.file("good"));
    std::fs::write(&bad, false_certificate()).unwrap();
    grow(&good, "4x5", 40);
    let check = |file: &str, more: &[&str]| {
        petard(&[&["check", file, "-q", "--threads", "1"], more].concat())
    };
    let (record, table) = (folder.file("record"), folder.file("table"));
    let keep = ["--resume", &record];
    let refused = check(&bad, &keep);
    assert!(
        error_of(&refused).contains("REFUSED: leaf"),
        "{}",
        error_of(&refused)
    );
    // It would say that White wins.
    for (flag, why) in [
        ("--from", "which may be false"),
        ("--resume", "of a check, not of a proof"),
    ] {
        let solved = petard(&[
            "solve", "--board", "4x5", "-q", "--hash", "64", flag, &record,
        ]);
        let error = error_of(&solved);
        assert_eq!(solved.status.code(), Some(1), "{error}");
        assert!(error.contains(why), "{error}");
    }
    // A true certificate would be refused because of it.
    let other = check(&good, &["--from", &record]);
    assert!(
        error_of(&other).contains("which may be false"),
        "{}",
        error_of(&other)
    );
    let other = check(&good, &keep);
    let error = error_of(&other);
    assert!(error.contains("for another certificate"), "{error}");
    assert!(!error.contains("REFUSED"), "{error}");
    // Nor is a proof's table that of a check.
    let solve = ["solve", "--board", "4x5", "-q", "--threads", "1"];
    let made = petard(&[&solve[..], &["--resume", &table]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", error_of(&made));
    let error = error_of(&check(&good, &["--resume", &table]));
    assert!(error.contains("of a proof, not of a check"), "{error}");
    assert_eq!(check(&good, &["--from", &table]).status.code(), Some(0));
    // Not even by another name.
    let data = std::fs::read(&good).unwrap();
    let sum = crc32fast::hash(&data[..data.len() - 4]);
    let (_, proof) = sections(&std::fs::read(&table).unwrap());
    let saved = &proof.iter().find(|(name, _)| name == "table").unwrap().1;
    let sections = [("record", &b"0 0 0 0\n"[..]), ("table", saved)];
    let subject = format!("check of certificate {sum:08x}");
    std::fs::write(&record, checkpoint(&subject, &sections)).unwrap();
    let error = error_of(&check(&good, &keep));
    assert!(error.contains("of this certificate"), "{error}");
}

#[test]
fn a_check_does_not_overwrite_what_it_reads() {
    let folder = Folder::new("overwritten");
    let made = folder.file("made");
    grow(&made, "4x5", 40);
    let data = std::fs::read(&made).unwrap();
    for file in ["a", "a.part"] {
        let file = folder.file(file);
        std::fs::write(&file, &data).unwrap();
        let record = folder.file("a");
        let few = ["check", &file, "-q", "--leaf-nodes", "1"];
        let output = petard(&[&few[..], &["--resume", &record]].concat());
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("would overwrite"), "{error}");
        assert!(std::fs::read(&file).unwrap() == data, "{file}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn what_would_not_be_saved_or_cannot_be_is_refused_as_an_argument() {
    for arguments in [
        &["--save", "1"][..],
        &["--save", "1", "--certificate", "/nowhere/file"],
        &["--save", "0", "--resume", "/nowhere/file"],
        &["--certificate-depth", "4"],
        &["--certificate-depth", "11"],
    ] {
        let output = petard(&[&["solve", "--nodes", "1"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(error_of(&output).contains(arguments[0]), "{arguments:?}");
    }
    let folder = Folder::new("no-leaves-at-all");
    let whole = folder.file("whole");
    let made = petard(&["solve", "--board", "3x4", "-q", "--certificate", &whole]);
    assert_eq!(made.status.code(), Some(0));
    let output = petard(&["check", &whole, "--leaf-nodes", "9"]);
    assert!(error_of(&output).contains("has no leaves"), "{output:?}");
}

/// The table holds the proof, but making the certificate takes time.
#[test]
fn a_whole_certificate_heeds_the_time() {
    let folder = Folder::new("no-time");
    let (table, file) = (folder.file("table"), folder.file("proof"));
    let solve = ["solve", "--board", "4x5", "-q", "--threads", "1"];
    let solve = [&solve[..], &["--resume", &table]].concat();
    assert_eq!(petard(&solve).status.code(), Some(0));
    let more = ["--certificate", &file, "--time", "0.000001"];
    let output = petard(&[&solve[..], &more].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("winner: black"), "{text}");
    assert!(text.contains("certificate: not complete"), "{text}");
    assert!(!std::fs::exists(&file).unwrap());
}

#[cfg(unix)]
#[test]
fn links_stay_and_devices_are_not_replaced() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let (link, disk) = (folder.file("table"), folder.file("disk"));
    std::fs::create_dir(&disk).unwrap();
    let target = format!("{disk}/table");
    std::fs::write(&target, "").unwrap();
    symlink(&target, &link).unwrap();
    let solve = |table: &str| {
        let arguments = ["solve", "--board", "3x5", "-q", "--certificate", table];
        petard(&arguments)
    };
    let output = solve(&link);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read(&target).unwrap().starts_with(b"breakthrough"));
    assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 1);
    // Where a link leads nowhere, there the file is made.
    let [link, target] = ["nowhere", "made"].map(|name| folder.file(name));
    symlink("made", &link).unwrap();
    let arguments = [
        "solve", "--board", "3x5", "-q", "--hash", "4", "--resume", &link,
    ];
    let output = petard(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(
        std::fs::read(&target)
            .unwrap()
            .starts_with(b"petard checkpoint")
    );
    assert_eq!(petard(&arguments).status.code(), Some(0));
    let circle = folder.file("circle");
    symlink("circle", &circle).unwrap();
    let output = solve(&circle);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error_of(&output).contains("circle': too many"),
        "{output:?}"
    );
    let socket = folder.file("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let output = solve(&socket);
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("not a regular file"), "{error}");
}
