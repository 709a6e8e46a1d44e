//! A game of any kind and on any board, with what the rules and the evaluation
//! say about its position. Its moves come and go as text.

use super::error::{GameError, LineError};
use super::event::{Chances, Event, ProofResult};
use super::game_record::GameRecord;
use super::playable::Playable;
use crate::base::{MAX_PLY, Score, Side};
use crate::eval::{EvalSource, Evaluator, Term};
use crate::game::breakthrough::{Position, parse_board_size};
use crate::game::{
    Ending, Explosion, FenError, Game, Move, MoveError, MoveList, Notation, Outcome, freeling,
    perft,
};
use crate::search::Control;
use crate::solve::{Progress, ProofLimits, SolveError};

/// A position of any game and size, with the game that led to it.
#[derive(Clone, Debug)]
pub enum Board {
    /// Breakthrough on up to 8x8 squares.
    Small(GameRecord<Position<u64>>),
    /// Breakthrough on other boards.
    Large(GameRecord<Position<u128>>),
    /// Freeling's Breakthrough.
    Freeling(GameRecord<freeling::Position>),
}

/// Does the same whichever game it is; a function cannot, as a closure is never
/// generic.
macro_rules! each {
    ($board:expr, $game:ident => $body:expr) => {
        match $board {
            $crate::engine::Board::Small($game) => $body,
            $crate::engine::Board::Large($game) => $body,
            $crate::engine::Board::Freeling($game) => $body,
        }
    };
}
pub(super) use each;

/// Where a game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of the current variant.
    StartPos,
    /// A position's text.
    Fen(String),
}

/// A move of a line under examination, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStep {
    /// The move as petard writes it.
    pub mv: String,
    /// The squares whose pieces it takes.
    pub captures: Vec<String>,
    /// The explosions that it sets off, in order.
    pub explosions: Vec<Explosion>,
    /// The position after it.
    pub fen: String,
    /// How the game stands then, repetitions included.
    pub outcome: Outcome,
    /// Why it is over, if it is.
    pub ending: Option<Ending>,
}

/// A static evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// From the mover's view, in centipawns.
    pub score: Score,
    /// The score as chances.
    pub chances: Chances,
    /// Its terms; the first names the evaluation and has the whole value.
    pub terms: Vec<Term>,
    /// What the pieces on each square are worth, from White's view in centipawns:
    /// the position's value minus its value without them. Squares without whose
    /// pieces the game would be over are left out.
    pub pieces: Vec<(String, Score)>,
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
                    let position = Position::<u128>::start(files, ranks)?;
                    Ok(Self::Large(GameRecord::new(position)))
                }
                small => Ok(Self::Small(GameRecord::new(small?))),
            },
            Variant::Freeling => {
                let start = freeling::Position::start();
                Ok(Self::Freeling(GameRecord::new(start)))
            }
        }
    }

    /// A position from its text; in Breakthrough the text says how large the
    /// board is.
    ///
    /// # Errors
    /// If the text is not that of a position; the error says why.
    pub fn from_fen(variant: Variant, fen: &str) -> Result<Self, FenError> {
        match variant {
            Variant::Breakthrough { .. } => match Position::<u64>::from_fen(fen) {
                Err(FenError::TooLarge(..)) => {
                    let position = Position::<u128>::from_fen(fen)?;
                    Ok(Self::Large(GameRecord::new(position)))
                }
                small => Ok(Self::Small(GameRecord::new(small?))),
            },
            Variant::Freeling => {
                let position = freeling::Position::from_fen(fen)?;
                Ok(Self::Freeling(GameRecord::new(position)))
            }
        }
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
        board.play_all(moves)?;
        Ok(board)
    }

    /// Plays a move, and returns it as petard writes it. Moves taken back before
    /// are forgotten.
    ///
    /// # Errors
    /// If it is not legal; the board stays as it is.
    pub fn play(&mut self, text: &str) -> Result<String, MoveError> {
        each!(self, game => {
            let mv = game.parse(text)?;
            let text = game.position().move_text(mv);
            game.push(mv);
            Ok(text)
        })
    }

    /// Plays moves, all of them or none.
    ///
    /// # Errors
    /// If one is not legal; the error names it and its ply.
    pub fn play_all<'a>(
        &mut self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), LineError> {
        each!(self, game => {
            game.play_all(moves).map_err(|(ply, error)| LineError { ply, error })
        })
    }

    /// Takes back this many moves.
    ///
    /// # Errors
    /// If fewer have been played; none is taken back then.
    pub fn undo(&mut self, plies: usize) -> Result<(), GameError> {
        let played = each!(&*self, game => game.past().len());
        if plies > played {
            return Err(GameError::Undo(played));
        }
        each!(self, game => game.undo(plies));
        Ok(())
    }

    /// Replays this many of the moves that were taken back.
    ///
    /// # Errors
    /// If fewer have been taken back; none is replayed then.
    pub fn redo(&mut self, plies: usize) -> Result<(), GameError> {
        let undone = self.undone();
        if plies > undone {
            return Err(GameError::Redo(undone));
        }
        each!(self, game => game.redo(plies));
        Ok(())
    }

    /// What these moves do one after the other, and where they lead; this
    /// board stays as it is. If a move is not legal, its error comes with the
    /// steps before it.
    pub fn line<'a>(
        &self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> (Vec<LineStep>, Option<LineError>) {
        let (mut board, mut steps) = (self.clone(), Vec::new());
        for text in moves {
            match each!(&mut board, game => step(game, text)) {
                Ok(step) => steps.push(step),
                Err(error) => {
                    let ply = steps.len() + 1;
                    return (steps, Some(LineError { ply, error }));
                }
            }
        }
        (steps, None)
    }

    /// The position that the game began with, without moves.
    pub fn beginning(&self) -> Self {
        each!(self, game => GameRecord::new(*game.start()).into())
    }

    /// The position with ranks and colours swapped, without the game before.
    pub fn flipped(&self) -> Self {
        each!(self, game => GameRecord::new(game.position().flipped()).into())
    }

    /// The moves played, oldest first.
    pub fn moves(&self) -> Vec<String> {
        each!(self, game => {
            let past = game.past().iter();
            past.map(|(position, mv)| position.move_text(*mv)).collect()
        })
    }

    /// How many moves have been taken back and can be replayed.
    pub const fn undone(&self) -> usize {
        each!(self, game => game.undone())
    }

    /// The position's text.
    pub fn fen(&self) -> String {
        each!(self, game => game.position().fen())
    }

    /// The name of the game.
    pub fn game(&self) -> &'static str {
        match self {
            Self::Small(_) | Self::Large(_) => Position::<u64>::NAME,
            Self::Freeling(_) => freeling::Position::NAME,
        }
    }

    /// Files and ranks.
    pub fn size(&self) -> (u8, u8) {
        each!(self, game => game.position().board_size())
    }

    /// The board drawn in text.
    pub fn diagram(&self) -> String {
        each!(self, game => game.position().diagram())
    }

    /// The Zobrist key.
    pub fn key(&self) -> u64 {
        each!(self, game => game.position().key())
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        each!(self, game => game.position().side_to_move())
    }

    /// How the game stands, repetitions included.
    pub fn outcome(&self) -> Outcome {
        each!(self, game => game.outcome())
    }

    /// Why the game is over, repetitions included; `None` if it goes on.
    pub fn ending(&self) -> Option<Ending> {
        each!(self, game => game.ending())
    }

    /// All legal moves, sorted by text; none if the game is over.
    pub fn legal_moves(&self) -> Vec<String> {
        each!(self, game => sorted_texts(game.position(), &game.legal_moves()))
    }

    /// The moves with which the side to move wins at once, sorted by text.
    pub fn wins(&self) -> Vec<String> {
        each!(self, game => match game.outcome() {
            Outcome::Ongoing => wins(game.position()),
            _ => Vec::new(),
        })
    }

    /// The moves with which the other side would win at once if it were its
    /// turn, sorted by text; none if the game is over.
    pub fn threats(&self) -> Vec<String> {
        each!(self, game => match game.outcome() {
            Outcome::Ongoing => wins(&game.position().pass()),
            _ => Vec::new(),
        })
    }

    /// Assembles the board's network, if it has none of its own and this has
    /// not been done before.
    pub(super) fn assemble(&self, source: &EvalSource) {
        each!(self, game => drop(game.position().evaluator(source)));
    }

    /// The static evaluation; `None` if the game is over.
    pub(crate) fn evaluate(&self, source: &EvalSource) -> Option<Evaluation> {
        if self.outcome() != Outcome::Ongoing {
            return None;
        }
        Some(each!(self, game => evaluation(game.position(), source)))
    }

    /// The number of lines of exactly this many plies, by first move; the
    /// control can stop it. Repetitions do not end a line: the position's moves
    /// are counted, as other programs count them.
    pub(crate) fn perft(&self, depth: u32, control: &Control) -> Event {
        each!(self, game => count_leaves(game.position(), depth, control))
    }

    /// Whether there are proofs for this game and board.
    pub(super) fn has_proofs(&self) -> bool {
        each!(self, game => game.position().has_proofs())
    }

    /// Tries to prove who wins, with a table of this many bytes.
    pub(super) fn prove(
        &self,
        limits: &ProofLimits,
        bytes: usize,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<ProofResult, SolveError> {
        each!(self, game => prove(game.position(), limits, bytes, control, progress))
    }
}

impl From<GameRecord<Position<u64>>> for Board {
    fn from(game: GameRecord<Position<u64>>) -> Self {
        Self::Small(game)
    }
}

impl From<GameRecord<Position<u128>>> for Board {
    fn from(game: GameRecord<Position<u128>>) -> Self {
        Self::Large(game)
    }
}

impl From<GameRecord<freeling::Position>> for Board {
    fn from(game: GameRecord<freeling::Position>) -> Self {
        Self::Freeling(game)
    }
}

fn sorted_texts<G: Notation>(position: &G, moves: &[Move]) -> Vec<String> {
    let mut texts: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
    texts.sort_unstable();
    texts
}

/// The moves with which the side to move wins at once, sorted by text.
fn wins<G: Notation>(position: &G) -> Vec<String> {
    let won = Outcome::Win(position.side_to_move());
    let mut list = MoveList::new();
    position.moves(&mut list);
    list.retain(|mv| position.play(*mv).outcome() == won);
    sorted_texts(position, &list)
}

/// Plays a move and says what it does.
fn step<G: Notation>(game: &mut GameRecord<G>, text: &str) -> Result<LineStep, MoveError> {
    let mv = game.parse(text)?;
    let before = game.position();
    let (text, captures) = (before.move_text(mv), before.captures(mv));
    let explosions = before.explosions(mv);
    game.push(mv);
    Ok(LineStep {
        mv: text,
        captures,
        explosions,
        fen: game.position().fen(),
        outcome: game.outcome(),
        ending: game.ending(),
    })
}

fn evaluation<G: Playable>(position: &G, source: &EvalSource) -> Evaluation {
    let mut evaluator = position.evaluator(source);
    let score = evaluator.evaluate(position);
    let terms = evaluator.explain(position);
    let mut white_value = |position: &G| {
        evaluator.reset(position);
        let value = evaluator.evaluate(position);
        match position.side_to_move() {
            Side::White => value,
            Side::Black => -value,
        }
    };
    let whole = white_value(position);
    let pieces = position.without_each().into_iter();
    let pieces = pieces.filter(|(_, without)| without.outcome() == Outcome::Ongoing);
    Evaluation {
        score,
        chances: G::chances(score),
        terms,
        pieces: pieces
            .map(|(square, without)| (square, whole - white_value(&without)))
            .collect(),
    }
}

fn count_leaves<G: Notation>(position: &G, depth: u32, control: &Control) -> Event {
    // Nobody will see the count of deeper lines, but they must not overflow
    // the stack: in Freeling's game a line of passes never ends.
    let depth = depth.min(MAX_PLY as u32);
    let mut list = MoveList::new();
    if depth > 0 {
        position.moves(&mut list);
    }
    let split: Vec<(String, u64)> = list
        .into_iter()
        .map(|mv| {
            let count = counted(&position.play(mv), depth - 1, control);
            (position.move_text(mv), count)
        })
        .collect();
    Event::Perft {
        total: u64::from(depth == 0) + split.iter().map(|(_, count)| count).sum::<u64>(),
        split,
        is_stopped: control.is_stopped(),
    }
}

/// [`perft`], but its count is too low after a stop. The control is checked
/// often enough for a stop to take effect within milliseconds.
fn counted<G: Game>(position: &G, depth: u32, control: &Control) -> u64 {
    if depth <= 3 {
        return perft(position, depth);
    }
    let mut list = MoveList::new();
    position.moves(&mut list);
    list.iter()
        .take_while(|_| !control.pause_and_check())
        .map(|&mv| counted(&position.play(mv), depth - 1, control))
        .sum()
}

fn prove<G: Playable>(
    position: &G,
    limits: &ProofLimits,
    bytes: usize,
    control: &Control,
    progress: &mut dyn FnMut(&Progress),
) -> Result<ProofResult, SolveError> {
    let side = position.side_to_move();
    let solution = position.solve(limits, bytes, &|| control.pause_and_check(), progress)?;
    let wins = solution.side_to_move_wins;
    Ok(ProofResult {
        winner: wins.map(|wins| if wins { side } else { !side }),
        line: line_texts(position, &solution.line),
        nodes: solution.nodes,
        time: control.elapsed(),
    })
}

/// The texts of moves played one after the other.
pub(crate) fn line_texts<G: Notation>(position: &G, line: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    line.iter()
        .map(|&mv| {
            let text = position.move_text(mv);
            position = position.play(mv);
            text
        })
        .collect()
}

/// A game and, where it has several, a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Breakthrough on a board of this many files and ranks.
    Breakthrough {
        /// Files.
        files: usize,
        /// Ranks.
        ranks: usize,
    },
    /// Freeling's game of the same name.
    Freeling,
}

/// The variants that have a name, as `UCI_Variant` and the command line know
/// them. Kept short, because some programs read the list into a small buffer.
pub(crate) const VARIANTS: [(&str, Variant); 5] = [
    ("breakthrough", Variant::STANDARD),
    (
        "breakthrough5",
        Variant::Breakthrough { files: 5, ranks: 5 },
    ),
    (
        "breakthrough6",
        Variant::Breakthrough { files: 6, ranks: 6 },
    ),
    (
        "breakthrough7",
        Variant::Breakthrough { files: 7, ranks: 7 },
    ),
    ("freeling", Variant::Freeling),
];

impl Variant {
    /// The standard game.
    pub const STANDARD: Self = Self::Breakthrough { files: 8, ranks: 8 };

    /// The variant of this name, in upper or lower case.
    pub fn by_name(name: &str) -> Option<Self> {
        VARIANTS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|&(_, variant)| variant)
    }

    /// Its name, or that of its game if its board has none.
    pub fn name(self) -> &'static str {
        let named = VARIANTS.iter().find(|&&(_, variant)| variant == self);
        named.map_or(VARIANTS[0].0, |&(name, _)| name)
    }
}

/// Reads a board size such as `8x8`.
///
/// # Errors
/// If it is not of that form or cannot be played on.
pub fn parse_board(text: &str) -> Result<Variant, FenError> {
    let (files, ranks) = parse_board_size(text)?;
    Ok(Variant::Breakthrough { files, ranks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(variant: Variant) -> Board {
        Board::start(variant).unwrap()
    }

    fn after(moves: &[&str]) -> Board {
        let start = start(Variant::STANDARD);
        start.with_moves(moves.iter().copied()).unwrap()
    }

    #[test]
    fn moves_are_taken_back_and_replayed() {
        let mut board = after(&["A2A3", "a7a6"]);
        board.play("b2b3").unwrap();
        assert_eq!(board.moves(), ["a2a3", "a7a6", "b2b3"]);
        board.undo(2).unwrap();
        assert_eq!(board.fen(), after(&["a2a3"]).fen());
        assert_eq!((board.moves().len(), board.undone()), (1, 2));
        board.redo(1).unwrap();
        assert_eq!(board.fen(), after(&["a2a3", "a7a6"]).fen());
        board.undo(0).unwrap();
        board.play_all([]).unwrap();
        board.redo(1).unwrap();
        assert_eq!(board.fen(), after(&["a2a3", "a7a6", "b2b3"]).fen());
        board.undo(3).unwrap();
        assert_eq!(board.fen(), board.beginning().fen());
        board.play("h2h3").unwrap();
        assert_eq!(board.redo(1), Err(GameError::Redo(0)));
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut board = after(&["a2a3", "a7a6"]);
        board.undo(1).unwrap();
        let before = board.fen();
        let error = board.play_all(["b7b6", "b7b6"]).unwrap_err();
        assert!(error.to_string().starts_with("move 2: "), "{error}");
        assert_eq!(board.undo(2), Err(GameError::Undo(1)));
        assert_eq!(board.redo(2), Err(GameError::Redo(1)));
        assert_eq!(board.redo(usize::MAX), Err(GameError::Redo(1)));
        assert_eq!((board.fen(), board.undone()), (before, 1));
        board.redo(1).unwrap();
        assert_eq!(board.moves(), ["a2a3", "a7a6"]);
    }

    #[test]
    fn a_draw_by_repetition_is_taken_back_too() {
        let mut board = start(Variant::Freeling);
        board.play_all(["pass"; 4]).unwrap();
        assert_eq!(board.ending(), Some(Ending::Repetition));
        assert!(board.legal_moves().is_empty());
        board.undo(1).unwrap();
        assert!(!board.legal_moves().is_empty());
        board.redo(1).unwrap();
        assert!(board.legal_moves().is_empty());
        // Refused moves leave no trace in what has occurred.
        board.undo(4).unwrap();
        for _ in 0..3 {
            board.play_all(["pass", "pass", "b2b9"]).unwrap_err();
        }
        board.redo(4).unwrap();
        assert_eq!(board.outcome(), Outcome::Draw);
        assert_eq!(board.line(["pass"]).1.map(|error| error.ply), Some(1));
    }
}
