//! Playing by an opening book.

use super::board::{Board, each};
use super::opening_book::{BookMove, OpeningBook};
use super::playable::Playable;
use crate::base::{MAX_PLY, Score};
use crate::game::{Move, Notation as _};
use rand_mt::Mt64;
use std::hash::{BuildHasher, RandomState};

/// A move of an opening book, with its value, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningMove {
    /// The move.
    pub mv: String,
    /// Its value to the side to move: an estimate in centipawns, or a proven result.
    pub score: Score,
    /// How many positions have been searched from there on; 0 if the value comes
    /// from the search of the position before it.
    pub searches: u32,
}

/// A move to play, and what the book expects afterwards.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) line: Vec<Move>,
    pub(super) score: Score,
}

/// A generator that is different in every engine.
pub(super) fn random() -> Mt64 {
    Mt64::new(RandomState::new().hash_one(0))
}

/// One of the moves that give up at most `variety` centipawns against the best, each
/// as likely as the others; `None` if the book does not know the position.
pub(super) fn choose<G: Playable>(
    position: &G,
    book: &OpeningBook,
    variety: Score,
    random: &mut Mt64,
) -> Option<Opening> {
    let moves = position.book_moves(book);
    let best = moves.first()?.score;
    let fits = |found: &&BookMove| variety > 0 && found.score >= best - variety;
    let fitting: Vec<&BookMove> = moves.iter().filter(fits).collect();
    let chosen = match fitting.len() {
        0 => moves[0],
        // The remainder favours no move by more than one in 2^56.
        count => *fitting[(random.next_u64() % count as u64) as usize],
    };
    let mut line = vec![chosen.mv];
    let mut position = position.play(chosen.mv);
    while let Some(next) = position.book_moves(book).first() {
        if line.len() == MAX_PLY {
            break;
        }
        line.push(next.mv);
        position = position.play(next.mv);
    }
    Some(Opening {
        line,
        score: chosen.score,
    })
}

/// What the book has about the position on the board, best first.
pub(super) fn moves(board: &Board, book: &OpeningBook) -> Vec<OpeningMove> {
    each!(board, game => {
        let position = game.position();
        let moves = position.book_moves(book).into_iter();
        let text = |found: BookMove| OpeningMove {
            mv: position.move_text(found.mv),
            score: found.score,
            searches: found.searches,
        };
        moves.map(text).collect()
    })
}
