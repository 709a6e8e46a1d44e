//! A model of what a session must answer: the game as the protocol describes it,
//! and the answers still owed, in order.

use petard::engine::{Board, Outcome, Variant};
use std::collections::VecDeque;

/// An answer that is owed. They come in order.
#[derive(Debug)]
pub enum Owed {
    /// A move in this position, one of these unless the list is empty.
    Move(Board, Vec<String>),
    /// A move in this position, or none: what was proven.
    Proof(Board),
    /// A reason, and that there is no move.
    RefusedMove,
    /// A number of leaves, if it is known.
    Count(Option<u64>),
    /// The number of nodes of a benchmark.
    Bench,
    /// The position.
    Show(Board),
    /// Its moves.
    Moves(Board),
    /// Its evaluation.
    Value(Board),
    /// A reason why something was refused.
    Fault,
    /// A new variant, which starts here.
    Variant(Board),
}

/// The game and what is owed.
pub struct Model {
    pub variant: Variant,
    start: Board,
    moves: Vec<String>,
    undone: Vec<String>,
    pub board: Board,
    /// Whether the last position was refused.
    pub is_refused: bool,
    pub owed: VecDeque<Owed>,
    /// What has arrived of the first answer owed.
    begun: Vec<String>,
    pub ready: usize,
    /// Meaningless lines, each answered at once.
    pub unknown: usize,
    /// Moves answered so far.
    pub answered: usize,
}

impl Model {
    pub fn new() -> Self {
        let start = Board::start(Variant::STANDARD).unwrap();
        Self {
            variant: Variant::STANDARD,
            board: start.clone(),
            start,
            moves: Vec::new(),
            undone: Vec::new(),
            is_refused: false,
            owed: VecDeque::new(),
            begun: Vec::new(),
            ready: 0,
            unknown: 0,
            answered: 0,
        }
    }

    pub fn owe(&mut self, what: Owed) {
        self.owed.push_back(what);
    }

    /// Starts a new game; earlier refusals are forgotten.
    pub fn begin(&mut self, start: Board, moves: &[String]) {
        self.is_refused = false;
        self.replay(start, moves.to_vec());
        self.undone.clear();
    }

    fn replay(&mut self, start: Board, moves: Vec<String>) {
        self.board = start
            .with_moves(moves.iter().map(String::as_str))
            .expect("legal moves");
        (self.start, self.moves) = (start, moves);
    }

    pub fn set_variant(&mut self, variant: Variant) {
        self.variant = variant;
        self.begin(Board::start(variant).unwrap(), &[]);
        self.owe(Owed::Variant(self.board.clone()));
    }

    /// `play`: the moves are all legal, or all are refused.
    pub fn play(&mut self, moves: &[String]) {
        let after = self.board.with_moves(moves.iter().map(String::as_str));
        match after {
            Ok(board) if !self.is_refused => {
                self.board = board;
                self.moves.extend_from_slice(moves);
                self.undone.clear();
            }
            _ => self.owe(Owed::Fault),
        }
    }

    pub fn undo(&mut self, plies: usize) {
        if self.is_refused || plies > self.moves.len() {
            return self.owe(Owed::Fault);
        }
        let mut moves = std::mem::take(&mut self.moves);
        for _ in 0..plies {
            self.undone.extend(moves.pop());
        }
        self.replay(self.start.clone(), moves);
    }

    pub fn redo(&mut self, plies: usize) {
        if self.is_refused || plies > self.undone.len() {
            return self.owe(Owed::Fault);
        }
        let mut moves = std::mem::take(&mut self.moves);
        for _ in 0..plies {
            moves.extend(self.undone.pop());
        }
        self.replay(self.start.clone(), moves);
    }

    pub fn flip(&mut self) {
        let flipped = self.board.flipped();
        self.replay(flipped, Vec::new());
        self.undone.clear();
    }

    /// Takes a line from the session; the error says what is wrong with it.
    pub fn take(&mut self, line: &str) -> Result<(), String> {
        let is_of_uci = ["id ", "option ", "uciok"];
        if is_of_uci.iter().any(|start| line.starts_with(start)) {
            return Ok(());
        }
        if line == "readyok" {
            self.ready = self.ready.checked_sub(1).ok_or("ready, unasked")?;
            return Ok(());
        }
        if line.contains("unknown command 'xyzzy'") {
            self.unknown = self.unknown.checked_sub(1).ok_or("unknown, unasked")?;
            return Ok(());
        }
        let Some(owed) = self.owed.front() else {
            return Err("nothing is owed".to_owned());
        };
        let is_last = match owed {
            Owed::Move(board, of) => check_move(board, of, &self.begun, line)?,
            Owed::Proof(board) => check_proof(board, line)?,
            Owed::RefusedMove => match (line.starts_with("info string "), &self.begun[..]) {
                (true, []) => false,
                (false, [_]) if line == "bestmove (none)" => true,
                _ => return Err("not a refusal".to_owned()),
            },
            Owed::Count(count) => check_count(*count, line)?,
            Owed::Bench => match line {
                "info string bench stopped" => true,
                _ if line.contains(" nodes ") && line.ends_with(" nps") => true,
                _ => return Err("not a benchmark".to_owned()),
            },
            Owed::Show(board) => check_shown(board, line)?,
            Owed::Moves(board) => {
                let mut words = line.split(' ').filter(|word| !word.is_empty());
                let is_right = words.next() == Some("moves:") && words.eq(board.legal_moves());
                if !is_right {
                    return Err("not the moves".to_owned());
                }
                true
            }
            Owed::Value(board) => {
                let is_over = board.outcome() != Outcome::Ongoing;
                if is_over && !line.starts_with("info string no evaluation") {
                    return Err("an evaluation of a game that is over".to_owned());
                }
                is_over || line.starts_with("Evaluation: ")
            }
            Owed::Fault => line
                .starts_with("info string ")
                .then_some(true)
                .ok_or("not a reason")?,
            Owed::Variant(start) => {
                let is_right = line.starts_with("info string variant ")
                    && line.ends_with(&format!("startpos {}", start.fen()));
                is_right.then_some(true).ok_or("not the variant")?
            }
        };
        if is_last {
            let is_move = line.starts_with("bestmove");
            self.answered += usize::from(is_move);
            self.owed.pop_front();
            self.begun.clear();
        } else {
            self.begun.push(line.to_owned());
        }
        Ok(())
    }
}

/// The words after a given one.
fn after<'a>(line: &'a str, word: &str) -> Vec<&'a str> {
    let words = line.split(' ').skip_while(|&found| found != word);
    words.skip(1).collect()
}

fn check_move(board: &Board, of: &[String], begun: &[String], line: &str) -> Result<bool, String> {
    let Some(answer) = line.strip_prefix("bestmove ") else {
        // On a solved board, the proof is reported too.
        let is_proof = line.starts_with("info string proof ");
        if !line.starts_with("info depth ") && !is_proof {
            return Err("not of a search".to_owned());
        }
        let moves = after(line, "pv");
        if moves.is_empty() && line.contains("multipv") {
            return Err("a line without moves".to_owned());
        }
        board
            .with_moves(moves)
            .map_err(|error| format!("a line that is not legal: {error}"))?;
        return Ok(false);
    };
    let words: Vec<&str> = answer.split(' ').collect();
    if board.outcome() != Outcome::Ongoing {
        return match (answer, begun) {
            ("(none)", [report]) if report.starts_with("info depth 0 score ") => Ok(true),
            _ => Err("the game is over".to_owned()),
        };
    }
    let moves: Vec<&str> = words.iter().copied().step_by(2).collect();
    if board.with_moves(moves.iter().copied()).is_err() {
        return Err("not legal".to_owned());
    }
    if !of.is_empty() && !of.iter().any(|mv| mv == words[0]) {
        return Err(format!("not one of {of:?}"));
    }
    let report = begun.iter().rfind(|line| line.contains(" multipv 1 "));
    if report.is_some_and(|report| after(report, "pv")[0] != words[0]) {
        return Err(format!("not the first move of the last line, {report:?}"));
    }
    Ok(true)
}

fn check_proof(board: &Board, line: &str) -> Result<bool, String> {
    match line.strip_prefix("bestmove ") {
        None if line.starts_with("info ") => Ok(false),
        None => Err("not of a proof".to_owned()),
        Some("(none)") => Ok(true),
        Some(best) => board
            .with_moves([best])
            .map(|_| true)
            .map_err(|error| error.to_string()),
    }
}

fn check_count(count: Option<u64>, line: &str) -> Result<bool, String> {
    if line == "info string perft stopped" {
        return Ok(true);
    }
    match line.strip_prefix("Nodes searched: ") {
        None => Ok(false),
        Some(found) if count.is_none_or(|count| count.to_string() == found) => Ok(true),
        Some(_) => Err(format!("not {count:?} leaves")),
    }
}

fn check_shown(board: &Board, line: &str) -> Result<bool, String> {
    let expected = [
        ("Fen: ", board.fen()),
        ("Key: ", format!("{:016x}", board.key())),
        ("Side: ", board.side_to_move().to_string()),
    ];
    for (name, value) in expected {
        if line.strip_prefix(name).is_some_and(|shown| shown != value) {
            return Err(format!("not {name}{value}"));
        }
    }
    Ok(line.starts_with("Outcome: "))
}
