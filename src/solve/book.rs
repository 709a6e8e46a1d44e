//! A short certificate as a book: what it proves of a position, and the
//! move to play. Colours do not matter: positions are as the side to move sees
//! them.

use super::SolveError;
use super::certificate::{coded_step, legal_step, move_code};
use super::growth::on_board;
use super::keys::{Key as _, KeyMap, Keys};
use super::learner::BoardParams;
use super::prover::{Prover, prover, prover_with};
use super::remembered::Remembered;
use super::short::{FileError, ShortCertificate};
use super::teaching::teach;
use crate::base::Side;
use crate::game::troyka::{Bits, Perspective, Position, StaticSolver};
use crate::game::{Game as _, Move, Notation as _, Outcome, Tactics};
use std::collections::HashSet;

/// How many of the positions below a reply are counted at most, to see how
/// hard it makes the proof.
const COUNTED: usize = 2000;

/// How many times as many nodes as a leaf takes a position may take that is
/// not in the book: below a leaf the search goes other ways.
const PATIENCE: u64 = 4;

/// The same where the winner moves: leaves that share their proofs take more,
/// each by itself. On 5x6, with shared leaves of 1,000 nodes, one in two took
/// more than that, one in ten 32,000 and one in a hundred 350,000.
const PATIENCE_OF_THE_WINNER: u64 = 1000;

/// After so many nodes the stop flag is looked at: a few milliseconds.
const SLICE: u64 = 1000;

/// Bytes of the prover's table for each position that is kept. With the one after
/// its move and the leaves, about eleven of them, it takes 104, on boards with wide keys
/// four times as many; the table's size is the next lower power of two.
const BYTES: usize = 256;

/// The least and the most bytes of that table.
const TABLE: (usize, usize) = (1 << 24, 1 << 29);

/// A short certificate to play by.
#[derive(Clone, Debug)]
pub struct ProofBook {
    board: (u8, u8),
    certificate: ShortCertificate,
    /// The position that is proven, for the side that moves in it.
    root: u128,
    /// Whether that side wins.
    root_wins: bool,
    /// The prover of what is left out, with all that it has found out before.
    prover: Remembered,
}

/// What is proven of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Whether the side to move wins.
    pub wins: bool,
    /// A winning move, or the reply that makes the winner's proof hardest.
    pub best: Move,
    /// The game ends within so many plies.
    pub plies: u16,
    /// Nodes that it took to find out.
    pub nodes: u64,
}

/// A position of a board, with what is needed to look it up.
struct Place<B> {
    statics: StaticSolver<B>,
    map: KeyMap<u128>,
    view: Perspective<B>,
    keys: Keys<u128>,
}

impl<B: Bits> Place<B> {
    fn new(position: &Position<B>) -> Self {
        let statics = StaticSolver::new(position.geometry());
        let map = KeyMap::<u128>::new(&statics);
        let view = position.perspective();
        Self {
            keys: map.keys(view),
            statics,
            map,
            view,
        }
    }

    /// The steps of the side to move, and the positions they lead to.
    fn steps(&self, view: Perspective<B>) -> Vec<((u8, u8), Perspective<B>)> {
        let targets = self.statics.targets(view, self.statics.geometry().board());
        let mut steps = Vec::new();
        for (direction, squares) in targets.into_iter().enumerate() {
            for square in squares.squares() {
                let to = B::bit(square);
                let from = self.statics.origin(to, direction);
                let next = self.statics.step(view, from, to);
                steps.push(((from.lowest(), square), next));
            }
        }
        steps
    }
}

impl ProofBook {
    /// A book from the file of a short certificate. It is read, not checked.
    ///
    /// # Errors
    /// If the file is not one.
    pub fn new(data: &[u8]) -> Result<Self, FileError> {
        let certificate = ShortCertificate::from_bytes(data)?;
        let position = Position::<u128>::from_fen(&certificate.fen)?;
        let (files, ranks) = position.board_size();
        if usize::from(files) * usize::from(ranks) > u128::SQUARES {
            return Err(FileError::Other(format!(
                "a board of {files}x{ranks}, too large"
            )));
        }
        let place = Place::new(&position);
        Ok(Self {
            board: position.board_size(),
            root: place.keys.key(),
            root_wins: certificate.winner == position.side_to_move(),
            certificate,
            prover: Remembered::default(),
        })
    }

    /// Makes a prover that knows what is kept, which helps much where leaves share
    /// their proofs. It takes a second for a million positions: too long for a
    /// move.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn prepare(&self) -> Result<(), SolveError> {
        let fen = &self.certificate.fen;
        if let Ok(position) = Position::<u64>::from_fen(fen) {
            self.prover.with(|| self.taught(&position), |_| ())
        } else if let Ok(position) = Position::<u128>::from_fen(fen) {
            self.prover.with(|| self.taught(&position), |_| ())
        } else {
            Ok(())
        }
    }

    /// Bytes of a prover's table, enough for what is kept and for the leaves.
    fn bytes(&self) -> usize {
        let (files, ranks) = self.board;
        let is_wide = usize::from(files) * usize::from(ranks) > u64::SQUARES;
        let each = BYTES << if is_wide { 2 } else { 0 };
        (self.certificate.entries.len() * each).clamp(TABLE.0, TABLE.1)
    }

    /// A prover that knows nothing yet: by one like it the leaves were found.
    fn fresh<B: Bits>(&self, position: &Position<B>) -> Result<Box<dyn Prover<B>>, SolveError> {
        prover(StaticSolver::new(position.geometry()), self.bytes())
    }

    /// A prover that knows what is kept and the leaves, from the root on.
    fn taught<B: Bits>(&self, root: &Position<B>) -> Result<Box<dyn Prover<B>>, SolveError> {
        let params = BoardParams::for_book(self.board.0);
        let statics = StaticSolver::new(root.geometry());
        let prover = prover_with(statics, self.bytes(), params)?;
        teach(&*prover, root.geometry(), &self.certificate);
        if !self.root_wins && root.outcome() == Outcome::Ongoing {
            prover.teach_loss(root.perspective());
        }
        Ok(prover)
    }

    /// Who wins the position that is proven.
    #[must_use]
    pub const fn winner(&self) -> Side {
        self.certificate.winner
    }

    /// Files and ranks of its board.
    #[must_use]
    pub const fn board(&self) -> (u8, u8) {
        self.board
    }

    /// The winner's move in a position that is kept, unless it is against the
    /// rules: the file is read, not checked.
    fn step<B: Bits>(
        &self,
        place: &Place<B>,
        view: Perspective<B>,
        keys: &Keys<u128>,
    ) -> Option<(u8, u8)> {
        let entries = &self.certificate.entries;
        let key = keys.key();
        let index = entries.binary_search_by_key(&key, |&(key, _)| key).ok()?;
        let is_mirrored = keys.own[1] < keys.own[0];
        legal_step(
            place.statics.geometry(),
            view,
            is_mirrored,
            entries[index].1,
        )
    }

    /// What the book says of a position, without any search.
    #[must_use]
    pub fn look<B: Bits>(&self, position: &Position<B>) -> Option<Known> {
        if position.board_size() != self.board || position.outcome() != Outcome::Ongoing {
            return None;
        }
        let place = Place::new(position);
        if let Some((from, to)) = self.step(&place, place.view, &place.keys) {
            return Some(known(position, true, (from, to), 0));
        }
        let is_lost = place.keys.key() == self.root && !self.root_wins || self.is_reached(&place);
        is_lost.then(|| known(position, false, self.hardest(&place), 0))
    }

    /// Whether a move of the book leads here: the last one, which the other
    /// side has made, is taken back in every way there is.
    fn is_reached<B: Bits>(&self, place: &Place<B>) -> bool {
        let statics = &place.statics;
        let geometry = statics.geometry();
        let files = geometry.files();
        // As the other side sees it, whose men go up.
        let winner = statics.other_side(place.view);
        for to in winner.own.squares() {
            let (file, rank) = (geometry.file(to), geometry.rank(to));
            for direction in 0..3 {
                // The man came from the file to its right if it went left.
                let Some(start) = (file + 1).checked_sub(direction) else {
                    continue;
                };
                if rank == 0 || start >= files {
                    continue;
                }
                let from = geometry.square(start, rank - 1);
                if (winner.own | winner.enemy).has(from) {
                    continue;
                }
                for takes in [false, true] {
                    if takes && direction == 1 {
                        continue;
                    }
                    let mut before = Perspective {
                        own: winner.own ^ (B::bit(from) | B::bit(to)),
                        enemy: winner.enemy,
                    };
                    if takes {
                        before.enemy |= B::bit(to);
                    }
                    let keys = place.map.keys(before);
                    let found = self.step(place, before, &keys);
                    // Of a position that is its own mirror image two steps are one.
                    let is_symmetric = keys.own[0] == keys.own[1];
                    let mirrored = || {
                        let code = move_code(geometry, true, from, to);
                        coded_step(geometry, false, code)
                    };
                    if found == Some((from, to))
                        || is_symmetric && found.is_some() && found == mirrored()
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The reply that leaves most to prove: a position that is kept, with most
    /// others below it.
    fn hardest<B: Bits>(&self, place: &Place<B>) -> (u8, u8) {
        let steps = place.steps(place.view);
        let size = |next: &Perspective<B>| self.size(place, *next);
        let hardest = steps.iter().max_by_key(|(_, next)| size(next));
        hardest.map_or((0, 0), |&(step, _)| step)
    }

    /// How many positions the book keeps from here on, up to a limit.
    fn size<B: Bits>(&self, place: &Place<B>, view: Perspective<B>) -> usize {
        let mut seen = HashSet::new();
        let mut open = vec![view];
        while let Some(view) = open.pop() {
            let keys = place.map.keys(view);
            let Some((from, to)) = self.step(place, view, &keys) else {
                continue;
            };
            if !seen.insert(keys.key()) || seen.len() >= COUNTED {
                continue;
            }
            let next = place.statics.step(view, B::bit(from), B::bit(to));
            if !next.own.is_empty() {
                open.extend(place.steps(next).into_iter().map(|(_, reply)| reply));
            }
        }
        seen.len()
    }

    /// Proves that the side to move wins a position of the book's board, as
    /// leaves and what is below them are proven; `None` if it does not in so
    /// many nodes, or is stopped. The nodes are those of a leaf, some more, or
    /// what is allowed, if that is less; and where the winner of the book moves
    /// up to half of what is allowed, or many times those of a leaf. What is
    /// found out is remembered for the next position, and so is what is not
    /// proven yet.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn prove<B: Bits>(
        &self,
        position: &Position<B>,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Option<Known>, u64), SolveError> {
        if position.board_size() != self.board || position.outcome() != Outcome::Ongoing {
            return Ok((None, 0));
        }
        // The prover does not look at positions in which a man can arrive.
        if let Tactics::Win { plies: 1, best } = position.tactics() {
            let known = Known {
                wins: true,
                best,
                plies: 1,
                nodes: 0,
            };
            return Ok((Some(known), 0));
        }
        let times = |patience| self.certificate.leaf_nodes.saturating_mul(patience);
        let usual = nodes.unwrap_or(u64::MAX).min(times(PATIENCE));
        let nodes = if self.certificate.winner == position.side_to_move() {
            let most = times(PATIENCE_OF_THE_WINNER);
            nodes.map_or(most, |nodes| most.min(nodes / 2)).max(usual)
        } else {
            usual
        };
        let view = position.perspective();
        let search = |prover: &dyn Prover<B>| {
            // On the caller's thread, a slice at a time, to look at the stop flag.
            let before = prover.nodes();
            let spent = || prover.nodes() - before;
            let step = loop {
                let left = || nodes.saturating_sub(spent()).min(SLICE);
                if left() == 0 || stop() {
                    break None;
                }
                match prover.settle(view, left()) {
                    Some(true) => {
                        // The table holds the proof: one more node tells the step.
                        let step = prover.winning_step(view, left().max(1));
                        if step.is_some() {
                            break step;
                        }
                    }
                    Some(false) => break None,
                    None => {}
                }
            };
            (step, spent())
        };
        let (step, spent) = self.prover.with(|| self.fresh(position), search)?;
        let found = step.map(|step| known(position, true, step, spent));
        Ok((found, spent))
    }

    /// Who wins a position of the board, as far as the prover knows by now without a
    /// search: whether the side to move does, and within how many plies. Nobody may
    /// ask of one in which a man can arrive, or that is over. `None` if there is no
    /// prover.
    pub fn proofs<B: Bits>(&self) -> Option<impl Fn(&Position<B>) -> Option<(bool, u16)> + use<B>> {
        let prover = self.prover.share::<B>()?;
        Some(move |position: &Position<B>| {
            let (wins, _) = prover.known(position.perspective())?;
            Some((wins, longest(position, wins)))
        })
    }
}

fn known<B: Bits>(position: &Position<B>, wins: bool, step: (u8, u8), nodes: u64) -> Known {
    Known {
        wins,
        best: on_board(position, step.0, step.1),
        plies: longest(position, wins),
        nodes,
    }
}

/// After how many plies the game is over at the latest, if the side to move
/// wins or has lost: both sides can make only so many moves before a man of
/// theirs must arrive.
fn longest<B: Bits>(position: &Position<B>, wins: bool) -> u16 {
    let geometry = position.geometry();
    let moves = |side: Side| -> u16 {
        let men = position.men(side).squares();
        let left = men.map(|man| {
            let rank = geometry.rank(man);
            let distance = match side {
                Side::White => geometry.ranks() - 1 - rank,
                Side::Black => rank,
            };
            u16::from(distance.saturating_sub(1))
        });
        left.sum()
    };
    let side = position.side_to_move();
    let (own, enemy) = (moves(side), moves(!side));
    if wins {
        2 * own.min(enemy) + 1
    } else {
        2 * own.min(enemy + 1).max(1)
    }
}
