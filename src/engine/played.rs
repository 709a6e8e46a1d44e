//! A position of a game known at compile time, with the game that led to it.

use super::any_board::{AnyBoard, Erased};
use super::event::{Event, ProofResult};
use super::facts::{Evaluation, Step, piece_weights, wins};
use super::playable::Playable;
use super::search_job::{SearchJob, prepare};
use crate::base::{MAX_PLY, Side};
use crate::eval::{EvalSource, Evaluator};
use crate::game::perft::{divide, perft};
use crate::game::{Ending, Move, MoveError, MoveList, Outcome};
use crate::search::Control;
use crate::solve::{Progress, ProofLimits, SolveError};
use std::collections::HashMap;
use std::sync::Arc;

/// The most moves of a game, of each side together. Games of Freeling's end only
/// by a win or a repetition, and every move takes memory.
const MOST_MOVES: usize = 65_535;

/// A position and the keys of those before it.
#[derive(Clone, Debug)]
pub(super) struct Played<G> {
    position: G,
    keys: Vec<u64>,
    /// How often each of them has occurred, if positions can repeat.
    seen: HashMap<u64, u32>,
}

impl<G: Playable> Played<G> {
    pub fn new(position: G) -> Self {
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

    /// The move that a text stands for here.
    fn legal(&self, text: &str) -> Result<Move, MoveError> {
        if self.is_repeated() {
            return Err(MoveError::GameOver(text.to_owned()));
        }
        let mv = self.position.parse_move(text)?;
        if self.keys.len() >= MOST_MOVES {
            return Err(MoveError::TooLong {
                text: text.to_owned(),
                most: MOST_MOVES,
            });
        }
        Ok(mv)
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

    fn assemble(&self, source: &EvalSource) {
        drop(self.position.evaluator(source));
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
            pieces: piece_weights(&self.position, source),
        })
    }

    fn perft(&self, depth: u32, control: &Control) -> Event {
        let mut split = Vec::new();
        // Nobody will see the count of deeper lines, but they must not overflow
        // the stack: in Freeling's game a line of passes never ends.
        let depth = depth.min(MAX_PLY as u32);
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
        limits: &ProofLimits,
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

/// [`perft`], but its count is too low after a stop. The control is checked
/// often enough for a stop to take effect within milliseconds.
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
