//! Full or read-only disks, processes killed in the middle of a write, small
//! stacks and few handles: either the old file or the new one is whole, and the
//! error names what went wrong.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[cfg(target_os = "linux")]
use crate::common::cases;
use crate::common::driver::Running;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A folder that is deleted after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let name = format!("petard-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a shell script in a folder; `$1` in it is petard.
fn shell(folder: &Path, script: &str, input: &str) -> Output {
    let mut child = Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_petard")])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may exit before it has read anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A command that writes `FILE`, what it needs beforehand, and how to check that
/// the file is whole.
struct Writer {
    name: &'static str,
    before: &'static str,
    write: &'static str,
    check: &'static str,
    /// Whether the file grows, so that a part of it is valid too.
    grows: bool,
}

const WRITERS: [Writer; 3] = [
    Writer {
        name: "certificate",
        before: "\"$1\" solve --board 3x5 -q --certificate FILE",
        write: "solve --board 4x5 -q --threads 1 --certificate FILE",
        check: "\"$1\" check -q FILE",
        grows: false,
    },
    Writer {
        name: "table",
        before: "\"$1\" solve --board 4x5 -q --nodes 100 --hash 16 --resume FILE",
        write: "solve --board 4x5 -q --threads 1 --nodes 500 --hash 16 --resume FILE",
        check: "\"$1\" solve --board 4x5 -q --threads 1 --hash 16 --resume FILE",
        grows: false,
    },
    Writer {
        name: "data",
        before: "\"$1\" datagen FILE --board 5x5 --positions 30 --nodes 30 --threads 1",
        write: "datagen FILE --board 5x5 --positions 50000 --nodes 30 --threads 1",
        check: "\"$1\" datagen rows --board 5x5 --rescore FILE --nodes 1 --threads 1",
        grows: true,
    },
];

/// Runs each writer in a script in which `WRITE` stands for it, and checks that
/// the old file is still there, or the valid part of a new one.
fn each_keeps_its_file(script: &str, is_fault: fn(&Writer, &Output)) {
    for writer in &WRITERS {
        let folder = Scratch::new(writer.name);
        let output = shell(&folder.0, &writer.before.replace("FILE", "file"), "");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
        let before = fs::read(folder.0.join("file")).unwrap();
        let write = writer.write.replace("FILE", "file");
        let output = shell(&folder.0, &script.replace("WRITE", &write), "");
        assert!(!text(&output.stderr).contains("panicked"), "{output:?}");
        is_fault(writer, &output);
        let after = fs::read(folder.0.join("file")).unwrap();
        if writer.grows {
            assert!(after.len() >= before.len() - 64, "{}", writer.name);
        } else {
            assert!(after == before, "{}: the old file is gone", writer.name);
        }
        let output = shell(&folder.0, &writer.check.replace("FILE", "file"), "");
        assert!(output.status.success(), "{}: {output:?}", writer.name);
    }
}

fn is_named(writer: &Writer, output: &Output) {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}: {error}", writer.name);
    let last = error.lines().last().unwrap_or_default();
    let is_told = last.starts_with("petard: ") && last.contains("file");
    assert!(is_told, "{}: {error}", writer.name);
}

/// A file size limit stands in for a full disk: a write fails.
#[test]
fn on_a_full_disk_the_old_file_stays_and_the_fault_is_named() {
    each_keeps_its_file("trap '' XFSZ; ulimit -f 1; exec \"$1\" WRITE", is_named);
}

/// The same limit, with its signal: the process dies in the middle of a write.
#[test]
fn a_process_killed_in_the_middle_of_a_write_leaves_the_old_file() {
    each_keeps_its_file("ulimit -f 1; exec \"$1\" WRITE", |writer, output| {
        assert_eq!(output.status.code(), None, "{}: {output:?}", writer.name);
    });
}

/// Runs a script on a file system of its own, where that is possible.
#[cfg(target_os = "linux")]
fn own_disk(folder: &Path, options: &str, script: &str) -> Option<Output> {
    let alone = "unshare --mount --map-root-user sh -c";
    let mount = format!("mkdir -p disk && mount -t tmpfs -o {options} none disk");
    let probe = shell(folder, &format!("{alone} '{mount}'"), "");
    if !probe.status.success() {
        // Unlike what is printed, this is seen in a test that passes.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no file system of one's own can be mounted here"
        );
        return None;
    }
    let script = format!("{alone} '{mount} && cd disk && {script}' sh \"$1\"");
    Some(shell(folder, &script, ""))
}

#[cfg(target_os = "linux")]
#[test]
fn full_and_read_only_disks_are_errors_with_a_name() {
    let folder = Scratch::new("disks");
    let solve = "\"$1\" solve --board 4x5 -q --threads 1 --hash 16";
    let small = "size=64k";
    // There is room for the old file and not for the new one.
    let script = format!(
        "echo old > table; {solve} --resume table; echo \"status $?\"; cat table; ls; \
         echo old > proof; head -c 60000 /dev/zero > filler; \
         {solve} --certificate proof; echo \"status $?\"; cat proof; ls"
    );
    if let Some(output) = own_disk(&folder.0, small, &script) {
        let (reported, error) = (text(&output.stdout), text(&output.stderr));
        // An old file that is not a table is refused before any work.
        assert_eq!(
            reported.matches("status 1\n").count(),
            2,
            "{reported}{error}"
        );
        assert_eq!(reported.matches("old\n").count(), 2, "{reported}{error}");
        assert!(!reported.contains(".part"), "{reported}");
        assert!(
            error.contains("table") && error.contains("proof"),
            "{error}"
        );
    }
    let script = format!(
        "{solve} --nodes 300 --resume table; echo \"status $?\"; ls; \
         mount -o remount,ro none . ; {solve} --resume new; echo \"status $?\"; \
         \"$1\" datagen data --positions 1; echo \"status $?\"; ls"
    );
    if let Some(output) = own_disk(&folder.0, small, &script) {
        let (reported, error) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(
            reported.matches("status 1\n").count(),
            3,
            "{reported}{error}"
        );
        assert!(!reported.contains("table\n"), "{reported}");
        assert!(
            error.contains("'table'") && error.contains("'data'"),
            "{error}"
        );
        assert!(error.contains("new.part"), "{error}");
    }
}

/// Reported before any work: nothing is solved or written.
#[test]
fn files_of_one_run_do_not_overwrite_each_other() {
    let folder = Scratch::new("two");
    let solve = "\"$1\" solve --board 3x5 -q --threads 1 --hash 16";
    for files in [
        "--resume a --certificate a",
        "--resume a --certificate a.part",
    ] {
        let output = shell(&folder.0, &format!("{solve} {files}"), "");
        assert_eq!(output.status.code(), Some(1), "{files}: {output:?}");
        let error = text(&output.stderr);
        assert!(
            error.contains("'a") && error.contains("would overwrite"),
            "{error}"
        );
        assert!(output.stdout.is_empty(), "{files}: {output:?}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "{files}");
    }
}

/// The log ends, but the session goes on.
#[test]
fn a_log_that_cannot_grow_does_not_stop_the_session() {
    let folder = Scratch::new("log");
    let input = "setoption name Log File value log\n".to_owned()
        + &"d\n".repeat(100)
        + "setoption name Threads value 2\nposition startpos\ngo depth 3\nisready\n";
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$1\"";
    let output = shell(&folder.0, script, &input);
    let reported = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        reported.contains("\nbestmove ") && reported.contains("readyok"),
        "{reported}"
    );
    assert_eq!(reported.matches("Fen: ").count(), 100);
    assert!(text(&output.stderr).contains("log file"), "{output:?}");
    assert!(fs::metadata(folder.0.join("log")).unwrap().len() <= 1024);
}

#[test]
fn a_megabyte_of_stack_is_enough() {
    let folder = Scratch::new("stack");
    let session = "position startpos\ngo depth 8\nperft 4\ngo mate 3\n\
        setoption name Board value 16x8\nposition startpos\ngo depth 5\ngo prove nodes 1000\n\
        position fen pp/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/2/PP/PP w\n\
        go prove nodes 20000\ngo nodes 20000\n\
        setoption name UCI_Variant value freeling\ngo depth 6\n";
    let output = shell(&folder.0, "ulimit -s 1024; exec \"$1\"", session);
    assert!(output.status.success(), "{output:?}");
    let reported = text(&output.stdout);
    let answers = reported.lines().filter(|line| line.starts_with("bestmove"));
    assert_eq!(answers.count(), 7, "{reported}");
    for tool in [
        "solve --board 4x5 -q --certificate proof",
        "check -q proof",
        "perft 4",
        "bench 4",
        "bench freeling 4",
        "datagen data --board 4x5 --positions 20 --nodes 50",
    ] {
        let script = format!("ulimit -s 1024; exec \"$1\" {tool}");
        let output = shell(&folder.0, &script, "");
        assert!(output.status.success(), "{tool}: {output:?}");
    }
}

/// More threads than fit in the address space, and tools with few handles.
#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_system_are_refusals_and_change_nothing() {
    let folder = Scratch::new("limits");
    let input = "setoption name Threads value 2\nsetoption name Threads value 512\nisready\n\
        position startpos\ngo depth 4\nsetoption name Threads value 1\ngo depth 2\n";
    let output = shell(
        &folder.0,
        "unset RUST_BACKTRACE; ulimit -v 2000000; exec \"$1\"",
        input,
    );
    let reported = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(reported.matches("bestmove").count(), 2, "{reported}");
    let refusals = reported
        .lines()
        .filter(|line| line.starts_with("info string"));
    assert_eq!(refusals.count(), 1, "{reported}");
    for tool in [
        "bench 2",
        "perft 3",
        "solve --board 3x5 -q",
        "datagen data --positions 5 --nodes 9",
    ] {
        let script = format!("ulimit -n 12; exec \"$1\" {tool}");
        let output = shell(&folder.0, &script, "");
        assert!(output.status.success(), "{tool}: {output:?}");
    }
}

/// Less and less address space is short of everything in turn. From the least in which
/// a command can say that there is too little, it ends with that one sentence or does
/// its work. `PETARD_TEST_FACTOR` divides the steps.
#[cfg(target_os = "linux")]
#[test]
fn scarce_address_space_is_one_sentence() {
    let folder = Scratch::new("address-space");
    let prepare = "\"$1\" solve --board 4x5 -q --certificate whole && \
        \"$1\" solve --board 4x5 -q --certificate short --leaf-nodes 40";
    assert!(shell(&folder.0, prepare, "").status.success());
    let session = "setoption name Threads value 3\nsetoption name Hash value 32\nisready\n\
        go depth 3\nsetoption name Hash value 1\ngo prove nodes 500\nbench 1\n\
        setoption name UCI_Variant value freeling\ngo depth 2\n";
    for (command, threads) in [
        (
            "check short -q --memory 0 --leaves 0-20",
            &["1", "2", "4"][..],
        ),
        ("check short -q --leaves 0-20", &["1", "2", "4"]),
        ("check whole -q", &["1", "4"]),
        ("solve --board 4x5 -q --certificate proof", &["1", "4"]),
        (
            "solve --board 4x4 -q --certificate proof --leaf-nodes 20",
            &["1", "2", "4"],
        ),
        ("solve --board 4x4 -q --resume table", &["2"]),
        ("bench 1", &[]),
        ("perft 3", &[]),
        ("", &[]),
    ]
    .into_iter()
    .flat_map(|(command, threads)| {
        let all = threads
            .iter()
            .map(|threads| format!(" --threads {threads}"));
        let none = threads.is_empty().then(String::new);
        let all = all.chain(none).collect::<Vec<_>>();
        all.into_iter().map(move |threads| (command, threads))
    }) {
        let (step, most) = if command.is_empty() {
            (33_000, 700_000)
        } else {
            (7_300, 150_000)
        };
        let (mut is_reported, mut has_succeeded) = (false, false);
        let is_sentence = |line: &str| line.starts_with("petard: ");
        for kilobytes in (14_000..most).step_by(step / cases(1)) {
            let script = format!(
                "unset RUST_BACKTRACE; rm -f table; ulimit -c 0; ulimit -v {kilobytes}; \
                 exec timeout 60 \"$1\" {command}{threads}"
            );
            let output = shell(&folder.0, &script, session);
            let (error, status) = (text(&output.stderr), output.status.code());
            let what = format!("{kilobytes} KB, {command}{threads}: {status:?}, {error}");
            match status {
                Some(0) => has_succeeded = true,
                Some(1) if error.lines().last().is_some_and(is_sentence) => {
                    // What else there is has been logged.
                    let others = error.lines().filter(|line| !line.starts_with('['));
                    assert_eq!(others.count(), 1, "{what}");
                    assert!(!error.contains("REFUSED"), "{what}");
                    is_reported = true;
                }
                _ => assert!(!is_reported && !has_succeeded, "{what}"),
            }
        }
        assert!(has_succeeded, "{command}{threads}");
    }
}

/// Fewer threads than requested, or none. Root may have any number, so the test
/// becomes another user; where that is not allowed, it is skipped.
#[cfg(target_os = "linux")]
#[test]
fn missing_threads_are_reported_in_one_line() {
    let folder = Scratch::new("threads");
    fs::copy(env!("CARGO_BIN_EXE_petard"), folder.0.join("petard")).unwrap();
    let open = "chmod 755 . petard && mkdir -p -m 777 data && cd data && ";
    let nobody = "setpriv --reuid 65533 --regid 65533 --clear-groups prlimit --nproc=";
    let probe = format!("{open} {nobody}1 ../petard perft 1 && ! {nobody}1 sh -c '(:) & wait $!'");
    if !shell(&folder.0, &probe, "").status.success() {
        // Unlike what is printed, this is seen in a test that passes.
        let _ = writeln!(std::io::stderr(), "skipped: nobody can be limited here");
        return;
    }
    let solve = "cd data && \"$1\" solve --board 4x5 -q --certificate proof";
    assert!(shell(&folder.0, solve, "").status.success());
    let session = "setoption name Threads value 4\ngo depth 2\ngo prove nodes 1000\nbench 1\n";
    let mut refused = 0;
    for limit in 1..6 {
        for tool in [
            "",
            "bench 2",
            "solve --board 4x6 -q --threads 4 --nodes 40000",
            "check -q proof --threads 4",
            "datagen games --positions 5 --nodes 9 --threads 3",
        ] {
            let script = format!("{open} rm -f games; exec {nobody}{limit} ../petard {tool}");
            let output = shell(&folder.0, &script, session);
            let (error, status) = (text(&output.stderr), output.status.code());
            assert!(!error.contains("panicked"), "{limit} {tool}: {error}");
            assert!(
                matches!(status, Some(0 | 1 | 3)),
                "{limit} {tool}: {output:?}"
            );
            if status == Some(1) {
                let lines: Vec<&str> = error.lines().collect();
                let is_named = matches!(lines[..], [.., line] if line.starts_with("petard: "));
                assert!(is_named, "{limit} {tool}: {error}");
                refused += 1;
            }
            let answers = text(&output.stdout).matches("bestmove").count();
            let is_answered = !tool.is_empty() || status == Some(1) || answers == 2;
            assert!(is_answered, "{limit}: {output:?}");
        }
    }
    assert!(refused > 0);
}

/// Everything that runs long ends without a panic. The signal may come at any
/// moment after the start.
#[test]
fn signals_end_what_runs_long() {
    // If a shell runs the tests in the background, they ignore some signals.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap_or_default().trim(), 16).unwrap_or(0);
    let signals = [("-TERM", 15), ("-INT", 2), ("-HUP", 1)];
    let heard = signals
        .into_iter()
        .filter(|(_, number)| ignored >> (number - 1) & 1 == 0);
    for (round, (signal, _)) in heard.enumerate() {
        for tool in ["", "perft 12", "bench 99", "serve --port 0"] {
            let mut child = Running::start(
                Command::new(env!("CARGO_BIN_EXE_petard"))
                    .args(tool.split(' ').filter(|word| !word.is_empty()))
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped()),
            );
            let input = child.stdin.as_mut().unwrap();
            // Some do not read their input.
            let _ = input.write_all(b"setoption name Threads value 3\ngo infinite\n");
            std::thread::sleep(Duration::from_millis(40 * round as u64));
            child.signal(signal);
            // The input stays open: the signal ends it.
            let (sender, ends) = channel();
            let mut errors = child.stderr.take().unwrap();
            std::thread::spawn(move || {
                let mut text = String::new();
                let _ = errors.read_to_string(&mut text);
                let _ = sender.send(text);
            });
            let error = ends.recv_timeout(Duration::from_secs(120));
            let error = error.unwrap_or_else(|_| panic!("{signal} does not end '{tool}'"));
            assert!(!error.contains("panicked"), "{signal} {tool}: {error}");
            assert!(!child.wait().unwrap().success(), "{signal} {tool}");
        }
    }
}
