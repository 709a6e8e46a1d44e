//! Breakthrough (Christian Freeling, 1984): stacks, walls and explosions on a
//! board of 5 files and 9 ranks. A different game of the same name.
//!
//! A square holds no piece, a single piece or a pair. A stack that grows beyond
//! what its square holds explodes and shoots pieces forward and sideways, which
//! may make other squares explode in turn. The first piece on the enemy's home
//! rank wins.
//!
//! What the sources leave open is decided here as follows:
//! - The order of explosions is the mover's choice, but makes no difference:
//!   see the module `explosion`. So a move is named by its two squares alone.
//! - A piece that arrives wins at once, even in mid-chain. So that the position
//!   shown does not depend on the order, the chain below the goal rank is still
//!   carried out; pieces on the goal stay there, and those beyond what a goal
//!   square holds leave the board.
//! - A pair may move onto an empty outer square, and explodes there.
//! - A side that has no pieces, or none that can move, loses on its own turn. Only
//!   a player who could move may pass.
//! - The third occurrence of a position is a draw. That needs the game's
//!   history, so it is up to whoever keeps that, not to a position.

mod board;
mod explosion;
mod notation;
mod position;
mod rules;

#[cfg(test)]
pub(crate) use board::EDGES;
pub(crate) use board::square_name;
pub use board::{FILES, RANKS};
pub use position::Position;
pub use rules::PASS;
