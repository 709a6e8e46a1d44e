//! The rules, as far as a checker needs them. The board is turned so that the
//! winner's pieces move up; the loser's move down.
//!
//! Sets of squares are numbers: bit `rank * files + file`.

/// The most squares of a board whose positions can be numbered.
pub(crate) const MAX_SQUARES: u32 = 80;

/// A position: the winner's pieces and the loser's.
pub(super) type Pieces = (u128, u128);

/// A position's number, plain and with files reversed. Every piece adds a weight
/// of its own, so a move updates them by a few additions.
pub(crate) type NumberPair = [u128; 2];

/// A step: from one square to another, as sets.
#[derive(Clone, Copy)]
pub(crate) struct PieceStep {
    pub(crate) start: u128,
    pub(crate) target: u128,
}

/// The shape of a board.
#[derive(Clone)]
pub(crate) struct CheckerBoard {
    pub(crate) files: u32,
    pub(crate) ranks: u32,
    all: u128,
    not_first: u128,
    not_last: u128,
    top: u128,
    before_top: u128,
    bottom: u128,
    after_bottom: u128,
    /// The weights of the winner's pieces, by square.
    weights: Vec<NumberPair>,
}

impl CheckerBoard {
    /// A board of at most [`MAX_SQUARES`] squares.
    pub(super) fn new(files: u32, ranks: u32) -> Self {
        let squares = files * ranks;
        let all = u128::MAX >> (128 - squares);
        let first: u128 = (0..ranks).map(|rank| 1 << (rank * files)).sum();
        let row = (1u128 << files) - 1;
        let power = |square: u32| 3u128.pow(square);
        let mirrored = |square: u32| square / files * files + (files - 1 - square % files);
        Self {
            files,
            ranks,
            all,
            not_first: all & !first,
            not_last: all & !(first << (files - 1)),
            top: row << ((ranks - 1) * files),
            before_top: row << ((ranks - 2) * files),
            bottom: row,
            after_bottom: row << files,
            weights: (0..squares)
                .map(|square| [power(square), power(mirrored(square))])
                .collect(),
        }
    }

    /// Calls `visit` with every step of the winner until a call returns true.
    pub(crate) fn any_step(
        &self,
        (winner, loser): Pieces,
        mut visit: impl FnMut(PieceStep) -> bool,
    ) -> bool {
        let (files, free) = (self.files, self.all & !winner);
        let directions = [
            ((winner & self.not_first) << (files - 1) & free, files - 1),
            (winner << files & free & !loser, files),
            ((winner & self.not_last) << (files + 1) & free, files + 1),
        ];
        directions.into_iter().any(|(targets, distance)| {
            squares(targets).any(|target| {
                visit(PieceStep {
                    start: target >> distance,
                    target,
                })
            })
        })
    }

    /// Whether every reply of the loser leads to a good position. One that ends
    /// the game in his favour does not.
    pub(crate) fn all_replies(
        &self,
        (winner, loser): Pieces,
        mut is_good: impl FnMut(PieceStep) -> bool,
    ) -> bool {
        let (files, free) = (self.files, self.all & !loser);
        let directions = [
            ((loser & self.not_last) >> (files - 1) & free, files - 1),
            (loser >> files & free & !winner, files),
            ((loser & self.not_first) >> (files + 1) & free, files + 1),
        ];
        directions.into_iter().all(|(targets, distance)| {
            targets & self.bottom == 0
                && squares(targets).all(|target| {
                    winner & !target != 0
                        && is_good(PieceStep {
                            start: target << distance,
                            target,
                        })
                })
        })
    }

    /// The step of the winner from a square in a direction: 0 is to the left,
    /// 1 ahead, 2 to the right. `None` if it is not legal.
    pub(super) fn step(&self, pieces: Pieces, square: u32, direction: u32) -> Option<PieceStep> {
        if square >= self.files * self.ranks || direction > 2 {
            return None;
        }
        let start = 1 << square;
        let mut found = None;
        self.any_step(pieces, |step| {
            let is_it = step.start == start && step.target == start << (self.files - 1 + direction);
            if is_it {
                found = Some(step);
            }
            is_it
        });
        found
    }

    /// Whether a step of the winner ends the game in his favour.
    pub(super) const fn ends(&self, loser: u128, step: PieceStep) -> bool {
        step.target & self.top != 0 || loser & !step.target == 0
    }

    /// Whether the winner, to move, has a piece on the rank before the last: none of
    /// his pieces is on the last yet, so with two files or more it has a diagonal step.
    pub(crate) const fn is_won_at_once(&self, (winner, _): Pieces) -> bool {
        winner & self.before_top != 0 && self.files > 1
    }

    /// Whether the winner, to move, wins within this many plies.
    pub(crate) fn wins_within(&self, pieces: Pieces, plies: u32) -> bool {
        let (winner, loser) = pieces;
        if self.is_won_at_once(pieces) {
            return true;
        }
        if !self.is_near(pieces, plies.div_ceil(2)) {
            return false;
        }
        let may_end = loser.is_power_of_two() || self.files == 1;
        if may_end && self.any_step(pieces, |step| self.ends(loser, step)) {
            return true;
        }
        if plies < 3 {
            return false;
        }
        if plies == 3 && loser.count_ones() > 2 && self.files > 1 {
            return self.wins_by_two_steps(pieces);
        }
        // A shorter win is found in fewer positions: try it first.
        if plies > 3 && self.wins_within(pieces, plies - 2) {
            return true;
        }
        self.any_step(pieces, |step| {
            let next = (winner ^ (step.start | step.target), loser & !step.target);
            self.is_near(next, plies / 2)
                && self.all_replies(next, |reply| {
                    self.wins_within(after_reply(next, reply), plies - 2)
                })
        })
    }

    /// Whether the winner has a step to the rank before the last where the piece
    /// cannot be taken, while the loser is not one step from his own goal: with
    /// more than two pieces to take, there is no other win within three plies. For
    /// boards of two or more files.
    const fn wins_by_two_steps(&self, (winner, loser): Pieces) -> bool {
        let files = self.files;
        let steps = (winner & self.not_first) << (files - 1)
            | winner << files & !loser
            | (winner & self.not_last) << (files + 1);
        let guards = loser & self.top;
        let guarded =
            (guards & self.not_last) >> (files - 1) | (guards & self.not_first) >> (files + 1);
        let free = steps & self.before_top & !winner & !guarded;
        let threats = loser & self.after_bottom;
        // On three ranks the step may take the piece that threatens.
        free != 0 && (threats == 0 || threats.is_power_of_two() && free & threats != 0)
    }

    /// Whether this many moves may be enough for the winner: he has a piece close
    /// enough to the last rank, or the loser has few enough pieces. On one file, a
    /// side can also be blocked.
    fn is_near(&self, (winner, loser): Pieces, moves: u32) -> bool {
        let rows = (moves + 1).min(self.ranks);
        let close = self.all & !(self.all >> (self.files * rows));
        winner & close != 0 || loser.count_ones() <= moves || self.files == 1
    }

    /// Whether the winner has won; `None` if the game is not over.
    pub(super) fn result(&self, (winner, loser): Pieces) -> Option<bool> {
        if winner & self.top != 0 || loser == 0 {
            Some(true)
        } else if loser & self.bottom != 0 || winner == 0 {
            Some(false)
        } else {
            None
        }
    }

    /// Whether the position is possible: not both sides have won.
    pub(crate) const fn is_possible(&self, (winner, loser): Pieces) -> bool {
        let has_won = winner & self.top != 0 || loser == 0;
        let has_lost = loser & self.bottom != 0 || winner == 0;
        !(has_won && has_lost)
    }

    /// The FEN of a position with the winner to move, shown as White.
    pub(super) fn fen(&self, (winner, loser): Pieces) -> String {
        let mut text = String::new();
        for rank in (0..self.ranks).rev() {
            let mut empty = 0;
            for file in 0..self.files {
                let square = 1 << (rank * self.files + file);
                let piece = match (winner & square != 0, loser & square != 0) {
                    (true, _) => 'P',
                    (_, true) => 'p',
                    _ => {
                        empty += 1;
                        continue;
                    }
                };
                if empty > 0 {
                    text += &empty.to_string();
                    empty = 0;
                }
                text.push(piece);
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text + "w 0 1"
    }

    /// The numbers of a position.
    pub(super) fn numbers(&self, (winner, loser): Pieces) -> NumberPair {
        let mut sum = [0, 0];
        for (pieces, times) in [(winner, 1), (loser, 2)] {
            for piece in squares(pieces) {
                self.add(&mut sum, piece, times);
            }
        }
        sum
    }

    /// The numbers after the winner's step.
    pub(crate) fn numbers_after_step(
        &self,
        mut numbers: NumberPair,
        loser: u128,
        step: PieceStep,
    ) -> NumberPair {
        self.add(&mut numbers, step.target, 1);
        self.subtract(&mut numbers, step.start, 1);
        if loser & step.target != 0 {
            self.subtract(&mut numbers, step.target, 2);
        }
        numbers
    }

    /// The numbers after the loser's step.
    pub(crate) fn numbers_after_reply(
        &self,
        mut numbers: NumberPair,
        winner: u128,
        step: PieceStep,
    ) -> NumberPair {
        self.add(&mut numbers, step.target, 2);
        self.subtract(&mut numbers, step.start, 2);
        if winner & step.target != 0 {
            self.subtract(&mut numbers, step.target, 1);
        }
        numbers
    }

    fn add(&self, numbers: &mut NumberPair, piece: u128, times: u128) {
        let weights = self.weights[piece.trailing_zeros() as usize];
        for (number, weight) in numbers.iter_mut().zip(weights) {
            *number += times * weight;
        }
    }

    fn subtract(&self, numbers: &mut NumberPair, piece: u128, times: u128) {
        let weights = self.weights[piece.trailing_zeros() as usize];
        for (number, weight) in numbers.iter_mut().zip(weights) {
            *number -= times * weight;
        }
    }

    /// The position of a number; `None` if it has more digits than the board
    /// has squares.
    pub(super) fn pieces(&self, mut number: u128) -> Option<Pieces> {
        /// Digits that fit into a word.
        const DIGITS: u32 = 40;
        let mut pieces = (0, 0);
        let squares = self.files * self.ranks;
        for first in (0..squares).step_by(DIGITS as usize) {
            let mut digits = (number % 3u128.pow(DIGITS)) as u64;
            number /= 3u128.pow(DIGITS);
            for square in first..squares.min(first + DIGITS) {
                match digits % 3 {
                    1 => pieces.0 |= 1 << square,
                    2 => pieces.1 |= 1 << square,
                    _ => {}
                }
                digits /= 3;
            }
            if digits != 0 {
                return None;
            }
        }
        (number == 0).then_some(pieces)
    }
}

/// The position after the loser's step.
pub(crate) const fn after_reply((winner, loser): Pieces, step: PieceStep) -> Pieces {
    (winner & !step.target, loser ^ (step.start | step.target))
}

/// The squares of a set, one by one, from the winner's goal downwards: the
/// steps there are the most decisive.
fn squares(mut set: u128) -> impl Iterator<Item = u128> {
    std::iter::from_fn(move || {
        let highest = 1 << set.checked_ilog2()?;
        set ^= highest;
        Some(highest)
    })
}

#[cfg(test)]
mod tests;
