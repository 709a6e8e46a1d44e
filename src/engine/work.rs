//! What the engine does when it is asked to work: a search, a count, a proof
//! or a benchmark, one at a time and on threads of its own.

use super::answer::SearchJob;
use super::bench::bench;
use super::board::each;
use super::error::{PROOF_TABLE, is_free, share_of};
use super::event::{BenchResult, Event, ProofResult};
use super::game_record::SearchRoot;
use super::opening;
use super::playable::Playable;
use super::strength::Handicap;
use super::{Engine, EngineError, Variant};
use crate::base::{Task, check_available};
use crate::game::Outcome;
use crate::search::{Control, Limits, SearchOptions, WORK_BYTES, catch_panic};
use crate::solve::Progress;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

impl Engine {
    /// Begins a search of the position and returns at once. `search_moves`
    /// restricts the root moves, unless it is empty.
    ///
    /// # Errors
    /// If the engine is at work, a move is not legal, or there is no memory left.
    pub fn go(&mut self, limits: Limits, search_moves: &[String]) -> Result<(), EngineError> {
        self.begin_search(limits, search_moves, false)
    }

    /// Begins a search of the position with the turn passed, to see what the
    /// other side threatens. The game stays as it is.
    pub(crate) fn go_passed(
        &mut self,
        limits: Limits,
        search_moves: &[String],
    ) -> Result<(), EngineError> {
        self.begin_search(limits, search_moves, true)
    }

    fn begin_search(
        &mut self,
        limits: Limits,
        search_moves: &[String],
        is_passed: bool,
    ) -> Result<(), EngineError> {
        let board = self.valid_board()?;
        if is_passed && board.outcome() != Outcome::Ongoing {
            return Err(EngineError::NoTurn);
        }
        self.check_idle()?;
        each!(&self.board, game => {
            let root = game.search_root(is_passed);
            self.search_from(root, limits, search_moves)
        })
    }

    fn search_from<G: Playable>(
        &mut self,
        root: SearchRoot<G>,
        mut limits: Limits,
        search_moves: &[String],
    ) -> Result<(), EngineError> {
        let moves = search_moves
            .iter()
            .map(|text| root.position.parse_move(text));
        limits.search_moves = moves.collect::<Result<_, _>>()?;
        check_available(self.settings.threads * WORK_BYTES)?;
        let mut options = SearchOptions::new(limits, self.settings.overhead);
        options.multi_pv = self.settings.multi_pv;
        let opening = self.opening(&root.position, &options);
        let handicap = self.settings.rating().map(Handicap::new);
        if let Some(handicap) = &handicap {
            handicap.apply(&mut options);
        }
        let (is_bounded, is_pondering) = (options.limits.is_bounded(), options.limits.ponder);
        let has_proofs = root.position.has_proofs();
        let board = has_proofs.then(|| root.position.board_size());
        let search = SearchJob {
            root,
            source: self.evaluation.clone(),
            options,
            handicap,
            opening,
            proof_book: board.and_then(|board| self.proofs.for_board(board)),
        };
        let fallback = search.fallback();
        let searcher = Arc::clone(&self.searcher);
        let params = Arc::clone(&self.params);
        let sink = Arc::clone(&self.sink);
        self.begin(is_bounded, is_pondering, fallback, move |control| {
            let mut searcher = searcher.lock().unwrap_or_else(PoisonError::into_inner);
            searcher.set_params(params);
            search.answer(&mut searcher, control, &sink)
        });
        Ok(())
    }

    /// The move of the opening book, if the engine is to play by one.
    fn opening<G: Playable>(
        &mut self,
        position: &G,
        options: &SearchOptions,
    ) -> Option<opening::Opening> {
        let settings = &self.settings;
        if !settings.own_book || settings.limit_strength || !options.wants_a_move() {
            return None;
        }
        let opening_book = self.opening_books.for_board(position.board_size())?;
        opening::choose(
            position,
            &opening_book,
            settings.book_variety,
            &mut self.random,
        )
    }

    /// Hands the engine's thread, which must be idle, work that ends with its event
    /// or, should it panic, with the fallback: whatever happens, there is an answer.
    fn begin(
        &mut self,
        is_bounded: bool,
        is_pondering: bool,
        fallback: Event,
        work: impl FnOnce(&Arc<Control>) -> Event + Send + 'static,
    ) {
        self.is_bounded = is_bounded;
        let control = Arc::new(Control::within(self.settings.host, is_pondering));
        self.control = Arc::clone(&control);
        self.activity.set(true);
        let (activity, sink) = (Arc::clone(&self.activity), Arc::clone(&self.sink));
        self.thread.submit(
            0,
            Box::new(move |()| {
                let answer = catch_panic(|| work(&control)).unwrap_or(fallback);
                activity.set(false);
                sink(answer);
            }),
        );
    }

    /// The work that has been begun, if the host is to run it
    /// ([`super::Host::SingleThread`]).
    pub(crate) fn take_work(&self) -> Option<Task> {
        let job = self.thread.take()?;
        Some(Box::new(move || job(&mut ())))
    }

    /// Begins to count the lines of exactly this many plies; ends with
    /// [`Event::Perft`].
    ///
    /// # Errors
    /// If the engine is at work.
    pub fn perft(&mut self, depth: u32) -> Result<(), EngineError> {
        let board = self.valid_board()?.clone();
        self.check_idle()?;
        let fallback = Event::Perft {
            split: Vec::new(),
            total: 0,
            is_stopped: true,
        };
        self.begin(true, false, fallback, move |control| {
            board.perft(depth, control)
        });
        Ok(())
    }

    /// Begins to prove who wins, with a second table of the hash table's size
    /// and all threads; ends with [`Event::Proof`].
    ///
    /// # Errors
    /// If the engine is at work, there are no proofs for such a game or board,
    /// or the memory for the table is not free.
    pub fn prove(&mut self, nodes: Option<u64>, time: Option<Duration>) -> Result<(), EngineError> {
        let board = self.valid_board()?.clone();
        if !board.has_proofs() {
            return Err(EngineError::NoProofs);
        }
        let bytes = self.settings.hash << 20;
        let limits = crate::solve::ProofLimits {
            threads: self.settings.threads,
            host: self.settings.host,
            time,
            line_time: None,
            nodes,
        };
        let share = share_of(
            self.settings.memory.as_ref(),
            PROOF_TABLE,
            self.settings.hash,
        )?;
        is_free(PROOF_TABLE, self.settings.hash, 0)?;
        let sink = Arc::clone(&self.sink);
        self.check_idle()?;
        let is_bounded = nodes.is_some() || time.is_some();
        let fallback = Event::Proof(ProofResult::default());
        self.begin(is_bounded, false, fallback, move |control| {
            let _share = share;
            let mut progress = |now: &Progress| sink(Event::Progress(*now));
            let result = board.prove(&limits, bytes, control, &mut progress);
            Event::Proof(result.unwrap_or_else(|error| {
                sink(Event::Message(format!("nothing proven: {error}")));
                ProofResult::default()
            }))
        });
        Ok(())
    }

    /// Begins the benchmark of the variant's game, on a table of its own;
    /// ends with [`Event::Bench`].
    ///
    /// # Errors
    /// If the engine is at work.
    pub fn bench(&mut self, variant: Variant, depth: u32) -> Result<(), EngineError> {
        self.check_idle()?;
        let source = self.evaluation.clone();
        let stopped = BenchResult {
            nodes: 0,
            time: Duration::ZERO,
            is_stopped: true,
        };
        let sink = Arc::clone(&self.sink);
        self.begin(true, false, Event::Bench(stopped), move |control| {
            let result = bench(variant, depth, &source, control, &mut |_, _| {});
            Event::Bench(result.unwrap_or_else(|error| {
                sink(Event::Message(error.to_string()));
                stopped
            }))
        });
        Ok(())
    }

    /// Ends what is running; its final event comes at once.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The move pondered on has been played.
    pub(crate) fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Whether the work that was begun last ends without being stopped.
    pub fn ends_by_itself(&self) -> bool {
        self.is_bounded && !self.control.is_pondering()
    }

    /// Waits until nothing is running. An unbounded search must be stopped
    /// first, or this does not return.
    pub fn wait(&self) {
        self.activity.wait();
    }
}
