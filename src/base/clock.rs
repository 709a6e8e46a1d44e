//! The clock: the standard library's, or the browser's own in a browser, where
//! the former panics.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;
