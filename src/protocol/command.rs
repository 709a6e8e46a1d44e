//! Lines of the protocol as typed commands.

use super::go::Go;
use crate::engine::{Queued, Start, Variant};

/// How an answer is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// For programs: a JSON object on one line.
    Json,
}

/// One line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Introduce yourself.
    Uci,
    /// Tell more, or less.
    Debug(bool),
    /// Answer when ready.
    IsReady,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value, if it has one.
        value: Option<String>,
    },
    /// The next position is of another game.
    NewGame,
    /// Set the position.
    Position {
        /// Where it starts from.
        start: Start,
        /// The moves played from there.
        moves: Vec<String>,
    },
    /// A `position` that cannot be read, and why: no search may take the
    /// position before it for the one that was meant.
    RefusedPosition(String),
    /// Play moves from where the game stands.
    Play(Vec<String>),
    /// Take back so many moves.
    Undo(usize),
    /// Play so many moves again that were taken back.
    Redo(usize),
    /// Search.
    Go(Go),
    /// A `go` that cannot be read, and why: whoever sent it waits for an
    /// answer all the same.
    RefusedGo(String),
    /// End the search.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// Leave.
    Quit,
    /// Registration, which nobody needs.
    Register,
    /// Show the board.
    Display(Form),
    /// List the legal moves.
    Moves,
    /// Tell what moves would do, without playing them.
    Line(Vec<String>),
    /// Show the static evaluation.
    Eval(Form),
    /// Run the benchmark of a game, if one is named, to a depth.
    Bench(Option<Variant>, Option<u32>),
    /// Count leaves.
    Perft(u32),
    /// Exchange colours.
    Flip,
    /// List the commands.
    Help,
    /// An empty line.
    Nothing,
}

impl Queued for Command {
    fn is_immediate(&self) -> bool {
        matches!(
            self,
            Self::Uci
                | Self::Debug(_)
                | Self::IsReady
                | Self::Stop
                | Self::PonderHit
                | Self::Quit
                | Self::Register
                | Self::Help
                | Self::Nothing
        )
    }

    fn is_search(&self) -> bool {
        matches!(self, Self::Go(_) | Self::RefusedGo(_))
    }

    fn sets_position(&self) -> bool {
        matches!(
            self,
            Self::Position { .. }
                | Self::RefusedPosition(_)
                | Self::Play(_)
                | Self::Undo(_)
                | Self::Redo(_)
        )
    }
}
