//! `petard datagen`: games of petard against itself, as records to fit the
//! evaluation to.

mod features;
mod game;
mod record;

pub use features::Features;
pub use record::{GameResult, RECORD_BYTES, Record, Records, read_header, write_header};

use super::console::Status;
use super::evaluation::Evaluation;
use super::files::fault;
use super::interrupt::{INTERRUPTED, Interrupt};
use crate::engine::{Variant, parse_board};
use clap::Args;
use game::{Player, Rules};
use std::collections::HashSet;
use std::error::Error;
use std::fs::{File, TryLockError};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// Random starts in a row that may be dropped before it is given up.
const MOST_IN_VAIN: u64 = 20_000;

/// Plays games against itself and appends their positions, with score and
/// result, to FILE. A run that was stopped goes on where it ended. With one
/// thread the same seed gives the same file.
///
/// Exit status: 0 the file holds as many positions as asked for; 1 an error; 2
/// wrong arguments; 130 interrupted (Ctrl-C, SIGTERM, SIGHUP), the file is whole.
#[derive(Debug, Args)]
pub struct Datagen {
    /// The file to write or to go on with
    file: PathBuf,
    /// Stop when the file holds this many positions
    #[arg(long, default_value_t = 1_000_000)]
    positions: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Seed of the random openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The board, at most 8x8
    #[arg(long, value_name = "WxH", default_value = "8x8", value_parser = parse_board)]
    board: Variant,
    /// Least random plies at the start of a game
    #[arg(long, default_value_t = 4)]
    random_min: usize,
    /// Most random plies at the start of a game
    #[arg(long, default_value_t = 12)]
    random_max: usize,
    /// Drop starts that are judged further from even than this, in centipawns
    #[arg(long, default_value_t = 400)]
    balance: i32,
    #[command(flatten)]
    evaluation: Evaluation,
}

/// What is in the file, and what must not come in twice.
struct Store {
    output: BufWriter<File>,
    seen: HashSet<u64>,
    games: u64,
    positions: u64,
    dropped: u64,
}

impl Store {
    /// Opens a file, or begins one.
    fn open(path: &Path, files: u8, ranks: u8) -> Result<Self, Box<dyn Error>> {
        Self::read(path, files, ranks).map_err(|error| fault(path, &error))
    }

    fn read(path: &Path, files: u8, ranks: u8) -> Result<Self, Box<dyn Error>> {
        let mut store = Self {
            output: BufWriter::new(
                File::options()
                    .create(true)
                    .truncate(false)
                    .read(true)
                    .write(true)
                    .open(path)?,
            ),
            seen: HashSet::new(),
            games: 0,
            positions: 0,
            dropped: 0,
        };
        // Two that write one file would destroy it.
        store
            .output
            .get_ref()
            .try_lock()
            .map_err(|error| match error {
                TryLockError::WouldBlock => "another process is writing it".to_owned(),
                TryLockError::Error(error) => error.to_string(),
            })?;
        let length = store.output.get_ref().metadata()?.len();
        if length == 0 {
            write_header(&mut store.output, files, ranks)?;
            return Ok(store);
        }
        let mut input = BufReader::new(File::open(path)?);
        let geometry = read_header(&mut input)?;
        if (geometry.files(), geometry.ranks()) != (files, ranks) {
            let (files, ranks) = (geometry.files(), geometry.ranks());
            return Err(format!("it holds positions of a board of {files}x{ranks}").into());
        }
        for record in Records(input) {
            let record = record?;
            store.games += u64::from(record.is_first);
            store.positions += 1;
            store.seen.insert(canonical_key(&record, files));
        }
        // A torn record at the end is written over.
        let whole = (store.positions + 1) * RECORD_BYTES as u64;
        store.output.get_ref().set_len(whole)?;
        let mut file = store.output.get_ref();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
        Ok(store)
    }

    fn add(&mut self, records: &[Record], files: u8) -> std::io::Result<()> {
        self.games += 1;
        for (index, record) in records.iter().enumerate() {
            // The first one stays in any case: it counts the games.
            if !self.seen.insert(canonical_key(record, files)) && index > 0 {
                self.dropped += 1;
                continue;
            }
            self.output.write_all(&record.to_bytes())?;
            self.positions += 1;
        }
        Ok(())
    }
}

/// A hash of the position that is the same for its mirror image.
fn canonical_key(record: &Record, files: u8) -> u64 {
    // Bytes are ranks: reverse each, and move it back to file a.
    let mirror = |set: u64| set.reverse_bits().swap_bytes() >> (8 - files);
    let hash = |men: [u64; 2]| {
        let mixed = men[0].wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ men[1].rotate_left(29).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (mixed ^ mixed >> 31).wrapping_mul(0x1656_67b1_9e37_79f9) ^ record.side as u64
    };
    hash(record.men).min(hash(record.men.map(mirror)))
}

impl Datagen {
    /// Runs until enough is written or it is told to stop.
    ///
    /// # Errors
    /// If the file or the threads' memory cannot be had.
    pub fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        let Variant::Breakthrough { files, ranks } = self.board else {
            return Err("records hold boards of Troyka's game only".into());
        };
        self.check_arguments(files, ranks)?;
        let rules = Rules {
            board: (files, ranks),
            nodes: self.nodes,
            random_plies: (self.random_min, self.random_max),
            balance: self.balance,
            hash: 8,
            source: self.evaluation.source()?,
        };
        let mut store = Store::open(&self.file, files as u8, ranks as u8)?;
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            count => usize::from(count),
        };
        let interrupt = Interrupt::listen()?;
        let stop = AtomicBool::new(false);
        let is_over = || stop.load(Relaxed) || interrupt.is_raised();
        // Starts dropped since the last game.
        let in_vain = AtomicU64::new(0);

        // Dropped starts are tried again under other seeds, so games are
        // numbered by tries; a resumed run continues behind the last one.
        let next = AtomicU64::new(self.resume_point(&store));
        let (sender, games) = channel::<Vec<Record>>();
        let players = (0..threads)
            .map(|_| Player::new(rules.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut end = Ok(());
        let mut status = Status::new(false);
        std::thread::scope(|scope| {
            for player in players {
                let (sender, next, is_over, in_vain) = (sender.clone(), &next, &is_over, &in_vain);
                scope.spawn(move || produce(player, self.seed, next, is_over, in_vain, &sender));
            }
            drop(sender);
            let begun = (Instant::now(), store.positions);
            let mut told = Instant::now();
            for game in games {
                if store.positions >= self.positions || end.is_err() {
                    stop.store(true, Relaxed);
                    continue;
                }
                end = store.add(&game, files as u8);
                if told.elapsed() >= Duration::from_secs(5) {
                    told = Instant::now();
                    status.show(&self.news(&store, begun));
                }
            }
            status.show(&self.news(&store, begun));
        });
        status.end();
        end.and_then(|()| store.output.flush())
            .map_err(|error| fault(&self.file, &error))?;
        if in_vain.load(Relaxed) >= MOST_IN_VAIN {
            return Err(format!(
                "{MOST_IN_VAIN} random starts in a row were over, decided or too uneven; \
                 fewer random plies or a larger --balance give more"
            )
            .into());
        }
        Ok(match interrupt.is_raised() {
            true => ExitCode::from(INTERRUPTED),
            false => ExitCode::SUCCESS,
        })
    }

    fn check_arguments(&self, files: usize, ranks: usize) -> Result<(), Box<dyn Error>> {
        if files > 8 || ranks > 8 {
            return Err(format!("records hold boards of at most 8x8, not {files}x{ranks}").into());
        }
        let (least, most) = (self.random_min, self.random_max);
        if least > most {
            return Err(format!("--random-min {least} is more than --random-max {most}").into());
        }
        // Each man steps at most from one end to the other.
        let longest = 2 * files * (2 * ranks - 5).max(1) + 1;
        if most >= longest {
            return Err(format!(
                "--random-max {most}: no game on {files}x{ranks} has more than {longest} plies"
            )
            .into());
        }
        Ok(())
    }

    /// The first seed a run goes on with: behind all that the games in the
    /// file can have used.
    fn resume_point(&self, store: &Store) -> u64 {
        if store.games == 0 { 0 } else { store.games * 4 }
    }

    fn news(&self, store: &Store, (since, before): (Instant, u64)) -> String {
        let made = store.positions - before;
        let rate = made as f64 / since.elapsed().as_secs_f64().max(0.001);
        let left = self.positions.saturating_sub(store.positions) as f64 / rate.max(0.001);
        format!(
            "{} games, {} positions ({} twice), {rate:.0} a second, {:.0} min left",
            store.games,
            store.positions,
            store.dropped,
            left / 60.0
        )
    }
}

/// One thread's work: games until told to stop; a game begun is finished.
fn produce(
    mut player: Player,
    seed: u64,
    next: &AtomicU64,
    is_over: &(dyn Fn() -> bool + Sync),
    in_vain: &AtomicU64,
    sender: &Sender<Vec<Record>>,
) {
    while !is_over() && in_vain.load(Relaxed) < MOST_IN_VAIN {
        let number = next.fetch_add(1, Relaxed);
        let seed = seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(number);
        let Some(game) = player.play(seed) else {
            in_vain.fetch_add(1, Relaxed);
            continue;
        };
        in_vain.store(0, Relaxed);
        if sender.send(game).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::troyka::Position;
    use crate::game::{Game as _, Notation};

    #[test]
    fn a_position_and_its_mirror_image_count_as_one() {
        for (fen, files) in [
            ("1p6/8/8/2p5/8/P7/8/1P6 w 0 9", 8),
            ("p5/6/2p3/6/P5/1P4 b 0 9", 6),
        ] {
            let position = Position::<u64>::from_fen(fen).unwrap();
            let record = Record::new(&position, 0, 9, false);
            let image = Record::new(&position.mirrored(), 0, 9, false);
            assert_eq!(canonical_key(&record, files), canonical_key(&image, files));
            let other = Record::new(&position.pass(), 0, 9, false);
            assert_ne!(canonical_key(&record, files), canonical_key(&other, files));
        }
    }

    #[test]
    fn a_seed_gives_a_game_and_games_are_whole() {
        let rules = Rules {
            board: (6, 6),
            nodes: 200,
            random_plies: (2, 6),
            balance: 800,
            hash: 1,
            source: crate::eval::EvalSource::default(),
        };
        let mut player = Player::new(rules.clone()).unwrap();
        let games: Vec<_> = (0..6).map(|seed| player.play(seed)).collect();
        assert!(games.iter().flatten().count() > 0);
        let mut other = Player::new(rules).unwrap();
        assert_eq!(other.play(3), games[3]);
        for game in games.iter().flatten() {
            assert!(game[0].is_first && game[1..].iter().all(|record| !record.is_first));
        }
    }
}
