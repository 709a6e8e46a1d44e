//! The losing side's reply that makes the proof hardest.

use super::{Place, ProofBook};
use crate::game::breakthrough::{Bits, Perspective};
use std::collections::HashSet;

/// How many positions below a reply are counted at first and at most, to see how
/// hard it makes the proof.
const COUNTED: (usize, usize) = (60, 2000);

impl ProofBook {
    /// The reply that leaves the most to prove: to a kept position with the
    /// most others below it. Few are counted first, then more of those that have
    /// as many, while there is time.
    pub(super) fn hardest<B: Bits>(
        &self,
        place: &Place<B>,
        is_late: &dyn Fn() -> bool,
    ) -> (u8, u8) {
        let mut steps = place.steps(place.view);
        let mut most = COUNTED.0;
        while steps.len() > 1 && most <= COUNTED.1 {
            let mut sizes = Vec::with_capacity(steps.len());
            for (_, next) in &steps {
                if is_late() {
                    return steps[0].0;
                }
                sizes.push(self.size(place, *next, most));
            }
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let mut size = sizes.into_iter();
            steps.retain(|_| size.next() == Some(largest));
            if largest < most {
                break;
            }
            most *= 3;
        }
        steps.first().map_or((0, 0), |&(step, _)| step)
    }

    /// How many positions the book keeps from here on, at most `most`.
    fn size<B: Bits>(&self, place: &Place<B>, view: Perspective<B>, most: usize) -> usize {
        let mut seen = HashSet::new();
        let mut open = vec![view];
        while let Some(view) = open.pop() {
            let keys = place.map.keys(view);
            let Some((from, to)) = self.step(place, view, &keys) else {
                continue;
            };
            if !seen.insert(keys.key()) {
                continue;
            }
            if seen.len() >= most {
                break;
            }
            let next = place.statics.step(view, B::bit(from), B::bit(to));
            if !next.own.is_empty() {
                open.extend(place.steps(next).into_iter().map(|(_, reply)| reply));
            }
        }
        seen.len()
    }
}
