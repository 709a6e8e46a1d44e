//! Proofs.
#![allow(missing_docs)]
pub mod dfpn;
pub mod keys;
pub mod numbers;
pub mod table;
mod wide;
