//! Lines of the protocol as typed commands.

use super::go::Go;
use crate::engine::{Queued, Start, Variant};

/// The format of an answer.
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
    /// Turn debug output on or off.
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
    /// The next position is from a different game.
    NewGame,
    /// Set the position.
    Position {
        /// Where it starts from.
        start: Start,
        /// The moves played from there.
        moves: Vec<String>,
    },
    /// A `position` that cannot be parsed, and why: no search may use the
    /// previous position by mistake.
    RefusedPosition(String),
    /// Play moves from the current position.
    Play(Vec<String>),
    /// Take back this many moves.
    Undo(usize),
    /// Replay this many moves that were taken back.
    Redo(usize),
    /// Search.
    Go(Go),
    /// A `go` that cannot be parsed, and why: its sender still waits for an
    /// answer.
    RefusedGo(String),
    /// End the search.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// End the session.
    Quit,
    /// Registration, which is never needed.
    Register,
    /// Show the board.
    Display(Form),
    /// List the legal moves.
    Moves,
    /// Show what moves would do, without playing them.
    Line(Vec<String>),
    /// Show the static evaluation.
    Eval(Form),
    /// Run the benchmark, optionally for a game and to a depth.
    Bench(Option<Variant>, Option<u32>),
    /// Count leaves.
    Perft(u32),
    /// Swap the colours.
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
        match self {
            Self::SetOption { name, .. } => ["UCI_Variant", "Board"]
                .iter()
                .any(|option| name.eq_ignore_ascii_case(option)),
            Self::Position { .. }
            | Self::RefusedPosition(_)
            | Self::Play(_)
            | Self::Undo(_)
            | Self::Redo(_)
            | Self::Flip => true,
            _ => false,
        }
    }
}
