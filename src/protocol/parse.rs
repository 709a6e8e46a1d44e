//! Parsing a line. Pure: nothing is executed here.
//!
//! The standard messages are read by `vampirc-uci` ([`super::envelope`]); this
//! is the dialect layer for what it cannot express: boards of other sizes,
//! short FENs, large numbers, limits in any combination, and the extensions.

use super::command::{Command, Form};
use super::words::{number, shortened};
use super::{envelope, go};
use crate::engine::{Start, Variant};

/// The words that begin a command.
pub const COMMANDS: [&str; 22] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "ucinewgame",
    "position",
    "play",
    "undo",
    "redo",
    "go",
    "stop",
    "ponderhit",
    "quit",
    "register",
    "d",
    "moves",
    "line",
    "eval",
    "bench",
    "perft",
    "flip",
    "help",
];

/// Reads a line.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(line: &str) -> Result<Command, String> {
    // Other white space, such as no-break spaces, is text like any other.
    let tokens: Vec<&str> = line.split_ascii_whitespace().collect();
    let Some((first, rest)) = tokens.split_first() else {
        return Ok(Command::Nothing);
    };
    if let Some(command) = envelope::read(&tokens) {
        return Ok(command);
    }
    match first.to_ascii_lowercase().as_str() {
        "position" => Ok(position(rest).unwrap_or_else(Command::RefusedPosition)),
        "go" => Ok(go::parse(rest).map_or_else(Command::RefusedGo, Command::Go)),
        "play" if rest.is_empty() => Err("play needs a move".to_owned()),
        "play" => Ok(Command::Play(texts(rest))),
        "undo" => Ok(Command::Undo(one("undo", rest)?.unwrap_or(1))),
        "redo" => Ok(Command::Redo(one("redo", rest)?.unwrap_or(1))),
        "d" => Ok(Command::Display(form("d", rest)?)),
        "line" if rest.is_empty() => Err("line needs a move".to_owned()),
        "line" => Ok(Command::Line(texts(rest))),
        "moves" => alone(Command::Moves, "moves", rest),
        "eval" => Ok(Command::Eval(form("eval", rest)?)),
        "flip" => alone(Command::Flip, "flip", rest),
        "help" => alone(Command::Help, "help", rest),
        "register" => Ok(Command::Register),
        "bench" => {
            let variant = rest.first().and_then(|name| Variant::by_name(name));
            let depth = one("bench", &rest[usize::from(variant.is_some())..])?;
            Ok(Command::Bench(variant, depth))
        }
        "perft" => {
            let depth = one("perft", rest)?.ok_or("perft needs a depth")?;
            Ok(Command::Perft(depth))
        }
        "debug" => Err("debug takes on or off".to_owned()),
        "setoption" => set_option(rest),
        _ => unknown(&tokens),
    }
}

/// As UCI says, a line that begins with an unknown token is read from the first
/// known one. If there is none, the error quotes the line.
fn unknown(tokens: &[&str]) -> Result<Command, String> {
    let known = tokens
        .iter()
        .skip(1)
        .position(|token| COMMANDS.contains(&token.to_ascii_lowercase().as_str()));
    match known {
        Some(index) => parse(&tokens[index + 1..].join(" ")),
        None => Err(format!(
            "unknown command '{}'",
            shortened(&tokens.join(" "))
        )),
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
    let moves = texts(moves.get(1..).unwrap_or_default());
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

fn texts(tokens: &[&str]) -> Vec<String> {
    tokens.iter().map(|&token| token.to_owned()).collect()
}

/// The requested format of the answer.
fn form(command: &str, tokens: &[&str]) -> Result<Form, String> {
    match tokens {
        [] => Ok(Form::Text),
        [word] if word.eq_ignore_ascii_case("json") => Ok(Form::Json),
        words => Err(format!(
            "{command} takes json or nothing, not '{}'",
            shortened(&words.join(" "))
        )),
    }
}

/// A command that takes nothing.
fn alone(command: Command, name: &str, tokens: &[&str]) -> Result<Command, String> {
    if tokens.is_empty() {
        return Ok(command);
    }
    let found = shortened(&tokens.join(" "));
    Err(format!("{name} takes nothing, not '{found}'"))
}

/// The only number after a command, if there is one.
fn one<T: std::str::FromStr>(command: &str, tokens: &[&str]) -> Result<Option<T>, String> {
    match tokens {
        [] => Ok(None),
        [text] => number(text, command).map(Some),
        words => {
            let found = shortened(&words.join(" "));
            Err(format!("{command} takes one number, not '{found}'"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_case_and_unknown_tokens_are_as_uci_says() {
        assert_eq!(parse("  \t\r"), Ok(Command::Nothing));
        assert_eq!(parse("  IsReady\r"), Ok(Command::IsReady));
        assert_eq!(parse("joho isready"), Ok(Command::IsReady));
        assert_eq!(parse("joho isready now"), Ok(Command::IsReady));
        assert_eq!(parse("stop quit"), Ok(Command::Stop));
        assert_eq!(parse("xyzzy"), Err("unknown command 'xyzzy'".to_owned()));
        // No-break, ideographic and zero-width spaces separate nothing.
        for space in ['\u{a0}', '\u{3000}', '\u{2003}', '\u{200b}'] {
            let line = format!("go{space}depth 5");
            let fault = format!("unknown command '{line}'");
            assert_eq!(parse(&line), Err(fault));
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
    fn faults_are_named() {
        for (line, fault) in [
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
            ("setoption name value 5", "setoption without a name"),
            ("debug maybe", "debug takes on or off"),
        ] {
            assert_eq!(parse(line), Err(fault.to_owned()), "{line}");
        }
        for (line, fault) in [
            ("position", "position needs startpos or fen"),
            (
                "position here",
                "position: expected startpos or fen, found 'here'",
            ),
            (
                "position here a2a3",
                "position: expected startpos or fen, found 'here'",
            ),
            (
                "position startpos a2a3",
                "position startpos: expected moves, found 'a2a3'",
            ),
        ] {
            let refused = Command::RefusedPosition(fault.to_owned());
            assert_eq!(parse(line), Ok(refused), "{line}");
        }
        for (line, fault) in [
            (
                "go prove pass",
                "go pass cannot be combined with prove or perft",
            ),
            ("go depth", "go depth needs a number"),
            ("go depth x", "go depth: 'x' is not a number in range"),
            ("go nodes -1", "go nodes: '-1' is not a number in range"),
            ("go searchmoves", "go searchmoves without a move"),
        ] {
            let refused = Command::RefusedGo(fault.to_owned());
            assert_eq!(parse(line), Ok(refused), "{line}");
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

    #[test]
    fn vampirc_uci_and_the_dialect_read_the_same() {
        let mut random = rand_mt::Mt64::new(5);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let (words, mut carried) = (&WORDS[..], 0);
        for _ in 0..100_000 {
            let first = ["position", "go", "setoption"][below(3)];
            let second = ["startpos", "name", words[below(words.len())]][below(3)];
            let mut line = format!("{first} {second}");
            for _ in 0..below(5) {
                let number = [5, 255, 256, 1_u64 << 40][below(4)].to_string();
                line += " ";
                line += &words[below(words.len())].replace('#', &number);
            }
            let tokens: Vec<&str> = line.split_ascii_whitespace().collect();
            let Some(command) = envelope::read(&tokens) else {
                continue;
            };
            carried += 1;
            let dialect = match first {
                "position" => position(&tokens[1..]),
                "go" => go::parse(&tokens[1..]).map(Command::Go),
                _ => set_option(&tokens[1..]),
            };
            assert_eq!(dialect, Ok(command), "{line}");
        }
        assert!(carried > 1000, "{carried}");
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
