//! Games of petard against itself as records, and the rescoring of old records.

use super::records::{GameResult, Prove, Record, RecordHeader, Recorded, Records};
use crate::base::{STACK, Side, check_thread_available, is_mate, is_win};
use crate::eval::EvalSource;
use crate::game::{MoveList, Outcome, Tactics};
use crate::search::{Control, Limits, SearchInput, Searcher, TableError, Verdict};
use rand_mt::Mt64;
use std::error::Error;
use std::io::{self, Read, Write};
use std::iter::repeat;
use std::ops::Range;
use std::sync::Arc;
use std::thread::Builder;

/// Games in which positions can recur are declared drawn after this many plies.
const MAX_PLIES: usize = 600;

/// How games are played.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Nodes per move.
    pub(crate) nodes: u64,
    /// Fewest and most random plies at the start of a game.
    pub(crate) random_plies: (usize, usize),
    /// Openings whose score is further from 0 than this, in centipawns, are skipped.
    pub(crate) balance: i32,
    /// Megabytes of hash per thread.
    pub(crate) hash: usize,
    /// What evaluates the positions.
    pub(crate) source: EvalSource,
}

/// A player that forgets everything before each game, so that a game depends
/// on its seed alone.
pub(crate) struct Player<G> {
    rules: Rules,
    /// Where games start, before the random plies.
    starts: Arc<[G]>,
    searcher: Searcher,
    /// Proves the last positions of each game.
    prove: Option<Prove<G>>,
}

impl<G: Recorded> Player<G> {
    /// A player of games from these starts, at least one.
    pub(crate) fn new(rules: Rules, starts: Arc<[G]>) -> Result<Self, TableError> {
        Ok(Self {
            starts,
            searcher: Searcher::new(rules.hash)?,
            rules,
            prove: None,
        })
    }

    /// The same, but with results as this proves them.
    pub(crate) fn proving(self, prove: Prove<G>) -> Self {
        Self {
            prove: Some(prove),
            ..self
        }
    }

    /// The records of one game, `None` if its start was dropped. A position is
    /// recorded if the rules alone do not decide it and its score is an
    /// estimate; the game ends once its result is proven.
    pub(crate) fn play(&mut self, seed: u64) -> Option<Vec<Record>> {
        self.searcher.clear();
        let mut random = Mt64::new(seed);
        let mut position = self.random_start(&mut random)?;
        let mut records: Vec<Record> = Vec::new();
        let mut recorded = Vec::new();
        let mut keys = Vec::new();
        let winner = loop {
            if let Some(winner) = winner(&position, &keys) {
                break winner;
            }
            let verdict = self.search(&position, &keys)?;
            if is_mate(verdict.score) {
                let mover = position.side_to_move();
                break Some(if is_win(verdict.score) { mover } else { !mover });
            }
            if records.is_empty() && verdict.score.abs() > self.rules.balance {
                return None;
            }
            if matches!(
                position.tactics(),
                Tactics::Open | Tactics::OthersLose { .. }
            ) {
                let is_noisy = position.is_noisy(verdict.best());
                records.push(position.record(verdict.score, is_noisy));
                recorded.push(position.clone());
            }
            if G::CAN_REPEAT {
                keys.push(position.key());
            }
            position = position.play(verdict.best());
        };
        self.set_results(&mut records, &recorded, winner);
        records.first_mut()?.is_first = true;
        Some(records)
    }

    /// Gives the records of a game their results. A position that is proven has the
    /// result of correct play, and so have those before it, whatever mistakes came
    /// after it.
    fn set_results(&self, records: &mut [Record], positions: &[G], mut winner: Option<Side>) {
        let tried = self.prove.as_ref().map(|prove| prove(positions));
        let tried = tried.into_iter().flatten().chain(repeat(None));
        for (record, wins) in records.iter_mut().rev().zip(tried) {
            if let Some(wins) = wins {
                winner = Some(if wins { record.side } else { !record.side });
                record.is_proven = true;
            }
            record.result = GameResult::of(winner);
        }
    }

    /// Rescores the records with this player. The scores depend on each other's
    /// searches, and on nothing else.
    pub(crate) fn rescore(
        &mut self,
        header: &RecordHeader,
        records: &mut [Record],
    ) -> Result<(), String> {
        self.searcher.clear();
        for record in records {
            let position =
                G::from_record(header, record).ok_or("a record holds no valid position")?;
            let error = || format!("a finished game is recorded: {}", position.fen());
            let verdict = self.search(&position, &[]).ok_or_else(error)?;
            let is_noisy = position.is_noisy(verdict.best());
            let rescored = position.record(verdict.score, is_noisy);
            (record.score, record.is_noisy) = (rescored.score, rescored.is_noisy);
        }
        Ok(())
    }

    fn random_start(&self, random: &mut Mt64) -> Option<G> {
        let (min, max) = self.rules.random_plies;
        let mut position = match &self.starts[..] {
            [only] => only.clone(),
            starts => starts[(random.next_u64() % starts.len() as u64) as usize].clone(),
        };
        let plies = min as u64 + random.next_u64() % (max - min + 1) as u64;
        for _ in 0..plies {
            let mut list = MoveList::new();
            position.moves(&mut list);
            if list.is_empty() {
                return None;
            }
            position = position.play(list[(random.next_u64() % list.len() as u64) as usize]);
        }
        (position.outcome() == Outcome::Ongoing && position.tactics() == Tactics::Open)
            .then_some(position)
    }

    /// Searches a position that follows those with these keys; `None` if the
    /// game is over.
    fn search(&mut self, position: &G, keys: &[u64]) -> Option<Verdict> {
        let limits = Limits {
            nodes: Some(self.rules.nodes),
            ..Limits::default()
        };
        let evaluator = || position.evaluator(&self.rules.source);
        self.searcher.search(
            SearchInput::new(position, keys, limits),
            evaluator,
            &Arc::new(Control::new(false)),
            &mut |_| {},
        )
    }
}

/// The winner after the positions with these keys, `Some(None)` for a draw;
/// `None` while the game goes on.
fn winner<G: Recorded>(position: &G, keys: &[u64]) -> Option<Option<Side>> {
    match position.outcome() {
        Outcome::Win(side) => Some(Some(side)),
        Outcome::Draw => Some(None),
        Outcome::Ongoing => {
            let key = position.key();
            let seen = keys.iter().filter(|&&seen| seen == key).count();
            (seen >= 2 || keys.len() >= MAX_PLIES).then_some(None)
        }
    }
}

/// Records scored in a row with one table: a fixed number, so that the scores
/// do not depend on the number of threads.
const RUN: usize = 128;

/// Writes a part of the input's records with the scores and best moves of these
/// players, and returns how many. Results stay. When asked to stop, it ends between two batches.
pub(super) fn rescore<G: Recorded>(
    header: RecordHeader,
    input: impl Read,
    output: &mut impl Write,
    players: &mut [Player<G>],
    part: Range<u64>,
    is_over: &dyn Fn() -> bool,
    report: &mut dyn FnMut(u64),
) -> Result<u64, Box<dyn Error>> {
    let mut records = Records(header, input);
    // A partial record at the end does not count.
    for _ in 0..part.start {
        records.next().transpose()?;
    }
    let (mut written, left) = (0, part.end.saturating_sub(part.start));
    while !is_over() {
        let size =
            (RUN * players.len() * 8).min(usize::try_from(left - written).unwrap_or(usize::MAX));
        let mut batch = records.by_ref().take(size).collect::<Result<Vec<_>, _>>()?;
        if batch.is_empty() {
            break;
        }
        rescore_batch(&header, players, &mut batch)?;
        for record in &batch {
            output.write_all(&header.to_bytes(record))?;
        }
        written += batch.len() as u64;
        report(written);
    }
    Ok(written)
}

/// Has the players score the batch in runs, each by one of them.
fn rescore_batch<G: Recorded>(
    header: &RecordHeader,
    players: &mut [Player<G>],
    batch: &mut [Record],
) -> Result<(), String> {
    let share = batch.len().div_ceil(RUN).div_ceil(players.len()) * RUN;
    std::thread::scope(|scope| {
        let work = batch
            .chunks_mut(share)
            .zip(players)
            .map(|(part, player)| {
                check_thread_available(STACK)?;
                Builder::new().spawn_scoped(scope, move || {
                    let mut runs = part.chunks_mut(RUN);
                    runs.try_for_each(|run| player.rescore(header, run))
                })
            })
            .collect::<io::Result<Vec<_>>>()
            .map_err(|error| format!("threads cannot be started: {error}"))?;
        work.into_iter().try_for_each(|thread| {
            let error = |_| Err("a thread panicked".to_owned());
            thread.join().unwrap_or_else(error)
        })
    })
}
