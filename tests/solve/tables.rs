//! What `petard solve` keeps in files, and what happens when it cannot.
#![allow(clippy::unwrap_used)]

use super::prove::{essences, object, served, solve};
#[cfg(unix)]
use crate::common::driver::Running;
#[cfg(unix)]
use std::io::Read as _;
#[cfg(target_os = "linux")]
use std::io::{BufRead as _, BufReader};
use std::process::Output;
#[cfg(unix)]
use std::process::{Command, Stdio};

#[test]
fn solve_goes_on_from_the_table_in_a_file() {
    let path = std::env::temp_dir().join(format!("petard-table-{}", std::process::id()));
    let name = path.to_str().unwrap();
    let run = |rest: &str| {
        solve(&format!(
            "--threads 1 --quiet --json --resume {name} {rest}"
        ))
    };
    let nodes = |output: &Output| -> u64 { object(output)["nodes"].as_u64().unwrap() };
    let whole = nodes(&solve("--board 4x6 --hash 64 --threads 1 --quiet --json"));
    // Stopped twice; nothing is searched again.
    let piece = whole / 3;
    for times in 1..=2 {
        let output = run(&format!("--board 4x6 --hash 64 --nodes {piece}"));
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(nodes(&output), times * piece);
    }
    let kept = std::fs::read(&path).unwrap();
    // Not all of the table was used.
    assert!((2 << 20..64 << 20).contains(&kept.len()), "{}", kept.len());
    // A mismatch is refused, and the file stays as it was.
    for other in [
        "--board 4x6 --hash 1",
        "--board 6x4 --hash 64",
        "--board 4x5 --hash 64",
    ] {
        let output = run(other);
        assert_eq!(output.status.code(), Some(1), "{other}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(name) && text.contains(" it"), "{text}");
    }
    assert!(std::fs::read(&path).unwrap() == kept);
    // A larger table inherits what the smaller one knew.
    let output = run("--board 4x6 --hash 128");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(object(&output)["winner"], "first");
    let all = nodes(&output);
    assert!(all > 2 * piece && all < 2 * whole, "{all} and {whole}");
    // Once more: the result is known by now, except for the line.
    let output = run("--board 4x6 --hash 128");
    assert!(nodes(&output) < all + whole / 10);
    let mut damaged = std::fs::read(&path).unwrap();
    damaged[1 << 20] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let output = run("--board 4x6 --hash 128");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("damaged"), "{text}");
    std::fs::write(&path, b"no table of proofs, and longer than a header").unwrap();
    assert_eq!(run("--board 4x6 --hash 128").status.code(), Some(1));
    std::fs::remove_file(&path).unwrap();
    assert!(!path.with_extension("part").exists());
}

#[test]
fn a_proof_begins_with_part_of_another_table() {
    let folder = std::env::temp_dir().join(format!("petard-from-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let name = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    let (large, small, next) = (name("large"), name("small"), name("next"));
    let run = |rest: &str| solve(&format!("--board 4x6 --threads 1 --quiet --json {rest}"));
    let nodes = |output: &Output| object(output)["nodes"].as_u64().unwrap();
    let whole = nodes(&run("--hash 64"));
    let most = whole * 9 / 10;
    nodes(&run(&format!("--hash 64 --nodes {most} --resume {large}")));
    let kept = std::fs::read(&large).unwrap();
    let output = run(&format!(
        "--hash 1 --nodes 1 --from {large} --resume {small}"
    ));
    assert_eq!(nodes(&output), most + 1);
    assert!(std::fs::read(&large).unwrap() == kept, "it is only read");
    assert!(std::fs::metadata(&small).unwrap().len() < 3 << 19);
    // The expensive part of the work is not done again.
    let left = |start: &str| {
        let output = run(&format!("--hash 64 --from {start} --resume {next}"));
        assert_eq!(object(&output)["winner"], "first");
        std::fs::remove_file(&next).unwrap();
        nodes(&output) - most
    };
    let (of_all, of_part) = (left(&large), left(&small));
    assert!(
        of_all <= of_part && of_part < whole / 3,
        "{of_all} and {of_part} of {whole}"
    );
    // A table that exists is what it goes on from.
    run(&format!("--hash 64 --nodes 9 --resume {next}"));
    let output = run(&format!(
        "--hash 64 --nodes 9 --from {small} --resume {next}"
    ));
    assert_eq!(nodes(&output), 18);
    std::fs::remove_file(&next).unwrap();
    for (arguments, reported) in [
        (format!("--from {next} --resume {small}x"), "next': "),
        (format!("--from {next} --resume {next}"), "overwrite it"),
        (
            format!("--from {next}.part --resume {next}"),
            "overwrite it",
        ),
        (
            format!("--from {large} --resume {next} --certificate {large}"),
            "overwrite it",
        ),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(reported), "{text}");
    }
    assert!(std::fs::read(&large).unwrap() == kept);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_proof_overwrites_none_of_its_own_files() {
    let folder = std::env::temp_dir().join(format!("petard-own-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let name = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    let [a, part] = ["a", "a.part"].map(name);
    for (table, certificate) in [(&a, &a), (&a, &part), (&part, &a)] {
        for path in [&a, &part] {
            std::fs::write(path, "hours of work").unwrap();
        }
        let output = solve(&format!(
            "--board 3x4 --hash 1 --threads 1 --quiet --resume {table} --certificate {certificate} \
             --leaf-nodes 1"
        ));
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("overwrite it"), "{text}");
        assert!(output.stdout.is_empty());
        for path in [&a, &part] {
            assert_eq!(std::fs::read_to_string(path).unwrap(), "hours of work");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn positions_from_the_input_go_on_from_the_table_in_a_file() {
    let path = std::env::temp_dir().join(format!("petard-served-{}", std::process::id()));
    let name = path.to_str().unwrap();
    let start = "pppp/pppp/4/4/PPPP/PPPP w";
    let arguments = format!("--nodes 5000 --hash 16 --resume {name} --json");
    // What was found is kept, even if the input goes wrong.
    let output = served(&arguments, &format!("{start}\nnonsense\n"));
    assert_eq!(output.status.code(), Some(1));
    let first = essences(&output);
    assert_eq!((first.len(), &first[1]["line"]), (2, &2.into()));
    let output = served(&arguments, &format!("{start}\n{start}\n"));
    assert_eq!(output.status.code(), Some(0));
    let answers = essences(&output);
    assert_eq!(answers.len(), 2);
    assert_ne!(answers[0], first[0], "it goes on");
    // All three limits at once.
    let output = solve(&format!(
        "--board 4x6 --hash 16 --threads 1 --nodes 1 --quiet --json --resume {name}"
    ));
    assert_eq!(object(&output)["nodes"], 15001);
    let output = served(&arguments, "pppp/pppp/4/PPPP/PPPP w\n");
    assert_eq!(output.status.code(), Some(1));
    std::fs::remove_file(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn an_interrupted_proof_leaves_its_table() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        is_left(signal);
    }
}

#[cfg(unix)]
fn is_left(signal: &str) {
    let path = std::env::temp_dir().join(format!("petard-interrupted-{}", std::process::id()));
    let mut child = Running::start(
        Command::new(env!("CARGO_BIN_EXE_petard"))
            .args("solve --board 8x8 --hash 16 --threads 2 --json --resume".split(' '))
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    // It reports progress, so it is searching.
    let mut first = [0];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    child.signal(signal);
    let output = child.output();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(object(&output)["winner"], "unknown");
    assert!(std::fs::metadata(&path).unwrap().len() > 1 << 20);
    std::fs::remove_file(&path).unwrap();
}

/// Searching for hours, with a table in a file.
#[cfg(unix)]
fn at_work(path: &std::path::Path) -> Running {
    let mut child = Running::start(
        Command::new(env!("CARGO_BIN_EXE_petard"))
            .args("solve --board 8x8 --hash 16 --threads 1 --resume".split(' '))
            .arg(path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped()),
    );
    let mut first = [0];
    let errors = child.stderr.as_mut().unwrap();
    errors.read_exact(&mut first).unwrap();
    child
}

#[cfg(unix)]
#[test]
fn a_table_is_not_for_two_at_once() {
    let path = std::env::temp_dir().join(format!("petard-twice-{}", std::process::id()));
    let name = path.to_str().unwrap();
    let mut child = at_work(&path);
    let output = solve(&format!("--board 8x8 --hash 16 --nodes 1 --resume {name}"));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains(name) && text.contains("another process"),
        "{text}"
    );
    child.signal("-TERM");
    child.wait().unwrap();
    let output = solve(&format!(
        "--board 8x8 --hash 16 --nodes 1 -q --resume {name}"
    ));
    assert_eq!(output.status.code(), Some(3));
    // A killed process leaves nothing that blocks the next one.
    let mut child = at_work(&path);
    child.kill().unwrap();
    child.wait().unwrap();
    let output = solve(&format!(
        "--board 8x8 --hash 16 --nodes 1 -q --resume {name}"
    ));
    assert_eq!(output.status.code(), Some(3));
    std::fs::remove_file(&path).unwrap();
    assert!(!path.with_extension("part").exists());
}

#[test]
fn what_cannot_be_written_is_named_before_the_work() {
    for option in ["--certificate", "--resume"] {
        // A proof that would take years.
        let output = solve(&format!("--board 8x8 --hash 1 {option} /nowhere/file"));
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("/nowhere/file"), "{text}");
        assert!(output.stdout.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_is_printed_even_if_nothing_can_be_saved() {
    let folder = std::env::temp_dir().join(format!("petard-gone-{}", std::process::id()));
    for option in ["--certificate", "--resume"] {
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = Running::start(
            Command::new(env!("CARGO_BIN_EXE_petard"))
                .args("solve --board 3x8 --threads 1 --json".split(' '))
                .arg(option)
                .arg(folder.join("file"))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped()),
        );
        // The folder vanishes while it works, as its first progress line shows.
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut text = String::new();
        stderr.read_line(&mut text).unwrap();
        assert!(text.contains("nodes"), "{text}");
        std::fs::remove_dir_all(&folder).unwrap();
        stderr.read_to_string(&mut text).unwrap();
        let output = child.output();
        assert_eq!(object(&output)["winner"], "first", "{option}");
        assert_eq!(output.status.code(), Some(1), "{option}");
        assert!(text.contains("gone-"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn missing_memory_is_reported_in_one_line() {
    let limited = |megabytes: u32, arguments: &str| {
        let program = env!("CARGO_BIN_EXE_petard");
        let kilobytes = megabytes << 10;
        Command::new("sh")
            .args([
                "-c",
                &format!("unset RUST_BACKTRACE; ulimit -v {kilobytes}; exec {program} {arguments}"),
            ])
            .output()
            .unwrap()
    };
    for (output, text) in [
        (limited(1000, "solve --board 5x5 --hash 4096"), "4096 MB"),
        (limited(1000, "solve --board 10x8 --hash 4096"), "4096 MB"),
        (solve("--board 5x5 --hash 4000000"), "MB are free"),
        (solve("--board 5x5 --hash 99999999"), "--hash"),
    ] {
        assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains(text), "{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

#[test]
fn a_large_table_costs_what_is_used_of_it() {
    let nodes = |hash: &str| {
        let output = solve(&format!("--board 4x6 --threads 1 --quiet --json {hash}"));
        assert_eq!(output.status.code(), Some(0));
        let reported = object(&output);
        let number = |name| reported[name].as_u64().unwrap();
        (number("nodes"), number("peak_mb"))
    };
    // The search is the same, and most of the memory is never touched.
    let (few, _) = nodes("--hash 64");
    let (same, peak) = nodes("--hash 512");
    assert_eq!(few, same);
    assert!(peak < 200, "{peak} MB");
}
