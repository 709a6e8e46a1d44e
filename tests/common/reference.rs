//! An independent, slow implementation of the rules: squares in a grid, no bit
//! operations, nothing shared with the engine but its text and its sides.

use petard::game::Side;
use std::collections::HashMap;

/// What is known about boards within a number of plies.
pub type Memory = HashMap<(Board, u32), Option<bool>>;

/// A board as rows from rank 1 upwards; 'P', 'p' or '.'.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    pub rows: Vec<Vec<char>>,
    pub white_to_move: bool,
}

pub fn file_name(file: usize) -> String {
    let letters: Vec<char> = ('a'..='z').collect();
    match letters.get(file) {
        Some(letter) => letter.to_string(),
        None => format!("a{}", letters[file - 26]),
    }
}

impl Board {
    pub fn parse(fen: &str) -> Self {
        let mut fields = fen.split(' ');
        let mut rows: Vec<Vec<char>> = Vec::new();
        for text in fields.next().unwrap().split('/') {
            let mut row = Vec::new();
            let mut digits = String::new();
            for c in text.chars().chain(['$']) {
                if c.is_ascii_digit() {
                    digits.push(c);
                    continue;
                }
                if !digits.is_empty() {
                    row.extend(vec!['.'; digits.parse().unwrap()]);
                    digits.clear();
                }
                if c != '$' {
                    row.push(c);
                }
            }
            rows.push(row);
        }
        rows.reverse();
        Self {
            rows,
            white_to_move: fields.next() == Some("w"),
        }
    }

    /// Rows and side, as in a position's text.
    pub fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in self.rows.iter().rev() {
            let mut text = String::new();
            for run in row.chunk_by(|a, b| a == b) {
                if run[0] == '.' {
                    text += &run.len().to_string();
                } else {
                    text.extend(run);
                }
            }
            rows.push(text);
        }
        let side = if self.white_to_move { 'w' } else { 'b' };
        format!("{} {side}", rows.join("/"))
    }

    /// Who has won, if the game is over.
    pub fn winner(&self) -> Option<Side> {
        if self.rows[self.rows.len() - 1].contains(&'P') || self.count('p') == 0 {
            Some(Side::White)
        } else if self.rows[0].contains(&'p') || self.count('P') == 0 {
            Some(Side::Black)
        } else {
            None
        }
    }

    fn arrived(&self) -> bool {
        self.rows[0].contains(&'p') || self.rows[self.rows.len() - 1].contains(&'P')
    }

    fn count(&self, piece: char) -> usize {
        self.rows.iter().flatten().filter(|&&c| c == piece).count()
    }

    /// Every legal move as text, and the board after it.
    pub fn successors(&self) -> Vec<(String, Self)> {
        if self.arrived() || self.count('P') == 0 || self.count('p') == 0 {
            return Vec::new();
        }
        let (own, enemy, step) = if self.white_to_move {
            ('P', 'p', 1i32)
        } else {
            ('p', 'P', -1)
        };
        let mut found = Vec::new();
        for (rank, row) in self.rows.iter().enumerate() {
            for (file, &piece) in row.iter().enumerate() {
                let to_rank = rank as i32 + step;
                if piece != own || to_rank < 0 || to_rank >= self.rows.len() as i32 {
                    continue;
                }
                for sideways in [-1, 0, 1] {
                    let to_file = file as i32 + sideways;
                    if to_file < 0 || to_file >= row.len() as i32 {
                        continue;
                    }
                    let (r, f) = (to_rank as usize, to_file as usize);
                    let target = self.rows[r][f];
                    if target == '.' || (target == enemy && sideways != 0) {
                        let mut next = self.clone();
                        next.rows[rank][file] = '.';
                        next.rows[r][f] = own;
                        next.white_to_move = !self.white_to_move;
                        let text =
                            format!("{}{}{}{}", file_name(file), rank + 1, file_name(f), r + 1);
                        found.push((text, next));
                    }
                }
            }
        }
        found
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

    /// Whether the side to move wins within `plies` plies (`Some(true)`), has
    /// lost within them (`Some(false)`), or neither.
    pub fn solve(&self, plies: u32) -> Option<bool> {
        self.solve_with(plies, &mut Memory::new())
    }

    /// [`Board::solve`] with a memory that can be reused for other queries.
    pub fn solve_with(&self, plies: u32, memory: &mut Memory) -> Option<bool> {
        let question = (self.clone(), plies);
        if let Some(&known) = memory.get(&question) {
            return known;
        }
        let answer = self.solved(plies, memory);
        memory.insert(question, answer);
        answer
    }

    fn solved(&self, plies: u32, memory: &mut Memory) -> Option<bool> {
        let successors = self.successors();
        if successors.is_empty() {
            // Over, or no move: a win if an own piece has arrived or no enemy is left.
            let (own_goal, own) = if self.white_to_move {
                (self.rows.len() - 1, 'P')
            } else {
                (0, 'p')
            };
            let enemy = if self.white_to_move { 'p' } else { 'P' };
            return Some(self.rows[own_goal].contains(&own) || (self.count(enemy) == 0));
        }
        if plies == 0 {
            return None;
        }
        let mut all_lost = true;
        for (_, next) in successors {
            match next.solve_with(plies - 1, memory) {
                Some(false) => return Some(true),
                None => all_lost = false,
                Some(true) => {}
            }
        }
        all_lost.then_some(false)
    }
}
