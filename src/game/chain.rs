//! A chain of explosions step by step, for display.

/// What becomes of a piece that an explosion shoots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It lands on an empty square.
    Lands,
    /// It joins friends.
    Joins,
    /// It captures an enemy stack and takes its square.
    Captures,
    /// It leaves the board: an enemy on the goal took it, or the goal square
    /// was already full of friends.
    Lost,
}

/// One piece that an explosion shoots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The square it is shot at.
    pub to: String,
    /// What becomes of it.
    pub effect: Effect,
}

/// One explosion of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explosion {
    /// The square that explodes.
    pub square: String,
    /// The pieces it shoots: forward, towards the a-file, away from it.
    pub shots: Vec<Shot>,
    /// The number of pieces on every square afterwards, from a1 along the ranks;
    /// Black's are negative. Squares that explode next hold too many.
    pub pieces: Vec<i8>,
}
