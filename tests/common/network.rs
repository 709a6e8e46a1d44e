//! Networks with random weights, as files, and a slow reference that values a
//! position straight from the definition.

use super::below;
use petard::base::{MATE_BOUND, Side};
use petard::game::Game as _;
use petard::game::troyka::{Bits, Position};
use rand_mt::Mt64;

/// Board, window, width and buckets.
pub type Sizes = ((usize, usize), (usize, usize), usize, usize);

/// A network as numbers.
#[derive(Clone)]
pub struct Numbers {
    pub board: (usize, usize),
    pub window: (usize, usize),
    pub hidden: usize,
    pub buckets: usize,
    pub scale: i32,
    pub rows: Vec<i16>,
    pub bias: Vec<i16>,
    pub output: Vec<i16>,
    pub output_bias: Vec<i32>,
}

impl Numbers {
    /// All weights zero.
    pub fn zero(shape: Sizes) -> Self {
        let (board, window, hidden, buckets) = shape;
        let windows = (board.0 - window.0 + 1) * (board.1 - window.1 + 1);
        let patterns = 3usize.pow((window.0 * window.1) as u32);
        Self {
            board,
            window,
            hidden,
            buckets,
            scale: 40,
            rows: vec![0; windows * patterns * hidden],
            bias: vec![0; hidden],
            output: vec![0; 2 * hidden * buckets],
            output_bias: vec![0; buckets],
        }
    }

    /// Random weights, small enough to be allowed and large enough that units
    /// are clipped at both ends.
    pub fn random(shape: Sizes, seed: u64) -> Self {
        let mut random = Mt64::new(seed);
        let mut number = |most: usize| below(&mut random, 2 * most + 1) as i32 - most as i32;
        let mut numbers = Self::zero(shape);
        let output_most = (60_000 / (2 * numbers.hidden)).min(127);
        numbers.rows.fill_with(|| number(40) as i16);
        numbers.bias.fill_with(|| number(300) as i16);
        numbers.output.fill_with(|| number(output_most) as i16);
        numbers.output_bias.fill_with(|| number(3000));
        numbers
    }

    /// The same with hidden units in pairs: the second half of them are the
    /// first half, seeing the board mirrored.
    pub fn symmetric(mut self) -> Self {
        let (files, ranks) = self.window;
        let (across, upward) = (self.board.0 - files + 1, self.board.1 - ranks + 1);
        let patterns = 3usize.pow((files * ranks) as u32);
        let half = self.hidden / 2;
        for window in 0..across * upward {
            let (row, file) = (window / across, window % across);
            for pattern in 0..patterns {
                let image: usize = (0..files * ranks)
                    .map(|cell| {
                        let state = pattern / 3usize.pow(cell as u32) % 3;
                        let turned = cell / files * files + files - 1 - cell % files;
                        state * 3usize.pow(turned as u32)
                    })
                    .sum();
                let other = (row * across + across - 1 - file) * patterns + image;
                let this = window * patterns + pattern;
                for unit in 0..half {
                    self.rows[this * self.hidden + half + unit] =
                        self.rows[other * self.hidden + unit];
                }
            }
        }
        self.bias.copy_within(..half, half);
        for side in self.output.chunks_exact_mut(self.hidden) {
            side.copy_within(..half, half);
        }
        self
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        for part in [&self.rows, &self.bias, &self.output] {
            payload.extend(part.iter().flat_map(|number| number.to_le_bytes()));
        }
        payload.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        let board = [self.board.0 as u8, self.board.1 as u8];
        framed(b'1', self, board, [0; 4], &payload)
    }

    /// The accumulator of a side, summed square by square.
    fn accumulator<B: Bits>(&self, position: &Position<B>, view: Side) -> Vec<i64> {
        let (across, upward) = self.board;
        let state = |file: usize, rank: usize| {
            let rank = if view == Side::White {
                rank
            } else {
                upward - 1 - rank
            };
            let square = position.geometry().square(file as u8, rank as u8);
            if position.men(view).has(square) {
                1
            } else if position.men(!view).has(square) {
                2
            } else {
                0
            }
        };
        let (files, ranks) = self.window;
        let patterns = 3usize.pow((files * ranks) as u32);
        let mut sums: Vec<i64> = self.bias.iter().map(|&bias| i64::from(bias)).collect();
        for row in 0..=upward - ranks {
            for file in 0..=across - files {
                let mut pattern = 0;
                for cell in 0..files * ranks {
                    let digit = state(file + cell % files, row + cell / files);
                    pattern += digit * 3usize.pow(cell as u32);
                }
                let window = row * (across - files + 1) + file;
                let begin = (window * patterns + pattern) * self.hidden;
                for (sum, &weight) in sums.iter_mut().zip(&self.rows[begin..]) {
                    *sum += i64::from(weight);
                }
            }
        }
        sums
    }

    /// The value of a position in centipawns.
    pub fn value<B: Bits>(&self, position: &Position<B>) -> i32 {
        let men = position.occupied().count() as usize;
        let full = 4 * self.board.0;
        let bucket = ((men - 1) * self.buckets / full).min(self.buckets - 1);
        let mover = position.side_to_move();
        let mut units = self.accumulator(position, mover);
        units.extend(self.accumulator(position, !mover));
        let weights = &self.output[2 * self.hidden * bucket..][..2 * self.hidden];
        let out: i64 = units
            .iter()
            .zip(weights)
            .map(|(&unit, &weight)| unit.clamp(0, 255).pow(2) * i64::from(weight))
            .sum();
        let out = out / 255 + i64::from(self.output_bias[bucket]);
        let value = out * i64::from(self.scale) / (255 * 64);
        let most = i64::from(MATE_BOUND - 1);
        value.clamp(-most, most) as i32
    }
}

/// A file of this version: header, checksum and payload.
fn framed(version: u8, sizes: &Numbers, places: [u8; 2], last: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let mut file = b"PETARDN".to_vec();
    file.extend([version, sizes.window.0 as u8, sizes.window.1 as u8]);
    file.extend((sizes.hidden as u16).to_le_bytes());
    file.extend((sizes.buckets as u16).to_le_bytes());
    file.extend(places);
    file.extend(sizes.scale.to_le_bytes());
    let mut rest = (payload.len() as u32).to_le_bytes().to_vec();
    rest.extend(last);
    rest.extend(payload);
    let checksum = crc32fast::hash(&[file.as_slice(), rest.as_slice()].concat());
    file.extend(checksum.to_le_bytes());
    file.extend(rest);
    file
}

/// A network for every board as numbers.
#[derive(Clone)]
pub struct Shared {
    /// Sizes and output weights; its rows and its board are of no account.
    pub sizes: Numbers,
    /// Distances from an end and from an edge that are told apart.
    pub classes: (usize, usize),
    /// By distance from the own end, the far end, the left and the right edge.
    pub tables: [Vec<i16>; 4],
    pub bias: Vec<i16>,
    pub file_steps: Vec<i16>,
    pub rank_steps: Vec<i16>,
}

impl Shared {
    /// Random weights that fit every board.
    pub fn random(
        window: (usize, usize),
        hidden: usize,
        classes: (usize, usize),
        steps: (usize, usize),
        seed: u64,
    ) -> Self {
        let mut random = Mt64::new(seed);
        let mut numbers = |count: usize, most: usize| {
            let number = |_| (below(&mut random, 2 * most + 1) as i32 - most as i32) as i16;
            (0..count).map(number).collect::<Vec<i16>>()
        };
        let row = hidden * 3usize.pow((window.0 * window.1) as u32);
        let mut sizes = Numbers::random(((2, 4), window, hidden, 4), seed);
        sizes.rows.clear();
        sizes.bias.clear();
        Self {
            sizes,
            classes,
            tables: [classes.0, classes.0, classes.1, classes.1]
                .map(|classes| numbers(classes * row, 300)),
            bias: numbers(hidden, 3000),
            file_steps: numbers(steps.0 * hidden, 300),
            rank_steps: numbers(steps.1 * hidden, 300),
        }
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let parts = self.tables.iter().chain([
            &self.bias,
            &self.file_steps,
            &self.rank_steps,
            &self.sizes.output,
        ]);
        let mut payload: Vec<u8> = parts
            .flatten()
            .flat_map(|part| part.to_le_bytes())
            .collect();
        let output_bias = &self.sizes.output_bias;
        payload.extend(output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        let steps = |part: &[i16]| (part.len() / self.sizes.hidden) as u8;
        let last = [steps(&self.file_steps), steps(&self.rank_steps), 0, 0];
        let classes = [self.classes.0 as u8, self.classes.1 as u8];
        framed(b'2', &self.sizes, classes, last, &payload)
    }

    /// The network of a board, from the definition.
    pub fn on(&self, board: (usize, usize)) -> Numbers {
        let rounded = |sum: i64| (sum as f64 / 16.0 + 0.5).floor() as i16;
        let mut numbers = self.sizes.clone();
        let (window, hidden) = (numbers.window, numbers.hidden);
        numbers.board = board;
        let (across, upward) = (board.0 - window.0 + 1, board.1 - window.1 + 1);
        for place in 0..across * upward {
            let (row, file) = (place / across, place % across);
            let distances = [row, upward - 1 - row, file, across - 1 - file];
            for weight in 0..hidden * 3usize.pow((window.0 * window.1) as u32) {
                let mut sum = 0;
                for (kind, (table, distance)) in self.tables.iter().zip(distances).enumerate() {
                    let classes = if kind < 2 {
                        self.classes.0
                    } else {
                        self.classes.1
                    };
                    let class = distance.min(classes - 1);
                    sum += i64::from(table[class * table.len() / classes + weight]);
                }
                numbers.rows.push(rounded(sum));
            }
        }
        for unit in 0..hidden {
            let mut sum = i64::from(self.bias[unit]);
            for (steps, count) in [
                (&self.file_steps, board.0 - 2),
                (&self.rank_steps, board.1 - 4),
            ] {
                let of_unit = steps.iter().skip(unit).step_by(hidden).take(count);
                sum += of_unit.map(|&step| i64::from(step)).sum::<i64>();
            }
            numbers.bias.push(rounded(sum));
        }
        numbers
    }
}
