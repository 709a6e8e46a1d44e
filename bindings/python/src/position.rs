//! What Python asks of positions beyond what the engine knows.

use petard::engine::{Board, Variant};
use petard::game::Side;
use petard::game::breakthrough::{Bits, Position};
use petard::game::{Game as _, Notation, freeling};

/// What differs between the games for Python.
pub trait Kind: Notation {
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

/// Does the same with whichever game it is.
macro_rules! each {
    ($board:expr, $game:ident => $body:expr) => {
        match $board {
            petard::engine::Board::Small($game) => $body,
            petard::engine::Board::Large($game) => $body,
            petard::engine::Board::Freeling($game) => $body,
        }
    };
}
pub(crate) use each;

pub const fn is_freeling(board: &Board) -> bool {
    matches!(board, Board::Freeling(_))
}

/// The row length by which a move's squares are numbered.
#[inline]
pub fn stride(board: &Board) -> u8 {
    match board {
        Board::Small(_) => 8,
        Board::Large(game) => game.position().stride(),
        Board::Freeling(_) => freeling::FILES,
    }
}

/// Whether game, squares and side to move are the same.
pub fn is_same_position(one: &Board, other: &Board) -> bool {
    fn is_same<B: Bits>(a: &Position<B>, b: &Position<B>) -> bool {
        a.key() == b.key()
            && a.geometry() == b.geometry()
            && Side::BOTH
                .iter()
                .all(|&side| a.pieces(side) == b.pieces(side))
    }
    match (one, other) {
        (Board::Small(a), Board::Small(b)) => is_same(a.position(), b.position()),
        (Board::Large(a), Board::Large(b)) => is_same(a.position(), b.position()),
        (Board::Freeling(a), Board::Freeling(b)) => {
            let (a, b) = (a.position(), b.position());
            a.side_to_move() == b.side_to_move()
                && Side::BOTH
                    .iter()
                    .all(|&s| a.pieces(s) == b.pieces(s) && a.pairs(s) == b.pairs(s))
        }
        _ => false,
    }
}
