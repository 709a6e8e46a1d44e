//! Breakthrough (Dan Troyka, 2000) on any board of W files and H ranks with
//! `W >= 2`, `H >= 4` and `W * H <= 128`.

mod bits;
mod geometry;
mod movegen;
mod notation;
mod packed;
mod position;
mod rules;
mod sacrifices;
mod statics;
mod tactics;
mod zone;

pub use bits::Bits;
pub use geometry::Geometry;
pub use notation::{parse_board_size, square_name};
pub use packed::Packed;
pub use position::Position;
pub use statics::{Perspective, StaticSolver, Verdict};
