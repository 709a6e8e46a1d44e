//! Clients that are slow, silent or without end.

use super::{Server, TIMEOUT};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A WebSocket on which frames are sent byte by byte.
fn raw_session(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let host = &server.host;
    write!(
        stream,
        "GET /engine HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    .unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101 "));
    stream
}

/// A text frame's header, whose mask leaves the text as it is.
const fn header(size: u8) -> [u8; 6] {
    [0x81, 0x80 | size, 0, 0, 0, 0]
}

/// The close code among the frames that come until the server hangs up.
fn close_code(stream: &mut TcpStream) -> u16 {
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).unwrap();
        let size = match head[1] {
            126 => {
                let mut size = [0; 2];
                stream.read_exact(&mut size).unwrap();
                usize::from(u16::from_be_bytes(size))
            }
            size => usize::from(size),
        };
        let mut body = vec![0; size];
        stream.read_exact(&mut body).unwrap();
        if head[0] == 0x88 {
            return u16::from_be_bytes([body[0], body[1]]);
        }
    }
}

/// Sends these bytes again and again until the server hangs up.
fn send_until_closed(mut stream: &TcpStream, bytes: &[u8], pause: Duration) {
    let start = Instant::now();
    while stream.write_all(bytes).is_ok() {
        assert!(start.elapsed() < TIMEOUT, "the connection stays open");
        std::thread::sleep(pause);
    }
}

/// Only whole lines are signs of life.
#[test]
fn parts_of_messages_keep_no_session_alive() {
    let server = Server::start(&["--idle", "0.01"]);
    // A frame of 1,000 bytes, byte by byte, and a message of empty frames.
    let announced = [0x81, 0xfe, 0x03, 0xe8, 0, 0, 0, 0];
    let empty = [0x01, 0x80, 0, 0, 0, 0];
    for (begin, rest) in [
        (&announced[..], &b"x"[..]),
        (&empty, &[0, 0x80, 0, 0, 0, 0]),
    ] {
        for pause in [Duration::from_millis(100), Duration::ZERO] {
            if pause.is_zero() && rest == b"x" {
                continue;
            }
            let mut stream = raw_session(&server);
            stream.write_all(begin).unwrap();
            let writer = stream.try_clone().unwrap();
            let rest = rest.to_vec();
            let writing = std::thread::spawn(move || send_until_closed(&writer, &rest, pause));
            assert_eq!(close_code(&mut stream), 4000);
            writing.join().unwrap();
        }
    }
}

#[test]
fn a_frame_that_never_ends_keeps_no_connection_after_quit() {
    let server = Server::start(&[]);
    let mut stream = raw_session(&server);
    stream.write_all(&header(4)).unwrap();
    stream.write_all(b"quit").unwrap();
    stream
        .write_all(&[0x81, 0xfe, 0x03, 0xe8, 0, 0, 0, 0])
        .unwrap();
    let writer = stream.try_clone().unwrap();
    let pause = Duration::from_millis(100);
    let writing = std::thread::spawn(move || send_until_closed(&writer, b"x", pause));
    assert_eq!(close_code(&mut stream), 1000);
    writing.join().unwrap();
}

/// Requests that never end, answers that nobody reads, and a client that sends
/// without end.
#[test]
fn slow_clients_cost_others_nothing() {
    let server = Server::start(&[]);
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let mut stream = server.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        waiting.push(stream);
        let mut stream = server.connect();
        let request = format!("GET /js/main.js HTTP/1.1\r\nHost: {}\r\n\r\n", server.host);
        stream.write_all(request.repeat(20).as_bytes()).unwrap();
        waiting.push(stream);
    }
    let mut unread = server.session();
    for _ in 0..200 {
        unread.send("uci");
    }
    unread.send("go infinite");
    let endless = raw_session(&server);
    let writer = endless.try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        let pings = [0x89, 0x80, 0, 0, 0, 0].repeat(1000);
        send_until_closed(&writer, &pings, Duration::ZERO);
    });
    let mut client = server.session();
    for _ in 0..20 {
        assert!(server.get("/").starts_with("HTTP/1.1 200 "));
        client.send("go depth 2");
        client.until("bestmove");
    }
    endless.shutdown(std::net::Shutdown::Both).unwrap();
    writing.join().unwrap();
}
