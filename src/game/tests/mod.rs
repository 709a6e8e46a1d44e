//! The rules and text formats of both games.

mod breakthrough_rules;
mod breakthrough_sacrifices;
mod breakthrough_statics;
mod conformance;
mod freeling_chains;
mod freeling_examples;
mod freeling_rules;
mod notation;
