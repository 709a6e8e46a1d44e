//! Who may connect, and what is out of reach.

use super::{Server, command};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

#[test]
fn other_names_and_pages_of_others_are_refused() {
    let server = Server::start(&[]);
    let port = server.host.split(':').nth(1).unwrap();
    let own = server.host.as_str();
    for host in ["evil.example", &format!("evil.example:{port}")] {
        let answer = server.ask("GET /", &[&format!("Host: {host}")]);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        // The page would come from that name, too.
        let origin = format!("http://{host}");
        assert_eq!(server.open(host, Some(&origin)).err(), Some(403));
    }
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(server.open(own, Some(origin)).err(), Some(403), "{origin}");
    }
    for headers in [&[][..], &["Host: localhost", "Host: evil.example"][..]] {
        assert!(server.ask("GET /", headers).starts_with("HTTP/1.1 400 "));
    }
    let local = format!("localhost:{port}");
    assert!(
        server
            .open(&local, Some(&format!("http://{local}")))
            .is_ok()
    );
    assert!(server.open(own, None).is_ok());
}

/// A request in absolute form is meant for the host that it names, whatever its
/// `Host` header says.
#[test]
fn the_host_of_an_absolute_target_is_checked_like_the_header() {
    let server = Server::start(&[]);
    let own = server.host.as_str();
    let port = server.port();
    let evil = format!("evil.example:{port}");
    let origin = format!("Origin: http://{own}");
    for (named, header, status) in [
        (own, own, 200),
        (own, evil.as_str(), 200),
        (&evil, own, 403),
        (&format!("{own}@{evil}"), own, 403),
        (&format!("{evil}?@{own}"), own, 403),
    ] {
        let first = format!("GET http://{named}/icon.svg");
        let answer = server.ask(&first, &[&format!("Host: {header}")]);
        let expected = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expected), "{first}: {answer}");
    }
    let first = format!("GET http://localhost:{port}/");
    let answer = server.ask(&first, &[&format!("Host: {own}"), &origin]);
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    let answer = server.ask(&first, &[]);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let answer = server.ask("GET http:///icon.svg", &[&format!("Host: {own}")]);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
}

#[test]
fn a_proxys_name_is_taken_if_it_is_given() {
    let server = Server::start(&["--host", "board.example"]);
    let origin = "https://board.example";
    assert!(server.open("board.example", Some(origin)).is_ok());
    assert_eq!(server.open("evil.example", Some(origin)).err(), Some(403));
    // What could never be one is refused at once.
    for name in ["", "a b", "board.example:443", "https://board.example"] {
        let output = command().args(["--port", "0", "--host", name]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            text.contains("not a name without scheme and port"),
            "{text}"
        );
    }
}

#[test]
fn files_are_out_of_reach() {
    let server = Server::start(&[]);
    let mut client = server.session();
    client.send("uci");
    let listed = client.until("uciok").join("\n");
    assert!(listed.contains("option name Evaluation "), "{listed}");
    let path = std::env::temp_dir().join(format!("petard-serve-{}.log", std::process::id()));
    for name in [
        "Log File",
        "log file",
        "EvalFile",
        "EVALFILE",
        "ProofFile",
        "BookFile",
    ] {
        assert!(!listed.to_lowercase().contains(&name.to_lowercase()));
        let line = format!("setoption name {name} value {}", path.display());
        let answer = client.ask(&line);
        // The option is named as it is spelled, whatever the client wrote.
        let expected = format!("info string {name} is not available here");
        assert!(
            answer.len() == 1 && answer[0].eq_ignore_ascii_case(&expected),
            "{answer:?}"
        );
    }
    assert!(!path.exists());
}

#[test]
fn a_warning_is_told_if_others_can_come_in() {
    let mut child = command()
        .args(["--port", "0", "--listen", "0.0.0.0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        line.contains("warning: anyone who can reach 0.0.0.0"),
        "{line}"
    );
}

/// What a foreign page can do: use its own host name, made to point here, or the
/// server's name, with its own origin in either case.
#[test]
fn no_page_of_another_site_reads_or_asks_anything() {
    let server = Server::start(&[]);
    let port = server.port();
    let own = format!("Host: {}", server.host);
    for origin in [
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        // Another server on this machine is another site.
        "http://localhost:1".to_owned(),
        format!("http://localhost:{port}"),
        "null".to_owned(),
        "file://".to_owned(),
    ] {
        let answer = server.ask("GET /js/main.js", &[&own, &format!("Origin: {origin}")]);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{origin}: {answer}");
        assert_eq!(server.open(&server.host, Some(&origin)).err(), Some(403));
    }
    for name in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.0.2.1",
    ] {
        let host = format!("{name}:{port}");
        assert_eq!(server.open(&host, None).err(), Some(403), "{host}");
        let answer = server.ask("GET /", &[&format!("Host: {host}")]);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        assert!(!answer.contains("<html"), "{answer}");
        assert!(!answer.contains("Access-Control-"), "{answer}");
    }
}

#[test]
fn what_is_no_request_is_refused_and_the_server_goes_on() {
    let server = Server::start(&[]);
    let own = &server.host;
    let long = "x".repeat(20_000);
    for (text, status) in [
        (
            format!("GET / HTTP/1.1\r\nHost: {own}\r\nX: {long}\r\n\r\n"),
            "431",
        ),
        ("\0\0\0\r\n\r\n".to_owned(), "4"),
        ("GET\r\n\r\n".to_owned(), "4"),
        ("\u{16}\u{3}\u{1}\r\n\r\n".to_owned(), "4"),
    ] {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A server that closes with unread data resets the connection, and the
        // answer may be lost.
        let _ = stream.read_to_end(&mut answer);
        let expected = format!("HTTP/1.1 {status}");
        let is_refused = answer.is_empty() || answer.starts_with(expected.as_bytes());
        assert!(is_refused, "{text}");
    }
    assert!(server.get("/").starts_with("HTTP/1.1 200 "));
}
