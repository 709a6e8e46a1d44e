//! The standard messages of UCI, read by `vampirc-uci`.
//!
//! It gets only lines whose every token it can carry, and reads each once.
//! Their form decides that here; the dialect layer reads all others.
//! `vampirc-uci` itself gives no sign: version 0.11.1 ignores whatever follows
//! a message that it has read, drops all time limits but one, and panics on
//! three-digit numbers that do not fit into its `u8`.

use super::command::Command;
use super::go::{Clocks, Go};
use crate::engine::Start;
use std::time::Duration;
use vampirc_uci::{UciMessage, UciMove, UciSearchControl, UciTimeControl, parse_one};

/// Longer lines go straight to the dialect layer: `vampirc-uci` takes seconds
/// for a megabyte. The longest game on a chess-sized board has fewer moves.
const MOST_TOKENS: usize = 200;

/// Commands without arguments.
const ALONE: [&str; 6] = ["uci", "isready", "ucinewgame", "stop", "ponderhit", "quit"];

/// The command, if the line is one that `vampirc-uci` can carry. What follows a
/// command that stands alone is ignored, as other engines do: whoever sends it
/// waits for an answer.
pub(super) fn read(tokens: &[&str]) -> Option<Command> {
    let is_alone = tokens.first().is_some_and(|first| is_word(first, &ALONE));
    let tokens = if is_alone { &tokens[..1] } else { tokens };
    if !is_carried(tokens) {
        return None;
    }
    match parse_one(&tokens.join(" ")) {
        UciMessage::Uci => Some(Command::Uci),
        UciMessage::Debug(on) => Some(Command::Debug(on)),
        UciMessage::IsReady => Some(Command::IsReady),
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

/// Whether `vampirc-uci` can carry every token of the line.
fn is_carried(tokens: &[&str]) -> bool {
    let is_plain = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
    let Some((first, rest)) = tokens.split_first() else {
        return false;
    };
    if tokens.len() > MOST_TOKENS || !tokens.iter().all(is_plain) {
        return false;
    }
    match first.to_ascii_lowercase().as_str() {
        alone if ALONE.contains(&alone) => rest.is_empty(),
        "debug" => matches!(rest, [switch] if is_word(switch, &["on", "off"])),
        "setoption" => is_carried_option(rest),
        "position" => is_carried_position(rest),
        "go" => is_carried_go(rest),
        _ => false,
    }
}

fn is_word(token: &str, words: &[&str]) -> bool {
    words.iter().any(|word| token.eq_ignore_ascii_case(word))
}

/// A step on a chess-sized board.
fn is_move(token: &str) -> bool {
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h', b'1'..=b'8']);
    token.len() == 4 && token.as_bytes().chunks(2).all(is_square)
}

/// A number of at most this many digits.
fn is_number(token: &str, digits: usize) -> bool {
    (1..=digits).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name, and a value if the word `value` is there: no word of the name may
/// start with it.
fn is_carried_option(tokens: &[&str]) -> bool {
    let Some((name, text)) = tokens.split_first() else {
        return false;
    };
    let begins = |token: &&str| token.len() >= 5 && is_word(&token[..5], &["value"]);
    let value = text.iter().position(begins);
    is_word(name, &["name"])
        && value != Some(0)
        && !text.is_empty()
        && value.is_none_or(|at| text[at].len() == 5 && at + 1 < text.len())
}

/// The start position or six fields of a chess FEN, and moves.
fn is_carried_position(tokens: &[&str]) -> bool {
    let moves = tokens.iter().position(|token| is_word(token, &["moves"]));
    let (start, moves) = tokens.split_at(moves.unwrap_or(tokens.len()));
    let is_start = match start {
        [start] => is_word(start, &["startpos"]),
        [fen, board, side, "-", "-", plies, number] => {
            is_word(fen, &["fen"])
                && board.split('/').count() == 8
                && is_word(side, &["w", "b"])
                && is_number(plies, 4)
                && is_number(number, 4)
        }
        _ => false,
    };
    is_start && moves.len() != 1 && moves.iter().skip(1).all(|mv| is_move(mv))
}

/// Words that `go` knows, each at most once, with numbers that fit, and at most
/// one kind of time control.
fn is_carried_go(tokens: &[&str]) -> bool {
    const CLOCKS: [&str; 5] = ["wtime", "btime", "winc", "binc", "movestogo"];
    const CONTROLS: [&[&str]; 4] = [&["ponder"], &["infinite"], &["movetime"], &CLOCKS];
    let controls = CONTROLS
        .iter()
        .filter(|words| tokens.iter().any(|token| is_word(token, words)));
    let mut words = Vec::new();
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let word = token.to_ascii_lowercase();
        let is_whole = match word.as_str() {
            "ponder" | "infinite" => true,
            "movetime" | "wtime" | "btime" | "winc" | "binc" | "nodes" => {
                rest.next().is_some_and(|number| is_number(number, 12))
            }
            "depth" | "mate" | "movestogo" => rest
                .next()
                .is_some_and(|number| is_number(number, 3) && number.parse::<u8>().is_ok()),
            "searchmoves" => {
                let moves = std::iter::from_fn(|| rest.next_if(|token| is_move(token)));
                moves.count() > 0
            }
            _ => false,
        };
        if !is_whole || words.contains(&word) {
            return false;
        }
        words.push(word);
    }
    !words.is_empty() && controls.count() <= 1
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

fn duration(time: vampirc_uci::Duration) -> Duration {
    time.to_std().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(line: &str) -> Option<Command> {
        read(&line.split_ascii_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn standard_messages_are_carried() {
        for line in [
            "uci",
            "IsReady",
            "ucinewgame",
            "debug on",
            "stop",
            "ponderhit",
            "quit",
            "isready now",
            "stop quit",
            "setoption name Hash value 64",
            "setoption name Clear Hash",
            "setoption name Log File value a b  value",
            "position startpos",
            "position startpos moves a2a3 b7b6",
            "position fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1",
            "Position Fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b - - 12 3456 moves h7h6",
            "go infinite",
            "go ponder",
            "go ponder depth 3",
            "go movetime 1000",
            "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 40",
            "go depth 240 nodes 999999999999 mate 3",
            "go  depth 5  searchmoves a2a3 b2b3 nodes 7",
        ] {
            assert!(carried(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_it_would_lose_or_refuse_is_not_given_to_it() {
        for line in [
            "",
            "joho isready",
            "debug maybe",
            "register later",
            "info depth 300",
            "setoption Hash",
            "setoption name",
            "setoption name value 5",
            "setoption name Hash value",
            "setoption name Hash values 5",
            "setoption name Log File value a\u{a0}",
            // Other boards, fewer fields, more digits, and moves beyond h8.
            "position",
            "position startpos moves",
            "position startpos a2a3",
            "position startpos moves a2a3 j9j10",
            "position startpos moves a2a3 A7A6",
            "position startpos moves a2a3 moves b7b6",
            "position fen ppp/ppp/3/3/PPP/PPP w - - 0 1",
            "position fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1",
            "position fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 12345",
            // Two time controls, repeated words, and numbers too large.
            "go",
            "go joho",
            "go depth 5 joho",
            "go ponder wtime 1000 btime 1000",
            "go infinite movetime 5",
            "go depth 3 depth 5",
            "go depth",
            "go depth 300",
            "go depth 99999",
            "go movestogo 256",
            "go nodes 5000000000000",
            "go wtime -100",
            "go searchmoves",
            "go searchmoves a2a3 j9j10",
            "go perft 3",
        ] {
            assert_eq!(carried(line), None, "{line}");
        }
        let of_tokens = |count| format!("position startpos moves{}", " a2a3".repeat(count - 3));
        assert!(carried(&of_tokens(MOST_TOKENS)).is_some());
        assert_eq!(carried(&of_tokens(MOST_TOKENS + 1)), None);
    }

    #[test]
    fn clocks_and_limits_keep_their_numbers() {
        let line = "go wtime 1 btime 2 winc 3 binc 4 movestogo 5 depth 6 nodes 7 mate 8";
        let milliseconds = |number| Some(Duration::from_millis(number));
        let mut expected = Go {
            clocks: Clocks {
                time: [milliseconds(1), milliseconds(2)],
                increment: [milliseconds(3), milliseconds(4)],
                moves_to_go: Some(5),
            },
            depth: Some(6),
            nodes: Some(7),
            mate: Some(8),
            ..Go::default()
        };
        assert_eq!(carried(line), Some(Command::Go(expected.clone())));
        // `movestogo 0`: there is no next control.
        expected.clocks.moves_to_go = None;
        let line = line.replace("movestogo 5", "movestogo 0");
        assert_eq!(carried(&line), Some(Command::Go(expected)));
    }

    #[test]
    fn a_position_keeps_its_start_and_its_moves() {
        let fen = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b - - 0 1";
        for (start, text) in [
            (Start::StartPos, "startpos".to_owned()),
            (Start::Fen(fen.to_owned()), format!("fen {fen}")),
        ] {
            let moves = vec!["h7h6".to_owned(), "a2a3".to_owned()];
            let line = format!("position {text} moves h7h6 a2a3");
            assert_eq!(carried(&line), Some(Command::Position { start, moves }));
        }
    }
}
