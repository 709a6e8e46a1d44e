//! Freeling's game joins the suite.

use super::{Conforms, pieces};
use crate::common::freeling_reference::{Grid, RANKS, random_grid};
use crate::game::Side;
use crate::game::freeling::Position;
use crate::game::{Game, Move, Notation, Outcome};
use rand_mt::Mt64;

/// The ranks that a side's pieces reach only by exploding on the far wall.
const BEYOND: usize = 2;

/// Which squares beyond the side's far wall hold its pieces.
fn beyond(grid: &Grid, side: Side) -> Vec<bool> {
    let (ranks, sign) = match side {
        Side::White => (RANKS - BEYOND..RANKS, 1),
        Side::Black => (0..BEYOND, -1),
    };
    let squares = grid.pieces[ranks].iter().flatten();
    squares.map(|&number| number * sign > 0).collect()
}

impl Conforms for Position {
    const LONGEST_CLAIM: u8 = 2;
    const CLAIMS: usize = 10_000;
    const GAMES: usize = 20;
    /// The reference is slow: it runs every chain of explosions in every order.
    const REFERENCE: usize = 20;

    fn starts() -> Vec<Self> {
        [
            "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1",
            "pp1pp/1d1p1/P1PD1/1p1P1/p1d1p/1P1DP/p1d1p/1P1D1/2P2 b 3 17",
            "1pdd1/P1DPp/P1DDP/1D1D1/5/1d1d1/p1ddp/p1dpP/1PDD1 w 0 1",
        ]
        .into_iter()
        .map(|fen| Self::from_fen(fen).unwrap())
        .collect()
    }

    fn random(random: &mut Mt64) -> Self {
        loop {
            let fen = random_grid(random).text() + " 0 1";
            let position = Self::from_fen(&fen).unwrap();
            if position.outcome() == Outcome::Ongoing {
                return position;
            }
        }
    }

    fn reference_moves(fen: &str) -> Vec<(String, String)> {
        let successors = Grid::parse(fen).successors().into_iter();
        successors.map(|(mv, next)| (mv, next.text())).collect()
    }

    fn reference_winner(fen: &str) -> Option<Side> {
        let winner = Grid::parse(fen).winner()?;
        Some(if winner > 0 { Side::White } else { Side::Black })
    }

    /// Pieces captured minus pieces lost, plus one if pieces get past the far wall. There is
    /// no recapture on the square: captures happen by explosions.
    fn reference_exchange(&self, mv: Move) -> i32 {
        let (own, next) = (self.side_to_move(), self.play(mv));
        let lost = |side| pieces(self, side) as i32 - pieces(&next, side) as i32;
        let before = beyond(&Grid::parse(&self.fen()), own);
        let after = beyond(&Grid::parse(&next.fen()), own);
        let crosses = before.iter().zip(&after).any(|(was, is)| !was && *is);
        let explodes = self.explodes(mv);
        if explodes {
            lost(!own) - lost(own) + i32::from(crosses)
        } else {
            0
        }
    }
}
