//! What the tools print, and what they report on standard error while they
//! work. Output that cannot be written is an error, not a panic.

use std::io::{self, IsTerminal, Write, stderr, stdout};

/// The progress of a long task: on a terminal one line that is overwritten,
/// elsewhere a line per update. Failed writes are ignored.
#[derive(Debug)]
pub(crate) struct Status {
    is_terminal: bool,
    is_quiet: bool,
    /// Characters on the line that is not ended yet.
    shown: usize,
}

impl Status {
    /// Shows nothing if `is_quiet`.
    pub(crate) fn new(is_quiet: bool) -> Self {
        Self {
            is_terminal: stderr().is_terminal(),
            is_quiet,
            shown: 0,
        }
    }

    /// Shows an update.
    pub(crate) fn show(&mut self, text: &str) {
        if self.is_quiet {
            return;
        }
        let _ = if self.is_terminal {
            let line = self.line(text);
            write!(stderr(), "{line}").and_then(|()| stderr().flush())
        } else {
            writeln!(stderr(), "{text}")
        };
    }

    /// What shows the text instead of the last one: back to the start of the line,
    /// with blanks over the rest of a longer one, as not every console knows
    /// escape sequences.
    fn line(&mut self, text: &str) -> String {
        let width = std::mem::replace(&mut self.shown, text.chars().count());
        format!("\r{text:<width$}")
    }

    /// Shows something that stays.
    pub(crate) fn show_lasting(&mut self, text: &str) {
        self.show(text);
        self.end();
    }

    /// Leaves the line as it is; further output starts on the next.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.shown) > 0 {
            let _ = writeln!(stderr());
        }
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.end();
    }
}

/// Prints a line for the user on standard error.
pub(crate) fn report_error(text: &str) {
    let _ = writeln!(stderr(), "petard: {text}");
}

/// Prints text, newlines included, to standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut output = stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Rounds to this many digits after the point, for JSON.
pub(crate) fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (number * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_status_covers_the_last_one() {
        let mut status = Status::new(true);
        let lines = ["12 games", "é", "two"].map(|text| status.line(text));
        assert_eq!(lines, ["\r12 games", "\ré       ", "\rtwo"]);
    }
}
