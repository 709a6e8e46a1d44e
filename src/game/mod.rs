//! The rules: what a game is to the search, and the games themselves.
//!
//! A [`Game`] value is one position. Positions are small and copied: playing a
//! move returns the next position; to take it back, keep the old one.

pub mod breakthrough;
pub mod freeling;
mod moves;
#[cfg(test)]
mod tests;
mod text;
mod zobrist;

use std::fmt::Debug;
use std::hash::Hash;

pub use crate::base::Side;
pub(crate) use moves::Replies;
pub use moves::{Move, MoveList};
pub use text::{FenError, MoveError};

/// The state of the game by the rules alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The game goes on.
    Ongoing,
    /// The game is over and this side has won.
    Win(Side),
    /// The game is over and nobody has won.
    Draw,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A piece stands on its goal.
    Arrived,
    /// The side to move has pieces, and none of them can move.
    Blocked,
    /// A side has no pieces left.
    NoPieces,
    /// The position has occurred for the third time.
    Repetition,
}

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

/// What the rules prove about a position without search. Every claim is a
/// theorem, tested against exhaustive search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tactics {
    /// Nothing is known.
    Open,
    /// The side to move wins in at most `plies` plies, starting with `first`.
    Win {
        /// Plies to the end, odd.
        plies: u8,
        /// The first move of the win, [`Move::NONE`] where it is not known
        /// without search.
        first: Move,
    },
    /// The side to move has lost, whatever it plays, in at most `plies` plies.
    Loss {
        /// Plies to the end, even.
        plies: u8,
    },
    /// Every other move loses at once: only these need to be looked at.
    Only(Replies),
    /// Every other move loses in the end: only these need to be looked at.
    OthersLose {
        /// The moves that may hold; at least one.
        replies: Replies,
        /// Plies within which the others lose, even.
        plies: u8,
    },
}

/// What the rules alone say about a legal move: the results of [`Game`]'s
/// functions of the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveFacts {
    /// [`Game::move_index`].
    pub index: usize,
    /// [`Game::is_capture`].
    pub is_capture: bool,
    /// [`Game::exchange`].
    pub exchange: i32,
    /// [`Game::urgency`].
    pub urgency: i32,
}

impl MoveFacts {
    /// The facts about one move.
    pub(crate) fn new<G: Game>(position: &G, mv: Move) -> Self {
        Self {
            index: position.move_index(mv),
            is_capture: position.is_capture(mv),
            exchange: position.exchange(mv),
            urgency: position.urgency(mv),
        }
    }
}

/// One position of a game with its rules, as the generic search sees it.
///
/// Nothing here knows of evaluation or search. Moves passed in must be legal
/// in the position (checked in debug builds only).
pub trait Game: Clone + Debug + PartialEq + Eq + Hash + Send + Sync + 'static {
    /// The game's name in `UCI_Variant` and on the command line.
    const NAME: &'static str;
    /// [`Game::move_index`] is below this.
    const MOVE_INDICES: usize;
    /// Whether a position can occur twice in a game. Only then does the search
    /// look for repetitions.
    const CAN_REPEAT: bool;
    /// Whether "doing nothing is hardly ever best" holds well enough for null
    /// move pruning.
    const NULL_MOVE: bool;

    /// The side whose turn it is.
    fn side_to_move(&self) -> Side;

    /// The Zobrist key of the position, side to move and board size included.
    fn key(&self) -> u64;

    /// Whether the game is over, and who has won.
    fn outcome(&self) -> Outcome;

    /// Appends all legal moves; none if the game is over.
    fn moves(&self, list: &mut MoveList);

    /// Whether the move is legal here. Accepts any value, so it can vet moves
    /// from a hash table.
    fn is_legal(&self, mv: Move) -> bool;

    /// The position after a legal move.
    #[must_use]
    fn play(&self, mv: Move) -> Self;

    /// The position with the turn passed to the other side, which need not be
    /// a legal move of the game: for null move pruning.
    #[must_use]
    fn pass(&self) -> Self;

    /// The exact facts the rules give about this position. The game must not
    /// be over.
    fn tactics(&self) -> Tactics;

    /// A lower bound on the moves of its own that the side needs to win,
    /// whatever the enemy does. The game must not be over.
    fn least_moves_to_win(&self, _side: Side) -> u32 {
        1
    }

    /// Whether the legal move captures something.
    fn is_capture(&self, mv: Move) -> bool;

    /// Appends the moves quiescence search looks at: those whose effect a
    /// static evaluation cannot see. The game must not be over.
    fn noisy_moves(&self, list: &mut MoveList);

    /// A small number for the move, shared by similar moves: an index for
    /// history tables, below [`Game::MOVE_INDICES`].
    fn move_index(&self, mv: Move) -> usize;

    /// The static exchange evaluation of the legal move: the pieces it wins,
    /// negative if it loses some. A heuristic: each game says how far it looks
    /// ahead, and none promises a bound.
    fn exchange(&self, mv: Move) -> i32 {
        i32::from(self.is_capture(mv))
    }

    /// Passes all legal moves to `take`, in any order, with what the rules alone say
    /// about each. The game must not be over.
    fn moves_with_facts(&self, mut take: impl FnMut(Move, MoveFacts)) {
        let mut list = MoveList::new();
        self.moves(&mut list);
        for mv in list {
            take(mv, MoveFacts::new(self, mv));
        }
    }

    /// How urgent a move is by the rules alone, for move ordering only: 0 for
    /// an ordinary move, larger for moves to try earlier.
    fn urgency(&self, mv: Move) -> i32;

    /// A hash of the part of the position that changes slowly: positions that
    /// share it tend to be misjudged alike (for the correction history).
    fn structure_key(&self) -> u64;

    /// The number of legal moves.
    fn count_moves(&self) -> u64 {
        let mut list = MoveList::new();
        self.moves(&mut list);
        list.len() as u64
    }
}

/// What the protocol and the tools need of a game beyond its rules: its text.
pub trait Notation: Game {
    /// Reads a position from its text.
    ///
    /// # Errors
    /// A [`FenError`] that names the fault.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// The position's text, which [`Notation::from_fen`] reads back.
    fn fen(&self) -> String;

    /// Reads a move; it must be legal here.
    ///
    /// # Errors
    /// A [`MoveError`] that names the fault.
    fn parse_move(&self, text: &str) -> Result<Move, MoveError>;

    /// The move's text.
    fn move_text(&self, mv: Move) -> String;

    /// The board drawn for people, several lines, each ending in a newline.
    fn diagram(&self) -> String;

    /// The position with files reversed, which is worth the same.
    #[must_use]
    fn mirrored(&self) -> Self;

    /// The position with ranks and colours exchanged, which is worth the same
    /// to the side to move.
    #[must_use]
    fn flipped(&self) -> Self;

    /// Why the game is over by this position alone; `None` if it goes on.
    fn ending(&self) -> Option<Ending>;

    /// Files and ranks of the board.
    fn board_size(&self) -> (u8, u8);

    /// The squares on which the legal move captures enemy pieces, in board order.
    fn captures(&self, mv: Move) -> Vec<String>;

    /// The explosions that the legal move sets off, in order; none in a game
    /// without explosions.
    fn explosions(&self, _mv: Move) -> Vec<Explosion> {
        Vec::new()
    }

    /// Each square with pieces, and the position without them, which need not be
    /// reachable.
    fn without_each(&self) -> Vec<(String, Self)>;
}

/// The number of lines of exactly `depth` plies. A finished position has none
/// beyond itself. Leaves are counted without being played ("bulk counting").
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves(),
        _ => {
            let mut list = MoveList::new();
            position.moves(&mut list);
            list.iter()
                .map(|&mv| perft(&position.play(mv), depth - 1))
                .sum()
        }
    }
}
