//! The engine as an object: positions in, events out. It never prints and
//! never blocks its caller, and is the library's public face.

mod activity;
mod bench;
mod board;
mod error;
mod event;
mod pool;
mod search_job;
mod strength;
mod tenant;
mod variant;

pub use bench::{BENCH_DEPTH, bench};
pub use board::{Board, LineError};
pub use error::EngineError;
pub use event::{BenchResult, Chances, Event, Info, ProofResult, nodes_per_second};
pub use strength::{ELO_RANGE, Handicap};
pub use tenant::{CENTIPAWN_SCALE, Tenant, win_probability};
pub use variant::{VARIANTS, Variant, parse_board};

use crate::base::ask_for;
use crate::eval::EvalSource;
use crate::search::{Control, Deadlines, Limits, Params, Shared, Table};
use crate::solve::Progress;
use activity::{Activity, survive};
use error::{START_BYTES, WORK_BYTES, is_free};
use pool::{Memory, Pool};
use search_job::{Sink, ThreadContext, Verdicts};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What an engine is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the hash table in megabytes.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Best lines to report.
    pub multi_pv: usize,
    /// Time kept back from every deadline.
    pub overhead: Duration,
    /// Play at about this rating; `None` is full strength.
    pub elo: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash: 64,
            threads: 1,
            multi_pv: 1,
            overhead: Duration::from_millis(10),
            elo: None,
        }
    }
}

/// A playing and analysing engine.
///
/// Its news come as [`Event`]s, called from its own threads. Every search ends
/// with exactly one [`Event::Best`].
///
/// ```
/// use petard::engine::{Board, Engine, Event, Variant};
/// use petard::search::Limits;
/// let (news, events) = std::sync::mpsc::channel();
/// let mut engine = Engine::new(move |event| news.send(event).unwrap())?;
/// engine.set_position(Board::start(Variant::STANDARD)?.with_moves(["b2b3", "g7g6"])?);
/// engine.go(Limits { depth: Some(6), ..Limits::default() }, &[])?;
/// let best = events.iter().find_map(|event| match event {
///     Event::Best { best, .. } => best,
///     _ => None,
/// });
/// assert!(best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    pool: Pool,
    table: Arc<Table>,
    params: Arc<Params>,
    board: Board,
    settings: Settings,
    evaluation: EvalSource,
    control: Arc<Control>,
    activity: Arc<Activity>,
    sink: Sink,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("settings", &self.settings)
            .field("position", &self.board.fen())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine at the standard start position. `sink` is called with every
    /// event and should be quick: it runs on the search's thread.
    ///
    /// # Errors
    /// If its threads or its hash table cannot be had.
    pub fn new(sink: impl Fn(Event) + Send + Sync + 'static) -> Result<Self, EngineError> {
        Self::with_settings(Settings::default(), sink)
    }

    /// An engine with these settings.
    ///
    /// # Errors
    /// If its threads or its hash table cannot be had.
    pub fn with_settings(
        settings: Settings,
        sink: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let board = Board::start(Variant::STANDARD)?;
        ask_for(START_BYTES)?;
        // In this order: a thread without memory would end the process.
        Ok(Self {
            evaluation: EvalSource::default(),
            table: Arc::new(Table::new(settings.hash)?),
            pool: Pool::new(settings.threads)?,
            params: Arc::new(Params::default()),
            board,
            settings,
            control: Arc::new(Control::new(false)),
            activity: Arc::default(),
            sink: Arc::new(sink),
        })
    }

    /// What the engine is set to.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a search, a count or a benchmark is running.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.activity.get()
    }

    /// The position.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Sets the position for later searches; a running one is not touched.
    pub fn set_position(&mut self, board: Board) {
        self.board = board;
    }

    fn table_mut(&mut self) -> Result<&mut Table, EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        Arc::get_mut(&mut self.table).ok_or(EngineError::Busy)
    }

    /// Replaces the hash table by an empty one of this many megabytes.
    ///
    /// # Errors
    /// If the engine is at work or the memory cannot be had. The old table
    /// stays then, emptied if its own memory was needed to find that out.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let table = self.table_mut()?;
        let old = table.megabytes();
        if old != megabytes {
            is_free("a hash table", megabytes, old)?;
            let replacement = is_free("a hash table", megabytes, 0)
                .and_then(|()| Ok(Table::new(megabytes)?))
                .or_else(|_| {
                    // There is no room for both: the old one goes first.
                    *table = Table::smallest()?;
                    is_free("a hash table", megabytes, 0)?;
                    Ok(Table::new(megabytes)?)
                });
            match replacement {
                Ok(replacement) => *table = replacement,
                Err(fault) if table.megabytes() == old => return Err(fault),
                Err(fault) => {
                    *table = Table::new(old)?;
                    return Err(fault);
                }
            }
        }
        self.settings.hash = megabytes;
        Ok(())
    }

    /// Sets the number of search threads.
    ///
    /// # Errors
    /// If the engine is at work or the threads cannot be started; the old ones
    /// stay then.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        if threads != self.pool.len() {
            self.pool = Pool::new(threads)?;
        }
        self.settings.threads = threads;
        Ok(())
    }

    /// Sets what later searches do, threads and hash apart.
    pub fn configure(&mut self, change: impl FnOnce(&mut Settings)) {
        let (hash, threads) = (self.settings.hash, self.settings.threads);
        change(&mut self.settings);
        self.settings.hash = hash;
        self.settings.threads = threads;
    }

    /// Sets a number of the search by name, for tuning. `false` if there is
    /// none of that name.
    pub fn set_param(&mut self, name: &str, value: i32) -> bool {
        Arc::make_mut(&mut self.params).set(name, value)
    }

    /// What later searches value positions of Troyka's game with.
    #[must_use]
    pub const fn evaluation(&self) -> &EvalSource {
        &self.evaluation
    }

    /// Sets what later searches value positions of Troyka's game with, and
    /// forgets what was learned with another evaluation.
    ///
    /// # Errors
    /// If the engine is at work; the old one stays then.
    pub fn set_evaluation(&mut self, source: EvalSource) -> Result<(), EngineError> {
        self.new_game()?;
        self.evaluation = source;
        Ok(())
    }

    /// Forgets everything learned from earlier searches.
    ///
    /// # Errors
    /// If the engine is at work.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.table_mut()?.clear();
        for thread in 0..self.pool.len() {
            self.pool.submit(thread, Box::new(|memory| memory.clear()));
        }
        Ok(())
    }

    /// Begins a search of the position and returns at once. `search_moves`
    /// restricts the root moves, unless it is empty.
    ///
    /// # Errors
    /// If the engine is at work, a move is not legal, or there is no memory left.
    pub fn go(&mut self, mut limits: Limits, search_moves: &[String]) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        let (moves, job) = self.board.prepare(search_moves, &self.evaluation)?;
        limits.search_moves = moves;
        limits.overhead = self.settings.overhead;
        let handicap = self.settings.elo.map(Handicap::new);
        if let Some(handicap) = &handicap {
            let nodes = limits.nodes.unwrap_or(u64::MAX).min(handicap.nodes());
            limits.nodes = Some(nodes);
        }
        let threads = if handicap.is_some() {
            1
        } else {
            self.pool.len()
        };
        ask_for(threads * WORK_BYTES)?;
        let control = Arc::new(Control::new(limits.ponder));
        self.control = Arc::clone(&control);
        self.table.start_search();
        let shared = Arc::new(Shared {
            table: Arc::clone(&self.table),
            control,
            params: Arc::clone(&self.params),
            deadlines: Deadlines::new(&limits),
            limits,
            multi_pv: handicap.map_or(self.settings.multi_pv, |weak| {
                weak.lines().max(self.settings.multi_pv)
            }),
            nodes: (0..threads).map(|_| 0.into()).collect(),
        });
        let verdicts = Arc::new(Verdicts::new());
        for id in 0..threads {
            let context = ThreadContext {
                id,
                shared: Arc::clone(&shared),
                sink: Arc::clone(&self.sink),
                handicap,
            };
            let (job, verdicts) = (Arc::clone(&job), Arc::clone(&verdicts));
            if id > 0 {
                self.pool.submit(
                    id,
                    Box::new(move |memory| {
                        let verdict = survive(|| job.help(&context, memory)).flatten();
                        // Let go of the table before anyone hears of the end.
                        drop(context);
                        verdicts.leave(verdict);
                    }),
                );
            } else {
                let job_of_emergency = Arc::clone(&job);
                let shared = Arc::clone(&shared);
                self.submit(
                    move |memory| {
                        let answer = job.lead(&context, &verdicts, memory);
                        // Let go of the table before anyone hears of the end.
                        drop(context);
                        answer
                    },
                    move |memory| {
                        shared.control.stop();
                        memory.clear();
                        job_of_emergency.emergency()
                    },
                );
            }
        }
        Ok(())
    }

    /// Hands the first thread work that ends with its event; should it fail,
    /// with that of the emergency. Whatever happens, whoever asked is answered.
    fn submit(
        &self,
        work: impl FnOnce(&mut Memory) -> Event + Send + 'static,
        emergency: impl FnOnce(&mut Memory) -> Event + Send + 'static,
    ) {
        self.activity.set(true);
        let (activity, sink) = (Arc::clone(&self.activity), Arc::clone(&self.sink));
        self.pool.submit(
            0,
            Box::new(move |memory| {
                let answer = survive(|| work(memory)).unwrap_or_else(|| emergency(memory));
                activity.set(false);
                sink(answer);
            }),
        );
    }

    /// Begins something else than a search on the first thread, under the same
    /// guard. `unknown` is its answer if it fails.
    fn begin(
        &mut self,
        unknown: Event,
        work: impl FnOnce(&Arc<Control>) -> Event + Send + 'static,
    ) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        let control = Arc::new(Control::new(false));
        self.control = Arc::clone(&control);
        self.submit(move |_| work(&control), move |_| unknown);
        Ok(())
    }

    /// Begins to count the lines of exactly this many plies; ends with
    /// [`Event::Perft`].
    ///
    /// # Errors
    /// If the engine is at work.
    pub fn perft(&mut self, depth: u32) -> Result<(), EngineError> {
        let board = self.board.clone();
        let unknown = Event::Perft {
            split: Vec::new(),
            total: 0,
            is_stopped: true,
        };
        self.begin(unknown, move |control| board.perft(depth, control))
    }

    /// Begins to prove who wins, with a second table of the hash table's size
    /// and all threads; ends with [`Event::Proof`].
    ///
    /// # Errors
    /// If the engine is at work, there are no proofs for such a game or board,
    /// or the memory for the table is not free.
    pub fn prove(&mut self, nodes: Option<u64>, time: Option<Duration>) -> Result<(), EngineError> {
        if !self.board.has_proofs() {
            return Err(EngineError::NoProofs);
        }
        let board = self.board.clone();
        let bytes = self.settings.hash << 20;
        let limits = crate::solve::Limits {
            threads: self.settings.threads,
            time,
            nodes,
        };
        is_free("a table for proofs", self.settings.hash, 0)?;
        let sink = Arc::clone(&self.sink);
        self.begin(Event::Proof(ProofResult::default()), move |control| {
            let mut progress = |progress: &Progress| sink(Event::Note(progress.to_string()));
            let result = board.prove(&limits, bytes, control, &mut progress);
            Event::Proof(result.unwrap_or_else(|fault| {
                sink(Event::Note(format!("nothing proven: {fault}")));
                ProofResult::default()
            }))
        })
    }

    /// Begins the benchmark of the variant's game, on a table of its own;
    /// ends with [`Event::Bench`].
    ///
    /// # Errors
    /// If the engine is at work.
    pub fn bench(&mut self, variant: Variant, depth: u32) -> Result<(), EngineError> {
        let source = self.evaluation.clone();
        let unknown = Event::Bench(BenchResult {
            nodes: 0,
            time: Duration::ZERO,
            is_stopped: true,
        });
        self.begin(unknown, move |control| {
            Event::Bench(bench(variant, depth, &source, control, &mut |_, _| {}))
        })
    }

    /// Ends what is running; its final event comes at once.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The move pondered on has been played.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Waits until nothing is running. An unbounded search must be stopped
    /// first, or this does not return.
    pub fn wait(&self) {
        self.activity.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.control.stop();
    }
}
