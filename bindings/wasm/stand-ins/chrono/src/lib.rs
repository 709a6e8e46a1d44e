//! The one type of `chrono` that `vampirc-uci` uses.

/// A time in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

impl Duration {
    /// This many milliseconds.
    #[must_use]
    pub const fn milliseconds(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// How many milliseconds.
    #[must_use]
    pub const fn num_milliseconds(&self) -> i64 {
        self.0
    }

    /// The same as the standard library's type.
    ///
    /// # Errors
    /// If it is negative.
    pub fn to_std(&self) -> Result<std::time::Duration, std::num::TryFromIntError> {
        self.0.try_into().map(std::time::Duration::from_millis)
    }
}
