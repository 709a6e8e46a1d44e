//! The standard envelope of UCI, read and written by `vampirc-uci`.
//!
//! What it reads is used only if, written again, it is the line that came in:
//! so nothing is lost that it cannot express, and the dialect layer gets every
//! such line whole.

use super::command::{Clocks, Command, Go, Start};
use std::time::Duration;
use vampirc_uci::{UciMessage, UciMove, UciSearchControl, UciTimeControl, parse_one};

/// The command, if the line is one that `vampirc-uci` understands whole.
pub(super) fn read(tokens: &[&str]) -> Option<Command> {
    let line = tokens.join(" ");
    let message = parse_one(&line);
    let again = message.to_string();
    let is_whole = again
        .split_whitespace()
        .map(str::to_ascii_lowercase)
        .eq(tokens.iter().map(|token| token.to_ascii_lowercase()));
    if !is_whole {
        return None;
    }
    match message {
        UciMessage::Uci => Some(Command::Uci),
        UciMessage::Debug(on) => Some(Command::Debug(on)),
        UciMessage::IsReady => Some(Command::IsReady),
        UciMessage::Register { .. } => Some(Command::Register),
        UciMessage::UciNewGame => Some(Command::NewGame),
        UciMessage::Stop => Some(Command::Stop),
        UciMessage::PonderHit => Some(Command::PonderHit),
        UciMessage::Quit => Some(Command::Quit),
        UciMessage::SetOption { name, value } => Some(Command::SetOption { name, value }),
        UciMessage::Position {
            startpos,
            fen,
            moves,
        } => Some(Command::Position {
            start: match fen {
                Some(fen) if !startpos => Start::Fen(fen.0),
                _ => Start::StartPos,
            },
            moves: texts(&moves),
        }),
        UciMessage::Go {
            time_control,
            search_control,
        } => Some(Command::Go(limits(time_control, search_control))),
        _ => None,
    }
}

fn texts(moves: &[UciMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn limits(time: Option<UciTimeControl>, search: Option<UciSearchControl>) -> Go {
    let mut go = Go::default();
    match time {
        None => {}
        Some(UciTimeControl::Ponder) => go.ponder = true,
        Some(UciTimeControl::Infinite) => go.infinite = true,
        Some(UciTimeControl::MoveTime(time)) => go.move_time = Some(duration(time)),
        Some(UciTimeControl::TimeLeft {
            white_time,
            black_time,
            white_increment,
            black_increment,
            moves_to_go,
        }) => {
            go.clocks = Clocks {
                time: [white_time.map(duration), black_time.map(duration)],
                increment: [white_increment.map(duration), black_increment.map(duration)],
                moves_to_go: moves_to_go.map(u32::from).filter(|&moves| moves > 0),
            };
        }
    }
    if let Some(search) = search {
        go.search_moves = texts(&search.search_moves);
        go.mate = search.mate.map(u32::from);
        go.depth = search.depth.map(u32::from);
        go.nodes = search.nodes;
    }
    go
}

/// Overdrawn clocks count as no time left.
fn duration(time: vampirc_uci::Duration) -> Duration {
    Duration::from_millis(time.num_milliseconds().max(0) as u64)
}
