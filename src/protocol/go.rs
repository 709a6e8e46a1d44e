//! The `go` command: its grammar, and the limits it sets.

use super::words::number;
use crate::engine::{Clock, Limits, Side};
use std::time::Duration;

/// The clocks of both sides, as far as they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Time left, White's and Black's. Overdrawn clocks are zero.
    pub time: [Option<Duration>; 2],
    /// Time gained per move, White's and Black's.
    pub increment: [Option<Duration>; 2],
    /// Moves to the next control.
    pub moves_to_go: Option<u32>,
}

/// A `go` command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Only these root moves; empty is all.
    pub search_moves: Vec<String>,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Search until stopped.
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
    /// Search with the turn passed, to see what the other side threatens.
    pub pass: bool,
    /// Prove who wins instead, within the limits of nodes and time.
    pub prove: bool,
}

impl Go {
    /// The limits for the side that moves in the search, which is not the side
    /// to move if the turn is passed. If only the other side's clock is given,
    /// this side's is assumed to be the same.
    #[must_use]
    pub fn limits(&self, side: Side) -> Limits {
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
            ..Limits::default()
        };
        // Without a limit it thinks until it is stopped, ponder hit or not.
        limits.infinite = !limits.is_bounded();
        limits.ponder = self.ponder;
        limits
    }
}

/// Milliseconds; clocks may be overdrawn, which counts as no time left.
fn milliseconds(text: &str, what: &str) -> Result<Duration, String> {
    let number: i64 = number(text, what)?;
    Ok(Duration::from_millis(number.max(0) as u64))
}

/// The words that `go` knows. Anything else between them is ignored.
const GO_WORDS: [&str; 15] = [
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
    "pass",
    "perft",
    "prove",
];

fn is_go_word(token: &str) -> bool {
    GO_WORDS.iter().any(|word| token.eq_ignore_ascii_case(word))
}

pub(super) fn parse(tokens: &[&str]) -> Result<Go, String> {
    let mut go = Go::default();
    let mut rest = tokens.iter().copied().peekable();
    while let Some(token) = rest.next() {
        let word = token.to_ascii_lowercase();
        if !is_go_word(&word) {
            // UCI says to ignore unknown tokens.
            continue;
        }
        match word.as_str() {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "prove" => go.prove = true,
            "pass" => go.pass = true,
            "searchmoves" => {
                // Here `pass` is the move of Freeling's game.
                let is_move =
                    |token: &str| token.eq_ignore_ascii_case("pass") || !is_go_word(token);
                while let Some(mv) = rest.next_if(|token| is_move(token)) {
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
    if go.pass && (go.prove || go.perft.is_some()) {
        return Err("go pass cannot be combined with prove or perft".to_owned());
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
        // A control that has been reached counts as none.
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
        let tokens: Vec<&str> = line.split_whitespace().skip(1).collect();
        parse(&tokens).unwrap()
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
            ("go ponder depth 3", false, false),
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
}
