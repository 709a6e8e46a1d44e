//! The fuzz targets: functions of arbitrary bytes that must neither panic nor
//! hang, and the properties of what they parse. `fuzz/` runs them guided by
//! coverage, `mod.rs` beside this folder on seeds and random mutations.

pub mod certificate;
pub mod network;
pub mod positions;
pub mod proof;
pub mod records;
#[cfg(feature = "serve")]
pub mod server;
pub mod session;
pub mod table;

/// Something that accepts arbitrary bytes.
pub struct Target {
    /// Its name, also that of its binary in `fuzz/`.
    pub name: &'static str,
    /// Processes the bytes; panics if something is wrong.
    pub run: fn(&[u8]),
    /// The initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words worth inserting, separated by `|`.
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

/// Seeds from texts.
fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
