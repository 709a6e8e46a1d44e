//! `petard serve`, from outside: who may connect, and what they may ask for.

mod access;
mod certificates;
mod limits;
mod page;
mod process;
mod session;
mod slow;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Error, Message, WebSocket};

/// How long an answer may take before a test gives up.
const TIMEOUT: Duration = Duration::from_secs(120);

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petard"));
    command.arg("serve");
    command
}

/// A running server.
struct Server {
    child: Child,
    /// The address it listens on, as in a `Host` header.
    host: String,
}

impl Server {
    /// A server on a port of its own.
    fn start(arguments: &[&str]) -> Self {
        Self::run(command().args(["--port", "0"]).args(arguments)).expect("an address")
    }

    /// The server that this command starts, if it reports an address.
    fn run(command: &mut Command) -> Option<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let Some(address) = line.split("http://").nth(1) else {
            child.wait().unwrap();
            return None;
        };
        let host = address.split('/').next().unwrap().to_owned();
        Some(Self { child, host })
    }

    fn port(&self) -> &str {
        self.host.split(':').nth(1).unwrap()
    }

    /// Kills it, as a crash would.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// The answer to a request with these extra headers.
    fn ask(&self, first: &str, headers: &[&str]) -> String {
        String::from_utf8(self.bytes(first, headers)).unwrap()
    }

    /// The same as raw bytes.
    fn bytes(&self, first: &str, headers: &[&str]) -> Vec<u8> {
        let mut stream = self.connect();
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        write!(
            stream,
            "{first} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        whole(bytes)
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}"), &[&format!("Host: {}", self.host)])
    }

    /// A WebSocket from a page with this origin, using this name for the server.
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
            Err(error) => panic!("{error}"),
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
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The answers up to a line that starts with `beginning`.
    fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.next().unwrap());
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    /// The answers to a line that is acted on at once.
    fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The close code of the session, and what came before it.
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

/// A response whose body is in one piece.
fn whole(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = |bytes: &[u8], mark: &[u8]| {
        let found = bytes.windows(mark.len()).position(|part| part == mark);
        found.expect("an end") + mark.len()
    };
    let mut rest = bytes.split_off(end(&bytes, b"\r\n\r\n"));
    if !bytes.windows(9).any(|part| part == b": chunked") {
        return [bytes, rest].concat();
    }
    while !rest.is_empty() {
        let start = end(&rest, b"\r\n");
        let size = std::str::from_utf8(&rest[..start - 2]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        bytes.extend_from_slice(&rest[start..start + size]);
        rest.drain(..start + size + 2);
    }
    bytes
}

/// A session, once another one has ended.
fn wait_for_session(server: &Server) -> Client {
    let start = std::time::Instant::now();
    while start.elapsed() < TIMEOUT {
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
