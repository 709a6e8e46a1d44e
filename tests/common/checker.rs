//! A checker of certificates, written from the rules and the description of
//! the file alone; nothing of the engine is used. `scripts/check_certificate.py`
//! does the same, slowly; this one is for the large files.

use std::thread;

/// The shape of a board. Sets of squares are numbers, bit `rank * files +
/// file`; the winner's men move up.
#[derive(Clone, Copy)]
struct Board {
    files: u32,
    ranks: u32,
    first_file: u128,
}

/// A position: the winner's men and the loser's.
type Men = (u128, u128);

impl Board {
    fn new(files: u32, ranks: u32) -> Self {
        let first_file = (0..ranks).map(|rank| 1 << (rank * files)).sum();
        Self {
            files,
            ranks,
            first_file,
        }
    }

    fn all(&self) -> u128 {
        u128::MAX >> (128 - self.files * self.ranks)
    }

    fn rank(&self, rank: u32) -> u128 {
        ((1 << self.files) - 1) << (rank * self.files)
    }

    fn last_file(&self) -> u128 {
        self.first_file << (self.files - 1)
    }

    /// The targets of the winner's steps to the left, ahead, to the right.
    fn up(&self, (winner, loser): Men) -> [u128; 3] {
        let free = self.all() & !winner;
        [
            (winner & !self.first_file) << (self.files - 1) & free,
            winner << self.files & free & !loser,
            (winner & !self.last_file()) << (self.files + 1) & free,
        ]
    }

    /// Calls `visit` with start and target of every step of the winner; true
    /// as soon as one call is.
    fn any_up(&self, men: Men, mut visit: impl FnMut(u128, u128) -> bool) -> bool {
        for (direction, mut targets) in (0..).zip(self.up(men)) {
            while targets != 0 {
                let target = targets & targets.wrapping_neg();
                targets ^= target;
                if visit(target >> (self.files - 1 + direction), target) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether every reply of the loser leads to a position that is good.
    fn all_replies(&self, (winner, loser): Men, mut is_good: impl FnMut(Men) -> bool) -> bool {
        let free = self.all() & !loser;
        let targets = [
            (loser & !self.last_file()) >> (self.files - 1) & free,
            loser >> self.files & free & !winner,
            (loser & !self.first_file) >> (self.files + 1) & free,
        ];
        for (direction, mut targets) in (0..).zip(targets) {
            while targets != 0 {
                let target = targets & targets.wrapping_neg();
                targets ^= target;
                let start = target << (self.files - 1 + direction);
                let left = winner & !target;
                if target & self.rank(0) != 0 || left == 0 {
                    return false;
                }
                if !is_good((left, loser ^ (start | target))) {
                    return false;
                }
            }
        }
        true
    }

    fn ends(&self, loser: u128, target: u128) -> bool {
        target & self.rank(self.ranks - 1) != 0 || loser & !target == 0
    }

    /// Whether the winner, to move, wins within so many plies.
    fn wins_within(&self, men: Men, plies: u32) -> bool {
        let (winner, loser) = men;
        if self.any_up(men, |_, target| self.ends(loser, target)) {
            return true;
        }
        if plies < 3 {
            return false;
        }
        // A win within three plies shows in fewer positions: try it first.
        if plies > 3 && self.wins_within(men, plies - 2) {
            return true;
        }
        self.any_up(men, |start, target| {
            let next = (winner ^ (start | target), loser & !target);
            self.all_replies(next, |men| self.wins_within(men, plies - 2))
        })
    }

    fn number(&self, (winner, loser): Men, mirror: bool) -> u128 {
        let mut number = 0;
        for rank in (0..self.ranks).rev() {
            for file in (0..self.files).rev() {
                let file = if mirror { self.files - 1 - file } else { file };
                let square = rank * self.files + file;
                number = 3 * number + (winner >> square & 1) + 2 * (loser >> square & 1);
            }
        }
        number
    }

    fn men(&self, mut number: u128) -> Men {
        let mut men = (0, 0);
        for square in 0..self.files * self.ranks {
            match number % 3 {
                1 => men.0 |= 1 << square,
                2 => men.1 |= 1 << square,
                _ => {}
            }
            number /= 3;
        }
        men
    }
}

/// What a file says.
struct Certificate {
    board: Board,
    men: Men,
    winner_moves: bool,
    depth: u32,
    positions: Vec<u128>,
    moves: Vec<u32>,
}

fn parse(data: &[u8]) -> Option<Certificate> {
    let end = data.windows(2).position(|pair| pair == b"\n\n")?;
    let head = std::str::from_utf8(&data[..end]).ok()?;
    let mut lines = head.lines();
    if lines.next()? != "breakthrough certificate 1" {
        return None;
    }
    let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let mut fen = value("fen")?.split(' ');
    let (rows, side) = (fen.next()?, fen.next()?);
    let winner_is_white = match value("winner")? {
        "white" => true,
        "black" => false,
        _ => return None,
    };
    let depth = value("depth")?.parse().ok()?;
    let entries: usize = value("entries")?.parse().ok()?;
    let mut rows: Vec<Vec<char>> = rows.split('/').map(row).collect();
    let board = Board::new(rows[0].len() as u32, rows.len() as u32);
    // From the winner's side: rank 1 first for White, the top rank for Black.
    if winner_is_white {
        rows.reverse();
    }
    let set = |man: char| {
        let squares = rows.iter().flatten().enumerate();
        squares
            .filter(|&(_, &found)| found == man)
            .map(|(square, _)| 1 << square)
            .sum()
    };
    let (white, black) = (set('P'), set('p'));
    let men = if winner_is_white {
        (white, black)
    } else {
        (black, white)
    };
    let mut numbers = data[end + 2..].iter();
    let mut number = || {
        let (mut number, mut shift) = (0u128, 0);
        loop {
            let byte = *numbers.next()?;
            number |= u128::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return Some(number);
            }
        }
    };
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    for _ in 0..entries {
        let last = positions.last().copied().unwrap_or(0);
        let position = last + number()?;
        if position <= last {
            return None;
        }
        positions.push(position);
        moves.push(u32::try_from(number()?).ok()?);
    }
    numbers.next().is_none().then_some(Certificate {
        board,
        men,
        winner_moves: winner_is_white == (side == "w"),
        depth,
        positions,
        moves,
    })
}

fn row(text: &str) -> Vec<char> {
    let mut row = Vec::new();
    let mut run = 0;
    for character in text.chars().chain(['$']) {
        if let Some(digit) = character.to_digit(10) {
            run = 10 * run + digit as usize;
            continue;
        }
        row.extend(std::iter::repeat_n('.', run));
        run = 0;
        if character != '$' {
            row.push(character);
        }
    }
    row
}

impl Certificate {
    fn is_good(&self, men: Men) -> bool {
        let board = &self.board;
        let number = board.number(men, false).min(board.number(men, true));
        self.positions.binary_search(&number).is_ok() || board.wins_within(men, self.depth)
    }

    fn holds_at(&self, index: usize) -> bool {
        let (board, number) = (&self.board, self.positions[index]);
        let men = board.men(number);
        let (winner, loser) = men;
        let is_over = winner & board.rank(board.ranks - 1) != 0
            || loser & board.rank(0) != 0
            || winner == 0
            || loser == 0;
        let again = board.number(men, false).min(board.number(men, true));
        if is_over || again != number {
            return false;
        }
        let (square, direction) = (self.moves[index] / 3, self.moves[index] % 3);
        if square >= board.files * board.ranks {
            return false;
        }
        let start = 1u128 << square;
        let target = start << (board.files - 1 + direction);
        let is_legal =
            winner & start != 0 && board.up((start, loser))[direction as usize] == target;
        if !is_legal || winner & target != 0 {
            return false;
        }
        board.ends(loser, target)
            || board.all_replies((winner ^ (start | target), loser & !target), |men| {
                self.is_good(men)
            })
    }
}

/// What a certificate proves.
#[derive(Debug, PartialEq, Eq)]
pub struct Proven {
    pub files: u32,
    pub ranks: u32,
    /// Whether the side to move in the header's position wins.
    pub side_to_move_wins: bool,
    pub positions: usize,
    pub depth: u32,
}

/// What the file proves; `None` if it is malformed or proves nothing.
pub fn check(data: &[u8], threads: usize) -> Option<Proven> {
    let certificate = parse(data)?;
    let board = certificate.board;
    let covered = if certificate.winner_moves {
        certificate.is_good(certificate.men)
    } else {
        board.all_replies(certificate.men, |men| certificate.is_good(men))
    };
    let count = certificate.positions.len();
    let all_hold = thread::scope(|scope| {
        let certificate = &certificate;
        let parts: Vec<_> = (0..threads)
            .map(|part| {
                scope.spawn(move || {
                    (part..count)
                        .step_by(threads)
                        .all(|index| certificate.holds_at(index))
                })
            })
            .collect();
        parts.into_iter().all(|part| part.join().unwrap())
    });
    (covered && all_hold).then_some(Proven {
        files: board.files,
        ranks: board.ranks,
        side_to_move_wins: certificate.winner_moves,
        positions: count,
        depth: certificate.depth,
    })
}
