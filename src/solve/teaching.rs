//! What a short certificate claims, put into a prover's table.

use super::certificate::legal_step;
use super::keys::KeyMap;
use super::prover::Prover;
use super::short::ShortCertificate;
use crate::game::troyka::{Bits, Geometry, StaticSolver};

/// Tells a prover what a certificate claims of the positions it keeps: that they
/// are won, and that the other side has lost after their moves. What is against
/// the rules is passed over.
pub fn teach<B: Bits>(
    prover: &dyn Prover<B>,
    geometry: &Geometry<B>,
    certificate: &ShortCertificate,
) {
    let statics = StaticSolver::new(geometry);
    for &(key, code) in &certificate.entries {
        let Some(view) = KeyMap::<u128>::view(geometry, key) else {
            continue;
        };
        let Some((from, to)) = legal_step(geometry, view, false, code) else {
            continue;
        };
        prover.teach(view, true);
        let next = statics.step(view, B::bit(from), B::bit(to));
        if !next.own.is_empty() {
            prover.teach(next, false);
        }
    }
}
