//! What the session loop waits for: lines, the end of input, and news.

use crate::engine::Event;
use std::io::BufRead;
use std::sync::mpsc::Sender;

/// What the loop waits for.
pub(super) enum Input {
    /// A line came in.
    Line(String),
    /// A line came in that is longer than [`LONGEST_LINE`].
    LongLine,
    /// No more lines will come.
    End,
    /// The engine has news.
    Engine(Event),
}

/// The longest line that is read, in bytes: far more than the longest game
/// needs, and little enough for a stream without line ends to do no harm.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// Reads lines of any bytes; what is not UTF-8 is marked as such and refused
/// as an unknown command would be.
pub(super) fn read_lines(mut input: impl BufRead, sender: &Sender<Input>) {
    while let Some(message) = next_line(&mut input) {
        if sender.send(message).is_err() {
            return;
        }
    }
    // Nobody listens any more after a quit, and nobody needs to.
    let _ = sender.send(Input::End);
}

/// The next line without its end, or `None` at the end of input, which a
/// reading fault counts as too.
fn next_line(input: &mut impl BufRead) -> Option<Input> {
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
        if bytes.len() + taken > LONGEST_LINE {
            is_long = true;
            bytes.clear();
        }
        if !is_long {
            bytes.extend_from_slice(&buffer[..taken]);
        }
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            break;
        }
    }
    Some(if is_long {
        Input::LongLine
    } else {
        Input::Line(String::from_utf8_lossy(&bytes).trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines(text: &[u8]) -> Vec<Option<String>> {
        // A small buffer, so that lines are put together from several parts.
        let mut input = BufReader::with_capacity(7, text);
        std::iter::from_fn(|| next_line(&mut input))
            .map(|message| match message {
                Input::Line(line) => Some(line),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn lines_end_with_lf_crlf_or_the_input() {
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(
            lines(b"isready\r\n\n  go depth 5 \nquit"),
            [line("isready"), line(""), line("go depth 5"), line("quit")]
        );
        assert_eq!(lines(b"a\xffb\n"), [line("a\u{fffd}b")]);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_line_without_end_is_passed_over_and_the_next_one_read() {
        let mut text = vec![b'x'; 3 * LONGEST_LINE];
        text.extend_from_slice(b"\nisready\n");
        assert_eq!(lines(&text), [None, Some("isready".to_owned())]);
    }
}
