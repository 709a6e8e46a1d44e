//! `petard datagen`: games of petard against itself, as records to fit the
//! evaluations to, of both games and all boards.

mod features;
mod game;
mod record;
mod recorded;
mod rescore;

pub use features::Features;
pub use record::{GameResult, Header, Record, Records};
pub use recorded::{Kind, Recorded, Sets};

use super::evaluation::Evaluation;
use super::parse_variant;
use crate::engine::{Variant, parse_board};
use crate::game::{freeling, troyka};
use clap::Args;
use game::{Player, Rules};
use std::collections::HashSet;
use std::error::Error;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Plays games against itself and appends their positions, with score and
/// result, to FILE. A run that was stopped goes on where it ended. With one
/// thread the same seed gives the same file.
#[derive(Debug, Args)]
pub struct Datagen {
    /// The file to write or to go on with
    file: PathBuf,
    /// Stop when the file holds this many positions; without this 1,000,000, or
    /// all there are to judge anew
    #[arg(long)]
    positions: Option<u64>,
    /// Nodes a move
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Seed of the random openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The board of Troyka's game, at most 128 squares; 8x8 without this
    #[arg(long, value_name = "WxH", value_parser = parse_board)]
    board: Option<Variant>,
    /// The game
    #[arg(long, value_name = "NAME", value_parser = parse_variant, conflicts_with = "board")]
    variant: Option<Variant>,
    /// Least random plies at the start of a game
    #[arg(long, default_value_t = 4)]
    random_min: usize,
    /// Most random plies at the start of a game
    #[arg(long, default_value_t = 12)]
    random_max: usize,
    /// Drop starts that are judged further from even than this, in centipawns
    #[arg(long, default_value_t = 400)]
    balance: i32,
    /// Start games from positions of this file, one FEN a line, and the random
    /// plies from there
    #[arg(long, value_name = "FILE", conflicts_with = "rescore")]
    starts: Option<PathBuf>,
    /// Play no games: take the positions of this file, with their results, and
    /// judge them anew
    #[arg(long, value_name = "FILE")]
    rescore: Option<PathBuf>,
    #[command(flatten)]
    evaluation: Evaluation,
}

/// What is in the file, and what must not come in twice.
struct Store {
    output: BufWriter<File>,
    header: Header,
    seen: HashSet<u64>,
    games: u64,
    positions: u64,
    dropped: u64,
}

impl Store {
    /// Opens a file, or begins one.
    fn open(path: &PathBuf, header: Header) -> Result<Self, Box<dyn Error>> {
        let mut store = Self {
            output: BufWriter::new(
                File::options()
                    .create(true)
                    .truncate(false)
                    .read(true)
                    .write(true)
                    .open(path)?,
            ),
            header,
            seen: HashSet::new(),
            games: 0,
            positions: 0,
            dropped: 0,
        };
        let length = store.output.get_ref().metadata()?.len();
        if length == 0 {
            header.write(&mut store.output)?;
            return Ok(store);
        }
        let mut input = BufReader::new(File::open(path)?);
        let found = Header::read(&mut input)?;
        if !found.is_current() {
            return Err(format!(
                "{} is of an earlier version, to which nothing is added",
                path.display()
            )
            .into());
        }
        if found != header {
            return Err(format!(
                "{} holds positions of another board or game",
                path.display()
            )
            .into());
        }
        for record in Records(found, input) {
            let record = record?;
            store.games += u64::from(record.is_first);
            store.positions += 1;
            store.seen.insert(header.canonical_key(&record));
        }
        // A torn record at the end is written over.
        let whole = header.length(store.positions);
        store.output.get_ref().set_len(whole)?;
        let mut file = store.output.get_ref();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
        Ok(store)
    }

    fn add(&mut self, records: &[Record]) -> std::io::Result<()> {
        self.games += 1;
        for (index, record) in records.iter().enumerate() {
            // The first one stays in any case: it counts the games.
            if !self.seen.insert(self.header.canonical_key(record)) && index > 0 {
                self.dropped += 1;
                continue;
            }
            self.output.write_all(&self.header.to_bytes(record))?;
            self.positions += 1;
        }
        Ok(())
    }
}

impl Datagen {
    /// Runs until enough is written or it is told to stop.
    ///
    /// # Errors
    /// If the file or the threads' memory cannot be had.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        if self.random_min > self.random_max {
            return Err("random-min is at most random-max".into());
        }
        match self.variant.or(self.board).unwrap_or(Variant::STANDARD) {
            Variant::Breakthrough { files, ranks } if files <= 8 && ranks <= 8 => {
                self.generate::<troyka::Position<u64>>((files, ranks))
            }
            Variant::Breakthrough { files, ranks } => {
                self.generate::<troyka::Position<u128>>((files, ranks))
            }
            Variant::Freeling => {
                let board = (freeling::FILES.into(), freeling::RANKS.into());
                self.generate::<freeling::Position>(board)
            }
        }
    }

    /// Where games start.
    fn starts<G: Recorded>(&self, board: (usize, usize)) -> Result<Arc<[G]>, Box<dyn Error>> {
        let Some(path) = &self.starts else {
            return Ok(G::start_on(board).into_iter().collect());
        };
        let named = |fault: &dyn Display| format!("{}: {fault}", path.display());
        let text = std::fs::read_to_string(path).map_err(|fault| named(&fault))?;
        let mut starts = Vec::new();
        for (line, fen) in (1..).zip(text.lines().map(str::trim)) {
            if fen.is_empty() || fen.starts_with('#') {
                continue;
            }
            let start =
                G::from_fen(fen).map_err(|fault| named(&format!("line {line}: {fault}")))?;
            let (files, ranks) = start.board_size();
            if (usize::from(files), usize::from(ranks)) != board {
                return Err(named(&format!("line {line}: a board of {files}x{ranks}")).into());
            }
            starts.push(start);
        }
        if starts.is_empty() {
            return Err(named(&"it has no positions").into());
        }
        Ok(starts.into())
    }

    fn generate<G: Recorded>(&self, board: (usize, usize)) -> Result<(), Box<dyn Error>> {
        let rules = Rules {
            nodes: self.nodes,
            random_plies: (self.random_min, self.random_max),
            balance: self.balance,
            hash: 8,
            source: self.evaluation.source()?,
        };
        let starts = self.starts::<G>(board)?;
        let header = Header::new(G::KIND, (board.0 as u8, board.1 as u8));
        let mut store = Store::open(&self.file, header)?;
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            count => count,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&stop);
        ctrlc::set_handler(move || heard.store(true, Relaxed))?;

        // Dropped starts are tried again under other seeds, so games are
        // numbered by tries; a resumed run continues behind the last one.
        let next = AtomicU64::new(self.resume_point(&store));
        let (sender, games) = channel::<Vec<Record>>();
        let mut players = (0..threads)
            .map(|_| Player::new(rules.clone(), Arc::clone(&starts)))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(input) = &self.rescore {
            return self.judge(input, store, &mut players, &stop);
        }
        let failed: RwLock<Option<std::io::Error>> = RwLock::new(None);
        std::thread::scope(|scope| {
            for player in players {
                let (sender, next, stop) = (sender.clone(), &next, &stop);
                scope.spawn(move || produce(player, self.seed, next, stop, &sender));
            }
            drop(sender);
            let begun = (Instant::now(), store.positions);
            let mut told = Instant::now();
            for game in games {
                if store.positions >= self.wanted() {
                    stop.store(true, Relaxed);
                    continue;
                }
                if let Err(fault) = store.add(&game) {
                    stop.store(true, Relaxed);
                    *failed.write().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                    continue;
                }
                if told.elapsed() >= Duration::from_secs(5) {
                    told = Instant::now();
                    self.tell(&store, begun);
                }
            }
            self.tell(&store, begun);
        });
        if let Some(fault) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(fault.into());
        }
        store.output.flush()?;
        eprintln!();
        Ok(())
    }

    /// Judges the positions of another file anew.
    fn judge<G: Recorded>(
        &self,
        path: &PathBuf,
        mut store: Store,
        players: &mut [Player<G>],
        stop: &AtomicBool,
    ) -> Result<(), Box<dyn Error>> {
        let named = |fault: &dyn Display| format!("{}: {fault}", path.display());
        let mut input = BufReader::new(File::open(path).map_err(|fault| named(&fault))?);
        let found = Header::read(&mut input).map_err(|fault| named(&fault))?;
        if found.current() != store.header {
            return Err(named(&"it holds positions of another board or game").into());
        }
        let before = store.positions;
        let begun = Instant::now();
        let mut tell = |written: u64| {
            let rate = written as f64 / begun.elapsed().as_secs_f64().max(0.001);
            eprint!("\r{} positions, {rate:.0} a second   ", before + written);
        };
        let part = (before, self.positions.unwrap_or(u64::MAX));
        let output = &mut store.output;
        rescore::rescore(found, input, output, players, part, stop, &mut tell)
            .map_err(|fault| named(&fault))?;
        store.output.flush()?;
        eprintln!();
        Ok(())
    }

    /// The first seed a run goes on with: behind all that the games in the
    /// file can have used.
    fn resume_point(&self, store: &Store) -> u64 {
        if store.games == 0 { 0 } else { store.games * 4 }
    }

    /// How many positions of games the file is to hold.
    fn wanted(&self) -> u64 {
        self.positions.unwrap_or(1_000_000)
    }

    fn tell(&self, store: &Store, (since, before): (Instant, u64)) {
        let made = store.positions - before;
        let rate = made as f64 / since.elapsed().as_secs_f64().max(0.001);
        let left = self.wanted().saturating_sub(store.positions) as f64 / rate.max(0.001);
        eprint!(
            "\r{} games, {} positions ({} twice), {rate:.0} a second, {:.0} min left   ",
            store.games,
            store.positions,
            store.dropped,
            left / 60.0
        );
    }
}

/// One thread's work: games until told to stop; a game begun is finished.
fn produce<G: Recorded>(
    mut player: Player<G>,
    seed: u64,
    next: &AtomicU64,
    stop: &AtomicBool,
    sender: &Sender<Vec<Record>>,
) {
    while !stop.load(Relaxed) {
        let number = next.fetch_add(1, Relaxed);
        let seed = seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(number);
        if let Some(game) = player.play(seed)
            && sender.send(game).is_err()
        {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Side;

    #[test]
    fn a_seed_gives_a_game_and_games_are_whole() {
        games_of::<troyka::Position<u64>>((6, 6), 800);
        games_of::<troyka::Position<u128>>((9, 5), 800);
        games_of::<freeling::Position>((5, 9), 10_000);
    }

    fn games_of<G: Recorded>(board: (usize, usize), balance: i32) {
        let rules = Rules {
            nodes: 200,
            random_plies: (2, 6),
            balance,
            hash: 1,
            source: crate::eval::EvalSource::default(),
        };
        let header = Header::new(G::KIND, (board.0 as u8, board.1 as u8));
        let starts: Arc<[G]> = G::start_on(board).into_iter().collect();
        let mut player = Player::new(rules.clone(), Arc::clone(&starts)).unwrap();
        let games: Vec<_> = (0..6).map(|seed| player.play(seed)).collect();
        assert!(games.iter().flatten().count() > 0);
        let mut other = Player::new(rules, starts).unwrap();
        assert_eq!(other.play(3), games[3]);
        for game in games.iter().flatten() {
            assert!(game[0].is_first && game[1..].iter().all(|record| !record.is_first));
            let plies = game.iter().map(|record| record.ply);
            assert!(plies.is_sorted_by(|one, next| one < next));
            for record in game {
                let position = G::from_record(&header, record).unwrap();
                assert_eq!(position.side_to_move(), record.side);
                assert_eq!(record.result, game[0].result);
                let even = record.ply % 2 == 0;
                assert_eq!(record.side == Side::White, even);
            }
        }
    }
}
