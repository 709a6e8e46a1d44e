//! A search on a board, whatever the width of its keys.

use super::answer::{Limits, Progress, Prospect, SolveError};
use super::collect::Known;
use super::dfpn::Worker;
use super::keys::Key;
use super::learner::{BoardParams, Learner};
use super::line::ExpandedSteps;
use super::saved::{Basis, Contents};
use super::shared::Shared;
use super::stop::Reason;
use super::{buckets, collect, line, table};
use crate::game::breakthrough::{Bits, Geometry, Packed, Perspective, StaticSolver, Verdict};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A search whose key width is not known at compile time.
pub trait Prover<B>: Send + Sync {
    fn prove(
        &self,
        view: Perspective<B>,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<bool>;
    fn line(
        &self,
        view: Perspective<B>,
        wins: bool,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
        is_late: &dyn Fn() -> bool,
    ) -> Vec<(u8, u8)>;
    fn collect(
        &self,
        view: Perspective<B>,
        wins: bool,
        depth: u8,
        stop: &dyn Fn() -> bool,
        known: &mut Known<'_>,
    ) -> Option<Vec<(u128, u16)>>;
    /// Who wins, on the caller's thread alone; `None` if that takes more nodes, or
    /// the stop flag came first.
    fn settle(&self, view: Perspective<B>, nodes: u64, stop: &dyn Fn() -> bool) -> Option<bool>;
    /// Who wins, and at most how many nodes one visit of the position has
    /// taken, if that is known without a search.
    fn known(&self, view: Perspective<B>) -> Option<(bool, u64)>;
    /// The same search with the same table.
    fn share(&self) -> Box<dyn Prover<B>>;
    /// A winning step of a position that has been proven to be won; `None` if
    /// finding it takes more nodes.
    fn winning_step(
        &self,
        view: Perspective<B>,
        nodes: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<(u8, u8)>;
    /// Forgets everything.
    fn forget(&self);
    /// Accepts who wins a position, the side to move or the other.
    fn teach(&self, view: Perspective<B>, wins: bool);
    /// Accepts that the side to move has lost, and so that the other side wins after
    /// every reply.
    fn teach_loss(&self, view: Perspective<B>);
    fn root(&self) -> Prospect;
    fn count_work(&self, parts: Option<u64>);
    fn expanded(&self, view: Perspective<B>) -> Vec<ExpandedSteps>;
    /// The certificate entries for a win of the side to move, found within
    /// `nodes` nodes on this thread, and how many it took. Other threads may do
    /// the same meanwhile, if the table cannot grow.
    fn certify(
        &self,
        view: Perspective<B>,
        nodes: u64,
        depth: u8,
        known: &mut Known<'_>,
    ) -> (Option<Vec<(u128, u16)>>, u64);
    /// Makes running calls end soon, without a result.
    fn halt(&self);
    /// Grows the table to its full size.
    fn grow_to_the_end(&self);
    fn nodes(&self) -> u64;
    fn bytes(&self) -> usize;
    fn contents(&self) -> Contents<'_>;
    fn take_over(&self, words: usize, index: usize, bucket: &[u64]);
    fn relearn(&self, weights: Vec<f32>);
}

/// The same pieces in sets of another type, in which squares have the same numbers.
#[inline]
fn seen<B: Bits, C: Bits>(view: Perspective<B>) -> Perspective<C> {
    Perspective {
        own: C::from_number(view.own.number()),
        enemy: C::from_number(view.enemy.number()),
    }
}

/// For a board in sets of one type, and callers whose sets may be of another.
impl<B: Bits, C: Bits, K: Key> Prover<B> for Arc<Shared<C, K>> {
    fn prove(
        &self,
        view: Perspective<B>,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<bool> {
        self.run(&self.node(seen(view)), limits, stop, progress)
    }

    fn line(
        &self,
        view: Perspective<B>,
        wins: bool,
        nodes: Option<u64>,
        stop: &dyn Fn() -> bool,
        is_late: &dyn Fn() -> bool,
    ) -> Vec<(u8, u8)> {
        self.allow(nodes);
        let line = line::line(self, &self.node(seen(view)), wins, stop, is_late);
        self.allow(None);
        line
    }

    fn collect(
        &self,
        view: Perspective<B>,
        wins: bool,
        depth: u8,
        stop: &dyn Fn() -> bool,
        known: &mut Known<'_>,
    ) -> Option<Vec<(u128, u16)>> {
        self.allow(None);
        let mut poll = || self.poll(stop);
        let mut worker = Worker::new(self, false);
        worker.polled(&mut poll);
        collect::collect(
            &mut worker,
            &self.node(seen(view)),
            wins,
            depth,
            stop,
            known,
        )
    }

    fn certify(
        &self,
        view: Perspective<B>,
        nodes: u64,
        depth: u8,
        known: &mut Known<'_>,
    ) -> (Option<Vec<(u128, u16)>>, u64) {
        let mut worker = Worker::new(self, true).limited(nodes);
        let node = self.node(seen(view));
        let stop = || self.stop.is_raised();
        let entries = collect::collect(&mut worker, &node, true, depth, &stop, known);
        self.keep(worker.learner());
        (entries, nodes - worker.left())
    }

    fn halt(&self) {
        self.stop.raise(Reason::Caller);
    }

    fn grow_to_the_end(&self) {
        while table::Store::grow(&self.table, 1) {}
    }

    fn settle(&self, view: Perspective<B>, nodes: u64, stop: &dyn Fn() -> bool) -> Option<bool> {
        match self.statics.judge(seen(view)) {
            Verdict::Win(_) => return Some(true),
            Verdict::Loss(_) => return Some(false),
            Verdict::Open => {}
        }
        self.allow(Some(nodes));
        let mut poll = || self.poll(stop);
        let mut worker = Worker::new(self, false);
        let numbers = worker.polled(&mut poll).run(&self.node(seen(view)));
        self.keep(worker.learner());
        self.allow(None);
        (numbers.won() || numbers.lost()).then_some(numbers.won())
    }

    fn known(&self, view: Perspective<B>) -> Option<(bool, u64)> {
        match self.statics.judge(seen(view)) {
            Verdict::Win(_) => return Some((true, 0)),
            Verdict::Loss(_) => return Some((false, 0)),
            Verdict::Open => {}
        }
        let found = table::Store::get(&self.table, self.node(seen(view)).keys.key())?;
        let is_decided = found.numbers.won() || found.numbers.lost();
        is_decided.then(|| {
            (
                found.numbers.won(),
                <K::Table as table::Store<K>>::most_work(found),
            )
        })
    }

    fn share(&self) -> Box<dyn Prover<B>> {
        Box::new(Self::clone(self))
    }

    fn winning_step(
        &self,
        view: Perspective<B>,
        nodes: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<(u8, u8)> {
        self.allow(Some(nodes));
        let mut poll = || self.poll(stop);
        let mut worker = Worker::new(self, false);
        worker.polled(&mut poll).run(&self.node(seen(view)));
        self.allow(None);
        worker.winning()
    }

    fn forget(&self) {
        Shared::forget(self);
    }

    fn teach(&self, view: Perspective<B>, wins: bool) {
        self.take_for_granted(&self.node(seen(view)), wins);
    }

    fn teach_loss(&self, view: Perspective<B>) {
        self.take_loss_for_granted(&self.node(seen(view)));
    }

    fn root(&self) -> Prospect {
        Prospect::new(self.root[0].load(Relaxed), self.root[1].load(Relaxed))
    }

    fn count_work(&self, parts: Option<u64>) {
        self.profile.begin(parts, self.nodes.load(Relaxed));
    }

    fn expanded(&self, view: Perspective<B>) -> Vec<ExpandedSteps> {
        line::expanded(self, &self.node(seen(view)))
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    fn bytes(&self) -> usize {
        table::Store::buckets(&self.table).capacity() * (8 * buckets::BUCKET)
    }

    fn contents(&self) -> Contents<'_> {
        let geometry = self.statics.geometry();
        Contents {
            board: (geometry.files(), geometry.ranks()),
            basis: Basis::Rules,
            weights: self.learned().into_weights(),
            buckets: table::Store::buckets(&self.table),
        }
    }

    fn take_over(&self, words: usize, index: usize, bucket: &[u64]) {
        table::Store::take_over(&self.table, words, index, bucket);
    }

    fn relearn(&self, weights: Vec<f32>) {
        self.keep(&Learner::from_weights(&self.windows, weights));
    }
}

/// A search on a board, with a table of at most `bytes` bytes.
pub fn prover<B: Bits>(
    statics: StaticSolver<B>,
    bytes: usize,
) -> Result<Box<dyn Prover<B>>, SolveError> {
    let geometry = statics.geometry();
    let params = BoardParams::new(geometry.files(), geometry.ranks());
    prover_with(statics, bytes, params)
}

/// The same, with other parameters than those for a search from scratch.
pub fn prover_with<B: Bits>(
    statics: StaticSolver<B>,
    bytes: usize,
    params: BoardParams,
) -> Result<Box<dyn Prover<B>>, SolveError> {
    let geometry = statics.geometry();
    let (files, ranks) = (geometry.files(), geometry.ranks());
    match Geometry::<Packed>::new(files.into(), ranks.into()) {
        // One word instead of two makes every step of a search cheaper.
        Ok(packed) if B::CAPACITY > Packed::CAPACITY => {
            keyed(StaticSolver::new(&packed), bytes, params)
        }
        _ => keyed(statics, bytes, params),
    }
}

/// The same for callers with sets of one type and a board kept in those of another.
fn keyed<B: Bits, C: Bits>(
    statics: StaticSolver<C>,
    bytes: usize,
    params: BoardParams,
) -> Result<Box<dyn Prover<B>>, SolveError> {
    let geometry = statics.geometry();
    let (files, ranks) = (geometry.files(), geometry.ranks());
    let squares = usize::from(files) * usize::from(ranks);
    if squares <= u64::SQUARES {
        let shared = Shared::<C, u64>::new(statics, bytes, params)?;
        Ok(Box::new(Arc::new(shared)))
    } else if squares <= u128::SQUARES {
        let shared = Shared::<C, u128>::new(statics, bytes, params)?;
        Ok(Box::new(Arc::new(shared)))
    } else {
        Err(SolveError::TooLarge(files, ranks))
    }
}
