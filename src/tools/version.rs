//! What `petard --version` tells.

use crate::eval::nnue::Simd;

/// The version, the commit it was built from where that is known, and the
/// vector instructions that networks run with on this machine.
#[must_use]
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let simd = Simd::detect().name();
    match option_env!("PETARD_COMMIT") {
        Some(commit) => format!("{version} (commit {commit}, {simd})"),
        None => format!("{version} ({simd})"),
    }
}
