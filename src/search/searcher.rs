//! The search as one object: it owns what is kept between searches, and
//! searches in one call.

use super::history::Histories;
use super::params::ParamSets;
use super::probed::ProbedResults;
use super::threads::Threads;
use super::time::{Control, Limits, SearchOptions};
use super::tt::{Bound, Table, TableError};
use super::worker::{LineReport, Report, Shared, Verdict, Worker};
use crate::base::sync::Arc;
use crate::base::sync::mpsc::{Receiver, Sender, channel};
use crate::base::{Host, is_mate, is_win};
use crate::eval::Evaluator;
use crate::game::Game;
use std::io;
use std::time::Duration;

/// What to search, and how.
#[derive(Clone, Debug)]
pub(crate) struct SearchInput<'a, G> {
    /// The position. The game must not be over.
    pub(crate) position: &'a G,
    /// The keys of the game's earlier positions, oldest first.
    pub(crate) keys: &'a [u64],
    pub(crate) options: SearchOptions,
    /// Results proven elsewhere.
    pub(crate) probed: Option<ProbedResults<G>>,
}

impl<'a, G> SearchInput<'a, G> {
    /// One line, searched by all threads, with nothing kept back from the time.
    pub(crate) fn new(position: &'a G, keys: &'a [u64], limits: Limits) -> Self {
        Self {
            position,
            keys,
            options: SearchOptions::new(limits, Duration::ZERO),
            probed: None,
        }
    }
}

/// What a thread has learned from earlier searches of one game.
#[derive(Debug, Default)]
struct ThreadMemory(Option<Histories>);

impl ThreadMemory {
    /// The histories for a game with this many move indices, empty if the game
    /// has changed.
    fn histories(&mut self, indices: usize) -> &mut Histories {
        if self
            .0
            .as_ref()
            .is_some_and(|kept| kept.indices() != indices)
        {
            self.0 = None;
        }
        self.0.get_or_insert_with(|| Histories::new(indices))
    }
}

/// A search with all that it keeps: the hash table, each thread's histories,
/// the helper threads, and the search parameters.
#[derive(Debug)]
pub(crate) struct Searcher {
    table: Arc<Table>,
    params: Arc<ParamSets>,
    memory: ThreadMemory,
    helpers: Threads<ThreadMemory>,
}

impl Searcher {
    /// A search with a table of this many megabytes, on the caller's thread.
    pub(crate) fn new(megabytes: usize) -> Result<Self, TableError> {
        Ok(Self {
            table: Arc::new(Table::new(megabytes)?),
            params: Arc::default(),
            memory: ThreadMemory::default(),
            helpers: Threads::default(),
        })
    }

    /// The hash table.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Replaces the hash table with an empty one of this many megabytes. Unless
    /// there is room for both, the old one is freed first.
    pub(crate) fn set_hash(&mut self, megabytes: usize, has_room: bool) -> Result<(), TableError> {
        let old = self.table.megabytes();
        if has_room && let Ok(table) = Table::new(megabytes) {
            self.table = Arc::new(table);
            return Ok(());
        }
        let smallest = Table::smallest().map_err(|_| TableError { megabytes })?;
        self.table = Arc::new(smallest);
        let (table, answer) = match Table::new(megabytes) {
            Ok(table) => (table, Ok(())),
            Err(error) => (Table::new(old)?, Err(error)),
        };
        self.table = Arc::new(table);
        answer
    }

    /// Searches with this many threads, including the caller's; new helpers run on
    /// this host.
    pub(crate) fn set_threads(&mut self, host: Host, threads: usize) -> io::Result<()> {
        let helpers = threads.saturating_sub(1);
        if helpers != self.helpers.count() {
            self.helpers = Threads::new(host, "search", helpers)?;
        }
        Ok(())
    }

    /// Sets the search parameters.
    pub(crate) fn set_params(&mut self, params: Arc<ParamSets>) {
        self.params = params;
    }

    /// Forgets everything learned from earlier searches.
    pub(crate) fn clear(&mut self) {
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear(),
            None => log::error!("the table is in use and cannot be cleared"),
        }
        self.memory = ThreadMemory::default();
        for thread in 0..self.helpers.count() {
            let forget = |memory: &mut ThreadMemory| *memory = ThreadMemory::default();
            self.helpers.submit(thread, Box::new(forget));
        }
    }

    /// Searches until a limit is reached or the control stops it, and returns
    /// what was found; `None` if there is no move to search. An infinite or
    /// pondering search does not return until it is stopped. `evaluator` makes
    /// an evaluator for each thread, started at the position.
    ///
    /// With several threads, the verdict is that of the thread that proved most
    /// or got deepest. Reports are made on the caller's thread, and what is
    /// returned has been reported.
    pub(crate) fn search<G: Game, E: Evaluator<G> + 'static>(
        &mut self,
        input: SearchInput<'_, G>,
        evaluator: impl Fn() -> E,
        control: &Arc<Control>,
        report: &mut dyn FnMut(Report),
    ) -> Option<Verdict> {
        self.table.start_search();
        let (position, keys) = (input.position, input.keys);
        let own_evaluator = evaluator();
        let params = self.params.for_tuning(own_evaluator.tuning()).clone();
        let mut options = input.options;
        // What came before the search, such as a failed proof, has used some of
        // the time, but the search is to get more than one iteration.
        if let Some(soft) = &mut options.deadlines.soft {
            *soft += control.thinking_time();
        }
        let threads = options.threads.clamp(1, self.helpers.count() + 1);
        let shared = Arc::new(Shared {
            table: Arc::clone(&self.table),
            control: Arc::clone(control),
            params,
            options,
            nodes: (0..threads).map(|_| 0.into()).collect(),
            next_checks: (0..threads).map(|_| 0.into()).collect(),
        });
        let (sender, verdicts) = channel();
        for id in 1..threads {
            let job = HelperJob {
                id,
                shared: Arc::clone(&shared),
                evaluator: evaluator(),
                position: position.clone(),
                keys: keys.to_vec(),
                probed: input.probed.clone(),
            };
            let sender = sender.clone();
            let run = move |memory: &mut ThreadMemory| run_helper(sender, memory, job);
            self.helpers.submit(id - 1, Box::new(run));
        }
        drop(sender);
        let helpers = RunningHelpers { control, verdicts };
        // A search that panics loses its histories.
        let mut memory = std::mem::take(&mut self.memory);
        let histories = memory.histories(G::MOVE_INDICES);
        let mut worker = Worker::new(0, &shared, histories, own_evaluator, position, keys);
        worker.probed = input.probed;
        worker.report = Some(report);
        let own = worker.deepen();
        let is_finished = !worker.is_aborted;
        self.memory = memory;
        control.wait_until_due(&shared.options.limits);
        let mut others = helpers.end();
        if is_finished {
            // The last word of a search that was not cut off is no bound, such as that
            // of a helper's unfinished iteration.
            others.retain(|other| other.bound == Bound::Exact);
        }
        let mut own = own?;
        let mut reported = std::mem::take(&mut own.reported);
        // Multiple lines all come from one thread, and so must the best of them.
        let mut verdict = if shared.options.multi_pv > 1 {
            own
        } else {
            choose(own, others)
        };
        verdict.nodes = shared.total_nodes();
        let is_best = |line: &LineReport| {
            (line.score, line.bound, &line.moves) == (verdict.score, verdict.bound, &verdict.line)
        };
        if verdict.depth > 0 && !reported.first().is_some_and(is_best) {
            let line = LineReport {
                depth: verdict.depth as u32,
                selective_depth: verdict.line.len() as u32,
                rank: 1,
                score: verdict.score,
                bound: verdict.bound,
                nodes: verdict.nodes,
                hashfull: shared.table.hashfull() as u32,
                time: control.elapsed(),
                moves: verdict.line.clone(),
            };
            reported = vec![line.clone()];
            report(Report::Line(line));
        }
        verdict.reported = reported;
        Some(verdict)
    }
}

/// What a helper thread searches.
struct HelperJob<G, E> {
    id: usize,
    shared: Arc<Shared>,
    evaluator: E,
    position: G,
    keys: Vec<u64>,
    probed: Option<ProbedResults<G>>,
}

/// Helps until the search is stopped. The job is dropped before its sender,
/// even in a panic: once all senders are gone, no helper holds the table.
fn run_helper<G: Game, E: Evaluator<G>>(
    sender: Sender<Option<Verdict>>,
    memory: &mut ThreadMemory,
    job: HelperJob<G, E>,
) {
    let verdict = {
        let HelperJob {
            id,
            shared,
            evaluator,
            position,
            keys,
            probed,
        } = job;
        let histories = memory.histories(G::MOVE_INDICES);
        let mut worker = Worker::new(id, &shared, histories, evaluator, &position, &keys);
        worker.probed = probed;
        worker.deepen()
    };
    // Nobody is listening any more if the main thread has panicked.
    let _ = sender.send(verdict);
}

/// The helpers at work. Dropping this stops them, whatever happens.
struct RunningHelpers<'a> {
    control: &'a Control,
    verdicts: Receiver<Option<Verdict>>,
}

impl RunningHelpers<'_> {
    /// Stops them and collects what they found.
    fn end(self) -> Vec<Verdict> {
        self.control.stop();
        self.verdicts.iter().flatten().collect()
    }
}

impl Drop for RunningHelpers<'_> {
    fn drop(&mut self) {
        self.control.stop();
        self.verdicts.iter().for_each(drop);
    }
}

/// The verdict of the thread that proved most or got deepest. A proof takes
/// precedence over any estimate, and no two proofs contradict each other.
fn choose(own: Verdict, others: Vec<Verdict>) -> Verdict {
    others.into_iter().fold(own, |best, other| {
        let is_better = if is_mate(best.score) {
            is_win(other.score) && other.score > best.score
        } else if is_mate(other.score) {
            other.depth > 0
        } else {
            other.depth > best.depth && other.score >= best.score
        };
        if is_better { other } else { best }
    })
}

#[cfg(test)]
mod tests;
