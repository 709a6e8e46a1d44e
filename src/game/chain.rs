//! A chain of explosions step by step, for those who want to show it.

/// What becomes of a man that an explosion shoots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It stands on a square that was empty.
    Lands,
    /// It stands with friends.
    Joins,
    /// It stands where the enemy's stack was that it has taken.
    Captures,
    /// It has left the board: an enemy on the goal has taken it, or the goal
    /// square held as many friends as it can.
    Lost,
}

/// One man that an explosion shoots.
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
    /// The men it shoots: forward, towards the a-file, away from it.
    pub shots: Vec<Shot>,
    /// The number of men on every square after it, from a1 along the ranks;
    /// Black's are negative. Squares that explode next hold too many.
    pub men: Vec<i8>,
}
