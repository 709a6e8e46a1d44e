//! Checks the leaves of a short certificate on several threads. Progress is
//! reported from the first leaf on, without gaps.

use super::notes::Done;
use super::witness::Provers;
use crate::base::{STACK, ask_for_thread};
use crate::tools::check::{Memory, Short};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// How often the caller is asked whether to go on, and how often a thread reports.
const TICK: Duration = Duration::from_millis(50);

/// The most leaves that a thread takes at a time: neighbours have much in common.
const MOST_AT_A_TIME: usize = 256;

/// A next leaf at or above this number means that no more are to be checked.
const OVER: usize = usize::MAX / 2;

/// The resources for the work.
pub struct Means<'a> {
    /// The number of threads.
    pub threads: usize,
    /// The provers of the leaves.
    pub provers: &'a dyn Provers,
    /// What has been checked already; `None` to check each leaf by itself.
    pub memory: Option<Memory>,
}

/// Why a check does not come to an end.
#[derive(Debug, thiserror::Error)]
pub enum CheckFault {
    /// A leaf does not hold.
    #[error("{0}")]
    Leaf(String),
    /// This machine cannot check it, whether or not it holds.
    #[error("{0}")]
    Machine(String),
}

/// A memory of at most `bytes` for the leaves of a range; `None` for 0 bytes.
///
/// # Errors
/// If there is not enough memory.
pub fn memory(short: &Short, range: &Range<usize>, bytes: usize) -> Result<Option<Memory>, String> {
    // All leaves together can hardly fill more.
    let all = (range.len() as u64).saturating_mul(short.leaf_nodes());
    let room = Memory::room(bytes, short.squares());
    let positions = room.min(all.try_into().unwrap_or(usize::MAX));
    let memory = (positions > 0).then(|| Memory::new(positions, short.squares()));
    let memory = memory.transpose();
    memory.map_err(|fault| format!("not enough memory for {positions} positions: {fault}"))
}

/// What a thread reports: the first of some leaves in a row, and what they cost. A
/// report per leaf would wake the receiver ten thousand times a second.
type Report = (usize, Done);

/// Checks the leaves of a range. `go_on` receives what has been done, not
/// counting leaves before the range, and ends the work by returning `false`.
/// Returns what is done by then.
///
/// # Errors
/// If a leaf does not hold, or memory or threads are short.
pub fn check_leaves(
    short: &Short,
    range: Range<usize>,
    means: &Means<'_>,
    go_on: &mut dyn FnMut(&Done) -> bool,
) -> Result<Done, CheckFault> {
    let threads = means.threads.max(1);
    let at_a_time = (range.len() / threads / 8).clamp(1, MOST_AT_A_TIME);
    let next = AtomicUsize::new(range.start);
    let (sender, receiver) = channel::<Result<Report, CheckFault>>();
    let work = |sender: std::sync::mpsc::Sender<_>| {
        let mut prover = match means.provers.witness() {
            Ok(prover) => prover,
            Err(fault) => return drop(sender.send(Err(CheckFault::Machine(fault)))),
        };
        let mut check = |index, done: &mut Done| {
            let before = prover.nodes();
            let leaf = short.check_leaf(index, &mut *prover, means.memory.as_ref())?;
            done.leaves += 1;
            done.nodes += prover.nodes() - before;
            done.positions += leaf.positions as u64;
            done.checking += leaf.time.as_nanos() as u64;
            Ok(())
        };
        loop {
            let start = next.fetch_add(at_a_time, Relaxed);
            let (mut first, mut done, mut reported) = (start, Done::default(), Instant::now());
            for index in start..start + at_a_time {
                // Nobody receives any more after a fault.
                if index >= range.end || next.load(Relaxed) >= OVER {
                    break;
                }
                if let Err(fault) = check(index, &mut done) {
                    return drop(sender.send(Err(CheckFault::Leaf(fault))));
                }
                if reported.elapsed() >= TICK {
                    let _ = sender.send(Ok((first, done)));
                    (first, done, reported) = (index + 1, Done::default(), Instant::now());
                }
            }
            // An empty report would stand in the way of the next leaf's own.
            let is_heard = done.leaves == 0 || sender.send(Ok((first, done))).is_ok();
            if !is_heard || next.load(Relaxed) >= range.end {
                return;
            }
        }
    };
    scope(|scope| {
        let mut started = 0;
        for _ in 0..threads {
            let (sender, work) = (sender.clone(), &work);
            let is_room = ask_for_thread(STACK).is_ok();
            if is_room
                && Builder::new()
                    .spawn_scoped(scope, move || work(sender))
                    .is_ok()
            {
                started += 1;
            }
        }
        drop(sender);
        if started == 0 {
            return Err(CheckFault::Machine("cannot start a thread".to_owned()));
        }
        let mut done = Done::default();
        let mut ahead = BTreeMap::new();
        let end = loop {
            match receiver.recv_timeout(TICK) {
                Ok(Ok((first, part))) => {
                    ahead.insert(first, part);
                }
                Ok(Err(fault)) => break Err(fault),
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            while let Some(part) = ahead.remove(&(range.start + done.leaves)) {
                done = done + part;
            }
            if !go_on(&done) {
                break Ok(());
            }
        };
        // Threads at work abandon their leaf, or finish it, and find nothing
        // more to do.
        next.store(OVER, Relaxed);
        means.provers.halt();
        drop(receiver);
        end.map(|()| done)
    })
}
