//! Subcommands given hostile arguments, outputs and signals.

#![allow(clippy::unwrap_used)]

use crate::common::driver::Running;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder that is deleted after the test.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("petard-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petard"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn error_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_closed_output_ends_the_tool() {
    let mut child = Running::start(
        command(&["solve", "--stdin", "--quiet", "--threads", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let mut input = child.stdin.take().unwrap();
    let fen = "ppp/ppp/3/PPP/PPP w 0 1\n";
    input.write_all(fen.as_bytes()).unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with('{'), "{line}");
    drop(output);
    // There is more to do, but nobody to tell.
    let deadline = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it does not end");
        // It may have ended since.
        let _ = input.write_all(fen.as_bytes());
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.output();
    let error = error_of(&output);
    assert!(output.status.code().is_some(), "{output:?}");
    assert!(!error.contains("panicked"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error_in_one_line() {
    for arguments in [
        &["bench", "3"][..],
        &["perft", "2"],
        &["perft", "2", "--divide"],
        &["solve", "--board", "4x4"],
        &["--help"],
        &["check", "--help"],
        &["--version"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = command(arguments).stdout(full.unwrap()).output().unwrap();
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        let last = error.lines().last().unwrap();
        assert!(last.starts_with("petard: "), "{arguments:?}: {error}");
        assert!(!error.contains("panicked"), "{arguments:?}: {error}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_and_nothing_is_written() {
    let folder = Scratch::new("range");
    let file = folder.path("games");
    for (arguments, named) in [
        (&["--nodes", "0"][..], "--nodes"),
        (&["--threads", "100000"], "--threads"),
        (&["--board", "3"], "files x ranks, such as 8x8"),
        (&["--board", "1x1"], "1x1"),
        (&["--positions=-1"], "--positions"),
        (&["--random-max", "18446744073709551615"], "--random-max"),
    ] {
        let output = run(&[&["datagen", &file][..], arguments].concat());
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(named), "{arguments:?}: {error}");
        assert!(!std::path::Path::new(&file).exists(), "{arguments:?}");
    }
}

#[test]
fn openings_longer_than_any_game_end_with_a_message() {
    let folder = Scratch::new("long");
    let arguments = [
        "--random-min",
        "5000",
        "--random-max",
        "6000",
        "--nodes",
        "10",
    ];
    let output = run(&[&["datagen", &folder.path("games")][..], &arguments].concat());
    let error = error_of(&output);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{error}");
    assert!(error.contains("random"), "{error}");
}

#[test]
fn a_file_that_cannot_be_had_is_named() {
    let folder = Scratch::new("named");
    let (missing, file) = (folder.path("missing"), folder.path("file"));
    std::fs::write(&file, "no data\n").unwrap();
    let (nowhere, fresh) = (folder.path("no/such/folder"), folder.path("fresh"));
    let rescored = format!("--rescore={missing}");
    for (arguments, named) in [
        (["datagen", &rescored, &fresh], &missing),
        (["datagen", "--positions=1", &nowhere], &nowhere),
        (["datagen", "--positions=1", &file], &file),
    ] {
        let output = run(&arguments);
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains(named.as_str()), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "no data\n");
}

/// The positions in a file: two sets of squares, score, ply and flags.
fn records(file: &str) -> Vec<Vec<u8>> {
    let data = std::fs::read(file).unwrap();
    let squares = usize::from(data[8]) * usize::from(data[9]);
    let rows = data[16..].chunks(2 * squares.div_ceil(8) + 5);
    rows.map(<[u8]>::to_vec).collect()
}

/// The first positions of the games in a file.
fn beginnings(file: &str) -> Vec<Vec<u8>> {
    let mut records = records(file);
    records.retain(|record| record.last().unwrap() & 8 != 0);
    records
}

#[test]
fn a_resumed_run_plays_other_games() {
    let folder = Scratch::new("resumed");
    let file = folder.path("games");
    let more = |positions: &str| {
        let options = "--board 5x5 --threads 1 --nodes 100 --balance 2000 --positions";
        let mut arguments = vec!["datagen", &file];
        arguments.extend(options.split(' ').chain([positions]));
        let output = run(&arguments);
        assert!(output.status.success(), "{}", error_of(&output));
        beginnings(&file)
    };
    let before = more("150").len();
    let all = more("300");
    let (old, new) = all.split_at(before);
    let again = new.iter().filter(|game| old.contains(game)).count();
    assert!(before > 10 && new.len() > 10, "{before} of {}", all.len());
    // Short openings can be the same by chance.
    assert!(again < 3, "{again} of {} games", new.len());
}

/// The signals after which a file is left whole, and the exit status.
#[cfg(unix)]
#[test]
fn data_is_cut_off_whole_and_written_by_one_process_alone() {
    let folder = Scratch::new("signal");
    for signal in ["-INT", "-TERM", "-HUP"] {
        let file = folder.path(&format!("games{signal}"));
        let arguments = ["datagen", &file, "--nodes", "50", "--threads", "1"];
        let mut child = Running::start(command(&arguments).stderr(Stdio::null()));
        let is_begun = || std::fs::metadata(&file).is_ok_and(|data| data.len() > 1000);
        while !is_begun() {
            assert!(child.try_wait().unwrap().is_none(), "it has ended");
            std::thread::sleep(Duration::from_millis(10));
        }
        let second = run(&arguments);
        let error = error_of(&second);
        assert_eq!(second.status.code(), Some(1), "{error}");
        assert!(error.contains("another process"), "{error}");
        child.signal(signal);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        // The file is whole: it can be read.
        assert!(!records(&file).is_empty());
    }
}

#[test]
fn the_version_tells_the_commit_and_the_instructions() {
    let output = run(&["--version"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let (version, rest) = text.trim().split_once(" (").unwrap();
    assert_eq!(version, concat!("petard ", env!("CARGO_PKG_VERSION")));
    // Without git, or if it refuses, there is no commit.
    let parts: Vec<_> = rest.strip_suffix(')').unwrap().split(", ").collect();
    let simd = *parts.last().unwrap();
    assert!(
        ["portable", "avx2", "avx512", "neon"].contains(&simd),
        "{text}"
    );
    if let [commit, _] = parts[..] {
        let hash = commit.strip_prefix("commit ").unwrap();
        assert!(hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}

#[test]
fn man_pages_and_completions_name_every_tool() {
    let scratch = Scratch::new("manual");
    let folder = scratch.path("pages");
    let output = run(&["manual", &folder]);
    assert!(output.status.success(), "{}", error_of(&output));
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let (page, shells) = (read("petard.1"), ["petard.bash", "_petard", "petard.fish"]);
    for tool in ["bench", "perft", "solve", "check", "datagen", "manual"] {
        assert!(page.contains(tool), "{tool}");
        assert!(read(&format!("petard-{tool}.1")).contains(tool), "{tool}");
        assert!(
            shells.iter().all(|shell| read(shell).contains(tool)),
            "{tool}"
        );
    }
    let refused = run(&["manual", &format!("{folder}/petard.1")]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        error_of(&refused).contains("petard.1"),
        "{}",
        error_of(&refused)
    );
}

/// Without random plies there is one game only.
#[test]
fn a_game_that_is_played_again_is_not_recorded_again() {
    let folder = Scratch::new("again");
    let file = folder.path("games");
    let few = ["--board", "3x4", "--nodes", "1", "--threads", "1"];
    let random = [
        "--random-min",
        "0",
        "--random-max",
        "0",
        "--balance",
        "30000",
    ];
    let output = run(&[&["datagen", &file][..], &few, &random].concat());
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("no new position"), "{error}");
    assert_eq!(beginnings(&file).len(), 1);
}
