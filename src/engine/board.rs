//! A position of any game and size behind one face: the last place where the
//! game's type is unknown.

use super::event::{Event, ProofResult};
use super::facts::{Evaluation, Step, wins, worth_of_men};
use super::playable::Playable;
use super::search_job::{SearchJob, prepare};
use super::variant::Variant;
use crate::base::Side;
use crate::eval::{EvalSource, Evaluator};
use crate::game::perft::{divide, perft};
use crate::game::troyka::Position;
use crate::game::{Ending, FenError, Move, MoveError, MoveList, Notation, Outcome, freeling};
use crate::search::Control;
use crate::solve::{Limits, Progress, SolveError};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use thiserror::Error;

/// Why a line of moves was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {ply}: {fault}")]
pub struct LineError {
    /// The ply of the faulty move, 1 upwards.
    pub ply: usize,
    /// What is wrong with it.
    pub fault: MoveError,
}

/// A position with the game that led to it, of any game and size. What can be
/// asked of it is in [`AnyBoard`].
#[derive(Debug)]
pub struct Board(Box<dyn Erased>);

impl Clone for Board {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}

impl Deref for Board {
    type Target = dyn AnyBoard;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Board {
    /// The start position of a game.
    ///
    /// # Errors
    /// If the board's size cannot be played on.
    pub fn start(variant: Variant) -> Result<Self, FenError> {
        match variant {
            Variant::Breakthrough { files, ranks } => match Position::<u64>::start(files, ranks) {
                Err(FenError::TooLarge(..)) => {
                    Ok(Self::new(Position::<u128>::start(files, ranks)?))
                }
                small => Ok(Self::new(small?)),
            },
            Variant::Freeling => Ok(Self::new(freeling::Position::start())),
        }
    }

    /// A position from its text; in Troyka's game the text says how large the
    /// board is.
    ///
    /// # Errors
    /// If the text is not that of a position; the error names the fault.
    pub fn from_fen(variant: Variant, fen: &str) -> Result<Self, FenError> {
        match variant {
            Variant::Breakthrough { .. } => match Position::<u64>::from_fen(fen) {
                Err(FenError::TooLarge(..)) => Ok(Self::new(Position::<u128>::from_fen(fen)?)),
                small => Ok(Self::new(small?)),
            },
            Variant::Freeling => Ok(Self::new(freeling::Position::from_fen(fen)?)),
        }
    }

    fn new<G: Playable>(position: G) -> Self {
        Self(Box::new(Played::new(position)))
    }

    /// The board after these moves; this one stays as it is.
    ///
    /// # Errors
    /// If a move is not legal; the error names it and its ply.
    pub fn with_moves<'a>(
        &self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, LineError> {
        let mut board = self.clone();
        for (index, text) in moves.into_iter().enumerate() {
            board.0.play(text).map_err(|fault| LineError {
                ply: index + 1,
                fault,
            })?;
        }
        Ok(board)
    }

    /// Plays a move, and returns it as petard writes it.
    ///
    /// # Errors
    /// If it is not legal; the board stays as it is.
    pub fn play(&mut self, text: &str) -> Result<String, MoveError> {
        self.0.play(text)
    }

    /// What these moves do one after the other, and where they lead; this
    /// board stays as it is. With the steps before it comes the fault of a
    /// move that is not legal.
    pub fn line<'a>(
        &self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> (Vec<Step>, Option<LineError>) {
        let (mut board, mut steps) = (self.clone(), Vec::new());
        for text in moves {
            match board.0.step(text) {
                Ok(step) => steps.push(step),
                Err(fault) => {
                    let ply = steps.len() + 1;
                    return (steps, Some(LineError { ply, fault }));
                }
            }
        }
        (steps, None)
    }

    /// The board with the turn passed to the other side, as if a move had been
    /// played that changes nothing; `None` if the game is over. What is proven
    /// of it is true of that position.
    #[must_use]
    pub fn passed(&self) -> Option<Self> {
        self.0.passed().map(Self)
    }

    /// Ranks and colours exchanged, without the game before.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self(self.0.flipped())
    }

    pub(super) fn prepare(
        &self,
        moves: &[String],
        source: &EvalSource,
    ) -> Result<(Vec<Move>, Arc<dyn SearchJob>), MoveError> {
        self.0.prepare(moves, source)
    }
}

/// What can be asked of a [`Board`], whatever its game.
pub trait AnyBoard: Send + Sync + fmt::Debug {
    /// The position's text.
    fn fen(&self) -> String;

    /// The name of the game.
    fn game(&self) -> &'static str;

    /// Files and ranks.
    fn size(&self) -> (u8, u8);

    /// The board drawn in text.
    fn diagram(&self) -> String;

    /// The Zobrist key.
    fn key(&self) -> u64;

    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// How the game stands, repetitions included.
    fn outcome(&self) -> Outcome;

    /// Why the game is over, repetitions included; `None` if it goes on.
    fn ending(&self) -> Option<Ending>;

    /// Whether there are proofs for this game and board.
    fn has_proofs(&self) -> bool;

    /// All legal moves, sorted by text; none if the game is over.
    fn legal_moves(&self) -> Vec<String>;

    /// The moves with which the side to move wins at once, sorted by text.
    fn wins(&self) -> Vec<String>;

    /// The moves with which the other side would win at once if it were its
    /// turn, sorted by text; none if the game is over.
    fn threats(&self) -> Vec<String>;

    /// The static evaluation; `None` if the game is over.
    fn evaluate(&self, source: &EvalSource) -> Option<Evaluation>;

    /// The number of lines of exactly this many plies, by first move, stopped
    /// by the control. Repetitions end no line: it is the position's moves that
    /// are counted, as other programs count them.
    fn perft(&self, depth: u32, control: &Control) -> Event;

    /// Tries to prove who wins, with a table of so many bytes; progress goes
    /// to the callback.
    ///
    /// # Errors
    /// If there are no proofs for such a game or board, or the memory cannot
    /// be had.
    fn prove(
        &self,
        limits: &Limits,
        bytes: usize,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<ProofResult, SolveError>;
}

/// What [`Board`] itself needs of it.
trait Erased: AnyBoard {
    fn clone_box(&self) -> Box<dyn Erased>;
    fn play(&mut self, text: &str) -> Result<String, MoveError>;
    fn step(&mut self, text: &str) -> Result<Step, MoveError>;
    fn passed(&self) -> Option<Box<dyn Erased>>;
    fn flipped(&self) -> Box<dyn Erased>;
    fn prepare(
        &self,
        moves: &[String],
        source: &EvalSource,
    ) -> Result<(Vec<Move>, Arc<dyn SearchJob>), MoveError>;
}

/// A position and the keys of those before it.
#[derive(Clone, Debug)]
struct Played<G> {
    position: G,
    keys: Vec<u64>,
    /// How often each of them has occurred, where positions can come back.
    seen: HashMap<u64, u32>,
}

impl<G: Playable> Played<G> {
    fn new(position: G) -> Self {
        Self {
            position,
            keys: Vec::new(),
            seen: HashMap::new(),
        }
    }

    fn is_repeated(&self) -> bool {
        let times = self.seen.get(&self.position.key());
        times.is_some_and(|&times| times >= 2)
    }

    /// The move that a text means here.
    fn legal(&self, text: &str) -> Result<Move, MoveError> {
        if self.is_repeated() {
            return Err(MoveError::GameOver(text.to_owned()));
        }
        self.position.parse_move(text)
    }

    /// Goes on to the next position.
    fn go_on(&mut self, next: G) {
        let key = self.position.key();
        self.keys.push(key);
        if G::CAN_REPEAT {
            *self.seen.entry(key).or_default() += 1;
        }
        self.position = next;
    }
}

impl<G: Playable> AnyBoard for Played<G> {
    fn fen(&self) -> String {
        self.position.fen()
    }

    fn game(&self) -> &'static str {
        G::NAME
    }

    fn size(&self) -> (u8, u8) {
        self.position.board_size()
    }

    fn diagram(&self) -> String {
        self.position.diagram()
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn side_to_move(&self) -> Side {
        self.position.side_to_move()
    }

    fn outcome(&self) -> Outcome {
        match self.position.outcome() {
            Outcome::Ongoing if self.is_repeated() => Outcome::Draw,
            outcome => outcome,
        }
    }

    fn ending(&self) -> Option<Ending> {
        let ending = self.position.ending();
        ending.or_else(|| self.is_repeated().then_some(Ending::Repetition))
    }

    fn has_proofs(&self) -> bool {
        self.position.has_proofs()
    }

    fn legal_moves(&self) -> Vec<String> {
        if self.is_repeated() {
            return Vec::new();
        }
        let mut list = MoveList::new();
        self.position.moves(&mut list);
        let mut moves: Vec<String> = list.iter().map(|&mv| self.position.move_text(mv)).collect();
        moves.sort_unstable();
        moves
    }

    fn wins(&self) -> Vec<String> {
        if self.is_repeated() {
            return Vec::new();
        }
        wins(&self.position)
    }

    fn threats(&self) -> Vec<String> {
        if AnyBoard::outcome(self) != Outcome::Ongoing {
            return Vec::new();
        }
        wins(&self.position.pass())
    }

    fn evaluate(&self, source: &EvalSource) -> Option<Evaluation> {
        if AnyBoard::outcome(self) != Outcome::Ongoing {
            return None;
        }
        let mut evaluator = self.position.evaluator(source);
        let score = evaluator.evaluate(&self.position);
        Some(Evaluation {
            score,
            chances: G::chances(score),
            terms: evaluator.explain(&self.position),
            men: worth_of_men(&self.position, source),
        })
    }

    fn perft(&self, depth: u32, control: &Control) -> Event {
        let mut split = Vec::new();
        let mut total = u64::from(depth == 0);
        for (mv, _) in divide(&self.position, depth.min(1)) {
            let count = counted(&self.position.play(mv), depth - 1, control);
            total += count;
            split.push((self.position.move_text(mv), count));
        }
        Event::Perft {
            split,
            total,
            is_stopped: control.is_stopped(),
        }
    }

    fn prove(
        &self,
        limits: &Limits,
        bytes: usize,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<ProofResult, SolveError> {
        let is_stopped = || control.is_over();
        let side = self.position.side_to_move();
        let solution = self.position.prove(limits, bytes, &is_stopped, progress)?;
        let mut result = ProofResult {
            winner: solution
                .side_to_move_wins
                .map(|wins| if wins { side } else { !side }),
            line: Vec::new(),
            nodes: solution.nodes,
            time: control.elapsed(),
        };
        let mut position = self.position.clone();
        for &mv in &solution.line {
            result.line.push(position.move_text(mv));
            position = position.play(mv);
        }
        Ok(result)
    }
}

impl<G: Playable> Erased for Played<G> {
    fn clone_box(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn play(&mut self, text: &str) -> Result<String, MoveError> {
        let mv = self.legal(text)?;
        let text = self.position.move_text(mv);
        self.go_on(self.position.play(mv));
        Ok(text)
    }

    fn step(&mut self, text: &str) -> Result<Step, MoveError> {
        let mv = self.legal(text)?;
        let mut step = Step {
            mv: self.position.move_text(mv),
            captures: self.position.captures(mv),
            explosions: self.position.explosions(mv),
            fen: String::new(),
            outcome: Outcome::Ongoing,
            ending: None,
        };
        self.go_on(self.position.play(mv));
        step.fen = self.position.fen();
        step.outcome = AnyBoard::outcome(self);
        step.ending = AnyBoard::ending(self);
        Ok(step)
    }

    fn passed(&self) -> Option<Box<dyn Erased>> {
        if AnyBoard::outcome(self) != Outcome::Ongoing {
            return None;
        }
        let mut next = self.clone();
        next.go_on(self.position.pass());
        Some(Box::new(next))
    }

    fn flipped(&self) -> Box<dyn Erased> {
        Box::new(Self::new(self.position.flipped()))
    }

    fn prepare(
        &self,
        moves: &[String],
        source: &EvalSource,
    ) -> Result<(Vec<Move>, Arc<dyn SearchJob>), MoveError> {
        let moves = moves
            .iter()
            .map(|text| self.position.parse_move(text))
            .collect::<Result<_, _>>()?;
        let is_over = AnyBoard::outcome(self) != Outcome::Ongoing;
        Ok((moves, prepare(&self.position, &self.keys, is_over, source)))
    }
}

/// [`perft`], but what it returns after a stop is too little. The control is
/// looked at often enough for a stop to be answered in milliseconds.
fn counted<G: Playable>(position: &G, depth: u32, control: &Control) -> u64 {
    if depth <= 3 {
        return perft(position, depth);
    }
    let mut list = MoveList::new();
    position.moves(&mut list);
    list.iter()
        .take_while(|_| !control.is_over())
        .map(|&mv| counted(&position.play(mv), depth - 1, control))
        .sum()
}
