//! The rules and text formats of both games.

mod breakthrough_rules;
mod breakthrough_sacrifices;
mod breakthrough_statics;
mod conformance;
mod freeling_chains;
mod freeling_examples;
mod freeling_rules;
mod notation;

use super::breakthrough::{Bits, Position, Proven, StaticSolver};

impl<B: Bits> Position<B> {
    /// Everything that is proven about the position without search. The game
    /// must not be over.
    fn statics(&self) -> Proven {
        StaticSolver::new(self.geometry()).judge(self.perspective())
    }
}
