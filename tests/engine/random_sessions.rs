//! Sessions of random commands at random moments, against a model: every `go`
//! is answered by one move, in order, and every `isready` once. In process;
//! nothing here depends on timing.
#![allow(clippy::unwrap_used)]

use crate::common::{below, cases};
use crate::in_process::Session;
use crate::refusals::REFUSED_OPTIONS;
use crate::session_model::{Model, Owed};
use petard::engine::{Board, Variant, parse_board};
use rand_mt::Mt64;

/// A session with its model.
struct Pair {
    session: Session,
    model: Model,
    random: Mt64,
    seed: u64,
    /// Whether something was started that only `stop` ends.
    must_stop: bool,
}

impl Pair {
    fn new(seed: u64) -> Self {
        Self {
            session: Session::new(),
            model: Model::new(),
            random: Mt64::new(seed),
            seed,
            must_stop: false,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        below(&mut self.random, bound)
    }

    /// Up to `most` legal moves, played one after another.
    fn some_moves(&mut self, board: &Board, most: usize) -> Vec<String> {
        let mut board = board.clone();
        let mut moves = Vec::new();
        for _ in 0..self.below(most + 1) {
            let legal = board.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[self.below(legal.len())].clone();
            board.play(&mv).unwrap();
            moves.push(mv);
        }
        moves
    }

    fn take(&mut self, line: &str) {
        if let Err(error) = self.model.take(line) {
            let log = self.session.log.join("\n");
            panic!("seed {}: '{line}': {error}\n{log}", self.seed);
        }
    }

    /// Waits until no answer is owed, and compares the position.
    fn synchronise(&mut self) {
        if self.must_stop || self.below(3) == 0 {
            self.session.send("stop");
            self.must_stop = false;
        }
        self.session.send("d");
        let board = self.model.board.clone();
        self.model.owe(Owed::Show(board));
        while !self.model.owed.is_empty() || self.model.ready + self.model.unknown > 0 {
            match self.session.line() {
                Some(line) => self.take(&line),
                None => panic!("seed {}: it ended", self.seed),
            }
        }
    }

    /// Sends something, and records which answers are owed for it.
    fn act(&mut self) {
        match self.below(20) {
            0..6 => self.go(),
            6..9 => self.position(),
            9..12 => self.change_game(),
            12..14 => self.option(),
            14 => {
                let (line, owed) = match self.below(3) {
                    0 => ("d", Owed::Show(self.model.board.clone())),
                    1 => ("moves", Owed::Moves(self.model.board.clone())),
                    _ => ("eval", Owed::Value(self.model.board.clone())),
                };
                self.session.send(line);
                self.model.owe(owed);
            }
            15 => {
                self.session.send("stop");
                self.must_stop = false;
            }
            16 => self.session.send("ponderhit"),
            17 => {
                self.model.unknown += 1;
                self.session.send("xyzzy");
            }
            18 => {
                let lines = ["uci", "ucinewgame", "register later", "", "debug off"];
                let line = lines[self.below(lines.len())];
                self.session.send(line);
            }
            _ => {
                self.model.ready += 1;
                self.session.send("isready");
            }
        }
    }

    fn go(&mut self) {
        let number = 1 + self.below(4);
        let board = self.model.board.clone();
        let legal = board.legal_moves();
        let mut of = Vec::new();
        let mut line = match self.below(13) {
            0 => "go infinite".to_owned(),
            1 => format!("go ponder depth {number}"),
            2 => "go".to_owned(),
            3 => format!("go mate {number}"),
            4 => format!("go movetime {number}"),
            5 => format!("go wtime {0} btime {0} winc 1 binc 1", 40 * number),
            6 => return self.count(number.min(2) as u32),
            7 => return self.prove(),
            8 => return self.refused_go(),
            9 => {
                self.session.send("bench 1");
                return self.model.owe(Owed::Bench);
            }
            10 => format!("go nodes {}", number * 300),
            _ => format!("go depth {number}"),
        };
        self.must_stop |= ["go", "go infinite"].contains(&line.as_str()) || line.contains("ponder");
        if !legal.is_empty() && self.below(4) == 0 {
            of = (0..2)
                .map(|_| legal[self.below(legal.len())].clone())
                .collect();
            line += &format!(" searchmoves {}", of.join(" "));
        }
        self.session.send(&line);
        let owed = match self.model.is_refused {
            true => Owed::RefusedMove,
            false => Owed::Move(board, of),
        };
        self.model.owe(owed);
    }

    fn count(&mut self, depth: u32) {
        let is_go = self.below(2) == 0;
        self.session
            .send(&format!("{}perft {depth}", if is_go { "go " } else { "" }));
        if self.model.is_refused {
            return self.model.owe(if is_go {
                Owed::RefusedMove
            } else {
                Owed::Fault
            });
        }
        let board = self.model.board.clone();
        // With repetitions, the count is not that of the moves.
        let count = (self.model.variant != Variant::Freeling).then(|| leaves(&board, depth));
        self.model.owe(Owed::Count(count));
    }

    fn prove(&mut self) {
        self.session.send("go prove nodes 300");
        let (files, ranks) = self.model.board.size();
        let is_refused = self.model.is_refused
            || self.model.variant == Variant::Freeling
            || usize::from(files) * usize::from(ranks) > 80;
        let board = self.model.board.clone();
        let owed = match is_refused {
            true => Owed::RefusedMove,
            false => Owed::Proof(board),
        };
        self.model.owe(owed);
    }

    fn refused_go(&mut self) {
        let lines = [
            "go depth",
            "go nodes x",
            "go searchmoves a1a1",
            "go perft -1",
        ];
        let line = lines[self.below(lines.len())];
        self.session.send(line);
        self.model.owe(Owed::RefusedMove);
    }

    fn position(&mut self) {
        let fens: &[&str] = match self.model.variant {
            Variant::Freeling => &[
                "ppppp/P4/P4/1P3/5/5/5/5/5 w 0 1",
                "4p/5/5/5/1P3/1dDp1/5/5/5 b",
                "5/5/5/5/5/5/5/1p3/P4 w 0 1",
            ],
            Variant::Breakthrough { .. } => &[
                "ppp/ppp/3/PPP/PPP w 0 1",
                "8/8/3P4/8/8/2p5/8/8 b - - 0 1",
                "p11/12/12/3P8/12 w",
                "P3/4/4/p3/4 b 0 1",
            ],
        };
        let (text, start) = match self.below(3) {
            0 => {
                let fen = fens[self.below(fens.len())];
                let board = Board::from_fen(self.model.variant, fen).unwrap();
                (format!("position fen {fen}"), board)
            }
            _ => {
                let board = Board::start(self.model.variant).unwrap();
                ("position startpos".to_owned(), board)
            }
        };
        let moves = self.some_moves(&start, 12);
        let mut line = text;
        if !moves.is_empty() {
            line += &format!(" moves {}", moves.join(" "));
        }
        if self.below(6) == 0 {
            let bad = [
                "position fen x w",
                "position",
                "position startpos moves a1a9",
            ];
            let line = bad[self.below(bad.len())];
            self.session.send(line);
            self.model.owe(Owed::Fault);
            self.model.is_refused = true;
        } else {
            self.session.send(&line);
            self.model.begin(start, &moves);
        }
    }

    fn change_game(&mut self) {
        let plies = self.below(4);
        match self.below(5) {
            0 => {
                let mut moves = self.some_moves(&self.model.board.clone(), 4);
                if moves.is_empty() || self.below(5) == 0 {
                    moves.push("a1a9".to_owned());
                }
                self.session.send(&format!("play {}", moves.join(" ")));
                self.model.play(&moves);
            }
            1 | 2 => {
                self.session.send(&format!("undo {plies}"));
                self.model.undo(plies);
            }
            3 => {
                self.session.send(&format!("redo {plies}"));
                self.model.redo(plies);
            }
            _ => {
                self.session.send("flip");
                self.model.flip();
            }
        }
    }

    fn option(&mut self) {
        if self.below(8) == 0 {
            return self.variant();
        }
        if self.below(5) == 0 {
            let bad = REFUSED_OPTIONS[self.below(REFUSED_OPTIONS.len())];
            self.session.send(&format!("setoption name {bad}"));
            return self.model.owe(Owed::Fault);
        }
        let number = 1 + self.below(3);
        let option = match self.below(10) {
            0 => format!("Threads value {number}"),
            1 => format!("Hash value {}", number.min(2)),
            2 => "EvalFile value <built-in>".to_owned(),
            3 | 4 => format!("MultiPV value {number}"),
            5 => format!("UCI_LimitStrength value {}", number == 1),
            6 => format!("UCI_Elo value {}", 900 * number),
            7 => format!("UCI_ShowWDL value {}", number == 1),
            8 => format!("Evaluation value {}", ["network", "article"][number % 2]),
            _ => ["Clear Hash", "Move Overhead value 7"][number % 2].to_owned(),
        };
        self.session.send(&format!("setoption name {option}"));
    }

    fn variant(&mut self) {
        let boards = ["5x5", "8x8", "6x6", "3x7", "12x10", "2x4"];
        if self.below(6) == 0 {
            self.session.send("setoption name Board value 1x1");
            self.model.owe(Owed::Fault);
        } else if self.below(3) == 0 {
            self.session
                .send("setoption name UCI_Variant value freeling");
            self.model.set_variant(Variant::Freeling);
        } else {
            let board = boards[self.below(boards.len())];
            self.session
                .send(&format!("setoption name Board value {board}"));
            self.model.set_variant(parse_board(board).unwrap());
        }
    }

    /// Ends the session, by `quit` or by closing its input, and checks that it ends.
    fn end(mut self) -> usize {
        let quits = self.below(2) == 0;
        if quits {
            self.session.send("quit");
        }
        self.session.input = None;
        while let Some(line) = self.session.line() {
            self.take(&line);
        }
        let is_answered = self.model.owed.is_empty() && self.model.ready == 0;
        assert!(
            quits || is_answered,
            "seed {}: {:?}",
            self.seed,
            self.model.owed
        );
        assert!(self.session.end.join().unwrap(), "seed {}", self.seed);
        self.model.answered
    }
}

fn leaves(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let after = |mv: &String| leaves(&board.with_moves([mv.as_str()]).unwrap(), depth - 1);
    board.legal_moves().iter().map(after).sum()
}

#[test]
fn any_order_of_commands_is_answered_in_order() {
    let mut answered = 0;
    for seed in 0..cases(40) as u64 {
        let mut pair = Pair::new(seed);
        for _ in 0..8 {
            for _ in 0..1 + pair.below(25) {
                pair.act();
            }
            pair.synchronise();
        }
        for _ in 0..pair.below(10) {
            pair.act();
        }
        answered += pair.end();
    }
    assert!(answered > 500, "only {answered} moves");
}
