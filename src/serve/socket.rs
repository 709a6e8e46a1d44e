//! A WebSocket as a carrier of the protocol: a message is a line.
//!
//! One thread reads from the socket and hands lines to the session through a
//! pipe; the session writes. Everything sent goes through one lock, pongs and
//! the close frame too.

use super::host::Host as Shared;
use super::seats::Seat;
use crate::base::{Host, STACK, ask_for_thread};
use crate::protocol::{Output, Policy, run_with};
use std::io::{self, BufReader, PipeWriter, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use tungstenite::protocol::frame::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// The longest line, in bytes: the longest game needs a quarter of it.
const LONGEST_LINE: usize = 64 << 10;
/// The longest message, in bytes. Anything between the two is refused like any
/// overlong line; anything longer ends the session.
const LONGEST_MESSAGE: usize = 1 << 20;

/// How often the reader wakes up and pings the client.
const LOOK: Duration = Duration::from_secs(5);
/// How long the client may stay silent, without even answering a ping.
const SILENCE: Duration = Duration::from_secs(60);

/// The close code of a session that is ended because it is idle.
const IDLE: u16 = 4000;

/// The sending side of a socket.
#[derive(Debug)]
struct Line {
    sending: Mutex<WebSocket<TcpStream>>,
    /// Whether nothing more is sent or awaited.
    is_over: AtomicBool,
}

impl Line {
    fn send(&self, message: Message) -> Result<(), Error> {
        let mut socket = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        socket.send(message)
    }

    /// Sends a close frame, unless one was sent, and shuts down sending.
    fn close(&self, code: CloseCode, reason: &str) {
        if self.is_over.swap(true, Relaxed) {
            return;
        }
        let mut socket = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let frame = CloseFrame {
            code,
            reason: reason.into(),
        };
        let _ = socket.close(Some(frame));
        let _ = socket.flush();
        let _ = socket.get_ref().shutdown(Shutdown::Write);
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }
}

/// What a session writes to: each line becomes a message.
struct Lines {
    line: Arc<Line>,
    text: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Sends the lines that are complete.
    fn flush(&mut self) -> io::Result<()> {
        while let Some(end) = self.text.iter().position(|&byte| byte == b'\n') {
            let text: Vec<u8> = self.text.drain(..=end).collect();
            let text = String::from_utf8_lossy(&text[..end]).into_owned();
            self.line
                .send(Message::text(text))
                .map_err(io::Error::other)?;
        }
        Ok(())
    }
}

impl Output for Lines {
    fn has_reader(&self) -> bool {
        !self.line.is_over()
    }
}

/// The reading side of a socket: its automatic replies are dropped here and
/// sent by the sending side.
struct Incoming(TcpStream);

impl Read for Incoming {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Incoming {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Carries a session until either side ends it.
///
/// # Errors
/// If it cannot be started.
pub(super) fn carry(host: &Shared, stream: TcpStream, begun: Vec<u8>) -> io::Result<()> {
    stream.set_read_timeout(Some(LOOK.min(host.config.idle)))?;
    let limits = WebSocketConfig::default()
        .read_buffer_size(8 << 10)
        .write_buffer_size(0)
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    let outgoing = stream.try_clone()?;
    let line = Arc::new(Line {
        sending: Mutex::new(WebSocket::from_raw_socket(
            outgoing,
            Role::Server,
            Some(limits),
        )),
        is_over: AtomicBool::new(false),
    });
    let mut socket =
        WebSocket::from_partially_read(Incoming(stream), begun, Role::Server, Some(limits));
    let seat = match admit(host) {
        Ok(seat) => seat,
        Err(reason) => {
            line.close(CloseCode::Again, &reason);
            drain(&mut socket);
            return Ok(());
        }
    };
    match begin(host, &line, seat) {
        Ok(mut to_session) => {
            let end = listen(host, &mut socket, &line, &mut to_session);
            // The session has nobody left to answer: its search is stopped, and it
            // ends with its input.
            match end {
                Some((code, reason)) => line.close(code, &reason),
                None => line.close(CloseCode::Normal, ""),
            }
        }
        Err(fault) => line.close(CloseCode::Error, &fault.to_string()),
    }
    drain(&mut socket);
    Ok(())
}

/// A seat, if one is free and there is memory for the smallest table.
fn admit(host: &Shared) -> Result<Seat, String> {
    if host.memory.left() == 0 {
        let all = host.config.memory;
        return Err(format!("all {all} MB of session memory are in use"));
    }
    let seat = host.sessions.take();
    seat.ok_or_else(|| format!("all {} sessions are in use", host.config.sessions))
}

/// Starts the session's thread; returns what its input is written to.
fn begin(host: &Shared, line: &Arc<Line>, seat: Seat) -> io::Result<PipeWriter> {
    let (input, to_session) = io::pipe()?;
    let policy = Policy {
        has_files: false,
        max_hash: Some(host.config.max_hash),
        max_threads: Some(host.config.max_threads),
        longest_line: LONGEST_LINE,
        // The other threads, which a client waits for, come first.
        host: Host::Background,
        memory: Some(Arc::clone(&host.memory)),
        ..Policy::default()
    };
    let line = Arc::clone(line);
    let output = Lines {
        line: Arc::clone(&line),
        text: Vec::new(),
    };
    ask_for_thread(STACK)?;
    Builder::new()
        .name("carrier".to_owned())
        .spawn(move || {
            match run_with(policy, BufReader::new(input), output) {
                Ok(()) => line.close(CloseCode::Normal, ""),
                Err(fault) => {
                    log::debug!("a session ended: {fault}");
                    line.close(CloseCode::Error, &fault.to_string());
                }
            }
            drop(seat);
        })
        .map(|_| to_session)
}

/// Passes input to the session; returns why it ends, unless the other side
/// ended it.
///
/// The engine's output is no sign of life: an infinite search would keep alive
/// a session that nobody watches. Nor is a pong, which a browser sends even for
/// a page that nobody watches. So a session is idle while its page sends
/// nothing, and a page that is being watched sends an empty line now and then.
fn listen(
    host: &Shared,
    socket: &mut WebSocket<Incoming>,
    line: &Line,
    session: &mut impl Write,
) -> Option<(CloseCode, String)> {
    let (mut last_sign, mut last_line) = (Instant::now(), Instant::now());
    loop {
        if last_line.elapsed() > host.config.idle {
            let reason = "idle for too long".to_owned();
            return Some((CloseCode::Library(IDLE), reason));
        }
        match socket.read() {
            Ok(message) => {
                last_sign = Instant::now();
                match message {
                    Message::Text(text) => {
                        last_line = Instant::now();
                        let sent = session.write_all(format!("{text}\n").as_bytes());
                        if sent.is_err() {
                            return None;
                        }
                    }
                    Message::Binary(_) => {
                        return Some((
                            CloseCode::Unsupported,
                            "binary messages are not supported".to_owned(),
                        ));
                    }
                    Message::Ping(data) => line.send(Message::Pong(data)).ok()?,
                    Message::Close(_) => return None,
                    Message::Pong(_) | Message::Frame(_) => {}
                }
            }
            Err(Error::Io(fault)) if is_timeout(&fault) => {
                if line.is_over() || last_sign.elapsed() > SILENCE {
                    return None;
                }
                line.send(Message::Ping(Vec::new().into())).ok()?;
            }
            Err(Error::Capacity(_)) => {
                let reason = format!("message longer than {LONGEST_MESSAGE} bytes");
                return Some((CloseCode::Size, reason));
            }
            Err(Error::Utf8(_)) => {
                return Some((CloseCode::Invalid, "text that is not UTF-8".to_owned()));
            }
            // Among these is the end of the connection, which nobody reads about.
            Err(Error::Protocol(fault)) => {
                return Some((CloseCode::Protocol, fault.to_string()));
            }
            Err(_) => return None,
        }
    }
}

fn is_timeout(fault: &io::Error) -> bool {
    use io::ErrorKind::{TimedOut, WouldBlock};
    matches!(fault.kind(), WouldBlock | TimedOut)
}

/// Keeps reading until the other side has seen the close frame and hung up:
/// closing with unread data resets the connection and loses the frame.
fn drain(socket: &mut WebSocket<Incoming>) {
    let stream = &mut socket.get_mut().0;
    let start = Instant::now();
    let mut bytes = [0; 4096];
    while start.elapsed() < LOOK && matches!(stream.read(&mut bytes), Ok(count) if count > 0) {}
}
