//! `petard serve`, from outside: who may come in, and what he may ask for.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Error, Message, WebSocket};

/// How long an answer may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
struct Server {
    child: Child,
    /// Where it listens, as a `Host` header has it.
    host: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).expect("an address");
        let host = address.split('/').next().unwrap().to_owned();
        Self { child, host }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// What is answered to a request, with these headers besides.
    fn ask(&self, first: &str, headers: &[&str]) -> String {
        let mut stream = self.connect();
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        write!(
            stream,
            "{first} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}"), &[&format!("Host: {}", self.host)])
    }

    /// A WebSocket from a page of this origin, by this name of the server.
    fn open(&self, host: &str, origin: Option<&str>) -> Result<Client, u16> {
        let url = format!("ws://{}/engine", self.host);
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert("Host", HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert("Origin", HeaderValue::from_str(origin).unwrap());
        }
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Client(socket)),
            Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(fault) => panic!("{fault}"),
        }
    }

    /// A session of the server's own page.
    fn session(&self) -> Client {
        let origin = format!("http://{}", self.host);
        self.open(&self.host, Some(&origin)).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Client(WebSocket<TcpStream>);

impl Client {
    fn send(&mut self, line: &str) {
        self.0.send(Message::text(line)).unwrap();
    }

    /// The next line, or how the session was closed.
    fn next(&mut self) -> Result<String, Option<CloseFrame>> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Ok(text.to_string()),
                Ok(Message::Close(frame)) => return Err(frame),
                Ok(_) => {}
                Err(fault) => panic!("{fault}"),
            }
        }
    }

    /// What is answered up to a line that begins so.
    fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.next().unwrap());
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    /// What is answered to a line that is acted on at once.
    fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The code with which the session ends, and what came before.
    fn end(&mut self) -> (u16, Vec<String>) {
        let mut lines = Vec::new();
        loop {
            match self.next() {
                Ok(line) => lines.push(line),
                Err(frame) => return (frame.expect("a reason").code.into(), lines),
            }
        }
    }
}

#[test]
fn the_page_is_served_and_nothing_else() {
    let server = Server::start(&[]);
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/?a=b", "text/html; charset=utf-8"),
        ("/js/main.js", "text/javascript; charset=utf-8"),
        ("/js/engine/carrier.js", "text/javascript; charset=utf-8"),
        ("/css/base.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/data/judgement.json", "application/json"),
    ] {
        let answer = server.get(path);
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n"),
            "{path}: {answer}"
        );
        assert!(
            answer.contains(&format!("Content-Type: {kind}\r\n")),
            "{path}"
        );
        for header in [
            "Content-Security-Policy: default-src 'none'; script-src 'self';",
            "X-Content-Type-Options: nosniff\r\n",
            "Referrer-Policy: no-referrer\r\n",
            "Cross-Origin-Opener-Policy: same-origin\r\n",
            "Cross-Origin-Embedder-Policy: require-corp\r\n",
        ] {
            assert!(answer.contains(header), "{path}: {header}");
        }
    }
    for path in [
        "/js",
        "/js/",
        "/README.md",
        "/tests/package.json",
        "/../Cargo.toml",
        "/js/../../Cargo.toml",
        "/js/%2e%2e/index.html",
        "//etc/passwd",
    ] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    let host = format!("Host: {}", server.host);
    let answer = server.ask("POST /", &[&host]);
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    assert!(server.get("/engine").starts_with("HTTP/1.1 426 "));
}

#[test]
fn a_file_that_the_browser_has_is_not_sent_again() {
    let server = Server::start(&[]);
    let host = format!("Host: {}", server.host);
    let answer = server.get("/js/main.js");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let tag = head.split("ETag: ").nth(1).unwrap();
    let tag = tag.split("\r\n").next().unwrap();
    let again = server.ask(
        "GET /js/main.js",
        &[&host, &format!("If-None-Match: {tag}")],
    );
    assert!(again.starts_with("HTTP/1.1 304 "), "{again}");
    assert!(again.ends_with("\r\n\r\n"), "{again}");
    let other = server.ask("GET /js/main.js", &[&host, "If-None-Match: \"other\""]);
    assert!(other.ends_with(body) && !body.is_empty());
    let head = server.ask("HEAD /js/main.js", &[&host]);
    let length = format!("Content-Length: {}\r\n", body.len());
    assert!(
        head.contains(&length) && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[test]
fn other_names_and_pages_of_others_are_refused() {
    let server = Server::start(&[]);
    let port = server.host.split(':').nth(1).unwrap();
    let own = server.host.as_str();
    for host in ["evil.example", &format!("evil.example:{port}")] {
        let answer = server.ask("GET /", &[&format!("Host: {host}")]);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        // The page would come from that name too.
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

#[test]
fn a_proxys_name_is_taken_if_it_is_given() {
    let server = Server::start(&["--host", "board.example"]);
    let origin = "https://board.example";
    assert!(server.open("board.example", Some(origin)).is_ok());
    assert_eq!(server.open("evil.example", Some(origin)).err(), Some(403));
}

#[test]
fn a_session_speaks_the_protocol() {
    let server = Server::start(&[]);
    let (mut one, mut other) = (server.session(), server.session());
    one.send("position startpos moves b2b3\ngo depth 3");
    let lines = one.until("bestmove ");
    assert!(lines.iter().any(|line| line.starts_with("info depth 3 ")));
    // Each has a position of its own.
    let moves = other.ask("moves");
    assert!(moves[0].contains(" a2a3 "), "{moves:?}");
    one.send("quit");
    assert_eq!(one.end(), (1000, Vec::new()));
    assert_eq!(other.ask("moves"), moves);
}

#[test]
fn files_are_out_of_reach() {
    let server = Server::start(&[]);
    let mut client = server.session();
    client.send("uci");
    let listed = client.until("uciok").join("\n");
    assert!(listed.contains("option name Evaluation "), "{listed}");
    let path = std::env::temp_dir().join(format!("petard-serve-{}.log", std::process::id()));
    for name in ["Log File", "log file", "EvalFile", "EVALFILE", "ProofFile"] {
        assert!(!listed.to_lowercase().contains(&name.to_lowercase()));
        let line = format!("setoption name {name} value {}", path.display());
        let answer = client.ask(&line);
        let expected = format!("info string {name} is not available here");
        assert_eq!(answer, [expected]);
    }
    assert!(!path.exists());
}

#[test]
fn hash_and_threads_have_ceilings() {
    let server = Server::start(&["--max-hash", "20", "--max-threads", "2"]);
    let mut client = server.session();
    client.send("uci");
    let listed = client.until("uciok");
    for line in [
        "option name Hash type spin default 20 min 1 max 20",
        "option name Threads type spin default 1 min 1 max 2",
    ] {
        assert!(listed.iter().any(|listed| listed == line), "{listed:#?}");
    }
    for (set, answer) in [
        ("hash value 20", None),
        ("Hash value 21", Some("Hash is at most 20 here, not 21")),
        ("Threads value 2", None),
        (
            "Threads value 512",
            Some("Threads is at most 2 here, not 512"),
        ),
    ] {
        let told = client.ask(&format!("setoption name {set}"));
        let expected: Vec<_> = answer
            .iter()
            .map(|text| format!("info string {text}"))
            .collect();
        assert_eq!(told, expected, "{set}");
    }
}

#[test]
fn a_message_that_is_too_long_is_refused() {
    let server = Server::start(&[]);
    let mut client = server.session();
    let moves = " a2a3".repeat(20_000);
    let answer = client.ask(&format!("position startpos moves{moves}"));
    let fault = "refused: a line of more than 65536 bytes";
    assert_eq!(answer, [format!("info string position {fault}")]);
    // The position before it is not the one that was meant.
    client.send("go depth 1");
    assert_eq!(client.until("bestmove").last().unwrap(), "bestmove (none)");
    let answer = client.ask(&"x".repeat(70_000));
    assert_eq!(
        answer,
        ["info string line ignored: longer than 65536 bytes"]
    );
    client.0.send(Message::text("x".repeat(2 << 20))).unwrap();
    assert_eq!(client.end().0, 1009);
    let mut client = server.session();
    client.0.send(Message::binary(b"uci".to_vec())).unwrap();
    assert_eq!(client.end().0, 1003);
}

#[test]
fn a_search_ends_with_its_page() {
    let server = Server::start(&["--sessions", "1"]);
    let mut client = server.session();
    client.send("go infinite");
    client.until("info depth");
    // There is room for one only, as long as it searches.
    let mut late = server.session();
    assert_eq!(late.end(), (1013, Vec::new()));
    // A closed tab, and one that is gone without a word.
    client.0.close(None).unwrap();
    client = wait_for_seat(&server);
    client.send("go prove");
    client.until("info string");
    drop(client);
    wait_for_seat(&server);
}

/// A session, once another one has ended.
fn wait_for_seat(server: &Server) -> Client {
    let start = std::time::Instant::now();
    while start.elapsed() < PATIENCE {
        let mut client = server.session();
        client.send("isready");
        match client.next() {
            Ok(line) => {
                assert_eq!(line, "readyok");
                return client;
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    panic!("the session goes on");
}

#[test]
fn a_session_in_which_nothing_happens_ends() {
    let server = Server::start(&["--sessions", "1", "--idle", "0.002"]);
    assert_eq!(server.session().end(), (4000, Vec::new()));
    wait_for_seat(&server);
}

#[test]
fn a_port_that_is_taken_is_refused() {
    let server = Server::start(&[]);
    let port = server.host.split(':').nth(1).unwrap();
    let second = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(["serve", "--port", port])
        .output()
        .unwrap();
    assert!(!second.status.success());
    let told = String::from_utf8(second.stderr).unwrap();
    assert!(
        told.contains(&format!("cannot listen on 127.0.0.1, port {port}")),
        "{told}"
    );
}

#[test]
fn a_warning_is_told_if_others_can_come_in() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_petard"))
        .args(["serve", "--port", "0", "--listen", "0.0.0.0"])
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
        line.contains("warning: everyone who can reach 0.0.0.0"),
        "{line}"
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
