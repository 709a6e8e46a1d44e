//! The first numbers of positions that have not been searched: from the static facts, or
//! else from what has been learned and mobility.

use super::keys::Key;
use super::numbers::{INFINITE, Numbers, finite};
use super::shared::SharedSearch;
use crate::game::breakthrough::{Bits, Perspective, Proven};
use std::ops::ControlFlow;

/// What a move counts in a position that looks even.
const UNIT: f32 = 64.0;

/// A capture counts as this many moves; having one makes a win as much easier.
const CAPTURE: f32 = 8.0;

impl<B: Bits, K: Key> SharedSearch<B, K> {
    /// First numbers of a position that is not in the table, given its score
    /// for the side to move.
    #[inline]
    pub(crate) fn first_numbers(
        &self,
        view: Perspective<B>,
        score: impl FnOnce() -> f32,
    ) -> Numbers {
        match self.statics.judge(view) {
            Proven::Win(_) => Numbers::WON,
            Proven::Loss(_) => Numbers::LOST,
            Proven::Open => {
                let odds = self.windows.odds(score());
                // Where the enemy would not win if it could move now, hardly any
                // move loses at once.
                match self.statics.zone(view) {
                    None => self.estimate(view, odds),
                    Some(zone) => self.look_ahead(view, odds, zone),
                }
            }
        }
    }

    /// First numbers of a position about which nothing is known, from the
    /// odds and the mobility of both sides.
    #[inline]
    fn estimate(&self, view: Perspective<B>, odds: f32) -> Numbers {
        let statics = &self.statics;
        let [left, ahead, right] = statics.targets(view, statics.geometry().board());
        let moves = left.count() + ahead.count() + right.count();
        let takes = (left & view.enemy).count() + (right & view.enemy).count();
        let quiet = if takes > 0 { CAPTURE } else { 1.0 };
        let weight = (moves - takes) as f32 + CAPTURE * takes as f32;
        Numbers {
            phi: number(statics.enemy_mobility(view) as f32 * UNIT / (odds * quiet)),
            delta: number(weight * UNIT * odds),
        }
    }

    /// First numbers from the positions one ply on, where only steps into the
    /// zone may hold.
    fn look_ahead(&self, view: Perspective<B>, odds: f32, zone: B) -> Numbers {
        let statics = &self.statics;
        let mut phi = INFINITE;
        let mut delta = 0u64;
        let rest = statics.try_each_step(view, zone, |from, to| {
            let next = statics.step(view, B::bit(from), B::bit(to));
            if next.own.is_empty() {
                return ControlFlow::Break(());
            }
            match statics.judge(next) {
                Proven::Win(_) => {}
                Proven::Loss(_) => return ControlFlow::Break(()),
                Proven::Open => {
                    let takes = view.enemy.has(to);
                    let odds = if takes { odds * CAPTURE } else { odds };
                    phi = phi.min(number(statics.mobility(next) as f32 * UNIT / odds));
                    delta += u64::from(number(UNIT * odds));
                }
            }
            ControlFlow::Continue(())
        });
        if rest.is_break() {
            return Numbers::WON;
        }
        if delta == 0 {
            return Numbers::LOST;
        }
        Numbers {
            phi,
            delta: finite(delta),
        }
    }
}

/// A first number: at least 1, so that rounding makes no proof of it.
#[inline]
fn number(weight: f32) -> u32 {
    weight.max(1.0) as u32
}
