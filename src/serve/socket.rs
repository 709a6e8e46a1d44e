//! A WebSocket as a carrier of the protocol: a message is a line.
//!
//! One thread reads from the socket and hands lines to the session through a
//! pipe; the session writes. Whatever is sent goes through one lock, pongs and
//! the close frame too.

use super::host::Host;
use super::seats::Seat;
use crate::base::{STACK, ask_for_thread};
use crate::protocol::{Output, Policy, run_with};
use std::io::{self, BufReader, PipeReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};
use tungstenite::protocol::frame::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// The longest line, in bytes: the longest game needs a quarter of it.
const LONGEST_LINE: usize = 64 << 10;
/// The longest message, in bytes. What is between the two is refused as any
/// line is that is too long; whoever sends more than this is not listened to.
const LONGEST_MESSAGE: usize = 1 << 20;

/// How often the reader looks up, and asks whether anybody is there.
const LOOK: Duration = Duration::from_secs(5);
/// How long nothing may come, not even the answer to a ping.
const SILENCE: Duration = Duration::from_secs(60);

/// The code of a session that is ended because nothing was done in it.
const IDLE: u16 = 4000;

/// The priority of search threads in per cent; half is the usual one.
const SEARCH_PRIORITY: u8 = 25;

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

    /// Sends a close frame, unless one was sent, and ends the sending side.
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

/// The reading side of a socket: what it would answer by itself is sent by
/// the other side.
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

/// Carries a session to its end, by one side or the other.
///
/// # Errors
/// If it cannot be begun.
pub(super) fn carry(host: &Host, stream: TcpStream, begun: Vec<u8>) -> io::Result<()> {
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
    let (input, mut to_session) = io::pipe()?;
    begin(host, &line, input, seat)?;
    let end = listen(host, &mut socket, &line, &mut to_session);
    // The session has nobody left to answer: what it searches is stopped, and
    // it ends with its input.
    match end {
        Some((code, reason)) => line.close(code, &reason),
        None => line.close(CloseCode::Normal, ""),
    }
    drop(to_session);
    drain(&mut socket);
    Ok(())
}

/// A seat, if there is one and memory for the smallest table besides.
fn admit(host: &Host) -> Result<Seat, String> {
    if host.memory.left() == 0 {
        let all = host.config.memory;
        return Err(format!("the {all} MB for all sessions are in use"));
    }
    let seat = host.sessions.take();
    seat.ok_or_else(|| format!("all {} sessions are in use", host.config.sessions))
}

/// Starts the session's thread.
fn begin(host: &Host, line: &Arc<Line>, input: PipeReader, seat: Seat) -> io::Result<()> {
    let policy = Policy {
        has_files: false,
        max_hash: Some(host.config.max_hash),
        max_threads: Some(host.config.max_threads),
        longest_line: LONGEST_LINE,
        thread_start: Some(give_way),
        turns: Some(host.turns.clone()),
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
        .map(drop)
}

/// Lowers the priority of a thread that searches: whoever waits for an answer
/// waits for one of the others. Searches share the cores by turns.
fn give_way() {
    let priority =
        ThreadPriorityValue::try_from(SEARCH_PRIORITY).map(ThreadPriority::Crossplatform);
    let result = priority.map(set_current_thread_priority);
    if !matches!(result, Ok(Ok(()))) {
        log::debug!("the priority of a search thread stays: {result:?}");
    }
}

/// Hands what comes to the session; says why it ends, if that is not for the
/// other side to say.
///
/// What the engine says is no sign of life: a search without end would keep a
/// session that nobody looks at. Nor is an answer to a ping, which a browser
/// gives for a page that nobody looks at. So a session is idle while its page
/// sends nothing, and a page that somebody watches sends an empty line now and
/// then.
fn listen(
    host: &Host,
    socket: &mut WebSocket<Incoming>,
    line: &Line,
    session: &mut impl Write,
) -> Option<(CloseCode, String)> {
    let (mut last_sign, mut last_line) = (Instant::now(), Instant::now());
    loop {
        if last_line.elapsed() > host.config.idle {
            let reason = "nothing was asked for long".to_owned();
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
                        return Some((CloseCode::Unsupported, "lines are text".to_owned()));
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
                let reason = format!("a message of more than {LONGEST_MESSAGE} bytes");
                return Some((CloseCode::Size, reason));
            }
            Err(_) => return None,
        }
    }
}

fn is_timeout(fault: &io::Error) -> bool {
    use io::ErrorKind::{TimedOut, WouldBlock};
    matches!(fault.kind(), WouldBlock | TimedOut)
}

/// Reads on until the other side has seen the close frame and hung up: with
/// unread data a connection is reset, and the frame lost.
fn drain(socket: &mut WebSocket<Incoming>) {
    let stream = &mut socket.get_mut().0;
    let start = Instant::now();
    let mut bytes = [0; 4096];
    while start.elapsed() < LOOK && matches!(stream.read(&mut bytes), Ok(count) if count > 0) {}
}
