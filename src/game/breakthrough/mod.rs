//! Breakthrough (Dan Troyka, 2000) on any board of W files and H ranks with
//! `W >= 2`, `H >= 4` and `W * H <= 128`.

mod bits;
mod notation;
mod position;
mod rules;
mod statics;

pub use bits::Bits;
pub(crate) use bits::Packed;
pub(crate) use notation::parse_board_size;
pub use notation::square_name;
pub use position::Geometry;
pub use position::Position;
pub(crate) use statics::{Perspective, Proven, StaticSolver, Step};
