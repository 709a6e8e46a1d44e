//! The commands, and how lines are read as commands. Nothing is executed here.
//!
//! `vampirc-uci` reads the standard messages and writes the standard answers: what UCI
//! says about them is not ours to interpret. Its types have no room for boards of other
//! sizes, short FENs, limits in any combination and large numbers, so `position`, `go`
//! and the extensions are read here.

use crate::engine::{Clock, Limits, Side, Start, Variant};
use std::num::IntErrorKind;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;
use vampirc_uci::{UciMessage, parse_one};

/// The format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// For people.
    Text,
    /// For programs: a JSON object on one line.
    Json,
}

/// What a line asks for, by the words of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption {
        name: String,
        value: Option<String>,
    },
    NewGame,
    Position {
        start: Start,
        moves: Vec<String>,
    },
    Play(Vec<String>),
    /// Take back this many moves.
    Undo(usize),
    /// Replay this many moves that were taken back.
    Redo(usize),
    Go(Go),
    Stop,
    PonderHit,
    Quit,
    Display(OutputFormat),
    Moves,
    /// Show what moves would do, without playing them.
    Line(Vec<String>),
    Eval(OutputFormat),
    /// The game, by default the current one, and the depth.
    Bench(Option<Variant>, Option<u32>),
    Perft(u32),
    Flip,
    Help,
    /// An empty line, or one that is accepted and ignored.
    Nothing,
}

/// Why a command is refused, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum CommandError {
    #[error("{0}")]
    Other(String),
    #[error("position refused: {0}")]
    Position(String),
    #[error("{0}")]
    Go(String),
}

impl From<String> for CommandError {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

/// A command, or why its line is refused.
pub(super) type Request = Result<Command, CommandError>;

/// Whether it is carried out during work; anything else waits for its end.
pub(super) const fn is_immediate(request: &Request) -> bool {
    use Command::{Debug, Help, IsReady, Nothing, PonderHit, Quit, Stop, Uci};
    matches!(
        request,
        Ok(Uci | Debug(_) | IsReady | Stop | PonderHit | Quit | Help | Nothing)
            | Err(CommandError::Other(_))
    )
}

/// The clocks of both sides, as far as they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clocks {
    /// Time left, White's and Black's. Overdrawn clocks are zero.
    pub(crate) time: [Option<Duration>; 2],
    /// Time gained per move, White's and Black's.
    pub(crate) increment: [Option<Duration>; 2],
    /// Moves to the next control.
    pub(crate) moves_to_go: Option<u32>,
}

/// A `go` command, by the words of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) struct Go {
    /// Only these root moves; empty is all.
    pub(crate) search_moves: Vec<String>,
    pub(crate) ponder: bool,
    pub(crate) infinite: bool,
    pub(crate) clocks: Clocks,
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) mate: Option<u32>,
    pub(crate) move_time: Option<Duration>,
    /// Count leaves to this depth instead.
    pub(crate) perft: Option<u32>,
    /// Search with the turn passed, to see what the other side threatens.
    pub(crate) pass: bool,
    /// Prove who wins instead, within the limits of nodes and time.
    pub(crate) prove: bool,
}

impl Go {
    /// The limits for the side that moves in the search, which is not the side
    /// to move if the turn is passed. If only the other side's clock is given,
    /// this side's is assumed to be the same.
    pub(super) fn limits(&self, side: Side) -> Limits {
        let Clocks {
            time,
            increment,
            moves_to_go,
        } = self.clocks;
        let (own, other) = (side.index(), (!side).index());
        let clock = match (time[own], time[other]) {
            (Some(remaining), _) => Some((remaining, increment[own])),
            (None, Some(remaining)) => Some((remaining, increment[own].or(increment[other]))),
            (None, None) => None,
        };
        let clock = clock.map(|(remaining, increment)| Clock {
            remaining,
            increment: increment.unwrap_or(Duration::ZERO),
            moves_to_go,
        });
        let mut limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.move_time,
            clock,
            mate: self.mate,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves: Vec::new(),
        };
        // Without a limit it thinks until it is stopped, ponder hit or not.
        limits.infinite = !limits.is_bounded();
        limits
    }
}

/// How what follows the word of a command is read.
type Reader = fn(&str, &[&str]) -> Request;

/// The words that begin a command.
const COMMANDS: [(&str, Reader); 22] = [
    ("uci", alone),
    ("debug", standard),
    ("isready", alone),
    ("setoption", standard),
    ("ucinewgame", alone),
    ("position", position),
    ("play", |word, rest| moves(word, rest).map(Command::Play)),
    ("undo", |word, rest| plies(word, rest).map(Command::Undo)),
    ("redo", |word, rest| plies(word, rest).map(Command::Redo)),
    ("go", |_, rest| {
        go(rest).map(Command::Go).map_err(CommandError::Go)
    }),
    ("stop", alone),
    ("ponderhit", alone),
    ("quit", alone),
    // There is nothing to register.
    ("register", |_, _| Ok(Command::Nothing)),
    ("d", |word, rest| {
        format_of(word, rest).map(Command::Display)
    }),
    ("moves", |word, rest| bare(word, rest, Command::Moves)),
    ("line", |word, rest| moves(word, rest).map(Command::Line)),
    ("eval", |word, rest| {
        format_of(word, rest).map(Command::Eval)
    }),
    ("bench", bench),
    ("perft", perft),
    ("flip", |word, rest| bare(word, rest, Command::Flip)),
    ("help", |word, rest| bare(word, rest, Command::Help)),
];

/// The longest quotation of a line in a message, to fit the width of a terminal.
const QUOTED: usize = 60;

/// The text, cut to this many characters.
pub(super) fn shortened(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

fn quoted(tokens: &[&str]) -> String {
    shortened(&tokens.join(" "), QUOTED)
}

/// Reads a line.
pub(crate) fn parse(line: &str) -> Request {
    // Some programs begin with a byte order mark. Other white space than ASCII's,
    // such as no-break spaces, is text like any other.
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let tokens: Vec<&str> = line.split_ascii_whitespace().collect();
    // As UCI says, a line is read from its first known word on.
    for (at, token) in tokens.iter().enumerate() {
        let is_named = |(word, _): &&(&str, Reader)| token.eq_ignore_ascii_case(word);
        if let Some((word, read)) = COMMANDS.iter().find(is_named) {
            return read(word, &tokens[at + 1..]);
        }
    }
    if tokens.is_empty() {
        return Ok(Command::Nothing);
    }
    let text = quoted(&tokens);
    Err(CommandError::Other(format!("unknown command '{text}'")))
}

/// Reads a standard message.
fn standard(word: &str, rest: &[&str]) -> Request {
    let words = [&[word], rest].concat();
    match parse_one(&words.join(" ")) {
        UciMessage::Uci => Ok(Command::Uci),
        UciMessage::Debug(on) => Ok(Command::Debug(on)),
        UciMessage::IsReady => Ok(Command::IsReady),
        UciMessage::UciNewGame => Ok(Command::NewGame),
        UciMessage::Stop => Ok(Command::Stop),
        UciMessage::PonderHit => Ok(Command::PonderHit),
        UciMessage::Quit => Ok(Command::Quit),
        UciMessage::SetOption { name, value } => Ok(Command::SetOption { name, value }),
        _ => {
            let form = match word {
                "debug" => "debug takes on or off",
                _ => "setoption needs: name NAME [value VALUE]",
            };
            Err(CommandError::Other(form.to_owned()))
        }
    }
}

/// Reads a standard message of one word. What follows is ignored, as other engines do:
/// whoever sends these waits for an answer.
fn alone(word: &str, _: &[&str]) -> Request {
    standard(word, &[])
}

fn bench(word: &str, rest: &[&str]) -> Request {
    let variant = rest.first().and_then(|name| Variant::by_name(name));
    let depth = only_number(word, &rest[usize::from(variant.is_some())..])?;
    Ok(Command::Bench(variant, depth))
}

fn perft(word: &str, rest: &[&str]) -> Request {
    match only_number(word, rest)? {
        Some(depth) => Ok(Command::Perft(depth)),
        None => Err(format!("{word} needs a depth").into()),
    }
}

/// Reads an extension that takes no arguments.
fn bare(word: &str, rest: &[&str], command: Command) -> Request {
    if rest.is_empty() {
        return Ok(command);
    }
    Err(format!("{word} takes nothing, not '{}'", quoted(rest)).into())
}

fn texts(tokens: &[&str]) -> Vec<String> {
    tokens.iter().map(|&token| token.to_owned()).collect()
}

/// At least one move.
fn moves(word: &str, tokens: &[&str]) -> Result<Vec<String>, CommandError> {
    if tokens.is_empty() {
        return Err(format!("{word} needs a move").into());
    }
    Ok(texts(tokens))
}

/// The requested format of the answer.
fn format_of(word: &str, tokens: &[&str]) -> Result<OutputFormat, CommandError> {
    match tokens {
        [] => Ok(OutputFormat::Text),
        [format] if format.eq_ignore_ascii_case("json") => Ok(OutputFormat::Json),
        _ => Err(format!("{word} takes json or nothing, not '{}'", quoted(tokens)).into()),
    }
}

fn number<T: FromStr>(text: &str, what: &str) -> Result<T, String> {
    let error = || format!("{what}: '{}' is not a number in range", quoted(&[text]));
    text.parse().map_err(|_| error())
}

/// The only number after a command, if there is one.
fn only_number<T: FromStr>(word: &str, tokens: &[&str]) -> Result<Option<T>, CommandError> {
    match tokens {
        [] => Ok(None),
        [text] => Ok(Some(number(text, word)?)),
        _ => Err(format!("{word} takes one number, not '{}'", quoted(tokens)).into()),
    }
}

/// How many moves to take back or replay.
fn plies(word: &str, tokens: &[&str]) -> Result<usize, CommandError> {
    Ok(only_number(word, tokens)?.unwrap_or(1))
}

fn position(_: &str, tokens: &[&str]) -> Request {
    let (start, moves) = game(tokens).map_err(CommandError::Position)?;
    Ok(Command::Position { start, moves })
}

/// A position's start and the moves from there.
fn game(tokens: &[&str]) -> Result<(Start, Vec<String>), String> {
    let moves_at = tokens
        .iter()
        .position(|token| token.eq_ignore_ascii_case("moves"));
    let (start, moves) = tokens.split_at(moves_at.unwrap_or(tokens.len()));
    let moves = texts(moves.get(1..).unwrap_or_default());
    let start = match start.split_first() {
        Some((word, [])) if word.eq_ignore_ascii_case("startpos") => Start::StartPos,
        Some((word, fen)) if word.eq_ignore_ascii_case("fen") => Start::Fen(fen.join(" ")),
        Some((word, [extra, ..])) if word.eq_ignore_ascii_case("startpos") => {
            let found = quoted(&[extra]);
            return Err(format!("expected moves after startpos, found '{found}'"));
        }
        Some((word, _)) => {
            let found = quoted(&[word]);
            return Err(format!("expected startpos or fen, found '{found}'"));
        }
        None => return Err("expected startpos or fen".to_owned()),
    };
    Ok((start, moves))
}

/// A word of `go`: what it sets, and what follows it.
enum GoWord {
    Flag(fn(&mut Go)),
    SearchMoves,
    /// A number; one that is too large counts as the largest, for whoever sends that
    /// means no limit.
    Limit(fn(&mut Go, u64)),
    /// The same, but a negative one counts as 0: a clock may be overdrawn.
    Clock(fn(&mut Go, u64)),
    Perft,
}

fn go_word(token: &str) -> Option<GoWord> {
    use GoWord::{Clock, Flag, Limit, Perft, SearchMoves};
    const fn ms(number: u64) -> Option<Duration> {
        Some(Duration::from_millis(number))
    }
    fn narrow(number: u64) -> u32 {
        u32::try_from(number).unwrap_or(u32::MAX)
    }
    Some(match token.to_ascii_lowercase().as_str() {
        "searchmoves" => SearchMoves,
        "ponder" => Flag(|go| go.ponder = true),
        "infinite" => Flag(|go| go.infinite = true),
        "pass" => Flag(|go| go.pass = true),
        "prove" => Flag(|go| go.prove = true),
        "wtime" => Clock(|go, number| go.clocks.time[0] = ms(number)),
        "btime" => Clock(|go, number| go.clocks.time[1] = ms(number)),
        "winc" => Clock(|go, number| go.clocks.increment[0] = ms(number)),
        "binc" => Clock(|go, number| go.clocks.increment[1] = ms(number)),
        "movetime" => Clock(|go, number| go.move_time = ms(number)),
        // A control that has been reached counts as none.
        "movestogo" => Clock(|go, number| {
            go.clocks.moves_to_go = Some(narrow(number)).filter(|&moves| moves > 0);
        }),
        "depth" => Limit(|go, number| go.depth = Some(narrow(number))),
        "nodes" => Limit(|go, number| go.nodes = Some(number)),
        "mate" => Limit(|go, number| go.mate = Some(narrow(number))),
        "perft" => Perft,
        _ => return None,
    })
}

fn go(tokens: &[&str]) -> Result<Go, String> {
    let mut go = Go::default();
    let mut rest = tokens.iter().copied().peekable();
    while let Some(token) = rest.next() {
        let Some(word) = go_word(token) else {
            // UCI says to ignore unknown tokens.
            continue;
        };
        let what = format!("go {}", token.to_ascii_lowercase());
        let mut value = || {
            let value = rest.next_if(|token| go_word(token).is_none());
            value.ok_or_else(|| format!("{what} needs a number"))
        };
        match word {
            GoWord::Flag(set) => set(&mut go),
            GoWord::SearchMoves => {
                // Here `pass` is the move of Freeling's game.
                let is_move =
                    |token: &str| token.eq_ignore_ascii_case("pass") || go_word(token).is_none();
                while let Some(mv) = rest.next_if(|token| is_move(token)) {
                    go.search_moves.push(mv.to_owned());
                }
                if go.search_moves.is_empty() {
                    return Err("go searchmoves without a move".to_owned());
                }
            }
            GoWord::Limit(set) => set(&mut go, limit(value()?, &what)?),
            GoWord::Clock(set) => set(&mut go, limit_from_zero(value()?, &what)?),
            GoWord::Perft => go.perft = Some(number(value()?, &what)?),
        }
    }
    if go.pass && (go.prove || go.perft.is_some()) {
        return Err("go pass cannot be combined with prove or perft".to_owned());
    }
    Ok(go)
}

/// As [`GoWord::Limit`] says.
fn limit(text: &str, what: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(u64::MAX),
        _ => number(text, what),
    }
}

/// As [`GoWord::Clock`] says.
fn limit_from_zero(text: &str, what: &str) -> Result<u64, String> {
    let is_negative = text.strip_prefix('-').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if is_negative {
        Ok(0)
    } else {
        limit(text, what)
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::HELP;
    use super::*;

    fn refused(reason: &str) -> Request {
        Err(CommandError::Other(reason.to_owned()))
    }

    #[test]
    fn blanks_case_and_unknown_tokens_are_as_uci_says() {
        assert_eq!(parse("  \t\r"), Ok(Command::Nothing));
        assert_eq!(parse("  IsReady\r"), Ok(Command::IsReady));
        assert_eq!(parse("joho isready"), Ok(Command::IsReady));
        assert_eq!(parse("joho isready now"), Ok(Command::IsReady));
        assert_eq!(parse("stop quit"), Ok(Command::Stop));
        assert_eq!(parse("joho register"), Ok(Command::Nothing));
        assert_eq!(parse("xyzzy"), refused("unknown command 'xyzzy'"));
        // No-break, ideographic and zero-width spaces separate nothing.
        for space in ['\u{a0}', '\u{3000}', '\u{2003}', '\u{200b}'] {
            let line = format!("go{space}depth 5");
            assert_eq!(parse(&line), refused(&format!("unknown command '{line}'")));
            let set = parse(&format!("setoption name Log File value a{space}b"));
            let value = Some(format!("a{space}b"));
            let name = "Log File".to_owned();
            assert_eq!(set, Ok(Command::SetOption { name, value }));
        }
    }

    #[test]
    fn positions_of_any_size_and_form() {
        for (line, start, count) in [
            ("position startpos", Start::StartPos, 0),
            ("position startpos moves", Start::StartPos, 0),
            ("position  startpos moves a2a3  b7b6", Start::StartPos, 2),
            (
                "position fen pp/pp/2/PP/PP w",
                Start::Fen("pp/pp/2/PP/PP w".into()),
                0,
            ),
            (
                "position fen x w 0 1 moves j9j10",
                Start::Fen("x w 0 1".into()),
                1,
            ),
        ] {
            match parse(line) {
                Ok(Command::Position {
                    start: found,
                    moves,
                }) => {
                    assert_eq!((found, moves.len()), (start, count), "{line}");
                }
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn refusals_name_the_error() {
        for (line, reason) in [
            ("perft", "perft needs a depth"),
            ("play", "play needs a move"),
            ("line", "line needs a move"),
            ("d jsno", "d takes json or nothing, not 'jsno'"),
            ("d json x", "d takes json or nothing, not 'json x'"),
            ("flip now", "flip takes nothing, not 'now'"),
            ("moves a2a3 b2b3", "moves takes nothing, not 'a2a3 b2b3'"),
            ("help go", "help takes nothing, not 'go'"),
            ("perft 3 4", "perft takes one number, not '3 4'"),
            ("undo 1 x", "undo takes one number, not '1 x'"),
            ("bench freeling 3 x", "bench takes one number, not '3 x'"),
            ("bench 16 1 13", "bench takes one number, not '16 1 13'"),
            ("eval all", "eval takes json or nothing, not 'all'"),
            ("undo all", "undo: 'all' is not a number in range"),
            ("redo -1", "redo: '-1' is not a number in range"),
            (
                "setoption Hash 5",
                "setoption needs: name NAME [value VALUE]",
            ),
            (
                "setoption name value 5",
                "setoption needs: name NAME [value VALUE]",
            ),
            ("setoption name", "setoption needs: name NAME [value VALUE]"),
            ("debug maybe", "debug takes on or off"),
        ] {
            assert_eq!(parse(line), refused(reason), "{line}");
        }
        for (line, reason) in [
            ("position", "expected startpos or fen"),
            ("position here", "expected startpos or fen, found 'here'"),
            (
                "position here a2a3",
                "expected startpos or fen, found 'here'",
            ),
            (
                "position startpos a2a3",
                "expected moves after startpos, found 'a2a3'",
            ),
        ] {
            let refusal = CommandError::Position(reason.to_owned());
            assert_eq!(parse(line), Err(refusal), "{line}");
        }
        for (line, reason) in [
            (
                "go prove pass",
                "go pass cannot be combined with prove or perft",
            ),
            ("go depth", "go depth needs a number"),
            ("go depth x", "go depth: 'x' is not a number in range"),
            ("go nodes 1e6", "go nodes: '1e6' is not a number in range"),
            ("go nodes -1", "go nodes: '-1' is not a number in range"),
            ("go wtime -", "go wtime: '-' is not a number in range"),
            ("go perft -1", "go perft: '-1' is not a number in range"),
            ("go searchmoves", "go searchmoves without a move"),
        ] {
            let refusal = CommandError::Go(reason.to_owned());
            assert_eq!(parse(line), Err(refusal), "{line}");
        }
    }

    /// A line is not read again for each of its words: the stack is finite.
    #[test]
    fn lines_of_one_word_over_and_over() {
        for word in WORDS {
            let line = format!("{word} ").repeat(50_000) + "x";
            for line in [&line, &format!("joho {line}")] {
                let _ = parse(line);
            }
        }
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        assert_eq!(parse("\u{feff}uci"), Ok(Command::Uci));
        assert_eq!(parse("\u{feff} go"), Ok(Command::Go(Go::default())));
        assert_eq!(parse("\u{feff}"), Ok(Command::Nothing));
    }

    #[test]
    fn options_have_names_and_values_of_several_words() {
        for (line, name, value) in [
            ("setoption name Hash value 64", "Hash", Some("64")),
            ("setoption name Clear Hash", "Clear Hash", None),
            ("SetOption Name Hash Value", "Hash", None),
            (
                "setoption name Log  File value a b  value",
                "Log File",
                Some("a b value"),
            ),
        ] {
            let set = Command::SetOption {
                name: name.to_owned(),
                value: value.map(str::to_owned),
            };
            assert_eq!(parse(line), Ok(set), "{line}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("\u{fffd}\u{fffd}x", 2), "\u{fffd}\u{fffd}...");
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in ".{0,80}") {
            let _ = parse(&line);
        }

        #[test]
        fn lines_of_words_and_numbers_are_read_or_refused(
            words in proptest::collection::vec(
                proptest::sample::select(&WORDS[..]), 1..9),
            number in proptest::num::i128::ANY,
        ) {
            let line = words.join(" ").replace('#', &number.to_string());
            let _ = parse(&line);
        }
    }

    fn go_of(line: &str) -> Go {
        match parse(line) {
            Ok(Command::Go(go)) => go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn all_limits_are_taken_together() {
        let go = go_of(
            "go searchmoves a2a3 b2c3 ponder wtime 1000 btime -5 winc 10 binc 20 movestogo 3 \
             depth 99999 nodes 5000000000000 mate 4 movetime 77",
        );
        let ms = Duration::from_millis;
        assert_eq!(go.search_moves, ["a2a3", "b2c3"]);
        assert!(go.ponder && !go.infinite);
        assert_eq!(go.clocks.time, [Some(ms(1000)), Some(ms(0))]);
        assert_eq!(go.clocks.increment, [Some(ms(10)), Some(ms(20))]);
        assert_eq!(go.clocks.moves_to_go, Some(3));
        assert_eq!(go.depth, Some(99_999));
        assert_eq!(go.nodes, Some(5_000_000_000_000));
        assert_eq!((go.mate, go.move_time), (Some(4), Some(ms(77))));
    }

    #[test]
    fn numbers_that_are_too_large_are_the_largest_and_negative_times_are_zero() {
        let longer = "9".repeat(50);
        for (number, moves_to_go, wide) in [
            ("-5", None, 0),
            ("0", None, 0),
            ("4294967296", Some(u32::MAX), 1 << 32),
            ("18446744073709551616", Some(u32::MAX), u64::MAX),
            (longer.as_str(), Some(u32::MAX), u64::MAX),
            (&format!("-{longer}"), None, 0),
        ] {
            let line = "go movestogo N wtime N binc N movetime N";
            let go = go_of(&line.replace('N', number));
            let time = Some(Duration::from_millis(wide));
            assert_eq!(go.clocks.moves_to_go, moves_to_go, "{number}");
            assert_eq!((go.clocks.time[0], go.move_time), (time, time), "{number}");
            assert_eq!(go.clocks.increment[1], time, "{number}");
            if !number.starts_with('-') {
                let go = go_of(&"go depth N mate N nodes N".replace('N', number));
                assert_eq!(go.depth, Some(moves_to_go.unwrap_or(0)), "{number}");
                assert_eq!((go.mate, go.nodes), (go.depth, Some(wide)), "{number}");
            }
        }
    }

    fn command_words() -> impl Iterator<Item = &'static str> {
        COMMANDS.into_iter().map(|(word, _)| word)
    }

    #[test]
    fn every_command_is_specified_and_in_the_help() {
        let specification = include_str!("../../protocol.md");
        for command in command_words().chain(["go prove", "go pass"]) {
            assert!(specification.contains(&format!("`{command}")), "{command}");
        }
        for word in command_words().chain(["freeling", "pass"]) {
            let mut words = HELP.split(|c: char| !c.is_ascii_alphanumeric());
            assert!(words.any(|found| found == word), "{word}");
        }
        for command in command_words() {
            let known = parse(command).map_err(|error| error.to_string());
            assert!(known != Err(format!("unknown command '{command}'")));
        }
    }

    #[test]
    fn unknown_tokens_are_passed_over() {
        assert_eq!(go_of("GO   Depth\t5  movestogo 0").depth, Some(5));
        assert_eq!(go_of("go bright depth 5").depth, Some(5));
        assert_eq!(go_of("go"), Go::default());
    }

    #[test]
    fn pass_is_a_word_of_its_own_and_a_move_to_search() {
        let go = go_of("go depth 3 pass searchmoves a1b2 pass depth 4");
        assert!(go.pass);
        assert_eq!(go.depth, Some(4));
        assert_eq!(go.search_moves, ["a1b2", "pass"]);
        assert!(!go_of("go searchmoves PASS nodes 5").pass);
    }

    #[test]
    fn a_clock_that_is_missing_is_like_the_one_given() {
        let clock = |line: &str, side| {
            let clock = go_of(line).limits(side).clock.unwrap();
            (clock.remaining.as_millis(), clock.increment.as_millis())
        };
        for (line, white, black) in [
            ("go wtime 1000 winc 10", (1000, 10), (1000, 10)),
            ("go btime 1000 binc 10", (1000, 10), (1000, 10)),
            ("go btime 1000 winc 7 binc 10", (1000, 7), (1000, 10)),
            ("go wtime 500 btime 1000 binc 10", (500, 0), (1000, 10)),
        ] {
            assert_eq!(clock(line, Side::White), white, "{line}");
            assert_eq!(clock(line, Side::Black), black, "{line}");
        }
    }

    #[test]
    fn a_search_without_a_limit_is_infinite() {
        for (line, infinite, bounded) in [
            ("go", true, false),
            ("go infinite depth 3", true, false),
            ("go ponder", true, false),
            ("go ponder depth 3", false, true),
            ("go depth 3", false, true),
            ("go mate 3", false, true),
            ("go wtime 1000", false, true),
            ("go btime 1000 binc 10", false, true),
            ("go binc 10 movestogo 5", true, false),
        ] {
            let limits = go_of(line).limits(Side::White);
            assert_eq!(
                (limits.infinite, limits.is_bounded()),
                (infinite, bounded),
                "{line}"
            );
        }
    }

    /// The words of nearly valid lines; `#` becomes a number.
    const WORDS: [&str; 45] = [
        "uci",
        "debug",
        "on",
        "isready",
        "setoption",
        "name",
        "Hash",
        "value",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "moves",
        "play",
        "undo",
        "redo",
        "a2a3",
        "b7b6",
        "j9j10",
        "go",
        "searchmoves",
        "ponder",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "infinite",
        "stop",
        "ponderhit",
        "quit",
        "register",
        "bench",
        "perft",
        "#",
        "300",
        "999",
        "-1",
        "99999999999999999999",
        "w",
        "pp/pp/2/PP/PP",
    ];
}
