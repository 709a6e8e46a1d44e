//! Words of a line: reading them, and quoting them in messages.

pub(super) fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{what}: '{}' is not a number in range", shortened(text)))
}

/// A line shortened for a message, to fit the width of a terminal.
pub(super) fn shortened(text: &str) -> String {
    const LENGTH: usize = 60;
    if text.chars().count() <= LENGTH {
        text.to_owned()
    } else {
        text.chars().take(LENGTH).chain("...".chars()).collect()
    }
}
