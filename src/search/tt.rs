//! The transposition table, shared by all threads without locks.
//!
//! An entry is two atomics, the key and the data, with the key stored xor the
//! data (Hyatt and Mann 2002): an entry torn by two writers does not match any
//! key and counts as empty. Clearing needs exclusive access (`&mut`), so no
//! search can be running.

use crate::base::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::base::{BigSlice, Score, from_table, is_loss, is_win, prefetch, to_table};
use crate::game::Move;
use bytemuck::Zeroable;
use thiserror::Error;

/// What a stored score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// This is the true score.
    Exact = 3,
}

impl Bound {
    const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Whether a score with this bound cuts off a search with the window
    /// `(beta - 1, beta)`: a lower bound if it reaches `beta`, an upper one if
    /// it stays below.
    pub(crate) const fn cuts_off(self, score: Score, beta: Score) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= beta,
            Self::Upper => score < beta,
        }
    }

    /// Whether a score with this bound says more than an estimate: that it is higher,
    /// or not as high.
    pub(crate) const fn improves_on(self, score: Score, estimate: Score) -> bool {
        self.cuts_off(score, estimate + 1)
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The best move, or [`Move::NONE`].
    pub(crate) best: Move,
    /// The score, with plies counted from the root.
    pub(crate) score: Score,
    /// The static evaluation, or [`NO_EVAL`].
    pub(crate) eval: Score,
    /// The depth searched, in plies.
    pub(crate) depth: i32,
    /// Whether the score is exact or a bound.
    pub(crate) bound: Bound,
    /// Whether the position was once on a principal variation.
    pub(crate) was_pv: bool,
}

impl Entry {
    /// Whether the entry cuts off a search with the window `(beta - 1, beta)`
    /// whatever its depth: by a proven win of at least `beta`, or by a proven
    /// loss below it. A search that skips moves does not prove that there is no
    /// quicker win, or no quicker loss.
    #[inline]
    pub(crate) const fn proves(&self, beta: Score) -> bool {
        match self.bound {
            Bound::Lower => is_win(self.score) && self.score >= beta,
            Bound::Upper => is_loss(self.score) && self.score < beta,
            Bound::Exact => {
                (is_win(self.score) && self.score >= beta)
                    || (is_loss(self.score) && self.score < beta)
            }
        }
    }
}

/// Stands for an evaluation that was not computed.
pub(crate) const NO_EVAL: Score = i16::MIN as Score;

/// Entries per cluster, which is one cache line.
const CLUSTER: usize = 4;

/// Ages are counted modulo this.
const AGES: u64 = 32;

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    key_xor_data: AtomicU64,
    data: AtomicU64,
}

#[derive(Zeroable)]
#[repr(C, align(64))]
struct Cluster([Slot; CLUSTER]);

/// Why a table could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not enough memory for a hash table of {megabytes} MB")]
pub struct TableError {
    /// The size asked for.
    pub megabytes: usize,
}

pub(crate) struct Table {
    clusters: BigSlice<Cluster>,
    age: AtomicU64,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} MB)", self.megabytes())
    }
}

/// Layout of the data word, from the lowest bit: move 14, was_pv 1, (1 free),
/// score 16, evaluation 16, depth 8, bound 2, age 5.
fn pack(entry: Entry, age: u64) -> u64 {
    u64::from(entry.best.raw())
        | (u64::from(entry.was_pv) << 14)
        | (u64::from(entry.score as i16 as u16) << 16)
        | (u64::from(entry.eval as i16 as u16) << 32)
        | (u64::from(entry.depth.clamp(0, 255) as u8) << 48)
        | ((entry.bound as u64) << 56)
        | (age << 58)
}

fn unpack(data: u64) -> Entry {
    Entry {
        best: Move::from_raw(data as u16),
        was_pv: data >> 14 & 1 != 0,
        score: Score::from((data >> 16) as u16 as i16),
        eval: Score::from((data >> 32) as u16 as i16),
        depth: i32::from((data >> 48) as u8),
        bound: Bound::from_bits(data >> 56),
    }
}

impl Table {
    /// A cleared table of this many megabytes, at least one.
    pub(crate) fn new(megabytes: usize) -> Result<Self, TableError> {
        let error = TableError { megabytes };
        let bytes = megabytes.max(1).checked_mul(1 << 20).ok_or(error)?;
        let mut clusters = BigSlice::new(bytes / size_of::<Cluster>()).map_err(|_| error)?;
        // A search touches all of it within milliseconds: those page faults
        // must not cost the first move its time.
        clusters.prefault();
        Ok(Self {
            clusters,
            age: AtomicU64::new(0),
        })
    }

    /// A table of one cluster, as a placeholder: 0 megabytes.
    pub(crate) fn smallest() -> Result<Self, TableError> {
        let clusters = BigSlice::new(1);
        Ok(Self {
            clusters: clusters.map_err(|_| TableError { megabytes: 0 })?,
            age: AtomicU64::new(0),
        })
    }

    /// The size in megabytes.
    pub(crate) fn megabytes(&self) -> usize {
        (self.clusters.len() * size_of::<Cluster>()) >> 20
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.clusters.clear();
        self.clusters.prefault();
        *self.age.get_mut() = 0;
    }

    /// Starts a new search: entries of earlier ones become easier to evict.
    pub(crate) fn start_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        // The high half of the product spreads keys evenly over any table size.
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Prefetches what [`Table::probe`] will read.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// What is known of the position with this key, `ply` plies from the root.
    #[inline]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        // All slots are looked at, the first last, as it cannot be predicted which it is.
        let mut found = 0;
        for slot in self.cluster(key).0.iter().rev() {
            let data = slot.data.load(Relaxed);
            if slot.key_xor_data.load(Relaxed) ^ data == key {
                found = data;
            }
        }
        (found != 0).then(|| {
            let entry = unpack(found);
            Entry {
                score: from_table(entry.score, ply),
                ..entry
            }
        })
    }

    /// Stores an entry, in the slot of the one that is least worth keeping.
    #[inline]
    pub(crate) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        entry.score = to_table(entry.score, ply);
        let age = self.age.load(Relaxed);
        let slots = &self.cluster(key).0;
        let mut chosen = &slots[0];
        let mut lowest = i32::MAX;
        for slot in slots {
            let data = slot.data.load(Relaxed);
            if slot.key_xor_data.load(Relaxed) ^ data == key {
                let old = unpack(data);
                if entry.best.is_none() {
                    entry.best = old.best;
                }
                // A much shallower bound does not replace a deep one.
                if entry.bound != Bound::Exact && data >> 58 == age && old.depth > entry.depth + 3 {
                    return;
                }
                chosen = slot;
                break;
            }
            let staleness = (age + AGES - (data >> 58)) % AGES;
            let worth = if data == 0 {
                i32::MIN
            } else {
                unpack(data).depth - 4 * staleness as i32
            };
            if worth < lowest {
                lowest = worth;
                chosen = slot;
            }
        }
        let data = pack(entry, age);
        chosen.data.store(data, Relaxed);
        chosen.key_xor_data.store(key ^ data, Relaxed);
    }

    /// How full the table is with this search's entries, in per mille, from a
    /// sample.
    pub(crate) fn hashfull(&self) -> usize {
        let age = self.age.load(Relaxed);
        let sample = self.clusters.len().min(250);
        let used = self.clusters[..sample]
            .iter()
            .flat_map(|cluster| &cluster.0)
            .filter(|slot| {
                let data = slot.data.load(Relaxed);
                data != 0 && data >> 58 == age
            })
            .count();
        used * 1000 / (sample * CLUSTER)
    }
}

#[cfg(test)]
mod tests;
