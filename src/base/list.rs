//! Fixed bounds of the small lists that search and games pass around.

use arrayvec::ArrayVec;

/// The most moves any position of any game can have: 127 pieces with three moves
/// each, rounded up.
pub const MAX_MOVES: usize = 384;

/// The deepest line the search follows, in plies.
pub const MAX_PLY: usize = 240;

/// A line of moves of type `M`, at most [`MAX_PLY`] long.
pub type PvLine<M> = ArrayVec<M, MAX_PLY>;
