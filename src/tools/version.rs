//! What `petard --version` prints.

use crate::eval::nnue::Simd;

/// The version, the commit it was built from if known, and the vector
/// instructions that networks use on this machine.
#[must_use]
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let simd = Simd::detect().name();
    match option_env!("PETARD_COMMIT") {
        Some(commit) => format!("{version} (commit {commit}, {simd})"),
        None => format!("{version} ({simd})"),
    }
}
