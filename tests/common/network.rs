//! Networks with random weights, as files, and a slow reference that evaluates a
//! position straight from the definition.

use super::below;
use petard::engine::MATE_BOUND;
use petard::game::Side;
use petard::game::breakthrough::{Bits, Position};
use petard::game::{Game, freeling};
use rand_mt::Mt64;

/// Positions as a network sees them, read square by square.
pub trait Stacks: Game {
    /// How many pieces of a side are on a square.
    fn stack(&self, side: Side, file: usize, rank: usize) -> usize;
}

impl<B: Bits> Stacks for Position<B> {
    fn stack(&self, side: Side, file: usize, rank: usize) -> usize {
        let square = self.geometry().square(file as u8, rank as u8);
        usize::from(self.pieces(side).has(square))
    }
}

impl Stacks for freeling::Position {
    fn stack(&self, side: Side, file: usize, rank: usize) -> usize {
        let square = 5 * rank + file;
        (self.pieces(side) >> square & 1) as usize + (self.pairs(side) >> square & 1) as usize
    }
}

/// Board, window, width and buckets.
pub type Sizes = ((usize, usize), (usize, usize), usize, usize);

/// A network as numbers.
#[derive(Clone)]
pub struct Numbers {
    /// The most pieces on a square.
    pub height: usize,
    pub board: (usize, usize),
    pub window: (usize, usize),
    /// A second kind of windows.
    pub second: Option<(usize, usize)>,
    pub hidden: usize,
    pub buckets: usize,
    pub scale: i32,
    pub rows: Vec<i16>,
    pub bias: Vec<i16>,
    pub output: Vec<i16>,
    pub output_bias: Vec<i32>,
    /// The second layer; all empty if there is none.
    pub second_layer: Vec<i16>,
    pub second_output: Vec<i16>,
    pub second_bias: Vec<i32>,
}

impl Numbers {
    /// All weights zero.
    pub fn zero((board, window, hidden, buckets): Sizes) -> Self {
        let empty = Self {
            height: 1,
            board,
            window,
            second: None,
            hidden,
            buckets,
            scale: 40,
            rows: Vec::new(),
            bias: vec![0; hidden],
            output: vec![0; 2 * hidden * buckets],
            output_bias: vec![0; buckets],
            second_layer: Vec::new(),
            second_output: Vec::new(),
            second_bias: Vec::new(),
        };
        empty.with_rows()
    }

    /// The same with all rows set to zero.
    fn with_rows(mut self) -> Self {
        let rows = |&(window, _): &(_, usize)| self.places(window) * self.patterns(window);
        self.rows = vec![0; self.kinds().iter().map(rows).sum::<usize>() * self.hidden];
        self
    }

    /// Random weights, small enough to be allowed and large enough that units
    /// are clipped at both ends.
    pub fn random(shape: Sizes, seed: u64) -> Self {
        Self::zero(shape).randomised(40, seed)
    }

    /// Random weights of a network for Freeling's game.
    pub fn freeling(windows: &[(usize, usize)], hidden: usize, buckets: usize, seed: u64) -> Self {
        let mut numbers = Self::zero(((5, 9), windows[0], hidden, buckets));
        numbers.height = 2;
        numbers.second = windows.get(1).copied();
        numbers.with_rows().randomised(40, seed)
    }

    fn randomised(mut self, most: usize, seed: u64) -> Self {
        let mut random = Mt64::new(seed);
        let mut number = |most: usize| below(&mut random, 2 * most + 1) as i32 - most as i32;
        let output_most = (60_000 / (2 * self.hidden)).min(127);
        self.rows.fill_with(|| number(most) as i16);
        self.bias.fill_with(|| number(300) as i16);
        self.output.fill_with(|| number(output_most) as i16);
        self.output_bias.fill_with(|| number(3000));
        self
    }

    /// The same with a random second layer of so many pairs of units, some of them
    /// clipped at either end.
    pub fn with_second_layer(mut self, pairs: usize, seed: u64) -> Self {
        let mut random = Mt64::new(seed);
        let mut number = |most: usize| below(&mut random, 2 * most + 1) as i32 - most as i32;
        self.second_layer = vec![0; 2 * self.hidden * pairs];
        self.second_layer.fill_with(|| number(60) as i16);
        self.second_output = vec![0; self.buckets * pairs];
        self.second_output.fill_with(|| number(900) as i16);
        self.second_bias = vec![0; pairs];
        self.second_bias.fill_with(|| number(40_000));
        self
    }

    /// The number of states of a square.
    fn states(&self) -> usize {
        2 * self.height + 1
    }

    fn patterns(&self, (files, ranks): (usize, usize)) -> usize {
        self.states().pow((files * ranks) as u32)
    }

    fn places(&self, (files, ranks): (usize, usize)) -> usize {
        (self.board.0 - files + 1) * (self.board.1 - ranks + 1)
    }

    /// The kinds of windows, and the first row of each.
    fn kinds(&self) -> Vec<((usize, usize), usize)> {
        let first = self.places(self.window) * self.patterns(self.window);
        let second = self.second.map(|window| (window, first));
        [Some((self.window, 0)), second]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The same with hidden units in pairs: the second half are the first half,
    /// seeing the board mirrored.
    pub fn symmetric(mut self) -> Self {
        let (half, states) = (self.hidden / 2, self.states());
        for ((files, ranks), first) in self.kinds() {
            let across = self.board.0 - files + 1;
            let patterns = self.patterns((files, ranks));
            for window in 0..self.places((files, ranks)) {
                let (row, file) = (window / across, window % across);
                for pattern in 0..patterns {
                    let image: usize = (0..files * ranks)
                        .map(|cell| {
                            let state = pattern / states.pow(cell as u32) % states;
                            let turned = cell / files * files + files - 1 - cell % files;
                            state * states.pow(turned as u32)
                        })
                        .sum();
                    let other = first + (row * across + across - 1 - file) * patterns + image;
                    let this = first + window * patterns + pattern;
                    for unit in 0..half {
                        self.rows[this * self.hidden + half + unit] =
                            self.rows[other * self.hidden + unit];
                    }
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
        self.written(&self.rows, 0)
    }

    /// The file of a symmetric network, without the rows of its right half.
    pub fn mirrored_file(&self) -> Vec<u8> {
        let mut rows = Vec::new();
        for (kind, first) in self.kinds() {
            let (across, size) = (self.board.0 - kind.0 + 1, self.patterns(kind) * self.hidden);
            let of_kind = &self.rows[first * self.hidden..][..self.places(kind) * size];
            for windows in of_kind.chunks_exact(across * size) {
                rows.extend_from_slice(&windows[..across.div_ceil(2) * size]);
            }
        }
        self.written(&rows, 1)
    }

    fn written(&self, rows: &Vec<i16>, mirrored: u8) -> Vec<u8> {
        let mut payload = Vec::new();
        for part in [rows, &self.bias] {
            payload.extend(part.iter().flat_map(|number| number.to_le_bytes()));
        }
        payload.extend(self.behind());
        let pairs = self.second_bias.len() as u8;
        let board = [self.board.0 as u8, self.board.1 as u8];
        if self.height == 1 {
            return framed(b'1', self, board, [0, 0, mirrored, pairs], &payload);
        }
        let (files, ranks) = self.second.unwrap_or_default();
        framed(
            b'3',
            self,
            board,
            [files as u8, ranks as u8, mirrored, pairs],
            &payload,
        )
    }

    /// The end of a file: all weights behind the accumulators.
    fn behind(&self) -> Vec<u8> {
        let shorts = [&self.output, &self.second_layer, &self.second_output];
        let longs = [&self.output_bias, &self.second_bias];
        let shorts = shorts.into_iter().flatten().flat_map(|it| it.to_le_bytes());
        let longs = longs.into_iter().flatten().flat_map(|it| it.to_le_bytes());
        shorts.chain(longs).collect()
    }

    /// The accumulator of a side, summed square by square.
    fn accumulator(&self, position: &impl Stacks, view: Side) -> Vec<i64> {
        let upward = self.board.1;
        let state = |file: usize, rank: usize| {
            let rank = if view == Side::White {
                rank
            } else {
                upward - 1 - rank
            };
            let own = position.stack(view, file, rank);
            let enemy = position.stack(!view, file, rank);
            if enemy > 0 { self.height + enemy } else { own }
        };
        let mut sums: Vec<i64> = self.bias.iter().map(|&bias| i64::from(bias)).collect();
        for ((files, ranks), first) in self.kinds() {
            let across = self.board.0 - files + 1;
            for window in 0..self.places((files, ranks)) {
                let mut pattern = 0;
                for cell in 0..files * ranks {
                    let (file, row) = (window % across, window / across);
                    let digit = state(file + cell % files, row + cell / files);
                    pattern += digit * self.states().pow(cell as u32);
                }
                let row = first + window * self.patterns((files, ranks)) + pattern;
                for (sum, &weight) in sums.iter_mut().zip(&self.rows[row * self.hidden..]) {
                    *sum += i64::from(weight);
                }
            }
        }
        sums
    }

    /// The value of a position in centipawns.
    pub fn value(&self, position: &impl Stacks) -> i32 {
        let (files, ranks) = self.board;
        let squares = (0..files * ranks).map(|square| (square % files, square / files));
        let on = |(file, rank)| Side::BOTH.map(|side| position.stack(side, file, rank));
        let pieces: usize = squares.flat_map(on).sum();
        let full = 4 * files;
        let bucket = ((pieces - 1) * self.buckets / full).min(self.buckets - 1);
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
        let out = out + self.second_value(&units, bucket);
        let value = out * i64::from(self.scale) / (255 * 64);
        let most = i64::from(MATE_BOUND - 1);
        value.clamp(-most, most) as i32
    }

    /// What the second layer adds to the output, given both accumulators.
    fn second_value(&self, units: &[i64], bucket: usize) -> i64 {
        let (half, pairs) = (self.hidden / 2, self.second_bias.len());
        let exchanged: Vec<i64> = units
            .chunks_exact(2 * half)
            .flat_map(|side| [&side[half..], &side[..half]].concat())
            .collect();
        let mut sum = 0;
        for pair in 0..pairs {
            let weights = &self.second_layer[2 * self.hidden * pair..][..2 * self.hidden];
            for seen in [units, &exchanged] {
                let products = seen
                    .iter()
                    .zip(weights)
                    .map(|(&unit, &weight)| unit.clamp(0, 255).pow(2) / 256 * i64::from(weight));
                let unit = products.sum::<i64>() + i64::from(self.second_bias[pair]);
                let output = self.second_output[bucket * pairs + pair];
                sum += unit.clamp(0, 255 * 255) / 64 * i64::from(output);
            }
        }
        4 * sum / 255
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

/// A network for every board, as numbers.
#[derive(Clone)]
pub struct Shared {
    /// Sizes and output weights; its rows and its board are ignored.
    pub sizes: Numbers,
    /// How many distances from an end and from an edge are distinguished.
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
        let shared = [&self.bias, &self.file_steps, &self.rank_steps];
        let parts = self.tables.iter().chain(shared);
        let mut payload: Vec<u8> = parts
            .flatten()
            .flat_map(|part| part.to_le_bytes())
            .collect();
        payload.extend(self.sizes.behind());
        let pairs = self.sizes.second_bias.len() as u8;
        let steps = |part: &[i16]| (part.len() / self.sizes.hidden) as u8;
        let last = [steps(&self.file_steps), steps(&self.rank_steps), 0, pairs];
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
