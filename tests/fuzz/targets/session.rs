//! A whole session in process, with the bytes as its input. Every `go` in them
//! must be answered once, and afterwards the session must still play.

use super::{Target, texts};
use crate::engine::Settings;
use crate::protocol::{Command, CommandError, Output, Policy, parse};
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

pub const TARGET: Target = Target {
    name: "session",
    run,
    seeds,
    words: "uci|debug on|isready|setoption name |MultiPV|Board|5x5|2x64| value |UCI_Variant|\
        freeling|UCI_LimitStrength|true|UCI_Elo|Hash|Threads|Evaluation|article|\
        ucinewgame|position startpos|position fen |ppp/ppp/3/PPP/PPP w| moves |a2a3|a7a6|\
        b2b3|pass|go |searchmoves |ponder|ponderhit|wtime |btime -5|winc |movestogo |depth |\
        nodes |mate |movetime |infinite|perft |prove|stop|quit|play |undo|redo|d|moves|eval|\
        bench|flip|help|\n|\r\n|\0|\u{feff}|-|0|1|4294967296|18446744073709551616|\
        -9223372036854775809|99999999999999999999999",
};

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts(&[
        "uci\nisready\nposition startpos moves a2a3 a7a6\ngo depth 2\nquit\n",
        "setoption name UCI_Variant value freeling\nposition startpos moves b2a1 pass\nd\ngo depth 2\nmoves",
        "position fen pp/pp/2/PP/PP w\ngo prove\ngo mate 3\ngo perft 3\nperft 4\nundo\nplay a2a3\nundo 2\nredo",
        "setoption name Board value 10x12\nsetoption name MultiPV value 4\nposition startpos\ngo infinite\nd\nstop\nd\ngo ponder wtime 100 btime 100\nponderhit\neval\nflip\nbench 3",
        "debug on\nsetoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 900\ngo nodes 500\ngo searchmoves a2a3 b2b3 nodes 50\nposition fen nonsense\ngo depth 1\nposition startpos",
        "setoption name Threads value 2\nsetoption name Hash value 1\nucinewgame\ngo movetime 20\nsetoption name Clear Hash\nhelp\nregister later\nfoo isready\n\u{fffd}\n\n\n",
    ]);
    seeds.push(b"\xff\xfe\nuci\n\0\ngo depth 1\n\xef\xbb\xbfd\nposition fen \xf0\x9f w".to_vec());
    seeds
}

/// A session's output.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Said {}

/// What the lines ask for, as the session itself parses them.
#[derive(Default)]
struct Asked {
    searches: usize,
    counts: usize,
    ready: usize,
    quits: bool,
    lines: usize,
}

fn asked(data: &[u8], longest: usize) -> Asked {
    let mut asked = Asked::default();
    for line in data.split(|&byte| byte == b'\n') {
        asked.lines += 1;
        let is_long = line.len() > longest;
        let kept = if is_long { &line[..16] } else { line };
        let text = String::from_utf8_lossy(kept.trim_ascii());
        if is_long {
            let first = text.split_ascii_whitespace().next();
            asked.searches += usize::from(first == Some("go"));
            continue;
        }
        match parse(&text) {
            Ok(Command::Go(go)) if go.perft.is_some() => asked.counts += 1,
            Ok(Command::Go(_)) | Err(CommandError::Go(_)) => asked.searches += 1,
            Ok(Command::IsReady) => asked.ready += 1,
            Ok(Command::Quit) => asked.quits = true,
            _ => {}
        }
    }
    asked
}

/// What is sent after the bytes: it ends all work that they have started, and
/// checks that the session is well.
const WELL: &str = "stop\nsetoption name UCI_Variant value breakthrough\nsetoption name MultiPV value 1\nsetoption name UCI_LimitStrength value false\nposition startpos\ngo depth 1\n";

/// The most commands that can wait; more are refused.
const ROOM: usize = 9_000;

fn run(data: &[u8]) {
    let policy = Policy {
        settings: Settings {
            has_files: false,
            max_hash: Some(1),
            max_threads: Some(2),
            ..Settings::default()
        },
        ..Policy::default()
    };
    let asked = asked(data, policy.longest_line);
    // The last line may be unterminated: then it comes after the stop.
    let start = data.iter().rposition(|&byte| byte == b'\n');
    let (whole, rest) = data.split_at(start.map_or(0, |end| end + 1));
    let works = {
        use Command::{Bench, Go, IsReady, Perft, Quit};
        matches!(
            parse(&String::from_utf8_lossy(rest.trim_ascii())),
            Ok(Go(_) | Perft(_) | Bench(..) | IsReady | Quit) | Err(CommandError::Go(_))
        )
    };
    let is_cut = !rest.is_empty() && !works && data.len().is_multiple_of(2);
    let mut input = Vec::new();
    if is_cut {
        input.extend_from_slice(whole);
        input.extend_from_slice(WELL.as_bytes());
        input.extend_from_slice(rest);
    } else {
        input.extend_from_slice(data);
        input.push(b'\n');
        input.extend_from_slice(WELL.as_bytes());
    }
    let said = Said::default();
    let end = crate::protocol::run(policy, Cursor::new(input), said.clone());
    assert!(end.is_ok(), "{:?}", end.err());
    let bytes = std::mem::take(&mut *said.0.lock().unwrap());
    let text = String::from_utf8(bytes).expect("it speaks UTF-8");
    check(&asked, &text);
}

fn check(asked: &Asked, text: &str) {
    let count = |beginning: &str| {
        let lines = text.lines().filter(|line| line.starts_with(beginning));
        lines.count()
    };
    let (moves, ready) = (count("bestmove"), count("readyok"));
    if asked.quits {
        assert!(moves <= asked.searches + asked.counts + 1, "{text}");
        return;
    }
    let searches = asked.searches + 1;
    // A count is answered by numbers, or by a move that means it was refused.
    assert!(moves >= searches, "{moves} of {searches} moves: {text}");
    assert!(
        moves <= searches + asked.counts,
        "{moves} of {searches} moves: {text}"
    );
    assert_eq!(ready, asked.ready, "{text}");
    if asked.lines < ROOM {
        let last = text.lines().rfind(|line| line.starts_with("bestmove"));
        assert!(last.is_some_and(|line| !line.ends_with("(none)")), "{text}");
    }
    assert!(text.ends_with('\n'));
}
