//! Breakthrough (Dan Troyka, 2000) on any board of W files and H ranks with
//! `W >= 2`, `H >= 4` and `W * H <= 128`.

mod bits;
mod geometry;
mod notation;
mod position;
mod rules;
mod statics;
mod tactics;

pub use bits::{Bits, Packed};
pub use geometry::Geometry;
pub use notation::{parse_board_size, square_name};
pub use position::Position;
pub use statics::{Perspective, Proven, StaticSolver};
