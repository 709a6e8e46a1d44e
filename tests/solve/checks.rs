//! `petard check` where something else than the certificate fails: files, memory,
//! threads.

#[cfg(unix)]
use super::short_files::short;
use super::short_files::{Folder, checkpoint, grow, petard};
#[cfg(unix)]
use crate::common::driver::Running;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Output;
#[cfg(unix)]
use std::process::{Command, Stdio};

/// A short certificate of 4x5, in a file of the folder.
fn certificate(folder: &Folder) -> String {
    let file = folder.file("4x5");
    grow(&file, "4x5", 40);
    file
}

/// Checks quietly, by one thread.
fn checked(file: &str, more: &[&str]) -> Output {
    petard(&[&["check", file, "-q", "--threads", "1"], more].concat())
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What makes a check refuse its first leaf.
const TOO_FEW: [&str; 2] = ["--leaf-nodes", "1"];

#[test]
fn a_file_that_cannot_be_saved_is_an_error_before_the_work() {
    let folder = Folder::new("refused");
    let file = certificate(&folder);
    let record = folder.file("no/such/record");
    let output = checked(&file, &[&TOO_FEW[..], &["--resume", &record]].concat());
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(!error.contains("REFUSED"), "{error}");
    assert!(error.contains("such/record"), "{error}");
}

/// A limit on the size of files stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_refusal_is_reported_even_if_the_disk_is_full() {
    let folder = Folder::new("full");
    let file = certificate(&folder);
    let record = folder.file("record");
    let program = env!("CARGO_BIN_EXE_petard");
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {program} check {file} -q --threads 1 --leaf-nodes 1 \
         --resume {record}"
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("REFUSED: leaf 0") && error.contains("record'"),
        "{error}"
    );
    assert!(!std::fs::exists(&record).unwrap());
}

/// Less and less address space is short of everything in turn.
#[cfg(target_os = "linux")]
#[test]
fn what_a_machine_cannot_check_is_not_refused() {
    let folder = Folder::new("short-of");
    let file = certificate(&folder);
    for megabytes in 8..256 {
        let program = env!("CARGO_BIN_EXE_petard");
        let check = "check -q --threads 1 --memory 0 --leaves 0-10";
        // A program that runs out of memory while it prints a backtrace waits
        // for ever for the lock that it holds (std 1.95.0's alloc error hook).
        let script = format!(
            "unset RUST_BACKTRACE; ulimit -v {}; exec {program} {check} {file}",
            megabytes << 10
        );
        let output = Command::new("sh").args(["-c", &script]).output();
        let output = output.unwrap();
        let error = error_of(&output);
        assert!(!error.contains("REFUSED"), "{megabytes} MB: {error}");
        assert!(!error.contains("for 0 MB"), "{megabytes} MB: {error}");
        if output.status.success() {
            return;
        }
    }
    panic!("more memory than this is not needed");
}

#[test]
fn the_positions_of_the_file_can_be_checked_alone() {
    let folder = Folder::new("no-leaves");
    let file = certificate(&folder);
    let output = checked(&file, &["--leaves", "0-0", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reported: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&reported["leaves"], &reported["proven"]),
        (&0.into(), &false.into())
    );
    assert!(reported["all_leaves"].as_u64() > Some(100), "{reported}");
    assert_eq!(checked(&file, &["--leaves", "1-0"]).status.code(), Some(2));
    // What another check has kept is not deleted.
    let record = folder.file("record");
    std::fs::write(&record, checkpoint("check of certificate 00000000", &[])).unwrap();
    let keep = ["--leaves", "0-0", "--resume", &record];
    assert_eq!(checked(&file, &keep).status.code(), Some(1));
    assert!(std::fs::exists(&record).unwrap());
}

#[test]
fn a_log_has_a_row_for_each_check_that_came_to_its_end() {
    let folder = Folder::new("log");
    let (file, log) = (certificate(&folder), folder.file("log.tsv"));
    let whole = folder.file("whole.proof");
    let solved = petard(&["solve", "--board", "3x5", "-q", "--certificate", &whole]);
    assert_eq!(solved.status.code(), Some(0), "{}", error_of(&solved));
    let keep = ["--log", &log];
    for more in [&["--json"][..], &["--memory", "0", "--leaves", "3-5"]] {
        let output = checked(&file, &[&keep[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    }
    assert_eq!(checked(&whole, &keep).status.code(), Some(0));
    // Refused, and nothing is added.
    assert_eq!(
        checked(&file, &[&TOO_FEW[..], &keep].concat())
            .status
            .code(),
        Some(1)
    );
    for taken in [&["--log", &file][..], &["--log", &log, "--resume", &log]] {
        let error = error_of(&checked(&file, taken));
        assert!(error.contains("it would overwrite"), "{error}");
    }

    let text = std::fs::read_to_string(&log).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
    let [columns, all, part, whole_row] = &rows[..] else {
        panic!("{text}");
    };
    let value = |row: &[&str], name: &str| {
        let column = columns.iter().position(|&column| column == name);
        row[column.expect(name)].to_owned()
    };
    let sum: String = Sha256::digest(std::fs::read(&file).unwrap())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for row in [all, part] {
        assert_eq!(
            Some(value(row, "file").as_ref()),
            Path::new(&file).file_name()
        );
        assert_eq!(value(row, "sha256"), sum);
        assert!(value(row, "petard").starts_with(env!("CARGO_PKG_VERSION")));
        assert_eq!(value(row, "leaves"), value(all, "to"));
        assert_eq!(value(row, "resumed"), "no");
        assert!(value(row, "nodes").parse::<u64>().unwrap() > 0);
    }
    let range = |row: &[&str]| (value(row, "from"), value(row, "to"));
    assert_eq!(value(all, "from"), "0");
    assert_eq!(range(part), ("3".to_owned(), "5".to_owned()));
    assert_eq!(
        (value(all, "memory"), value(part, "memory")),
        ("256".to_owned(), "0".to_owned())
    );
    assert_eq!(
        (value(whole_row, "leaves"), value(whole_row, "nodes")),
        ("0".into(), "0".into())
    );
    assert_ne!(value(whole_row, "kept"), "0");
}

#[test]
fn a_table_that_is_cut_short_or_too_large_says_so() {
    let folder = Folder::new("tables");
    let file = certificate(&folder);
    let table = folder.file("table");
    let solve = [
        "solve",
        "--board",
        "4x5",
        "-q",
        "--hash",
        "4",
        "--threads",
        "1",
    ];
    let made = petard(&[&solve[..], &["--resume", &table]].concat());
    assert_eq!(made.status.code(), Some(0));
    let output = checked(&file, &["--from", &table]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let data = std::fs::read(&table).unwrap();
    std::fs::write(&table, &data[..data.len() / 3]).unwrap();
    let error = error_of(&checked(&file, &["--from", &table]));
    assert!(error.contains("it is cut short"), "{error}");
    // A table that a check with more memory has kept.
    let record = folder.file("record");
    let keep = ["--resume", &record];
    let refused = checked(&file, &[&TOO_FEW[..], &keep, &["--memory", "16"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    let error = error_of(&checked(&file, &[&keep[..], &["--memory", "1"]].concat()));
    assert!(error.contains("more than the"), "{error}");
    let output = checked(&file, &[&keep[..], &["--memory", "16"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
}

/// From the least address space in which it can say that there is too little.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_one_sentence() {
    let folder = Folder::new("too-little");
    let file = certificate(&folder);
    let program = env!("CARGO_BIN_EXE_petard");
    let mut is_reported = false;
    for kilobytes in (12_000..120_000).step_by(300) {
        let script = format!(
            "unset RUST_BACKTRACE; ulimit -v {kilobytes}; \
             exec {program} check -q --threads 1 --memory 0 --leaves 0-10 {file}"
        );
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let error = error_of(&output);
        match output.status.code() {
            Some(0) => return assert!(is_reported),
            Some(1) if error.starts_with("petard: ") => {
                assert_eq!(error.lines().count(), 1, "{kilobytes} KB: {error}");
                is_reported = true;
            }
            _ => assert!(!is_reported, "{kilobytes} KB: {output:?}"),
        }
    }
    panic!("more memory than this is not needed");
}

/// A leaf that is easy to prove, and whose proof is expensive to write down.
#[test]
fn the_limit_of_nodes_holds_for_the_whole_proof_of_a_leaf() {
    let folder = Folder::new("whole-proof");
    let file = folder.file("proof");
    let fen = "1p/2/2/P1/1P/2/2/2/2/1p/2/2/1p/2/2/1P/p1/2/2/2/2/2/2/2/2/2/P1/2/2/2/2/2 b 0 1";
    let how = ["--leaf-nodes", "2", "--certificate-depth", "1"];
    let made = petard(
        &[
            &["solve", "--fen", fen, "-q", "--certificate", &file],
            &how[..],
        ]
        .concat(),
    );
    assert_eq!(made.status.code(), Some(0), "{}", error_of(&made));
    let one = ["--memory", "0", "--leaves", "0-1", "--json"];
    let output = checked(&file, &one);
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("not proven within 32 nodes"), "{error}");
    // With a memory, a leaf may take more, and no more than that.
    let output = checked(&file, &["--leaves", "0-1", "--leaf-nodes", "1000"]);
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("not proven within 1000 nodes"), "{error}");
}

/// A leaf that would take hours, without a memory.
#[cfg(unix)]
#[test]
fn a_check_at_work_on_a_leaf_heeds_a_signal() {
    use std::io::Read as _;
    let folder = Folder::new("heeds");
    let file = folder.file("7x7");
    let fen = "ppppppp/ppppppp/7/7/7/PPPPPPP/PPPPPPP w 0 1";
    let lines = format!("fen {fen}\nwinner white\ndepth 5\nleaf-nodes 1000000000");
    std::fs::write(&file, short(&lines, &[])).unwrap();
    let mut child = Running::start(
        Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["check", &file, "--threads", "1", "--memory", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    // It reports progress, so it is at work.
    let errors = child.stderr.as_mut().unwrap();
    errors.read_exact(&mut [0]).unwrap();
    child.signal("-TERM");
    let output = child.output();
    assert_eq!(output.status.code(), Some(130), "{}", error_of(&output));
    let reported = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        reported.contains("interrupted: leaves 0 to before 0"),
        "{reported}"
    );
}

/// A whole certificate that takes long to check: pieces of the winner's that nobody can
/// stop, four steps away from the goal and so just in time, and many sets of the
/// loser's pieces behind them.
#[cfg(unix)]
fn expensive() -> Vec<u8> {
    let number = |loser: u32| -> u128 {
        let winner = [50, 51].into_iter().map(|square| 3u128.pow(square));
        let pieces = (0..12).filter(|bit| loser >> bit & 1 == 1);
        let others = (42..50).map(|square| 2 * 3u128.pow(square));
        let pieces = pieces.map(|bit| 2 * 3u128.pow(25 + bit));
        winner.chain(others).chain(pieces).sum()
    };
    let fen = "5/5/5/5/5/PP3/ppppp/2ppp/5/5/5/5/5/5/5/5 w 0 1";
    let mut data =
        format!("breakthrough certificate 1\nfen {fen}\nwinner white\ndepth 9\nentries 4096\n\n")
            .into_bytes();
    let mut last = 0;
    for loser in 0..4096 {
        // The first of the pieces goes straight ahead.
        for mut rest in [number(loser) - last, 3 * 50 + 1] {
            while rest >= 0x80 {
                data.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            data.push(rest as u8);
        }
        last = number(loser);
    }
    data
}

#[cfg(unix)]
#[test]
fn a_check_of_a_whole_certificate_heeds_a_signal() {
    use std::io::Read as _;
    let folder = Folder::new("whole");
    let file = folder.file("expensive");
    std::fs::write(&file, expensive()).unwrap();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut child = Running::start(
            Command::new(env!("CARGO_BIN_EXE_petard"))
                .args(["check", &file, "--threads", "2"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped()),
        );
        // It reports progress, so it is at work.
        let errors = child.stderr.as_mut().unwrap();
        errors.read_exact(&mut [0]).unwrap();
        child.signal(signal);
        let output = child.output();
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(130), "{signal}: {error}");
        assert!(error.contains("interrupted, nothing is proven"), "{error}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}
