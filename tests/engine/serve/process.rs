//! The server as a process: its port, its exit, and the browser it opens.

#[cfg(unix)]
use super::TIMEOUT;
use super::{Server, command};
#[cfg(target_os = "linux")]
use std::io::Read;
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

#[test]
fn a_port_that_is_taken_is_refused() {
    let server = Server::start(&[]);
    let port = server.port();
    let second = command().args(["--port", port]).output().unwrap();
    assert!(!second.status.success());
    let text = String::from_utf8(second.stderr).unwrap();
    assert!(
        text.contains(&format!("cannot listen on 127.0.0.1, port {port}")),
        "{text}"
    );
}

#[test]
fn a_program_that_starts_the_engine_is_told_nothing_unasked() {
    let output = Command::new(env!("CARGO_BIN_EXE_petard"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}

/// A page that reconnects finds the server where it was.
#[test]
fn a_server_that_was_killed_is_started_again_on_its_port() {
    // Another process may take the port in between: then try again.
    for _ in 0..10 {
        let mut server = Server::start(&[]);
        let port = server.port().to_owned();
        let mut client = server.session();
        client.send("position startpos moves b2b3\ngo infinite");
        client.until("info depth");
        server.kill();
        let Some(again) = Server::run(command().args(["--port", &port])) else {
            continue;
        };
        let mut client = again.session();
        client.send("position startpos moves b2b3\ngo depth 3");
        assert_ne!(client.until("bestmove").last().unwrap(), "bestmove (none)");
        return;
    }
    panic!("a server does not get its port again");
}

/// An empty folder for this test alone.
#[cfg(unix)]
fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// `--open` starts the command that the variable `BROWSER` names.
#[cfg(unix)]
#[test]
fn the_browser_is_opened_at_the_page() {
    let folder = folder("browser");
    let script = folder.join("browser");
    let opened = folder.join("opened");
    // Written by another process: if it were still open for writing here, in a
    // child of another test for example, it could not be executed.
    let write = r#"printf '#!/bin/sh\necho "$1" >"%s.part"\nmv "%s.part" "%s"\n' "$2" "$2" "$2" >"$1" && chmod +x "$1""#;
    let status = Command::new("sh")
        .args(["-c", write, "sh"])
        .args([&script, &opened])
        .status()
        .unwrap();
    assert!(status.success());
    // The first command that can be started is used.
    let browsers = format!("{}:{}", folder.join("none").display(), script.display());
    let server = Server::run(
        command()
            .args(["--port", "0", "--open"])
            .env("BROWSER", browsers),
    )
    .unwrap();
    let start = Instant::now();
    while !opened.exists() {
        assert!(start.elapsed() < TIMEOUT, "nothing was opened");
        std::thread::sleep(Duration::from_millis(10));
    }
    let url = std::fs::read_to_string(&opened).unwrap();
    assert_eq!(url, format!("http://{}/\n", server.host));
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn where_there_is_no_browser_that_is_told_and_the_page_is_served() {
    let folder = folder("no-browser");
    let mut server = Server::run(
        command()
            .args(["--port", "0", "--open"])
            .env("PATH", &folder)
            .env_remove("BROWSER")
            .stderr(Stdio::piped()),
    )
    .unwrap();
    let mut errors = server.child.stderr.take().unwrap();
    assert!(server.get("/").starts_with("HTTP/1.1 200 "));
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(b"\n") && errors.read(&mut byte).unwrap() > 0 {
        text.push(byte[0]);
    }
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.starts_with("petard: could not open a browser: "),
        "{text}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}
