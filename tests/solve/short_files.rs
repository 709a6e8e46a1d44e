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

/// Makes a short certificate whose leaves take so many nodes.
pub fn grow(file: &str, board: &str, leaf_nodes: u32) {
    let leaf_nodes = leaf_nodes.to_string();
    let made = petard(&[
        "solve",
        "--board",
        board,
        "-q",
        "--threads",
        "1",
        "--certificate",
        file,
        "--certificate-depth",
        "3",
        "--leaf-nodes",
        &leaf_nodes,
    ]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
}

/// Leaves a certificate that is not complete in the checkpoint: proves the position, and
/// then lets the certificate grow, each time for longer, until it has begun.
pub fn begin(options: &str, certificate: &str, checkpoint: &str) {
    let run = |more: &str| super::prove::solve(&format!("{options} --resume {checkpoint} {more}"));
    assert_eq!(run("").status.code(), Some(0));
    let proven = std::fs::read(checkpoint).unwrap();
    let mut seconds = 1e-4;
    for _ in 0..100 {
        let grown = run(&format!("{certificate} --time {seconds}"));
        let text = String::from_utf8_lossy(&grown.stdout).into_owned();
        let kept = text.split("not complete, ").nth(1);
        let kept = kept.and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        if kept.is_some_and(|positions| positions >= 10) {
            assert_eq!(grown.status.code(), Some(3), "{text}");
            return;
        }
        // It has hardly begun, or is complete already.
        let is_complete = grown.status.code() == Some(0);
        seconds *= if is_complete { 0.5 } else { 1.2 };
        std::fs::write(checkpoint, &proven).unwrap();
    }
    panic!("it never stops on the way");
}

/// A short certificate with these lines after its title and these positions and moves,
/// by the description of the format.
pub fn short(lines: &str, entries: &[(u128, u8)]) -> Vec<u8> {
    let title = "breakthrough certificate 2";
    let mut data = format!("{title}\n{lines}\nentries {}\n\n", entries.len()).into_bytes();
    let mut last = 0;
    for &(position, step) in entries {
        for number in [position - last, u128::from(step)] {
            data.extend(unsigned_varint::encode::u128(
                number,
                &mut unsigned_varint::encode::u128_buffer(),
            ));
        }
        last = position;
    }
    data.extend(crc32fast::hash(&data).to_le_bytes());
    data
}

/// A checkpoint with these sections, by the description of the format.
pub fn checkpoint(subject: &str, sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut data = format!("petard checkpoint 1\n{subject}\n").into_bytes();
    for (name, content) in sections {
        data.extend(format!("{name}\n").bytes());
        for chunk in content.chunks(1 << 20) {
            data.extend((chunk.len() as u32).to_le_bytes());
            data.extend(chunk);
        }
        data.extend([0; 4]);
    }
    data.extend(b"end\n");
    data.extend(crc32fast::hash(&data).to_le_bytes());
    data
}

/// What a checkpoint is about, and its sections.
pub fn sections(data: &[u8]) -> (String, Vec<(String, Vec<u8>)>) {
    let (content, sum) = data.split_at(data.len() - 4);
    assert_eq!(sum, crc32fast::hash(content).to_le_bytes());
    let mut rest = content.strip_prefix(b"petard checkpoint 1\n").unwrap();
    let line = |rest: &mut &[u8]| {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap();
        let text = String::from_utf8(rest[..end].to_vec()).unwrap();
        *rest = &rest[end + 1..];
        text
    };
    let (subject, mut sections) = (line(&mut rest), Vec::new());
    loop {
        let name = line(&mut rest);
        if name == "end" {
            assert!(rest.is_empty());
            return (subject, sections);
        }
        let mut content = Vec::new();
        loop {
            let (length, after) = rest.split_first_chunk().unwrap();
            let (chunk, after) = after.split_at(u32::from_le_bytes(*length) as usize);
            rest = after;
            if chunk.is_empty() {
                break;
            }
            content.extend(chunk);
        }
        sections.push((name, content));
    }
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
        let reported = last_object(&output);
        let number = |name: &str| reported[name].as_u64().unwrap();
        let sums = ["leaves", "nodes", "checked"].map(number);
        (
            reported["proven"].as_bool().unwrap(),
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

/// A check continues from what a file says has been done.
fn resumed_checks_go_on(folder: &Folder, file: &str, (part, all): ([u64; 3], [u64; 3])) {
    let notes = folder.file("notes");
    // The checksum that the file ends with.
    let data = std::fs::read(file).unwrap();
    let sum = u32::from_le_bytes(*data.last_chunk().unwrap());
    let [leaves, nodes, checked] = part;
    let about = |sum: u32, part: &str| format!("check of certificate {sum:08x}{part}");
    let record = format!("{leaves} {nodes} {checked} 1000\n");
    let text =
        |sum: u32, part: &str| checkpoint(&about(sum, part), &[("record", record.as_bytes())]);
    let too_many = format!("{} {nodes} {checked} 1000\n", usize::MAX);
    let too_many = checkpoint(&about(sum, ""), &[("record", too_many.as_bytes())]);
    let mut damaged = text(sum, "");
    let place = damaged.len() - 20;
    damaged[place] ^= 1;
    let part = format!("0-{}", all[0]);
    let of_part = text(sum, &format!(" leaves {part}"));
    for (other, said) in [
        (text(sum ^ 1, ""), "another certificate"),
        (of_part.clone(), "another part"),
        (too_many, "more leaves than there are"),
        (damaged, "it is damaged"),
        (b"petard check 2\n".to_vec(), "kept by an earlier version"),
        (b"PETARDT1 and so on".to_vec(), "kept by an earlier version"),
        (b"no checkpoint".to_vec(), "it is not a checkpoint"),
    ] {
        std::fs::write(&notes, &other).unwrap();
        let output = petard(&["check", file, "-q", "--resume", &notes]);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(said), "{error}");
        let kept = std::fs::read(&notes).unwrap();
        assert_eq!(kept, other, "nothing changes");
    }
    let arguments = ["check", file, "-q", "--json", "--memory", "0", "--resume"];
    for (text, more) in [
        (text(sum, ""), &[][..]),
        (of_part, &["--leaves", part.as_str()]),
    ] {
        std::fs::write(&notes, text).unwrap();
        let output = petard(&[&arguments[..], &[&notes], more].concat());
        let reported = last_object(&output);
        assert_eq!(reported["proven"].as_bool(), Some(more.is_empty()));
        let reported = ["leaves", "nodes", "checked"].map(|name| reported[name].as_u64().unwrap());
        assert_eq!(reported, all);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(" s since it was resumed"), "{text}");
        assert!(!std::fs::exists(&notes).unwrap(), "all is checked");
    }
}

#[test]
fn a_killed_certificate_resumes() {
    let folder = Folder::new("killed");
    let file = folder.file("5x5");
    let draft = folder.file("checkpoint");
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
        "--resume",
        &draft,
    ];
    let is_begun = || {
        let data = std::fs::read(&draft).unwrap_or_default();
        // In the next line.
        data.windows(12)
            .take(99)
            .any(|name| name == b"certificate\n")
    };
    // On a busy machine it may be done before it is seen to have begun.
    let was_killed = (0..10).any(|_| {
        let mut child = Running::start(
            Command::new(env!("CARGO_BIN_EXE_petard"))
                .args(arguments)
                .args(["--save", "0.001"])
                .stdout(Stdio::null()),
        );
        let deadline = Instant::now() + Duration::from_secs(300);
        while !is_begun() && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "no draft");
            std::thread::sleep(Duration::from_millis(2));
        }
        // Without warning.
        child.kill().unwrap();
        child.wait().unwrap();
        is_begun()
    });
    assert!(was_killed, "no draft is left");
    let output = petard(&arguments);
    assert_eq!(output.status.code(), Some(0));
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(reported.contains("resuming from"), "{reported}");
    assert!(!is_begun(), "it has done its work");
    let output = petard(&["check", &file, "-q"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("proven: black wins"), "{text}");
}

#[test]
fn a_certificate_out_of_time_says_so_and_resumes() {
    let folder = Folder::new("late");
    let file = folder.file("5x5");
    let checkpoint = folder.file("checkpoint");
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
            "--resume",
            &checkpoint,
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
        let (_, found) = sections(&std::fs::read(&checkpoint).unwrap());
        has_draft = found.iter().any(|(name, _)| name == "certificate");
        time *= 1.3;
        assert!(time < 1000.0, "it never ends");
        output = run(&time.to_string());
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(reported.contains("resuming from"), has_draft, "{reported}");
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
    arguments.extend(["--resume", &table, "--save", "0.7", "--time", "2.5"]);
    let output = petard(&arguments);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let reported = text.lines().filter(|line| line.starts_with("time "));
    let times: Vec<f64> = reported
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.last().unwrap() > &1.5, "{times:?}");
}
