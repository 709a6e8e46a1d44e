//! An independent, slow implementation of Freeling's rules: pieces counted in a
//! grid, no bit operations, nothing shared with the engine but its text. Every
//! chain of explosions is run in every order.

use super::below;
use rand_mt::Mt64;
use std::collections::{HashMap, HashSet};

pub const FILES: usize = 5;
pub const RANKS: usize = 9;

/// The pieces on every square, by rank and file from a1: positive for White,
/// negative for Black.
pub type Pieces = [[i8; FILES]; RANKS];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    pub pieces: Pieces,
    pub white_to_move: bool,
}

/// What is known about positions within a number of plies.
pub type Known = HashMap<(Grid, u32), Option<bool>>;

/// How a chain continues after a piece has arrived.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AfterArrival {
    /// Not at all: the game is over.
    Stop,
    /// To its end, for the record.
    RunOut,
}

pub fn capacity(file: usize) -> i8 {
    if file == 0 || file == FILES - 1 { 1 } else { 2 }
}

pub fn is_wall(rank: usize) -> bool {
    rank == 2 || rank == 6
}

pub fn name(rank: usize, file: usize) -> String {
    format!("{}{}", ["a", "b", "c", "d", "e"][file], rank + 1)
}

impl Grid {
    /// Parses a position's text, which must be valid.
    pub fn parse(fen: &str) -> Self {
        let mut fields = fen.split(' ');
        let mut pieces = [[0; FILES]; RANKS];
        for (row, text) in fields.next().expect("rows").split('/').enumerate() {
            let mut file = 0;
            for letter in text.chars() {
                let number = match letter {
                    'P' => 1,
                    'D' => 2,
                    'p' => -1,
                    'd' => -2,
                    digit => {
                        file += digit.to_digit(10).expect("a digit") as usize;
                        continue;
                    }
                };
                pieces[RANKS - 1 - row][file] = number;
                file += 1;
            }
        }
        Self {
            pieces,
            white_to_move: fields.next() == Some("w"),
        }
    }

    pub fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in self.pieces.iter().rev() {
            let mut text = String::new();
            for &number in row {
                text.push(match number {
                    0 => '1',
                    1 => 'P',
                    2 => 'D',
                    -1 => 'p',
                    -2 => 'd',
                    _ => panic!("{number} pieces on a square"),
                });
            }
            for run in (2..=FILES).rev() {
                text = text.replace(&"1".repeat(run), &run.to_string());
            }
            rows.push(text);
        }
        let side = if self.white_to_move { 'w' } else { 'b' };
        format!("{} {side}", rows.join("/"))
    }

    /// 1 if White is to move, -1 if Black.
    pub fn mover(&self) -> i8 {
        if self.white_to_move { 1 } else { -1 }
    }

    pub fn arrived(&self, colour: i8) -> bool {
        let goal = if colour > 0 { RANKS - 1 } else { 0 };
        self.pieces[goal].iter().any(|&number| number * colour > 0)
    }

    /// The number of a side's pieces.
    pub fn count(&self, colour: i8) -> i32 {
        self.pieces
            .iter()
            .flatten()
            .map(|&number| i32::from((number * colour).max(0)))
            .sum()
    }

    /// The from and to squares of every move of a stack.
    pub fn stack_moves(&self) -> Vec<[usize; 4]> {
        let mut found = Vec::new();
        if self.arrived(1) || self.arrived(-1) {
            return found;
        }
        let own = self.mover();
        for rank in 0..RANKS {
            for file in 0..FILES {
                if self.pieces[rank][file] * own <= 0 {
                    continue;
                }
                for (up, sideways) in [(1, -1), (1, 1), (-1, -1), (-1, 1)] {
                    let forward = up == i32::from(own);
                    if forward && is_wall(rank) {
                        continue;
                    }
                    let (mut r, mut f) = (rank as i32, file as i32);
                    loop {
                        (r, f) = (r + up, f + sideways);
                        if r < 0 || r >= RANKS as i32 || f < 0 || f >= FILES as i32 {
                            break;
                        }
                        let there = self.pieces[r as usize][f as usize] * own;
                        if there >= 0 {
                            found.push([rank, file, r as usize, f as usize]);
                        }
                        if there != 0 || (forward && is_wall(r as usize)) {
                            break;
                        }
                    }
                }
            }
        }
        found
    }

    /// Lets one square explode.
    pub fn explode(&mut self, own: i8, rank: usize, file: usize) {
        let mut targets = vec![(rank as i32 + i32::from(own), file as i32)];
        for sideways in [-1, 1] {
            let to = file as i32 + sideways;
            if to >= 0 && to < FILES as i32 {
                targets.push((rank as i32, to));
            }
        }
        let goal = if own > 0 { RANKS - 1 } else { 0 };
        for (r, f) in targets {
            let (r, f) = (r as usize, f as usize);
            self.pieces[rank][file] -= own;
            let there = &mut self.pieces[r][f];
            if *there * own >= 0 {
                *there += own;
                if r == goal {
                    *there = (*there).clamp(-capacity(f), capacity(f));
                }
            } else if r != goal {
                *there = own;
            }
        }
    }

    /// Every position that a move can lead to, depending on the order of explosions.
    pub fn results(&self, [rank, file, r, f]: [usize; 4], mode: AfterArrival) -> HashSet<Self> {
        let own = self.mover();
        let goal = if own > 0 { RANKS - 1 } else { 0 };
        let mut first = self.clone();
        first.white_to_move = !self.white_to_move;
        first.pieces[rank][file] = 0;
        first.pieces[r][f] += self.pieces[rank][file];
        if r == goal {
            first.pieces[r][f] = first.pieces[r][f].clamp(-capacity(f), capacity(f));
        }
        let mut seen = HashSet::from([first.clone()]);
        let mut open = vec![first];
        let mut ends = HashSet::new();
        while let Some(grid) = open.pop() {
            let mut stable = true;
            if mode == AfterArrival::RunOut || !grid.arrived(own) {
                for rank in 0..RANKS {
                    for file in 0..FILES {
                        if rank == goal || grid.pieces[rank][file] * own <= capacity(file) {
                            continue;
                        }
                        stable = false;
                        let mut next = grid.clone();
                        next.explode(own, rank, file);
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
            if stable {
                ends.insert(grid);
            }
        }
        ends
    }

    /// Every legal move as text, and the position after it.
    pub fn successors(&self) -> Vec<(String, Self)> {
        let mut found: Vec<(String, Self)> = self
            .stack_moves()
            .into_iter()
            .map(|mv| {
                let mut ends = self.results(mv, AfterArrival::RunOut).into_iter();
                let end = ends.next().expect("an end");
                assert!(ends.next().is_none(), "the order of explosions matters");
                (name(mv[0], mv[1]) + &name(mv[2], mv[3]), end)
            })
            .collect();
        if !found.is_empty() {
            let mut passed = self.clone();
            passed.white_to_move = !self.white_to_move;
            found.push(("pass".to_owned(), passed));
        }
        found
    }

    /// The winner, 1 or -1, if the game is over.
    pub fn winner(&self) -> Option<i8> {
        if self.arrived(1) {
            Some(1)
        } else if self.arrived(-1) {
            Some(-1)
        } else if self.stack_moves().is_empty() {
            Some(-self.mover())
        } else {
            None
        }
    }

    /// Whether the side to move wins within `plies` plies (`Some(true)`), has
    /// lost within them (`Some(false)`), or neither.
    pub fn solve(&self, plies: u32, memory: &mut Known) -> Option<bool> {
        if let Some(winner) = self.winner() {
            return Some(winner == self.mover());
        }
        if plies == 0 {
            return None;
        }
        let question = (self.clone(), plies);
        if let Some(&known) = memory.get(&question) {
            return known;
        }
        let mut answer = Some(false);
        for (_, next) in self.successors() {
            match next.solve(plies - 1, memory) {
                Some(false) => {
                    answer = Some(true);
                    break;
                }
                None => answer = None,
                Some(true) => {}
            }
        }
        memory.insert(question, answer);
        answer
    }

    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.successors()
            .iter()
            .map(|(_, next)| next.perft(depth - 1))
            .sum()
    }
}

/// A random undecided position: sparse or full, anywhere or close to walls and
/// goals, with few or many pairs.
pub fn random_grid(random: &mut Mt64) -> Grid {
    let most = [3, 6, 10, 10, 14, 24][below(random, 6)];
    let pairs = below(random, 4);
    let close = below(random, 2) == 0;
    let mut grid = Grid {
        pieces: [[0; FILES]; RANKS],
        white_to_move: below(random, 2) == 0,
    };
    for colour in [1, -1] {
        for _ in 0..=below(random, most) {
            // Ranks as the side counts them, without its goal.
            let rank = if close {
                [1, 1, 2, 4, 5, 5, 6, 6, 7, 7, 7][below(random, 11)]
            } else {
                below(random, RANKS - 1)
            };
            let rank = if colour > 0 { rank } else { RANKS - 1 - rank };
            let file = below(random, FILES);
            if grid.pieces[rank][file] * colour >= 0 {
                let number = if below(random, 4) < pairs { 2 } else { 1 };
                grid.pieces[rank][file] = colour * capacity(file).min(number);
            }
        }
    }
    if grid.count(1) + grid.count(-1) == 0 {
        return random_grid(random);
    }
    grid
}
