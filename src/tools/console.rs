//! What the tools print, and what they tell a person on standard error while
//! they work. Output that nobody takes is an error and no panic.

use std::io::{self, IsTerminal, Write, stderr, stdout};

/// The latest news of a long work: on a terminal one line that is written
/// over, elsewhere a line each. Whether anybody reads it does not matter.
#[derive(Debug)]
pub struct Status {
    is_terminal: bool,
    is_quiet: bool,
    is_open: bool,
}

impl Status {
    /// Tells nothing if it is to be quiet.
    pub fn new(is_quiet: bool) -> Self {
        Self {
            is_terminal: stderr().is_terminal(),
            is_quiet,
            is_open: false,
        }
    }

    /// Tells the news.
    pub fn show(&mut self, text: &str) {
        if self.is_quiet {
            return;
        }
        let _ = if self.is_terminal {
            self.is_open = true;
            // Back to the start, and what the last line had more is erased.
            write!(stderr(), "\r{text}\x1b[K").and_then(|()| stderr().flush())
        } else {
            writeln!(stderr(), "{text}")
        };
    }

    /// Leaves the line as it is; what follows is on the next.
    pub fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            let _ = writeln!(stderr());
        }
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.end();
    }
}

/// A line for a person.
pub fn tell(text: &str) {
    let _ = writeln!(stderr(), "petard: {text}");
}

/// Prints a text, lines ended, on standard output.
pub fn print(text: &str) -> io::Result<()> {
    let mut output = stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// A number with so many digits after the point, for JSON.
pub fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (number * scale).round() / scale
}
