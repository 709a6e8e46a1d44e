//! A game of a kind known at compile time, from its start to the position on
//! the board, with the moves that have been taken back.

use crate::game::{Ending, Move, MoveError, MoveList, Notation, Outcome};
use std::collections::HashMap;

/// The most moves of a game, of each side together. Games of Freeling's end only
/// by a win or a repetition, and every move takes memory.
const MAX_GAME_MOVES: usize = 65_535;

/// A position with the game that led to it.
#[derive(Clone, Debug)]
pub struct GameRecord<G> {
    position: G,
    /// The positions before it, oldest first, each with the move played there.
    past: Vec<(G, Move)>,
    /// The moves taken back; the last one is replayed first.
    undone: Vec<Move>,
    /// How often each earlier position has occurred, if positions can repeat.
    seen: HashMap<u64, u32>,
}

/// A position to search.
pub(super) struct SearchRoot<G> {
    pub(super) position: G,
    /// The keys of the game's earlier positions, oldest first.
    pub(super) keys: Vec<u64>,
    /// Whether the game is over there.
    pub(super) is_over: bool,
}

impl<G: Notation> GameRecord<G> {
    /// A game without moves.
    pub fn new(position: G) -> Self {
        Self {
            position,
            past: Vec::new(),
            undone: Vec::new(),
            seen: HashMap::new(),
        }
    }

    /// The position on the board.
    #[inline]
    pub const fn position(&self) -> &G {
        &self.position
    }

    /// The positions before it, oldest first, each with the move played there.
    #[inline]
    pub fn past(&self) -> &[(G, Move)] {
        &self.past
    }

    /// The position that the game began with.
    pub fn start(&self) -> &G {
        self.past.first().map_or(&self.position, |(start, _)| start)
    }

    /// How many moves have been taken back and can be replayed.
    pub(super) const fn undone(&self) -> usize {
        self.undone.len()
    }

    /// Whether this position, if it comes next, or the one on the board is there
    /// for the third time.
    #[inline]
    fn is_third(&self, position: &G) -> bool {
        G::CAN_REPEAT
            && self
                .seen
                .get(&position.key())
                .is_some_and(|&times| times >= 2)
    }

    #[inline]
    fn is_repeated(&self) -> bool {
        self.is_third(&self.position)
    }

    #[inline]
    fn outcome_at(&self, position: &G) -> Outcome {
        match position.outcome() {
            Outcome::Ongoing if self.is_third(position) => Outcome::Draw,
            outcome => outcome,
        }
    }

    /// How the game stands, repetitions included.
    #[inline]
    pub fn outcome(&self) -> Outcome {
        self.outcome_at(&self.position)
    }

    /// Why the game is over, repetitions included; `None` if it goes on.
    pub fn ending(&self) -> Option<Ending> {
        let ending = self.position.ending();
        ending.or_else(|| self.is_repeated().then_some(Ending::Repetition))
    }

    /// The legal moves; none if the game is over.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        if !self.is_repeated() {
            self.position.moves(&mut list);
        }
        list
    }

    /// How many legal moves there are.
    #[inline]
    pub fn count_moves(&self) -> usize {
        if self.is_repeated() {
            return 0;
        }
        self.position.count_moves() as usize
    }

    /// Whether the move is legal.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv) && !self.is_repeated()
    }

    /// The move that a text stands for here.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn parse(&self, text: &str) -> Result<Move, MoveError> {
        if self.is_repeated() {
            return Err(MoveError::GameOver(text.to_owned()));
        }
        let mv = self.position.parse_move(text)?;
        if self.past.len() >= MAX_GAME_MOVES {
            return Err(MoveError::TooLong {
                text: text.to_owned(),
                most: MAX_GAME_MOVES,
            });
        }
        Ok(mv)
    }

    /// Plays a legal move. Moves taken back before are forgotten.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.undone.clear();
        self.advance(mv);
    }

    #[inline]
    fn advance(&mut self, mv: Move) {
        let next = self.position.play(mv);
        if G::CAN_REPEAT {
            *self.seen.entry(self.position.key()).or_default() += 1;
        }
        let before = std::mem::replace(&mut self.position, next);
        self.past.push((before, mv));
    }

    /// Takes the last move back and forgets it.
    #[inline]
    pub fn pop(&mut self) -> Option<Move> {
        let (position, mv) = self.past.pop()?;
        if G::CAN_REPEAT
            && let Some(times) = self.seen.get_mut(&position.key())
        {
            *times -= 1;
        }
        self.position = position;
        Some(mv)
    }

    /// Plays moves, all or none. Moves taken back before are forgotten.
    pub(super) fn play_all<'a>(
        &mut self,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), (usize, MoveError)> {
        let before = self.past.len();
        for text in moves {
            match self.parse(text) {
                Ok(mv) => self.advance(mv),
                Err(error) => {
                    let number = self.past.len() - before + 1;
                    while self.past.len() > before {
                        self.pop();
                    }
                    return Err((number, error));
                }
            }
        }
        if self.past.len() > before {
            self.undone.clear();
        }
        Ok(())
    }

    /// Takes back this many moves, which must have been played.
    pub(super) fn undo(&mut self, plies: usize) {
        for _ in 0..plies {
            let mv = self.pop();
            self.undone.extend(mv);
        }
    }

    /// Replays this many moves, which must have been taken back.
    pub(super) fn redo(&mut self, plies: usize) {
        for _ in 0..plies {
            if let Some(mv) = self.undone.pop() {
                self.advance(mv);
            }
        }
    }

    /// What to search: the position on the board, with the turn passed to the other
    /// side if that is wanted.
    pub(super) fn search_root(&self, is_passed: bool) -> SearchRoot<G> {
        let mut keys: Vec<u64> = self.past.iter().map(|(before, _)| before.key()).collect();
        let position = if is_passed {
            keys.push(self.position.key());
            self.position.pass()
        } else {
            self.position.clone()
        };
        SearchRoot {
            is_over: self.outcome_at(&position) != Outcome::Ongoing,
            position,
            keys,
        }
    }
}
