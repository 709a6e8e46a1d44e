//! What recording needs from a game.

use super::record::{Header, Kind, Record, Sets, squares};
use crate::base::{Score, Side};
use crate::engine::Playable;
use crate::game::breakthrough::{Bits, Geometry};
use crate::game::{Game, Move, breakthrough, freeling};
use crate::solve::LeafProver;
use std::error::Error;

/// Positions in a row that are not proven, going back from a game's end, before
/// the rest of the game is taken to be as hard.
const MOST_UNPROVEN: usize = 2;

/// Whether the side to move wins in the last of these positions, which follow one
/// another, in the last but one, and so on, as far back as is worth trying.
pub type Prove<G> = Box<dyn Fn(&[G]) -> Vec<Option<bool>> + Send>;

/// A game whose positions can be recorded.
pub trait Recorded: Playable {
    /// Its number in a file.
    const KIND: Kind;

    /// The start position on a board; `None` if there is none.
    fn start_on(board: (usize, usize)) -> Option<Self>;

    /// The position's sets of squares and its ply.
    fn sets(&self) -> (Sets, u16);

    /// The position of a record; `None` if it is not valid.
    fn from_record(header: &Header, record: &Record) -> Option<Self>;

    /// Whether the move does something that a static evaluation cannot see.
    fn is_noisy(&self, mv: Move) -> bool {
        self.is_capture(mv)
    }

    /// Proves positions of this board, each within this many nodes.
    ///
    /// # Errors
    /// If there is no prover for the game or the board, or not enough memory.
    fn prove_within(&self, nodes: u64) -> Result<Prove<Self>, Box<dyn Error>>;

    /// The record of the position, whose result is not known yet.
    fn record(&self, score: Score, is_noisy: bool) -> Record {
        let (sets, ply) = self.sets();
        Record::new(sets, self.side_to_move(), score, ply, is_noisy)
    }
}

impl<B: Bits> Recorded for breakthrough::Position<B> {
    const KIND: Kind = Kind::Breakthrough;

    fn start_on((files, ranks): (usize, usize)) -> Option<Self> {
        Self::start(files, ranks).ok()
    }

    fn sets(&self) -> (Sets, u16) {
        let geometry = self.geometry();
        let files = u32::from(geometry.files());
        let set = |side| {
            let squares = self.pieces(side).squares();
            squares.fold(0, |set, square| {
                let (file, rank) = (geometry.file(square), geometry.rank(square));
                set | 1u128 << (u32::from(rank) * files + u32::from(file))
            })
        };
        (
            Side::BOTH.into_iter().map(set).collect(),
            self.plies_played(),
        )
    }

    fn from_record(header: &Header, record: &Record) -> Option<Self> {
        let geometry = Geometry::new(header.files.into(), header.ranks.into()).ok()?;
        let [white, black] = record.sets[..] else {
            return None;
        };
        // A damaged record must not be taken for another position.
        let is_outside = |square| square >= u32::from(header.files) * u32::from(header.ranks);
        if white & black != 0 || squares(white | black).any(is_outside) {
            return None;
        }
        let pieces = [white, black].map(|set| {
            squares(set).fold(B::EMPTY, |pieces, square| {
                let (rank, file) = (square as u8 / header.files, square as u8 % header.files);
                pieces | B::bit(geometry.square(file, rank))
            })
        });
        Self::new(geometry, pieces, record.side, record.ply).ok()
    }

    fn prove_within(&self, nodes: u64) -> Result<Prove<Self>, Box<dyn Error>> {
        let prover = LeafProver::new(self.geometry(), nodes)?.remembering();
        Ok(Box::new(move |positions| {
            prover.forget();
            let mut unproven = 0;
            let tried = positions.iter().rev().map_while(|position| {
                (unproven < MOST_UNPROVEN).then(|| {
                    let wins = prover.settle(position);
                    unproven = if wins.is_some() { 0 } else { unproven + 1 };
                    wins
                })
            });
            tried.collect()
        }))
    }
}

impl Recorded for freeling::Position {
    const KIND: Kind = Kind::Freeling;

    fn start_on(_board: (usize, usize)) -> Option<Self> {
        Some(Self::start())
    }

    fn sets(&self) -> (Sets, u16) {
        let pieces = Side::BOTH.map(|side| u128::from(self.pieces(side)));
        let pairs = Side::BOTH.map(|side| u128::from(self.pairs(side)));
        (
            pieces.into_iter().chain(pairs).collect(),
            self.plies_played(),
        )
    }

    fn from_record(_header: &Header, record: &Record) -> Option<Self> {
        let [white, black, white_pairs, black_pairs] = record.sets[..] else {
            return None;
        };
        let sets = [white, black, white_pairs, black_pairs].map(|set| set as u64);
        Self::new(
            [sets[0], sets[1]],
            [sets[2], sets[3]],
            record.side,
            0,
            record.ply,
        )
        .ok()
        .filter(|position| position.sets().0 == record.sets)
    }

    fn is_noisy(&self, mv: Move) -> bool {
        self.is_capture(mv) || self.explodes(mv)
    }

    fn prove_within(&self, _nodes: u64) -> Result<Prove<Self>, Box<dyn Error>> {
        Err("only positions of Breakthrough can be proven".into())
    }
}
