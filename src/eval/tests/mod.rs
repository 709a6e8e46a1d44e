//! The networks against their definition, and which evaluation is used.

mod evaluation;
mod freeling_nnue;
mod general_nnue;
mod mirrored_nnue;
mod nnue;
