//! The engine as an object: positions in, events out. It never prints and
//! never blocks its caller, and is the library's public face.

mod activity;
mod answer;
mod batch;
mod bench;
mod board;
mod board_files;
mod error;
mod event;
mod game_record;
mod opening;
mod opening_book;
mod options;
mod playable;
mod proofs;
mod settings;
mod strength;
mod work;

pub use batch::{BatchEvaluator, network_shape};
pub(crate) use board::VARIANTS;
pub use board::{Board, Evaluation, LineStep, Start};
pub use board::{Variant, parse_board};
pub use error::{EngineError, GameError, LineError, PositionError};
pub use event::{BenchResult, Chances, Event, Info, ProofResult};
pub use game_record::GameRecord;
pub use opening::OpeningMove;
pub use options::{Changed, OptionError, OptionKind, OptionSpec};
pub use settings::{ReadFile, Settings};
pub use strength::ELO_RANGE;

pub(crate) use bench::BENCH_DEPTH;
/// For the tools.
#[cfg(feature = "cli")]
pub(crate) use bench::bench;
#[cfg(feature = "cli")]
pub(crate) use board::line_texts;
pub(crate) use error::NETWORK_BYTES;
pub(crate) use event::nodes_per_second;
pub(crate) use playable::Playable;

pub use crate::base::{
    Budget, Host, MATE, MATE_BOUND, MAX_PLY, Pause, Score, Side, Task, is_win, mate_plies,
};
pub use crate::eval::Term;
pub use crate::game::{Effect, Ending, Explosion, FenError, MoveError, Outcome, Shot};
pub use crate::search::{Bound, Clock, Limits};
pub use crate::solve::Progress;

use crate::base::{MachineMemory, Share, check_available};
use crate::eval::EvalSource;
use crate::search::{Control, ParamSets, Searcher, THREAD_BYTES, Threads, WORK_BYTES};
use activity::Activity;
use board::each;
use board_files::BoardFiles;
use error::{HASH_TABLE, is_free, share_of, shared};
use event::Sink;
use opening_book::OpeningBook;
use proofs::{ProofBooks, results};
use rand_mt::Mt64;
use settings::EvalFile;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The memory assumed where the machine's cannot be read, in megabytes.
const MODEST_MEMORY: usize = 1024;

/// A playing and analysing engine.
///
/// It reports by [`Event`]s, delivered on its own threads. Every search ends
/// with exactly one [`Event::Best`].
///
/// ```
/// use petard::engine::{Engine, Event, Limits};
/// let (sender, events) = std::sync::mpsc::channel();
/// let mut engine = Engine::new(move |event| sender.send(event).unwrap())?;
/// engine.play(["b2b3", "g7g6"])?;
/// engine.go(Limits { depth: Some(6), ..Limits::default() }, &[])?;
/// let best = events.iter().find_map(|event| match event {
///     Event::Best { best, .. } => best,
///     _ => None,
/// });
/// assert!(best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    /// All work runs on this one; a search brings its helpers.
    thread: Threads<()>,
    /// Locked by the work that uses it.
    searcher: Arc<Mutex<Searcher>>,
    params: Arc<ParamSets>,
    board: Board,
    /// Why the last position sent was refused, until one is accepted.
    refused: Option<String>,
    settings: Settings,
    /// The hash table's share of the memory budget of several engines.
    share: Option<Share>,
    /// The largest hash table that can be asked for, in megabytes.
    max_hash: usize,
    evaluation: EvalSource,
    /// The network read from a file, used instead of the built-in one for its
    /// board.
    eval_file: Option<EvalFile>,
    proofs: ProofBooks,
    opening_books: BoardFiles<OpeningBook>,
    /// Chooses among the moves of an opening book.
    random: Mt64,
    control: Arc<Control>,
    /// Whether the work that was begun last has a limit.
    is_bounded: bool,
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
    /// If its threads cannot be started or memory for its table is short.
    pub fn new(sink: impl Fn(Event) + Send + Sync + 'static) -> Result<Self, EngineError> {
        Self::with_settings(Settings::default(), sink)
    }

    /// An engine with these settings.
    ///
    /// # Errors
    /// If its threads cannot be started or memory for its table is short.
    pub fn with_settings(
        settings: Settings,
        sink: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let board = Board::start(settings.variant)?;
        let share = share_of(settings.memory.as_ref(), HASH_TABLE, settings.hash)?;
        // All at once, and more than will be used: when memory is nearly out, a
        // small allocation may fail where nobody can report it.
        let table = settings.hash.saturating_mul(1 << 20);
        check_available((NETWORK_BYTES + settings.threads * THREAD_BYTES).saturating_add(table))?;
        // Built before the threads: one that runs out of memory ends the process.
        let evaluation = EvalSource::default();
        let mut searcher = Searcher::new(settings.hash)?;
        searcher.set_threads(settings.host, settings.threads)?;
        Ok(Self {
            thread: match settings.host {
                Host::SingleThread(_) => Threads::on_caller("engine"),
                host => Threads::new(host, "engine", 1)?,
            },
            searcher: Arc::new(Mutex::new(searcher)),
            params: Arc::default(),
            board,
            refused: None,
            settings,
            share,
            max_hash: MachineMemory::read().map_or(MODEST_MEMORY, |memory| memory.total),
            evaluation,
            eval_file: None,
            proofs: ProofBooks::default(),
            opening_books: BoardFiles::default(),
            random: opening::random(),
            control: Arc::new(Control::new(false)),
            is_bounded: true,
            activity: Arc::default(),
            sink: Arc::new(sink),
        })
    }

    /// The engine's settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a search, a count, a proof or a benchmark is running.
    pub fn is_busy(&self) -> bool {
        self.activity.get()
    }

    /// The game so far, with the position on the board.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The board, to work on.
    ///
    /// # Errors
    /// If the last position sent was refused: the client did not intend the one
    /// on the board.
    pub fn valid_board(&self) -> Result<&Board, GameError> {
        match &self.refused {
            None => Ok(&self.board),
            Some(error) => Err(GameError::NoPosition(error.clone())),
        }
    }

    /// Goes on with this game. Neither this nor any other change of the game
    /// affects work under way.
    pub fn set_board(&mut self, board: Board) {
        self.board = board;
        self.refused = None;
    }

    /// Begins a game and plays moves in it.
    ///
    /// # Errors
    /// If the position's text is faulty or a move is not legal. The board then
    /// stays as it is, but nothing is searched or played until a position is
    /// accepted.
    pub fn set_game(&mut self, start: &Start, moves: &[String]) -> Result<(), PositionError> {
        let game = self.read_game(start, moves);
        match game {
            Ok(board) => {
                self.set_board(board);
                Ok(())
            }
            Err(error) => {
                self.refuse_position(error.to_string());
                Err(error)
            }
        }
    }

    fn read_game(&self, start: &Start, moves: &[String]) -> Result<Board, PositionError> {
        let variant = self.settings.variant;
        let mut board = match start {
            Start::StartPos => Board::start(variant),
            Start::Fen(fen) => Board::from_fen(variant, fen),
        }?;
        board.play_all(moves.iter().map(String::as_str))?;
        Ok(board)
    }

    /// As if [`Engine::set_game`] had refused a position: the front end did.
    pub(crate) fn refuse_position(&mut self, error: String) {
        self.refused = Some(error);
    }

    /// Sets the variant and begins a game of it.
    ///
    /// # Errors
    /// If its board cannot be played on; then nothing has changed.
    pub fn set_variant(&mut self, variant: Variant) -> Result<(), FenError> {
        self.set_board(Board::start(variant)?);
        self.settings.variant = variant;
        Ok(())
    }

    /// Plays moves.
    ///
    /// # Errors
    /// If one of them is not legal, or there is no position to play them from;
    /// none is played then.
    pub fn play<T: AsRef<str>>(
        &mut self,
        moves: impl IntoIterator<Item = T>,
    ) -> Result<(), GameError> {
        self.valid_board()?;
        let moves: Vec<T> = moves.into_iter().collect();
        Ok(self.board.play_all(moves.iter().map(AsRef::as_ref))?)
    }

    /// Takes back this many moves.
    ///
    /// # Errors
    /// If fewer have been played, or there is no position; none is taken back
    /// then.
    pub fn undo(&mut self, plies: usize) -> Result<(), GameError> {
        self.valid_board()?;
        self.board.undo(plies)
    }

    /// Replays this many of the moves that have been taken back.
    ///
    /// # Errors
    /// If fewer have been taken back, or there is no position; none is played
    /// then.
    pub fn redo(&mut self, plies: usize) -> Result<(), GameError> {
        self.valid_board()?;
        self.board.redo(plies)
    }

    /// Swaps ranks and colours on the board, and begins a game there.
    pub fn flip(&mut self) {
        self.board = self.board.flipped();
    }

    /// The static evaluation of the position; `None` if the game is over.
    pub fn evaluate(&self) -> Option<Evaluation> {
        self.board.evaluate(&self.evaluation)
    }

    /// What the opening book has about the position's moves, best first; empty if
    /// there is no book of the board or it does not know the position.
    pub fn book_moves(&self) -> Vec<OpeningMove> {
        let book = self.opening_books.for_board(self.board.size());
        book.map_or_else(Vec::new, |book| opening::moves(&self.board, &book))
    }

    /// The moves that are known to win (true) or to lose, by the rules or by a
    /// proof of the board, sorted by text; none if the game is over.
    pub fn results(&self) -> Vec<(String, bool)> {
        if self.board.outcome() != Outcome::Ongoing {
            return Vec::new();
        }
        each!(&self.board, game => {
            let position = game.position();
            let is_proven = position.has_proofs();
            let book = is_proven.then(|| self.proofs.for_board(self.board.size()));
            results(position, book.flatten().as_deref())
        })
    }

    /// Does what would otherwise cost the first search on this board some of
    /// its time. While the engine is at work or memory is short, nothing is done.
    pub(crate) fn warm_up(&self) {
        if !self.is_busy() && check_available(WORK_BYTES).is_ok() {
            self.board.assemble(&self.evaluation);
        }
    }

    fn check_idle(&self) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        Ok(())
    }

    /// The searcher, while the engine is idle.
    fn searcher(&self) -> Result<MutexGuard<'_, Searcher>, EngineError> {
        self.check_idle()?;
        Ok(self.searcher.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the hash table with an empty one of this many megabytes.
    pub(crate) fn set_hash(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let old = self.searcher()?.table().megabytes();
        if old != megabytes {
            is_free(HASH_TABLE, megabytes, old)?;
            let has_room = is_free(HASH_TABLE, megabytes, 0).is_ok();
            // A larger share is taken before, a smaller one given back afterwards.
            self.resize_share(old.max(megabytes))?;
            let result = self.searcher()?.set_hash(megabytes, has_room);
            self.resize_share(if result.is_ok() { megabytes } else { old })?;
            result?;
        }
        self.settings.hash = megabytes;
        Ok(())
    }

    fn resize_share(&mut self, megabytes: usize) -> Result<(), EngineError> {
        match &mut self.share {
            None => Ok(()),
            Some(share) => share
                .resize(megabytes)
                .map_err(|error| shared(HASH_TABLE, megabytes, error)),
        }
    }

    /// Sets the number of search threads.
    ///
    /// # Errors
    /// If the engine is at work or the threads cannot be started; the old ones
    /// then stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        let host = self.settings.host;
        self.searcher()?.set_threads(host, threads)?;
        self.settings.threads = threads;
        Ok(())
    }

    /// Sets a search parameter by name, for tuning. `false` if there is none of
    /// that name.
    pub(crate) fn set_param(&mut self, name: &str, value: i32) -> bool {
        Arc::make_mut(&mut self.params).set(name, value)
    }

    /// Sets what later searches evaluate positions of both games with, and
    /// forgets what was learned with another evaluation.
    pub(crate) fn set_evaluation(&mut self, source: EvalSource) -> Result<(), EngineError> {
        self.new_game()?;
        self.evaluation = source;
        Ok(())
    }

    /// Forgets everything learned from earlier searches.
    ///
    /// # Errors
    /// If the engine is at work.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.searcher()?.clear();
        self.proofs.forget();
        Ok(())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.control.stop();
    }
}
