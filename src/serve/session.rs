//! Sessions: the protocol over a WebSocket, a message a line.

use crate::base::{Budget, Host, STACK, check_thread_available};
use crate::engine::Settings;
use crate::protocol::{Output, Policy, run};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use std::io::{self, BufReader, Write};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::runtime::Handle;
use tokio::select;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, interval, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_util::io::SyncIoBridge;

/// The longest line, in bytes: the longest game needs a quarter of it.
const MAX_LINE: usize = 64 << 10;
/// The longest message, in bytes. Anything between the two is refused like any
/// overlong line; anything longer ends the session.
const MAX_MESSAGE: usize = 1 << 20;

/// How many lines may wait for the client to read them.
const MAX_UNREAD: usize = 64;

/// How often the client is pinged.
const PING: Duration = Duration::from_secs(5);
/// How long the client may stay silent, without even answering a ping.
const SILENCE: Duration = Duration::from_secs(60);
/// How long the client may take to read a line.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the client may take to close the connection after the session.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The close code of a session that is ended because it is idle.
const IDLE: CloseCode = CloseCode::Library(4000);

/// What sessions may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionLimits {
    /// The most sessions at once.
    pub(crate) sessions: usize,
    /// The largest hash table of a session, in megabytes.
    pub(crate) max_hash: usize,
    /// The memory shared by the tables of all sessions, in megabytes.
    pub(crate) memory: usize,
    /// The most search threads of a session.
    pub(crate) max_threads: usize,
    /// How long a session may be idle.
    pub(crate) idle: Duration,
}

/// All sessions of a server.
#[derive(Debug)]
pub(super) struct Sessions {
    limits: SessionLimits,
    free: Arc<Semaphore>,
    memory: Arc<Budget>,
}

impl Sessions {
    pub(super) fn new(limits: SessionLimits) -> Self {
        Self {
            limits,
            free: Arc::new(Semaphore::new(limits.sessions.min(Semaphore::MAX_PERMITS))),
            memory: Arc::new(Budget::new(limits.memory)),
        }
    }

    /// Runs a session until either side ends it, and closes the WebSocket.
    pub(super) async fn run<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) {
        let config = WebSocketConfig::default()
            .read_buffer_size(8 << 10)
            .write_buffer_size(0)
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        let (mut sink, mut stream) = socket.split();
        let end = match self.start() {
            // The engine stops when its input and output end.
            Ok((input, output)) => select! {
                end = self.receive(&mut stream, input) => end,
                end = send(&mut sink, output) => end,
            },
            Err(refusal) => refusal,
        };
        let close = async {
            // The client may have closed it already.
            let _ = sink.send(Message::Close(Some(end))).await;
            // Closing with unread data would reset the connection and lose the frame.
            if let Ok(mut socket) = stream.reunite(sink) {
                let stream = socket.get_mut();
                let _ = stream.shutdown().await;
                let mut bytes = [0; 4096];
                while matches!(stream.read(&mut bytes).await, Ok(count) if count > 0) {}
            }
        };
        let _ = timeout(CLOSE_TIMEOUT, close).await;
    }

    /// Whether there is a session left, and memory for the smallest table.
    fn admit(&self) -> Result<OwnedSemaphorePermit, String> {
        let SessionLimits {
            memory, sessions, ..
        } = self.limits;
        if self.memory.left() == 0 {
            return Err(format!("all {memory} MB of session memory are in use"));
        }
        let permit = Arc::clone(&self.free).try_acquire_owned();
        permit.map_err(|_| format!("all {sessions} sessions are in use"))
    }

    /// Starts a session: what its input is written to, and its output, which ends with a
    /// message that closes the WebSocket.
    fn start(&self) -> Result<(DuplexStream, Receiver<Message>), CloseFrame> {
        let permit = self
            .admit()
            .map_err(|reason| end(CloseCode::Again, &reason))?;
        let policy = Policy {
            settings: Settings {
                has_files: false,
                max_hash: Some(self.limits.max_hash),
                max_threads: Some(self.limits.max_threads),
                host: Host::Background,
                memory: Some(Arc::clone(&self.memory)),
                ..Settings::default()
            },
            longest_line: MAX_LINE,
        };
        let (to_session, input) = tokio::io::duplex(MAX_LINE);
        let (messages, output) = channel(MAX_UNREAD);
        let input = SyncIoBridge::new_with_handle(input, Handle::current());
        let session = move || {
            let writer = LineWriter {
                text: Vec::new(),
                messages: messages.clone(),
            };
            let end = match run(policy, BufReader::new(input), writer) {
                Ok(()) => end(CloseCode::Normal, ""),
                Err(error) => {
                    log::debug!("a session ended: {error}");
                    end(CloseCode::Error, &error.to_string())
                }
            };
            drop(permit);
            // Nobody may be left to read it.
            let _ = messages.blocking_send(Message::Close(Some(end)));
        };
        let thread = Builder::new().name("websocket".to_owned());
        check_thread_available(STACK)
            .and_then(|()| thread.spawn(session))
            .map_err(|error| end(CloseCode::Error, &error.to_string()))?;
        Ok((to_session, output))
    }

    /// Passes lines to the session until the client is gone, breaks a rule, or is idle.
    ///
    /// The engine's output is no sign of life: an infinite search would keep alive
    /// a session that nobody watches. Nor is a pong, which a browser sends even for
    /// a page that nobody watches. So a session is idle while its page sends
    /// nothing, and a page that is being watched sends an empty line now and then.
    async fn receive<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: &mut SplitStream<WebSocketStream<S>>,
        mut session: DuplexStream,
    ) -> CloseFrame {
        let mut last_line = Instant::now();
        loop {
            let silence = Instant::now() + SILENCE;
            let idle = last_line.checked_add(self.limits.idle);
            let is_idle = || idle.is_some_and(|idle| idle <= Instant::now());
            // Whatever arrives, only a whole message is one.
            let deadline = idle.map_or(silence, |idle| idle.min(silence));
            let next = timeout_at(deadline, stream.next()).await;
            if is_idle() {
                return end(IDLE, "idle for too long");
            }
            match next {
                Ok(Some(Ok(Message::Text(text)))) => {
                    last_line = Instant::now();
                    // After a `quit` nobody reads it.
                    let _ = session.write_all(text.as_bytes()).await;
                    let _ = session.write_all(b"\n").await;
                }
                Ok(Some(Ok(Message::Binary(_)))) => {
                    return end(CloseCode::Unsupported, "binary messages are not supported");
                }
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)))) => {}
                Ok(Some(Err(error))) => return refuse(&error),
                Ok(Some(Ok(Message::Close(_))) | None) | Err(_) => {
                    return end(CloseCode::Normal, "");
                }
            }
        }
    }
}

/// Sends what the session says, until it ends or the client does not read it.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
    mut output: Receiver<Message>,
) -> CloseFrame {
    let mut pings = interval(PING);
    loop {
        let message = select! {
            message = output.recv() => message,
            _ = pings.tick() => Some(Message::Ping(Bytes::new())),
        };
        match message {
            Some(Message::Close(Some(end))) => return end,
            Some(message) => match timeout(SEND_TIMEOUT, sink.send(message)).await {
                Ok(Ok(())) => {}
                _ => return end(CloseCode::Normal, ""),
            },
            None => return end(CloseCode::Error, "the session has ended"),
        }
    }
}

fn end(code: CloseCode, reason: &str) -> CloseFrame {
    CloseFrame {
        code,
        reason: reason.into(),
    }
}

/// The close frame for a client that breaks a rule.
fn refuse(error: &Error) -> CloseFrame {
    match error {
        Error::Capacity(_) => {
            let reason = format!("message longer than {MAX_MESSAGE} bytes");
            end(CloseCode::Size, &reason)
        }
        Error::Utf8(_) => end(CloseCode::Invalid, "text that is not UTF-8"),
        // Among these is the end of the connection, which nobody reads about.
        Error::Protocol(error) => end(CloseCode::Protocol, &error.to_string()),
        _ => end(CloseCode::Normal, ""),
    }
}

/// What a session writes to: each line becomes a message.
struct LineWriter {
    text: Vec<u8>,
    messages: Sender<Message>,
}

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Sends the lines that are complete.
    fn flush(&mut self) -> io::Result<()> {
        while let Some(end) = self.text.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.text.drain(..=end).collect();
            let line = Message::text(String::from_utf8_lossy(&line[..end]).into_owned());
            let sent = self.messages.blocking_send(line);
            sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }
}

impl Output for LineWriter {
    fn has_reader(&self) -> bool {
        !self.messages.is_closed()
    }
}
