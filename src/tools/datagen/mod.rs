//! `petard datagen`: games of petard against itself, of both games and on all
//! boards, recorded to train networks.

mod game;
pub(crate) mod records;

use super::EvaluationOptions;
use super::console::Status;
use super::files::file_error;
use super::job::{INTERRUPTED, Interrupt};
use super::parse_variant;
use crate::base::{cores, start_threads};
use crate::engine::{Variant, parse_board};
use crate::game::{breakthrough, freeling};
use clap::Args;
use game::{Player, Rules, rescore};
use records::{Record, RecordHeader, RecordStore, Recorded, WRONG_KIND};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// Random starts in a row that may be dropped before the run gives up.
const MAX_DROPPED_STARTS: u64 = 20_000;

/// Games in a row that may hold no new position before the run gives up.
const MAX_REPEATED_GAMES: u32 = 1000;

/// Bytes that a player may take for its work.
const PLAYER_BYTES: usize = 4 << 20;

/// How far apart the seeds of runs are that resume from one position more or less.
const RESUME_STRIDE: u64 = 0xbf58_476d_1ce4_e5b9;

/// Play self-play games and record their positions, for training networks
///
/// Plays games against itself and appends their positions, with score and
/// result, to FILE. A stopped run resumes where it ended, with other games. With
/// one thread the same seed gives the same file. A game without a new position is
/// not recorded.
///
/// Exit status: 0 the file holds as many positions as requested; 1 error; 2 wrong
/// arguments; 130 interrupted (Ctrl-C, SIGTERM, SIGHUP), with the file intact.
#[derive(Debug, Args)]
pub(crate) struct Datagen {
    /// The file to write or resume
    file: PathBuf,
    /// Stop when the file holds this many positions [default: 1,000,000, or
    /// with --rescore all of them]
    #[arg(long)]
    positions: Option<u64>,
    /// Nodes per move
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Threads; 0 means one per core
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Seed of the random openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The board of Breakthrough, at most 128 squares [default: 8x8]
    #[arg(long, value_name = "WxH", value_parser = parse_board)]
    board: Option<Variant>,
    /// The game: breakthrough, breakthrough5, breakthrough6, breakthrough7 or
    /// freeling
    #[arg(long, value_name = "NAME", value_parser = parse_variant, conflicts_with = "board")]
    variant: Option<Variant>,
    /// Fewest random plies at the start of a game
    #[arg(long, default_value_t = 4)]
    random_min: u16,
    /// Most random plies at the start of a game
    #[arg(long, default_value_t = 12)]
    random_max: u16,
    /// Skip openings whose score is further from 0 than this, in centipawns
    #[arg(long, default_value_t = 400)]
    balance: i32,
    /// Start games from the positions in this file, one FEN per line; random
    /// plies are played from there
    #[arg(long, value_name = "FILE", conflicts_with = "rescore")]
    starts: Option<PathBuf>,
    /// Prove the positions of each game within this many nodes each, backwards
    /// from its end until one is not proven, and correct the results (only
    /// Breakthrough)
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "rescore")]
    prove: Option<u64>,
    /// Play no games: rescore the positions in this file, keeping their results
    #[arg(long, value_name = "FILE")]
    rescore: Option<PathBuf>,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

impl Datagen {
    /// Runs until enough is written or it is interrupted.
    pub(crate) fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        let variant = self.variant.or(self.board).unwrap_or(Variant::STANDARD);
        self.check_plies(variant)?;
        match variant {
            Variant::Breakthrough { files, ranks } if files <= 8 && ranks <= 8 => {
                self.generate::<breakthrough::Position<u64>>((files, ranks))
            }
            Variant::Breakthrough { files, ranks } => {
                self.generate::<breakthrough::Position<u128>>((files, ranks))
            }
            Variant::Freeling => {
                let board = (freeling::FILES.into(), freeling::RANKS.into());
                self.generate::<freeling::Position>(board)
            }
        }
    }

    /// Fewest and most random plies.
    fn random_plies(&self) -> (usize, usize) {
        (self.random_min.into(), self.random_max.into())
    }

    fn check_plies(&self, variant: Variant) -> Result<(), Box<dyn Error>> {
        let (min, max) = self.random_plies();
        if min > max {
            return Err(format!("--random-min {min} is more than --random-max {max}").into());
        }
        // Freeling's pieces can also move back; there the search for a start ends
        // by itself.
        if let Variant::Breakthrough { files, ranks } = variant {
            // Each piece steps at most from one end to the other.
            let longest = 2 * files * (2 * ranks - 5).max(1) + 1;
            if max >= longest {
                return Err(format!(
                    "--random-max {max}: no game on {files}x{ranks} has more than {longest} plies"
                )
                .into());
            }
        }
        Ok(())
    }

    /// Where games start.
    fn starts<G: Recorded>(&self, board: (usize, usize)) -> Result<Arc<[G]>, Box<dyn Error>> {
        let Some(path) = &self.starts else {
            return Ok(G::start_on(board).into_iter().collect());
        };
        let text = std::fs::read_to_string(path).map_err(|error| file_error(path, &error))?;
        let mut starts = Vec::new();
        for (line, fen) in (1..).zip(text.lines().map(str::trim)) {
            if fen.is_empty() || fen.starts_with('#') {
                continue;
            }
            let start = G::from_fen(fen)
                .map_err(|error| file_error(path, &format_args!("line {line}: {error}")))?;
            let (files, ranks) = start.board_size();
            if (usize::from(files), usize::from(ranks)) != board {
                let found = format_args!("line {line}: wrong board size, {files}x{ranks}");
                return Err(file_error(path, &found));
            }
            starts.push(start);
        }
        if starts.is_empty() {
            return Err(file_error(path, &"it has no positions"));
        }
        Ok(starts.into())
    }

    fn generate<G: Recorded>(&self, board: (usize, usize)) -> Result<ExitCode, Box<dyn Error>> {
        let rules = Rules {
            nodes: self.nodes,
            random_plies: self.random_plies(),
            balance: self.balance,
            hash: 8,
            source: self.evaluation.source()?,
        };
        let starts = self.starts::<G>(board)?;
        let header = RecordHeader::new(G::KIND, (board.0 as u8, board.1 as u8));
        let threads = match self.threads {
            0 => cores(),
            count => usize::from(count),
        };
        let mut players = (0..threads)
            .map(|_| {
                let player = Player::new(rules.clone(), Arc::clone(&starts))?;
                Ok(match self.prove {
                    Some(nodes) => player.proving(starts[0].prove_within(nodes)?),
                    None => player,
                })
            })
            .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        let mut store = RecordStore::open(&self.file, header)?;
        let interrupt = Interrupt::listen()?;
        if let Some(input) = &self.rescore {
            self.rescore_file(input, &mut store, &mut players, &interrupt)?;
        } else {
            self.play(&mut store, players, &interrupt)?;
        }
        Ok(if interrupt.is_raised() {
            ExitCode::from(INTERRUPTED)
        } else {
            ExitCode::SUCCESS
        })
    }

    /// Plays games until the store holds enough.
    fn play<G: Recorded>(
        &self,
        store: &mut RecordStore,
        players: Vec<Player<G>>,
        interrupt: &Interrupt,
    ) -> Result<(), Box<dyn Error>> {
        let stop = AtomicBool::new(false);
        // Dropped starts are retried with other seeds, so games are numbered by
        // attempts; how many there were is not in the file. A resumed run begins far
        // from any of them.
        let source = Source {
            seed: self.seed,
            next: AtomicU64::new(store.positions.wrapping_mul(RESUME_STRIDE)),
            dropped_starts: AtomicU64::new(0),
            is_over: &|| stop.load(Relaxed) || interrupt.is_raised(),
        };
        let (sender, games) = channel::<Vec<Record>>();
        let mut end = Ok(());
        let mut started = Ok(0);
        let mut repeated = 0;
        let mut status = Status::new(false);
        std::thread::scope(|scope| {
            // If a thread cannot be started, the others do its share.
            let (count, mut players) = (players.len(), players.into_iter());
            started = start_threads(scope, count, PLAYER_BYTES, |_| {
                let (sender, source, player) = (sender.clone(), &source, players.next());
                let play = move |player| source.produce(player, &sender);
                Box::new(move || player.into_iter().for_each(play))
            });
            drop(sender);
            let begun = (Instant::now(), store.positions);
            let mut shown = Instant::now();
            for game in games {
                let is_enough = store.positions >= self.wanted() || repeated >= MAX_REPEATED_GAMES;
                if is_enough || end.is_err() {
                    stop.store(true, Relaxed);
                    continue;
                }
                match store.add(&game) {
                    Ok(true) => repeated = 0,
                    Ok(false) => repeated += 1,
                    Err(error) => end = Err(error),
                }
                if shown.elapsed() >= Duration::from_secs(5) {
                    shown = Instant::now();
                    status.show(&self.progress(store, begun));
                }
            }
            status.show(&self.progress(store, begun));
        });
        status.end();
        started.map_err(|error| format!("threads cannot be started: {error}"))?;
        end.and_then(|()| store.output.flush())
            .map_err(|error| file_error(&self.file, &error))?;
        if repeated >= MAX_REPEATED_GAMES {
            return Err(format!(
                "{MAX_REPEATED_GAMES} games in a row held no new position; use more random plies"
            )
            .into());
        }
        if source.dropped_starts.load(Relaxed) >= MAX_DROPPED_STARTS {
            return Err(format!(
                "{MAX_DROPPED_STARTS} random starts in a row were over, decided or too uneven; \
                 use fewer random plies or a larger --balance"
            )
            .into());
        }
        Ok(())
    }

    /// Rescores the positions of another file.
    fn rescore_file<G: Recorded>(
        &self,
        path: &Path,
        store: &mut RecordStore,
        players: &mut [Player<G>],
        interrupt: &Interrupt,
    ) -> Result<(), Box<dyn Error>> {
        let mut input = BufReader::new(File::open(path).map_err(|error| file_error(path, &error))?);
        let found = RecordHeader::read(&mut input).map_err(|error| file_error(path, &error))?;
        if found != store.header {
            return Err(file_error(path, &WRONG_KIND));
        }
        let before = store.positions;
        let begun = Instant::now();
        let mut status = Status::new(false);
        let mut show = |written: u64| {
            let rate = written as f64 / begun.elapsed().as_secs_f64().max(0.001);
            status.show(&format!("{} positions, {rate:.0}/s", before + written));
        };
        let part = before..self.positions.unwrap_or(u64::MAX);
        let is_over = || interrupt.is_raised();
        let written = rescore(
            found,
            input,
            &mut store.output,
            players,
            part,
            &is_over,
            &mut show,
        )
        .map_err(|error| file_error(path, &error))?;
        status.end();
        let flushed = store.output.flush();
        flushed.map_err(|error| file_error(&self.file, &error))?;
        match self.positions {
            Some(wanted) if before + written < wanted && !interrupt.is_raised() => Err(file_error(
                path,
                &format_args!("it has fewer than {wanted} positions"),
            )),
            _ => Ok(()),
        }
    }

    /// How many positions from games the file should hold.
    fn wanted(&self) -> u64 {
        self.positions.unwrap_or(1_000_000)
    }

    fn progress(&self, store: &RecordStore, (since, before): (Instant, u64)) -> String {
        let made = store.positions - before;
        let rate = made as f64 / since.elapsed().as_secs_f64().max(0.001);
        let left = self.wanted().saturating_sub(store.positions) as f64 / rate.max(0.001);
        format!(
            "{} games, {} positions ({} duplicates), {rate:.0}/s, {:.0} min left",
            store.games,
            store.positions,
            store.dropped,
            left / 60.0
        )
    }
}

/// Where all threads get the seeds of their games, and learn when to stop.
struct Source<'a> {
    seed: u64,
    /// The number of the next attempt.
    next: AtomicU64,
    /// Starts dropped since the last game.
    dropped_starts: AtomicU64,
    is_over: &'a (dyn Fn() -> bool + Sync),
}

impl Source<'_> {
    /// One thread's work: plays games until asked to stop, and finishes the current one.
    fn produce<G: Recorded>(&self, mut player: Player<G>, sender: &Sender<Vec<Record>>) {
        while !(self.is_over)() && self.dropped_starts.load(Relaxed) < MAX_DROPPED_STARTS {
            let number = self.next.fetch_add(1, Relaxed);
            let seed = self
                .seed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(number);
            let Some(game) = player.play(seed) else {
                self.dropped_starts.fetch_add(1, Relaxed);
                continue;
            };
            self.dropped_starts.store(0, Relaxed);
            if sender.send(game).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
