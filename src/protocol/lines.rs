//! Lines in and out: how they are read, where they go, and the log of both.

use super::command::{Command, CommandError, Request, parse};
use crate::base::regular_file;
use crate::engine::{Event, OptionKind, OptionSpec};
use std::fs::File;
use std::io::{BufRead, PipeWriter, Stdout, Write};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where a session's answers go.
pub trait Output: Write + Send + 'static {
    /// Whether anyone can still read them. Checked after the end of input,
    /// when no write may be left to reveal that the reader is gone.
    fn has_reader(&self) -> bool {
        true
    }
}

impl Output for Stdout {
    #[cfg(unix)]
    fn has_reader(&self) -> bool {
        is_open(self)
    }
}

impl Output for PipeWriter {
    #[cfg(unix)]
    fn has_reader(&self) -> bool {
        is_open(self)
    }
}

/// Whether the other end of a pipe, socket or terminal is open; a file can
/// always be read.
#[cfg(unix)]
fn is_open(output: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    // Darwin reports a hang-up only to those who wait for something.
    let mut output = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
    match poll(&mut output, PollTimeout::ZERO) {
        Ok(_) => !output[0].revents().is_some_and(|now| now.intersects(gone)),
        Err(_) => true,
    }
}

/// The log of all lines of a session, in a file if the option names one.
#[derive(Debug, Default)]
pub(super) struct LineLog {
    file: Option<File>,
}

/// The value of the option that means no file.
const NO_FILE: &str = "<empty>";

impl LineLog {
    /// The option's name.
    pub(super) const OPTION: &str = "Log File";

    pub(super) const fn option() -> OptionSpec {
        OptionSpec {
            name: Self::OPTION,
            kind: OptionKind::Text { default: NO_FILE },
            value: String::new(),
            needs_idle: false,
            sets_board: false,
            help: "append every line, received and sent, to this file",
        }
    }

    /// Appends to this file from now on, or to none. If it cannot be used, the
    /// previous one stays in use.
    pub(super) fn set(&mut self, value: &str) -> Result<(), String> {
        let path = value.trim();
        self.file = if path.is_empty() || path.eq_ignore_ascii_case(NO_FILE) {
            None
        } else {
            let file = regular_file(Path::new(path))
                .and_then(|()| File::options().create(true).append(true).open(path));
            Some(file.map_err(|error| format!("log file '{path}' cannot be opened: {error}"))?)
        };
        Ok(())
    }

    /// Logs a line, received (`>`) or sent (`<`), here and in the program's own log.
    pub(super) fn write(&mut self, direction: &str, line: &str) {
        log::debug!("{direction} {line}");
        if let Some(file) = &mut self.file
            && let Err(error) = writeln!(file, "{direction} {line}")
        {
            log::warn!("the log file cannot be written: {error}");
            self.file = None;
        }
    }
}

/// What a session waits for.
pub(super) enum SessionInput {
    /// A line, and what it asks for.
    Line(String, Request),
    /// A line that is too long.
    LongLine,
    /// No more lines will come.
    End,
    Engine(Event),
}

impl SessionInput {
    pub(super) fn parsed(line: String) -> Self {
        let request = parse(&line);
        Self::Line(line, request)
    }

    /// The next line of bytes of any kind; invalid UTF-8 is marked as such and
    /// refused like an unknown command. `None` at the end.
    pub(super) fn read(from: &mut impl BufRead, longest: usize) -> Option<Self> {
        let line = next_line(from, longest)?;
        Some(line.map_or_else(|start| long_line(&start, longest), Self::parsed))
    }
}

/// The longest line that is read from a pipe, in bytes: far more than the longest game
/// needs, and small enough that a stream without newlines does no harm.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// The limit on lines that have been read and not yet taken, in bytes of memory.
const MAX_UNREAD: usize = 16 << 20;
/// What a line takes in addition to its text.
const LINE_BYTES: usize = 128;
/// What each of its words takes: most are moves, and each becomes a text of its own.
const WORD_BYTES: usize = 96;

/// About how much memory a line and its command take, in bytes: many times the
/// length of a line of short words.
pub(super) fn memory_of(line: &str) -> usize {
    LINE_BYTES + line.len() + WORD_BYTES * line.split_ascii_whitespace().count()
}

/// How much has been read that the session has not taken yet. While that is too
/// much, because nobody reads the session's answers, no more is read.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    unread: Mutex<Unread>,
    removed: Condvar,
}

#[derive(Debug, Default)]
struct Unread {
    bytes: usize,
    /// Whether nothing will be taken any more.
    is_closed: bool,
}

impl Backlog {
    fn unread(&self) -> MutexGuard<'_, Unread> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a line of this many bytes of memory, after waiting until they fit.
    /// Returns `false` if the session has ended and nobody will take it.
    fn add(&self, bytes: usize) -> bool {
        let mut unread = self.unread();
        while unread.bytes > MAX_UNREAD && !unread.is_closed {
            unread = self
                .removed
                .wait(unread)
                .unwrap_or_else(PoisonError::into_inner);
        }
        unread.bytes += bytes;
        !unread.is_closed
    }

    /// The session has taken a line of this many bytes.
    pub(super) fn remove(&self, bytes: usize) {
        let mut unread = self.unread();
        unread.bytes = unread.bytes.saturating_sub(bytes);
        drop(unread);
        self.removed.notify_one();
    }

    /// The session has ended: nobody is to wait for room any more.
    pub(super) fn close(&self) {
        self.unread().is_closed = true;
        self.removed.notify_all();
    }
}

/// Passes on lines until their end. A `quit` is reported before the session takes it.
pub(super) fn read_lines(
    mut from: impl BufRead,
    longest: usize,
    sender: &Sender<SessionInput>,
    backlog: &Backlog,
    quit: impl Fn(),
) {
    while let Some(input) = SessionInput::read(&mut from, longest) {
        if let SessionInput::Line(line, request) = &input {
            if *request == Ok(Command::Quit) {
                quit();
            }
            if !backlog.add(memory_of(line)) {
                return;
            }
        }
        if sender.send(input).is_err() {
            return;
        }
    }
}

/// Of a line longer than `longest` bytes only the command counts: the previous
/// position must not be used by mistake, and the sender of a `go` waits for an
/// answer.
fn long_line(start: &str, longest: usize) -> SessionInput {
    let reason = format!("line longer than {longest} bytes");
    let word = start.split_ascii_whitespace().next().unwrap_or_default();
    let refusal = if word.eq_ignore_ascii_case("position") {
        CommandError::Position(reason)
    } else if word.eq_ignore_ascii_case("go") {
        CommandError::Go(format!("go refused: {reason}"))
    } else {
        return SessionInput::LongLine;
    };
    SessionInput::Line(String::new(), Err(refusal))
}

/// How much of an overlong line is kept.
const START_BYTES: usize = 16;

/// The next line without its newline, or as an error the start of an overlong
/// one; `None` at the end of input, which includes read errors.
fn next_line(input: &mut impl BufRead, longest: usize) -> Option<Result<String, String>> {
    let mut bytes = Vec::new();
    let mut is_long = false;
    loop {
        let buffer = input.fill_buf().ok()?;
        if buffer.is_empty() {
            if bytes.is_empty() && !is_long {
                return None;
            }
            break;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        let text = &buffer[..taken];
        if is_long {
            // Its first word may come after any number of blanks.
            let text = if bytes.is_empty() {
                text.trim_ascii_start()
            } else {
                text
            };
            let missing = START_BYTES - bytes.len();
            bytes.extend_from_slice(&text[..missing.min(text.len())]);
        } else {
            bytes.extend_from_slice(text);
        }
        if !is_long && bytes.len() > longest {
            is_long = true;
            bytes = bytes.trim_ascii_start().to_vec();
            bytes.truncate(START_BYTES);
        }
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            break;
        }
    }
    let text = String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    Some(if is_long { Err(text) } else { Ok(text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn no_more_is_read_while_too_much_is_pending() {
        let backlog = std::sync::Arc::new(Backlog::default());
        let bytes = MAX_UNREAD / 4 + 1;
        let (sender, added) = std::sync::mpsc::channel();
        let adder = backlog.clone();
        let thread = std::thread::spawn(move || {
            for _ in 0..6 {
                adder.add(bytes);
                sender.send(()).unwrap();
            }
        });
        for _ in 0..4 {
            added.recv().unwrap();
        }
        for _ in 0..2 {
            let more = added.recv_timeout(std::time::Duration::from_millis(20));
            assert!(more.is_err(), "a line was added where there is no room");
            backlog.remove(bytes);
            added.recv().unwrap();
        }
        thread.join().unwrap();
        for _ in 0..4 {
            backlog.remove(bytes);
        }
        assert_eq!(backlog.unread().bytes, 0);
        // At the end of the session, nobody waits for ever.
        while backlog.unread().bytes <= MAX_UNREAD {
            assert!(backlog.add(bytes));
        }
        let waits = backlog.clone();
        let thread = std::thread::spawn(move || waits.add(memory_of("quit")));
        backlog.close();
        assert!(!thread.join().unwrap());
    }

    #[test]
    fn a_line_counts_for_at_least_what_its_command_takes() {
        for (word, count) in [("a", 100_001), ("a2a3", 65_537), ("j10xk11", 3)] {
            let line = format!("play {}", [word].repeat(count).join(" "));
            let SessionInput::Line(text, Ok(Command::Play(moves))) =
                SessionInput::parsed(line.clone())
            else {
                panic!("not a list of moves");
            };
            // Allocators give 16 bytes at least, and keep as much to themselves.
            let words: usize = moves.iter().map(|mv| mv.capacity().max(16) + 16).sum();
            let vector = moves.capacity() * size_of::<String>();
            let taken = text.capacity() + vector + words;
            let counted = memory_of(&line);
            assert!((taken..3 * taken).contains(&counted), "{counted}, {taken}");
        }
    }

    fn lines(text: &[u8]) -> Vec<Result<String, String>> {
        // A small buffer, so that lines span several reads.
        let mut input = BufReader::with_capacity(7, text);
        std::iter::from_fn(|| next_line(&mut input, LONGEST_LINE)).collect()
    }

    #[test]
    fn lines_end_with_lf_crlf_or_the_input() {
        let line = |text: &str| Ok(text.to_owned());
        assert_eq!(
            lines(b"isready\r\n\n  go depth 5 \nquit"),
            [line("isready"), line(""), line("go depth 5"), line("quit")]
        );
        assert_eq!(lines(b"a\xffb\n"), [line("a\u{fffd}b")]);
        assert_eq!(lines(b"\xc2\xa0quit\n"), [line("\u{a0}quit")]);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_line_without_end_is_passed_over_and_the_next_one_read() {
        let mut text = vec![b'x'; 3 * LONGEST_LINE];
        text.extend_from_slice(b"\nisready\n");
        let start = "x".repeat(START_BYTES);
        assert_eq!(lines(&text), [Err(start), Ok("isready".to_owned())]);
        for blanks in [2 * START_BYTES, LONGEST_LINE + 3] {
            let blanks = " ".repeat(blanks);
            let text = format!("{blanks}position {}\n", "x".repeat(LONGEST_LINE));
            assert_eq!(lines(text.as_bytes()), [Err("position xxxxxxx".to_owned())]);
        }
    }

    #[test]
    fn a_position_or_search_on_a_line_that_is_too_long_is_refused() {
        let refusal = |start: &str| match long_line(start, 9) {
            SessionInput::Line(_, request) => Some(request.unwrap_err().to_string()),
            _ => None,
        };
        let reason = |name: &str| Some(format!("{name} refused: line longer than 9 bytes"));
        assert_eq!(refusal("position start"), reason("position"));
        assert_eq!(refusal(" GO searchmoves a"), reason("go"));
        assert_eq!(refusal("goal"), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_has_a_reader_until_it_is_closed() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        assert!(writer.has_reader());
        writer.write_all(b"unread").unwrap();
        assert!(writer.has_reader());
        drop(reader);
        assert!(!writer.has_reader());
    }

    #[test]
    #[cfg(unix)]
    fn the_other_end_of_a_socket_hangs_up() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(is_open(&ours));
        drop(theirs);
        assert!(!is_open(&ours));
    }

    #[test]
    fn an_output_has_a_reader_unless_it_says_otherwise() {
        assert!(Vec::new().has_reader());
    }

    impl Output for Vec<u8> {}
}
