//! Checks the leaves of a short certificate on several threads. Progress is
//! reported from the first leaf on, without gaps.

use super::notes::Done;
use super::witness::Provers;
use crate::tools::check::{Memory, Short};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::scope;
use std::time::Duration;

/// How often the caller is asked whether to go on.
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

/// What is reported for a leaf: nodes, positions, nanoseconds.
type Cost = (u64, u64, u64);

/// Checks the leaves of a range. `go_on` receives what has been done, not
/// counting leaves before the range, and ends the work by returning `false`.
/// Returns what is done by then.
///
/// # Errors
/// Why a leaf does not hold.
pub fn check_leaves(
    short: &Short,
    range: Range<usize>,
    means: &Means<'_>,
    go_on: &mut dyn FnMut(&Done) -> bool,
) -> Result<Done, String> {
    let threads = means.threads.max(1);
    let at_a_time = (range.len() / threads / 8).clamp(1, MOST_AT_A_TIME);
    let next = AtomicUsize::new(range.start);
    let (sender, receiver) = channel::<Result<(usize, Cost), String>>();
    let work = |sender: std::sync::mpsc::Sender<_>| {
        let mut prover = match means.provers.witness() {
            Ok(prover) => prover,
            Err(fault) => {
                return drop(sender.send(Err(format!("cannot create a prover: {fault}"))));
            }
        };
        let mut check = |index| {
            let before = prover.nodes();
            let found = short.check_leaf(index, &mut *prover, means.memory.as_ref());
            found.map(|check| {
                let nanoseconds = check.time.as_nanos() as u64;
                let cost = (prover.nodes() - before, check.positions as u64, nanoseconds);
                (index, cost)
            })
        };
        loop {
            let start = next.fetch_add(at_a_time, Relaxed);
            for index in start..start + at_a_time {
                // Nobody receives any more after a fault.
                let is_over = index >= range.end || next.load(Relaxed) >= OVER;
                if is_over || sender.send(check(index)).is_err() {
                    return;
                }
            }
        }
    };
    scope(|scope| {
        for _ in 0..threads {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || work(sender));
        }
        drop(sender);
        let mut done = Done::default();
        let mut ahead = BTreeMap::new();
        let end = loop {
            match receiver.recv_timeout(TICK) {
                Ok(Ok((index, cost))) => {
                    ahead.insert(index, cost);
                }
                Ok(Err(fault)) => break Err(fault),
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            while let Some((nodes, positions, time)) = ahead.remove(&(range.start + done.leaves)) {
                done.leaves += 1;
                done.nodes += nodes;
                done.positions += positions;
                done.checking += time;
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
