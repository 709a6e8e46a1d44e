//! Short certificates on the command line: growing, resuming, checking in parts.

use crate::common::driver::Running;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A separate folder for a test's files, deleted on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("petard-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn petard(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(arguments)
        .output()
        .unwrap()
}

fn last_object(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_check_is_the_same_by_any_number_of_threads_and_in_parts() {
    let folder = Folder::new("parts");
    let file = folder.file("4x5");
    let made = petard(&[
        "solve",
        "--board",
        "4x5",
        "-q",
        "--threads",
        "1",
        "--certificate",
        &file,
        "--leaf-nodes",
        "40",
    ]);
    assert_eq!(made.status.code(), Some(0));
    let checked = |more: &[&str]| {
        let output = petard(&[&["check", &file, "-q", "--json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{more:?}");
        let told = last_object(&output);
        let number = |name: &str| told[name].as_u64().unwrap();
        let sums = ["leaves", "nodes", "checked"].map(number);
        (
            told["proven"].as_bool().unwrap(),
            sums,
            number("all_leaves"),
        )
    };
    // With a memory, how much work a leaf is depends on what came before.
    let together = checked(&["--threads", "1"]);
    assert_eq!(together, checked(&["--threads", "1"]));
    let checked = |more: &[&str]| checked(&[&["--memory", "0"], more].concat());
    let one = checked(&["--threads", "1"]);
    assert_eq!(one, checked(&["--threads", "2"]));
    assert!(together.0 && together.1[0] == one.1[0] && together.1[2] < one.1[2]);
    let (proven, sums, all) = one;
    assert!(proven && sums[0] == all && all > 100, "{one:?}");
    let parts = [format!("0-{}", all / 3), format!("{}-{all}", all / 3)];
    let parts = parts.map(|part| checked(&["--leaves", &part]));
    assert!(!parts[0].0 && !parts[1].0, "a part proves nothing");
    let together: Vec<u64> = (0..3).map(|at| parts[0].1[at] + parts[1].1[at]).collect();
    assert_eq!(together, sums);
    let output = petard(&["check", &file, "-q", "--leaves", &format!("0-{}", all + 1)]);
    assert_eq!(output.status.code(), Some(1));
    resumed_checks_go_on(&folder, &file, (parts[0].1, sums));
}

/// A record of a check, as the file has it.
fn with_checksum(text: &str) -> String {
    format!("{text}checksum {:08x}\n", crc32fast::hash(text.as_bytes()))
}

/// A check continues from what a file says has been done.
fn resumed_checks_go_on(folder: &Folder, file: &str, (part, all): ([u64; 3], [u64; 3])) {
    let notes = folder.file("notes");
    // The checksum that the file ends with.
    let data = std::fs::read(file).unwrap();
    let sum = u32::from_le_bytes(*data.last_chunk().unwrap());
    let [leaves, nodes, checked] = part;
    let text = |sum: u32, part: &str| {
        let numbers = format!("{leaves} {nodes} {checked} 1000");
        with_checksum(&format!(
            "petard check 2\ncertificate {sum:08x}{part}\n{numbers}\n"
        ))
    };
    let part = format!("0-{}", all[0]);
    let of_part = text(sum, &format!(" leaves {part}"));
    for (other, said) in [
        (text(sum ^ 1, ""), "another certificate"),
        (of_part.clone(), "another part"),
        (
            with_checksum(&format!(
                "petard check 2\ncertificate {sum:08x}\n{} {nodes} {checked} 1000\n",
                usize::MAX
            )),
            "more leaves than there are",
        ),
        (
            text(sum, "").replace(" 1000\n", " 1001\n"),
            "its checksum is wrong",
        ),
        (
            text(sum, "").replace("check 2", "check 1"),
            "not a record of a check",
        ),
    ] {
        std::fs::write(&notes, &other).unwrap();
        let output = petard(&["check", file, "-q", "--resume", &notes]);
        assert_eq!(output.status.code(), Some(1));
        let fault = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(fault.contains(said), "{fault}");
        let kept = std::fs::read_to_string(&notes).unwrap();
        assert_eq!(kept, other, "nothing changes");
    }
    let arguments = ["check", file, "-q", "--json", "--memory", "0", "--resume"];
    for (text, more) in [
        (text(sum, ""), &[][..]),
        (of_part, &["--leaves", part.as_str()]),
    ] {
        std::fs::write(&notes, text).unwrap();
        let output = petard(&[&arguments[..], &[&notes], more].concat());
        let told = last_object(&output);
        assert_eq!(told["proven"].as_bool(), Some(more.is_empty()));
        let told = ["leaves", "nodes", "checked"].map(|name| told[name].as_u64().unwrap());
        assert_eq!(told, all);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(" s since it was resumed"), "{text}");
        assert!(!std::fs::exists(&notes).unwrap(), "all is checked");
    }
}

#[test]
fn a_growth_that_was_killed_goes_on() {
    let folder = Folder::new("killed");
    let file = folder.file("5x5");
    let draft = format!("{file}.draft");
    let arguments = [
        "solve",
        "--board",
        "5x5",
        "-q",
        "--threads",
        "1",
        "--certificate",
        &file,
        "--leaf-nodes",
        "60",
    ];
    // On a busy machine it may be done before it is seen to have begun.
    let was_killed = (0..10).any(|_| {
        let mut child = Running::start(
            Command::new(env!("CARGO_BIN_EXE_petard"))
                .args(arguments)
                .args(["--save", "0.001"])
                .stdout(Stdio::null()),
        );
        let deadline = Instant::now() + Duration::from_secs(300);
        while !std::fs::exists(&draft).unwrap() && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "no draft");
            std::thread::sleep(Duration::from_millis(2));
        }
        // Without warning.
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::exists(&draft).unwrap()
    });
    assert!(was_killed, "no draft is left");
    let output = petard(&arguments);
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("resuming from"), "{told}");
    assert!(!std::fs::exists(&draft).unwrap(), "it has done its work");
    let output = petard(&["check", &file, "-q"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("proven: black wins"), "{text}");
}

#[test]
fn a_growth_that_is_late_says_so_and_goes_on() {
    let folder = Folder::new("late");
    let file = folder.file("5x5");
    let run = |time: &str| {
        petard(&[
            "solve",
            "--board",
            "5x5",
            "-q",
            "--threads",
            "1",
            "--certificate",
            &file,
            "--leaf-nodes",
            "10",
            "--time",
            time,
        ])
    };
    // The time grows with each run, so that it finishes on any machine.
    let mut time = 0.02;
    let mut output = run(&time.to_string());
    let (mut late, mut has_draft) = (0, false);
    while output.status.code() == Some(3) {
        assert!(!std::fs::exists(&file).unwrap(), "it is not complete");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !text.contains("winner: unknown") {
            assert!(text.contains("not complete"), "{text}");
            late += 1;
        }
        has_draft = std::fs::exists(format!("{file}.draft")).unwrap();
        time *= 1.3;
        assert!(time < 1000.0, "it never ends");
        output = run(&time.to_string());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(told.contains("resuming from"), has_draft, "{told}");
    }
    assert!(late > 0 && has_draft);
    assert_eq!(output.status.code(), Some(0));
    let output = petard(&["check", &file, "-q"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn progress_tells_the_time_of_everything_between_saves() {
    let folder = Folder::new("progress");
    let table = folder.file("table");
    let mut arguments = vec!["solve", "--board", "6x6", "--hash", "16", "--threads", "1"];
    arguments.extend(["--table", &table, "--save", "0.7", "--time", "2.5"]);
    let output = petard(&arguments);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = text.lines().filter(|line| line.starts_with("time "));
    let times: Vec<f64> = told
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.last().unwrap() > &1.5, "{times:?}");
}
