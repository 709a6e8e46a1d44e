//! The leaves of a short certificate, by several threads: each has a prover of
//! its own, and what is done is told from the first leaf on without a gap.

use super::notes::Done;
use super::witness::witness;
use crate::tools::check::Short;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::scope;
use std::time::Duration;

/// How often the caller is asked whether to go on.
const TICK: Duration = Duration::from_millis(50);

/// What is told of a leaf: nodes, positions, nanoseconds.
type Cost = (u64, u64, u64);

/// Checks the leaves of a range. `go_on` is told what is done, the leaves
/// before the range not counted, and ends the work by `false`. Returns what is
/// done then.
///
/// # Errors
/// Why a leaf does not hold.
pub fn check_leaves(
    short: &Short,
    range: Range<usize>,
    threads: usize,
    most_nodes: u64,
    go_on: &mut dyn FnMut(&Done) -> bool,
) -> Result<Done, String> {
    let next = AtomicUsize::new(range.start);
    let (sender, receiver) = channel::<Result<(usize, Cost), String>>();
    let fen = short.proven().fen;
    let depth = short.proven().depth as u8;
    let work = |sender: std::sync::mpsc::Sender<_>| {
        let nodes = (short.leaf_nodes(), most_nodes);
        let mut prover = match witness(&fen, nodes, depth) {
            Ok(prover) => prover,
            Err(fault) => return drop(sender.send(Err(format!("no prover: {fault}")))),
        };
        loop {
            let index = next.fetch_add(1, Relaxed);
            if index >= range.end {
                return;
            }
            let before = prover.nodes();
            let found = short.check_leaf(index, &mut *prover).map(|check| {
                let nanoseconds = check.time.as_nanos() as u64;
                let cost = (prover.nodes() - before, check.positions as u64, nanoseconds);
                (index, cost)
            });
            // Nobody listens any more after a fault.
            if sender.send(found).is_err() {
                return;
            }
        }
    };
    scope(|scope| {
        for _ in 0..threads.max(1) {
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
        // Those at work finish their leaf and find nothing more to do.
        next.store(range.end, Relaxed);
        drop(receiver);
        end.map(|()| done)
    })
}
