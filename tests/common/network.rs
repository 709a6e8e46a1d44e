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

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        for part in [&self.rows, &self.bias, &self.output] {
            payload.extend(part.iter().flat_map(|number| number.to_le_bytes()));
        }
        payload.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        let mut file = b"PETARDN1".to_vec();
        file.extend([self.window.0 as u8, self.window.1 as u8]);
        file.extend((self.hidden as u16).to_le_bytes());
        file.extend((self.buckets as u16).to_le_bytes());
        file.extend([self.board.0 as u8, self.board.1 as u8]);
        file.extend(self.scale.to_le_bytes());
        let mut rest = (payload.len() as u32).to_le_bytes().to_vec();
        rest.extend([0; 4]);
        rest.extend(payload);
        let checksum = crc32fast::hash(&[file.as_slice(), rest.as_slice()].concat());
        file.extend(checksum.to_le_bytes());
        file.extend(rest);
        file
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
