//! The server, over its socket: requests, and what follows once a WebSocket is
//! open. Whatever is sent, it answers properly, and serves the next client too.

use super::{Target, texts};
use crate::serve::{Certificates, Config, Server, SessionLimits};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpStream};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub const TARGET: Target = Target {
    name: "server",
    run,
    seeds,
    words: "GET |HEAD |POST |/|http://HOST|/engine| HTTP/1.1\r\n| HTTP/1.0\r\n|Host: HOST\r\n|\
        Origin: http://HOST\r\n|Connection: Upgrade\r\n|Upgrade: websocket\r\n|\
        Sec-WebSocket-Version: 13\r\n|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n|\
        Content-Length: 5\r\n|Transfer-Encoding: chunked\r\n|Connection: close\r\n|\r\n|\
        \r\n\r\n|If-None-Match: *\r\n|%2e%2e/|\u{ff}|\0|go infinite|isready|quit|\
        setoption name EvalFile value /etc/passwd|position startpos moves ",
};

/// By the first letter: `H` a request, `F` bytes on a WebSocket, `L` its
/// messages, one per line. `HOST` stands for the server's name.
fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "HGET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        "HGET http://HOST/icon.svg?x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        "HHEAD /js/main.js HTTP/1.1\r\nHost: HOST\r\n\r\nGET /icon.svg HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "HGET /engine HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{81}\u{80}\0\0\0\0",
        "HPOST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n\r\nabc",
        "F\x01\x05hello",
        "F\x08\x02\x03\x09",
        "F\x09\x7e\x01\x01",
        "Luci\nisready\nposition startpos moves a2a3\ngo depth 3\nquit",
        "Lgo infinite\nd\nsetoption name Hash value 99999\nperft 9",
    ])
}

/// How long the server may take. It measures nothing.
const TIMEOUT: Duration = Duration::from_secs(100);

/// The name of this process's server.
fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let server = Server::bind(Config {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: Some(0),
            names: Vec::new(),
            certificates: Certificates::default(),
            limits: SessionLimits {
                sessions: 4,
                max_hash: 1,
                memory: 16,
                max_threads: 1,
                idle: Duration::from_secs(60),
            },
        })
        .expect("a port is free");
        let host = server.url().replace("http://", "").replace('/', "");
        std::thread::spawn(move || server.run());
        host
    })
}

fn connect() -> TcpStream {
    let stream = TcpStream::connect(host()).expect("it listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time");
    stream
}

/// Everything answered until the server hangs up.
fn answer(stream: &mut TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        // It hung up with unread data.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("no end of the answer: {error}"),
    }
    answer
}

fn replaced(data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = data;
    while let Some(place) = rest.windows(4).position(|part| part == b"HOST") {
        bytes.extend_from_slice(&rest[..place]);
        bytes.extend_from_slice(host().as_bytes());
        rest = &rest[place + 4..];
    }
    bytes.extend_from_slice(rest);
    bytes
}

fn run(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else {
        return;
    };
    let mut stream = connect();
    if matches!(kind, b'F' | b'L') {
        begin(&mut stream);
        let bytes = match kind {
            b'F' => frames(rest),
            _ => rest
                .split(|&byte| byte == b'\n')
                .flat_map(|line| frame(0x81, line))
                .collect(),
        };
        // It may have hung up already.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        answer(&mut stream);
    } else {
        let _ = stream.write_all(&replaced(rest));
        let _ = stream.shutdown(Shutdown::Write);
        let reported = answer(&mut stream);
        assert!(reported.is_empty() || reported.starts_with(b"HTTP/1."));
    }
    // The next client is served.
    let mut stream = connect();
    let request = format!(
        "GET /icon.svg HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        host()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    assert!(answer(&mut stream).starts_with(b"HTTP/1.1 200 "));
    wait_for_sessions();
}

/// Sessions end with their connections. One that is still ending when the fuzzer
/// exits would be reported as a leak.
fn wait_for_sessions() {
    let begin = Instant::now();
    while sessions() > 0 {
        assert!(begin.elapsed() < TIMEOUT, "a session has not ended");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Session threads, where the system reports thread names.
fn sessions() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let names = threads.filter_map(|thread| {
        // One that has just ended has no name.
        std::fs::read_to_string(thread.ok()?.path().join("comm")).ok()
    });
    names.filter(|name| name.trim() == "websocket").count()
}

/// Starts a session.
fn begin(stream: &mut TcpStream) {
    let request = "GET /engine HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream
        .write_all(&replaced(request.as_bytes()))
        .expect("it reads");
    let mut reported = Vec::new();
    let mut byte = [0];
    while !reported.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).expect("an answer");
        reported.push(byte[0]);
    }
    assert!(reported.starts_with(b"HTTP/1.1 101 "));
}

/// Frames as a client sends them, except for what the bytes change: each two
/// bytes, and as many more as the second says, make a frame.
fn frames(mut data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [first, size, rest @ ..] = data {
        let size = usize::from(*size & 127).min(rest.len());
        let (payload, next) = rest.split_at(size);
        if first & 0x40 == 0 {
            bytes.extend(frame(0x80 ^ first, payload));
        } else {
            // Not masked, or with a wrong length.
            bytes.extend([*first, data[1]]);
            bytes.extend_from_slice(payload);
        }
        data = next;
    }
    bytes.extend_from_slice(data);
    bytes
}

/// A frame, masked with zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        size @ 0..126 => bytes.push(0x80 | size as u8),
        size @ 126..0x1_0000 => {
            bytes.push(0x80 | 126);
            bytes.extend((size as u16).to_be_bytes());
        }
        size => {
            bytes.push(0x80 | 127);
            bytes.extend((size as u64).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}
