//! Lines of the protocol as typed commands. Pure: nothing is done here.
//!
//! The standard messages are read by `vampirc-uci` ([`super::envelope`]); this
//! is the dialect layer for what it cannot express: boards of other sizes,
//! short FENs, large numbers, limits in any combination, and the extensions.

use super::envelope;
use std::time::Duration;

/// Where a `position` command starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of the game and board that are set.
    StartPos,
    /// A position's text.
    Fen(String),
}

/// The clocks of both sides, as far as they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Time left, White's and Black's. Overdrawn clocks are zero.
    pub time: [Option<Duration>; 2],
    /// Time gained a move, White's and Black's.
    pub increment: [Option<Duration>; 2],
    /// Moves to the next control.
    pub moves_to_go: Option<u32>,
}

/// A `go` command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Only these root moves; empty is all.
    pub search_moves: Vec<String>,
    /// Think on the enemy's time.
    pub ponder: bool,
    /// Until stopped.
    pub infinite: bool,
    /// The game clocks.
    pub clocks: Clocks,
    /// Greatest depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Moves to a win.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// Count leaves to this depth instead, in plies.
    pub perft: Option<u32>,
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
    /// Search.
    Go(Go),
    /// End the search.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// Leave.
    Quit,
    /// Registration, which nobody needs.
    Register,
    /// Show the board.
    Display,
    /// List the legal moves.
    Moves,
    /// Show the static evaluation.
    Eval,
    /// Run the benchmark to a depth.
    Bench(Option<u32>),
    /// Count leaves.
    Perft(u32),
    /// Exchange colours.
    Flip,
    /// List the commands.
    Help,
    /// An empty line.
    Nothing,
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it, for people.
pub fn parse(line: &str) -> Result<Command, String> {
    let tokens: Vec<&str> = line.split_whitespace().collect();
    let Some((first, rest)) = tokens.split_first() else {
        return Ok(Command::Nothing);
    };
    if let Some(command) = envelope::read(&tokens) {
        return Ok(command);
    }
    match first.to_ascii_lowercase().as_str() {
        "position" => position(rest),
        "go" => go(rest).map(Command::Go),
        "d" => Ok(Command::Display),
        "moves" => Ok(Command::Moves),
        "eval" => Ok(Command::Eval),
        "flip" => Ok(Command::Flip),
        "help" => Ok(Command::Help),
        "register" => Ok(Command::Register),
        "bench" => {
            let depth = rest.first().map(|text| number(text, "bench")).transpose()?;
            Ok(Command::Bench(depth))
        }
        "perft" => {
            let depth = rest.first().ok_or("perft needs a depth")?;
            Ok(Command::Perft(number(depth, "perft")?))
        }
        "debug" => Err("debug takes on or off".to_owned()),
        "setoption" => set_option(rest),
        _ => unknown(&tokens),
    }
}

/// As UCI says: a line that begins with an unknown token is read from the
/// first token that is known. A line that is not is named.
fn unknown(tokens: &[&str]) -> Result<Command, String> {
    const KNOWN: [&str; 17] = [
        "uci",
        "debug",
        "isready",
        "setoption",
        "ucinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "quit",
        "register",
        "d",
        "moves",
        "eval",
        "bench",
        "perft",
        "flip",
    ];
    let known = tokens
        .iter()
        .skip(1)
        .position(|token| KNOWN.contains(&token.to_ascii_lowercase().as_str()));
    match known {
        Some(index) => parse(&tokens[index + 1..].join(" ")),
        None => Err(format!(
            "unknown command '{}'",
            shortened(&tokens.join(" "))
        )),
    }
}

/// A line for a message: not longer than a terminal is wide.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 60;
    if text.chars().count() <= LENGTH {
        text.to_owned()
    } else {
        text.chars().take(LENGTH).chain("...".chars()).collect()
    }
}

fn set_option(tokens: &[&str]) -> Result<Command, String> {
    let keyword = |word: &str| {
        tokens
            .iter()
            .position(|token| token.eq_ignore_ascii_case(word))
    };
    let name = keyword("name").ok_or("setoption needs: name NAME [value VALUE]")?;
    let value = keyword("value").filter(|&value| value > name);
    let text = |part: &[&str]| part.join(" ");
    let name = text(&tokens[name + 1..value.unwrap_or(tokens.len())]);
    if name.is_empty() {
        return Err("setoption without a name".to_owned());
    }
    Ok(Command::SetOption {
        name,
        value: value.map(|value| text(&tokens[value + 1..])),
    })
}

fn position(tokens: &[&str]) -> Result<Command, String> {
    let moves_at = tokens
        .iter()
        .position(|token| token.eq_ignore_ascii_case("moves"));
    let (start, moves) = tokens.split_at(moves_at.unwrap_or(tokens.len()));
    let moves = moves.iter().skip(1).map(|&mv| mv.to_owned()).collect();
    let start = match start.split_first() {
        Some((word, [])) if word.eq_ignore_ascii_case("startpos") => Start::StartPos,
        Some((word, fen)) if word.eq_ignore_ascii_case("fen") => Start::Fen(fen.join(" ")),
        Some((word, [extra, ..])) if word.eq_ignore_ascii_case("startpos") => {
            return Err(format!(
                "position startpos: expected moves, found '{extra}'"
            ));
        }
        Some((word, _)) => {
            return Err(format!(
                "position: expected startpos or fen, found '{}'",
                shortened(word)
            ));
        }
        None => return Err("position needs startpos or fen".to_owned()),
    };
    Ok(Command::Position { start, moves })
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{what}: '{}' is not a number in range", shortened(text)))
}

/// Milliseconds; clocks may be overdrawn, which counts as no time left.
fn milliseconds(text: &str, what: &str) -> Result<Duration, String> {
    let number: i64 = number(text, what)?;
    Ok(Duration::from_millis(number.max(0) as u64))
}

const GO_WORDS: [&str; 13] = [
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
    "perft",
];

fn is_go_word(token: &str) -> bool {
    GO_WORDS.iter().any(|word| token.eq_ignore_ascii_case(word))
}

fn go(tokens: &[&str]) -> Result<Go, String> {
    let mut go = Go::default();
    let mut rest = tokens.iter().copied().peekable();
    while let Some(token) = rest.next() {
        let word = token.to_ascii_lowercase();
        if !is_go_word(&word) {
            // Unknown tokens are passed over, as UCI says.
            continue;
        }
        match word.as_str() {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = rest.next_if(|token| !is_go_word(token)) {
                    go.search_moves.push(mv.to_owned());
                }
                if go.search_moves.is_empty() {
                    return Err("go searchmoves without a move".to_owned());
                }
            }
            _ => {
                let value = rest
                    .next_if(|token| !is_go_word(token))
                    .ok_or_else(|| format!("go {word} needs a number"))?;
                set_limit(&mut go, &word, value)?;
            }
        }
    }
    Ok(go)
}

fn set_limit(go: &mut Go, word: &str, value: &str) -> Result<(), String> {
    let what = format!("go {word}");
    let time = || milliseconds(value, &what).map(Some);
    match word {
        "wtime" => go.clocks.time[0] = time()?,
        "btime" => go.clocks.time[1] = time()?,
        "winc" => go.clocks.increment[0] = time()?,
        "binc" => go.clocks.increment[1] = time()?,
        "movetime" => go.move_time = time()?,
        // A control that is reached counts as none given.
        "movestogo" => go.clocks.moves_to_go = Some(number(value, &what)?).filter(|&n| n > 0),
        "depth" => go.depth = Some(number(value, &what)?),
        "nodes" => go.nodes = Some(number(value, &what)?),
        "mate" => go.mate = Some(number(value, &what)?),
        _ => go.perft = Some(number(value, &what)?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn blanks_case_and_unknown_tokens_are_as_uci_says() {
        assert_eq!(parse("  \t\r"), Ok(Command::Nothing));
        assert_eq!(parse("  IsReady\r"), Ok(Command::IsReady));
        assert_eq!(parse("joho isready"), Ok(Command::IsReady));
        assert_eq!(go_of("GO   Depth\t5  movestogo 0").depth, Some(5));
        assert_eq!(go_of("go bright depth 5").depth, Some(5));
        assert_eq!(go_of("go"), Go::default());
        assert_eq!(parse("xyzzy"), Err("unknown command 'xyzzy'".to_owned()));
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
    fn faults_are_named() {
        for (line, fault) in [
            ("go depth", "go depth needs a number"),
            ("go depth x", "go depth: 'x' is not a number in range"),
            ("go nodes -1", "go nodes: '-1' is not a number in range"),
            ("go searchmoves", "go searchmoves without a move"),
            ("position", "position needs startpos or fen"),
            (
                "position here",
                "position: expected startpos or fen, found 'here'",
            ),
            (
                "position startpos a2a3",
                "position startpos: expected moves, found 'a2a3'",
            ),
            ("perft", "perft needs a depth"),
            (
                "setoption Hash 5",
                "setoption needs: name NAME [value VALUE]",
            ),
            ("setoption name value 5", "setoption without a name"),
            ("debug maybe", "debug takes on or off"),
        ] {
            assert_eq!(parse(line), Err(fault.to_owned()), "{line}");
        }
    }
}
