//! The standard envelope of UCI, read and written by `vampirc-uci`.
//!
//! What it reads is used only if, written again, it is the line that came in:
//! so nothing is lost that it cannot express, and the dialect layer gets every
//! such line whole.

use super::command::Command;
use super::go::{Clocks, Go};
use crate::engine::Start;
use std::time::Duration;
use vampirc_uci::{UciMessage, UciMove, UciSearchControl, UciTimeControl, parse_one};

/// Longer lines go to the dialect layer at once: `vampirc-uci` takes seconds
/// for a megabyte. The longest game on a board of chess's size has fewer moves.
const MOST_TOKENS: usize = 200;

/// The command, if the line is one that `vampirc-uci` understands whole.
pub(super) fn read(tokens: &[&str]) -> Option<Command> {
    if !is_safe(tokens) {
        return None;
    }
    if tokens.len() > MOST_TOKENS {
        return None;
    }
    let line = tokens.join(" ");
    let message = parse_one(&line);
    let again = message.to_string();
    let is_whole = again
        .split_ascii_whitespace()
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

/// Whether `vampirc-uci` can be given the line. Version 0.11.1 panics on
/// numbers of three digits that do not fit into its `u8` (`go depth 300`, and
/// `info` lines, which are not for an engine to read anyway).
fn is_safe(tokens: &[&str]) -> bool {
    const MESSAGES: [&str; 11] = [
        "uci",
        "debug",
        "isready",
        "setoption",
        "register",
        "ucinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "quit",
    ];
    let is_word =
        |token: &str, words: &[&str]| words.iter().any(|word| token.eq_ignore_ascii_case(word));
    let is_message = tokens
        .first()
        .is_some_and(|token| is_word(token, &MESSAGES));
    is_message
        && tokens.windows(2).all(|pair| {
            !is_word(pair[0], &["depth", "mate", "movestogo"]) || pair[1].parse::<u8>().is_ok()
        })
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
