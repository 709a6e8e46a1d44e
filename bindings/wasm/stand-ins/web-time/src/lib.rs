//! The part of `web-time` that petard uses, on the clock that its worker gives
//! it.

use std::time::Duration;

#[link(wasm_import_module = "petard")]
unsafe extern "C" {
    /// Milliseconds since some moment that is the same for all workers; never
    /// decreasing.
    safe fn now() -> f64;
}

/// A moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// This moment.
    #[must_use]
    pub fn now() -> Self {
        Self(Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default())
    }

    /// The time since another moment; none if that is later.
    #[must_use]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The time since this moment.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().duration_since(*self)
    }
}
