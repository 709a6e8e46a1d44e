//! What is fuzzed: functions of any bytes that must neither panic nor hang,
//! and what must hold of what they read. `fuzz/` runs them guided by coverage,
//! `main.rs` beside this folder on seeds and random changes of them.

pub mod certificate;
pub mod network;
pub mod positions;
pub mod proof;
pub mod records;
#[cfg(feature = "serve")]
pub mod server;
pub mod session;
pub mod table;

/// Something that takes any bytes.
pub struct Target {
    /// Its name, also that of its binary in `fuzz/`.
    pub name: &'static str,
    /// Takes them; panics if something is wrong.
    pub run: fn(&[u8]),
    /// What to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What is worth putting in, with `|` between.
    pub words: &'static str,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    session::TARGET,
    positions::TARGET,
    network::TARGET,
    records::TARGET,
    table::TARGET,
    certificate::TARGET,
    proof::TARGET,
    #[cfg(feature = "serve")]
    server::TARGET,
];

/// Texts as seeds.
fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
