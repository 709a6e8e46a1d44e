//! A position of either game with the moves that led to it.

use petard::base::Side;
use petard::engine::Playable;
use petard::engine::Variant;
use petard::game::breakthrough::{Bits, Position};
use petard::game::{
    Ending, FenError, Game as _, Move, MoveError, MoveList, Notation as _, Outcome, freeling,
};

/// What differs between the games for Python.
pub trait Kind: Playable {
    /// The variant of the position.
    fn variant(&self) -> Variant;

    /// The row length by which a move's squares are numbered.
    fn stride(&self) -> u8;

    /// What stands on a square: `P` or `D` (a pair) for White, lower case for
    /// Black.
    fn piece(&self, square: u8) -> Option<char>;

    /// Plies played since the start of the game.
    fn plies(&self) -> u16;
}

impl<B: Bits> Kind for Position<B> {
    fn variant(&self) -> Variant {
        let (files, ranks) = self.board_size();
        Variant::Breakthrough {
            files: files.into(),
            ranks: ranks.into(),
        }
    }

    #[inline]
    fn stride(&self) -> u8 {
        self.geometry().stride() as u8
    }

    fn piece(&self, square: u8) -> Option<char> {
        if self.pieces(Side::White).has(square) {
            Some('P')
        } else {
            self.pieces(Side::Black).has(square).then_some('p')
        }
    }

    fn plies(&self) -> u16 {
        self.plies_played()
    }
}

impl Kind for freeling::Position {
    fn variant(&self) -> Variant {
        Variant::Freeling
    }

    #[inline]
    fn stride(&self) -> u8 {
        freeling::FILES
    }

    fn piece(&self, square: u8) -> Option<char> {
        let on = |set: u64| set >> square & 1 != 0;
        if on(self.pieces(Side::White)) {
            Some(if on(self.pairs(Side::White)) {
                'D'
            } else {
                'P'
            })
        } else if on(self.pieces(Side::Black)) {
            Some(if on(self.pairs(Side::Black)) {
                'd'
            } else {
                'p'
            })
        } else {
            None
        }
    }

    fn plies(&self) -> u16 {
        self.plies_played()
    }
}

/// A position and those before it, each with the move played there.
#[derive(Clone, Debug)]
pub struct Played<G> {
    pub position: G,
    pub past: Vec<(G, Move)>,
}

impl<G: Kind> Played<G> {
    fn new(position: G) -> Self {
        Self {
            position,
            past: Vec::new(),
        }
    }

    /// Whether the position has occurred for the third time.
    #[inline]
    pub fn is_repeated(&self) -> bool {
        if !G::CAN_REPEAT {
            return false;
        }
        let key = self.position.key();
        let same = self.past.iter().rev().filter(|(old, _)| old.key() == key);
        same.take(2).count() == 2
    }

    #[inline]
    pub fn outcome(&self) -> Outcome {
        match self.position.outcome() {
            Outcome::Ongoing if self.is_repeated() => Outcome::Draw,
            outcome => outcome,
        }
    }

    pub fn ending(&self) -> Option<Ending> {
        let ending = self.position.ending();
        ending.or_else(|| self.is_repeated().then_some(Ending::Repetition))
    }

    #[inline]
    pub fn moves(&self, list: &mut MoveList) {
        if !self.is_repeated() {
            self.position.moves(list);
        }
    }

    #[inline]
    pub fn count_moves(&self) -> usize {
        if self.is_repeated() {
            0
        } else {
            self.position.count_moves() as usize
        }
    }

    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv) && !self.is_repeated()
    }

    /// Reads a move, which must be legal.
    pub fn parse(&self, text: &str) -> Result<Move, MoveError> {
        let mv = self.position.parse_move(text)?;
        if self.is_repeated() {
            return Err(MoveError::GameOver(text.to_owned()));
        }
        Ok(mv)
    }

    /// Plays a legal move.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        let next = self.position.play(mv);
        self.past
            .push((std::mem::replace(&mut self.position, next), mv));
    }

    /// Takes the last move back.
    #[inline]
    pub fn pop(&mut self) -> Option<Move> {
        let (position, mv) = self.past.pop()?;
        self.position = position;
        Some(mv)
    }

    /// The position that it began with.
    pub fn root(&self) -> &G {
        self.past.first().map_or(&self.position, |(root, _)| root)
    }
}

/// A game in progress, of either game and any board.
#[derive(Clone, Debug)]
pub enum Game {
    Small(Played<Position<u64>>),
    Large(Played<Position<u128>>),
    Freeling(Played<freeling::Position>),
}

/// Does the same with whichever game it is.
macro_rules! each {
    ($game:expr, $played:ident => $body:expr) => {
        match $game {
            $crate::position::Game::Small($played) => $body,
            $crate::position::Game::Large($played) => $body,
            $crate::position::Game::Freeling($played) => $body,
        }
    };
}
pub(crate) use each;

impl Game {
    /// The start position.
    pub fn start(variant: Variant) -> Result<Self, FenError> {
        match variant {
            Variant::Breakthrough { files, ranks } => match Position::<u64>::start(files, ranks) {
                Err(FenError::TooLarge(..)) => Ok(Self::Large(Played::new(
                    Position::<u128>::start(files, ranks)?,
                ))),
                small => Ok(Self::Small(Played::new(small?))),
            },
            Variant::Freeling => Ok(Self::Freeling(Played::new(freeling::Position::start()))),
        }
    }

    /// A position from its text.
    pub fn from_fen(is_freeling: bool, fen: &str) -> Result<Self, FenError> {
        if is_freeling {
            return Ok(Self::Freeling(Played::new(freeling::Position::from_fen(
                fen,
            )?)));
        }
        match Position::<u64>::from_fen(fen) {
            Err(FenError::TooLarge(..)) => {
                Ok(Self::Large(Played::new(Position::<u128>::from_fen(fen)?)))
            }
            small => Ok(Self::Small(Played::new(small?))),
        }
    }

    pub const fn is_freeling(&self) -> bool {
        matches!(self, Self::Freeling(_))
    }

    #[inline]
    pub fn stride(&self) -> u8 {
        match self {
            Self::Small(_) => 8,
            Self::Large(played) => played.position.stride(),
            Self::Freeling(_) => freeling::FILES,
        }
    }

    pub fn board_size(&self) -> (u8, u8) {
        each!(self, played => played.position.board_size())
    }

    pub fn fen(&self) -> String {
        each!(self, played => played.position.fen())
    }

    /// Whether game, squares and side to move are the same.
    pub fn is_same_position(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => {
                a.position.key() == b.position.key()
                    && a.position.geometry() == b.position.geometry()
                    && Side::BOTH
                        .iter()
                        .all(|&s| a.position.pieces(s) == b.position.pieces(s))
            }
            (Self::Large(a), Self::Large(b)) => {
                a.position.key() == b.position.key()
                    && a.position.geometry() == b.position.geometry()
                    && Side::BOTH
                        .iter()
                        .all(|&s| a.position.pieces(s) == b.position.pieces(s))
            }
            (Self::Freeling(a), Self::Freeling(b)) => {
                let (a, b) = (&a.position, &b.position);
                a.side_to_move() == b.side_to_move()
                    && Side::BOTH
                        .iter()
                        .all(|&s| a.pieces(s) == b.pieces(s) && a.pairs(s) == b.pairs(s))
            }
            _ => false,
        }
    }

    /// The position as `mirror` or `flip_horizontal` has it, without moves.
    pub fn mapped(&self, is_mirror: bool) -> Self {
        fn map<G: Kind>(played: &Played<G>, is_mirror: bool) -> Played<G> {
            Played::new(if is_mirror {
                played.position.flipped()
            } else {
                played.position.mirrored()
            })
        }
        match self {
            Self::Small(played) => Self::Small(map(played, is_mirror)),
            Self::Large(played) => Self::Large(map(played, is_mirror)),
            Self::Freeling(played) => Self::Freeling(map(played, is_mirror)),
        }
    }
}
