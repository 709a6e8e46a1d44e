//! What a certificate claims, put into a prover's table.

use super::Solver;
use super::certificate::legal_step;
use super::keys::KeyMap;
use super::prover::Prover;
use super::short::ShortCertificate;
use crate::game::breakthrough::{Bits, Geometry, Perspective, Position, StaticSolver};
use crate::game::{Game as _, Notation as _, Outcome};

/// Bytes of table per position taken over from elsewhere.
const BYTES: usize = 128;

/// Tells a prover what a certificate claims: that its kept positions are won, that
/// the other side has lost after their moves, and that its replies lead to kept
/// positions or leaves, which are won too; and who wins the position it is about.
/// Illegal entries are skipped.
pub fn teach<B: Bits>(
    prover: &dyn Prover<B>,
    geometry: &Geometry<B>,
    certificate: &ShortCertificate,
) {
    let statics = StaticSolver::new(geometry);
    for &(key, code) in &certificate.entries {
        teach_won(prover, &statics, key, Some(code), |lost| {
            prover.teach_loss(lost);
        });
    }
    if let Ok(root) = Position::<B>::from_fen(&certificate.fen)
        && root.geometry() == geometry
        && root.outcome() == Outcome::Ongoing
        && root.side_to_move() != certificate.winner
    {
        prover.teach_loss(root.perspective());
    }
}

/// Tells it about one position, by number, and, if the winning step is given, lets
/// `teach_lost` tell it about the position after that.
fn teach_won<B: Bits>(
    prover: &dyn Prover<B>,
    statics: &StaticSolver<B>,
    key: u128,
    code: Option<u16>,
    teach_lost: impl FnOnce(Perspective<B>),
) {
    let geometry = statics.geometry();
    let Some(view) = KeyMap::<u128>::view(geometry, key) else {
        return;
    };
    if let Some(code) = code {
        let Some((from, to)) = legal_step(geometry, view, false, code) else {
            return;
        };
        let next = statics.step(view, B::bit(from), B::bit(to));
        if !next.own.is_empty() {
            teach_lost(next);
        }
    }
    prover.teach(view, true);
}

impl<B: Bits> Solver<B> {
    /// Accepts without proof what a short certificate for this board claims. No
    /// search may be running. The table [rests on it](Solver::resting_on) from then
    /// on.
    pub fn accept(&self, certificate: &ShortCertificate) {
        teach(&*self.prover, self.statics.geometry(), certificate);
    }

    /// Accepts without proof that the side to move wins these positions, by
    /// their numbers in a certificate, and by which moves, if given; but only as
    /// many as leave most of the table to what searches find. Illegal entries
    /// are skipped. No search may be running. The table [rests on
    /// them](Solver::resting_on) from then on.
    pub fn take_for_granted(&self, won: impl Iterator<Item = (u128, Option<u16>)>) {
        let won = won.take(self.prover.bytes() / BYTES);
        for (key, code) in won {
            let teach_lost = |lost| self.prover.teach(lost, false);
            teach_won(&*self.prover, &self.statics, key, code, teach_lost);
        }
    }
}
