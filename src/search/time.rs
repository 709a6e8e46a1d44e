//! What a search is asked for, and when it stops: limits, clocks, and the flag that a
//! running search watches.

use crate::base::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use crate::base::sync::{Arc, Condvar, Mutex, PoisonError};
use crate::base::{Host, Instant, MAX_PLY, Pause};
use crate::game::Move;
use std::time::Duration;

/// A game clock, as seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Time gained with every move.
    pub increment: Duration,
    /// Moves to the next time control; `None` means the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// What ends a search. All limits apply together; without any, it runs until
/// it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Greatest depth, in plies.
    pub depth: Option<u32>,
    /// Nodes, over all threads.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock to plan with.
    pub clock: Option<Clock>,
    /// Stop when a win or a loss within this many moves is proven, or when it
    /// is proven that there is none.
    pub mate: Option<u32>,
    /// Answer only once stopped, even if a limit is reached before that.
    pub infinite: bool,
    /// Think on the enemy's time: limits apply from the ponder hit on.
    pub ponder: bool,
    /// Only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Whether the search ends on its own, once it does not ponder.
    pub(crate) fn is_bounded(&self) -> bool {
        let limited = self.depth.is_some()
            || self.nodes.is_some()
            || self.move_time.is_some()
            || self.clock.is_some()
            || self.mate.is_some();
        limited && !self.infinite
    }

    /// The last iteration, in plies: at least 1.
    pub(crate) fn greatest_depth(&self) -> u32 {
        let deepest = MAX_PLY as u32 - 1;
        // Each iteration is followed by an exact search of as many plies.
        let mate = self.mate.map_or(deepest, |moves| moves.saturating_mul(2));
        self.depth.unwrap_or(deepest).min(mate).clamp(1, deepest)
    }
}

/// The times at which a search stops, counted from its start or ponder hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deadlines {
    /// Do not begin another iteration after this.
    pub(crate) soft: Option<Duration>,
    /// Stop at once.
    pub(crate) hard: Option<Duration>,
}

impl Deadlines {
    /// The deadlines that the limits imply, if `overhead` is kept back from each for
    /// communication with the other program. Only a clock has a soft one.
    pub(crate) fn new(limits: &Limits, overhead: Duration) -> Self {
        let mut deadlines = Self::default();
        if let Some(time) = limits.move_time {
            // A fixed time is meant to be used: keep back only what answering
            // needs, a tenth of a short time and never more than the overhead.
            let needed = Duration::from_millis(3) + time / 100;
            let reserve = needed.min(time / 10).min(overhead);
            deadlines.hard = Some(time.saturating_sub(reserve));
        }
        if let Some(clock) = limits.clock {
            let left = clock
                .remaining
                .saturating_sub(overhead)
                .max(clock.remaining / 4);
            let moves = clock.moves_to_go.unwrap_or(24).clamp(1, 24);
            // Each move to come gains the increment and costs the overhead,
            // so that a fast game keeps a reserve for a busy machine.
            let gained = clock.increment * (moves - 1);
            let lost = overhead * moves;
            let share = (left + gained).saturating_sub(lost).max(left / 4) / moves;
            // With moves to go, the rest must last until the control.
            let limit = if moves == 1 { left * 9 / 10 } else { left / 3 };
            let hard = (share * 3).min(limit);
            deadlines.soft = Some(share.mul_f64(0.7).min(hard));
            deadlines.hard = Some(deadlines.hard.map_or(hard, |fixed| fixed.min(hard)));
        }
        deadlines
    }
}

/// What a search is asked for.
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    /// What ends the search.
    pub(crate) limits: Limits,
    /// The limits as times.
    pub(crate) deadlines: Deadlines,
    /// How many best lines are wanted, at least 1.
    pub(crate) multi_pv: usize,
    /// The most threads to search with.
    pub(crate) threads: usize,
    /// Nodes end the search while it ponders, too: a weaker level is to see no
    /// more on the enemy's time than on its own.
    pub(crate) limits_pondering: bool,
    /// With one thread, nodes do not end the first iteration: every line that is
    /// wanted gets a score.
    pub(crate) finishes_first: bool,
}

impl SearchOptions {
    /// One line, searched by all threads; `overhead` is kept back from every deadline.
    pub(crate) fn new(limits: Limits, overhead: Duration) -> Self {
        Self {
            deadlines: Deadlines::new(&limits, overhead),
            limits,
            multi_pv: 1,
            threads: usize::MAX,
            limits_pondering: false,
            finishes_first: false,
        }
    }

    /// Whether a move is wanted rather than analysis: then a proven move is answered at
    /// once. Whoever asks for a depth, for several lines or for certain moves, or sets
    /// no limit, wants to see a search.
    pub(crate) const fn wants_a_move(&self) -> bool {
        let limits = &self.limits;
        let has_time =
            limits.nodes.is_some() || limits.move_time.is_some() || limits.clock.is_some();
        has_time
            && self.multi_pv == 1
            && limits.depth.is_none()
            && limits.mate.is_none()
            && !limits.infinite
            && !limits.ponder
            && limits.search_moves.is_empty()
    }
}

/// Controls a search; made before it is handed out, so that no stop is lost.
#[derive(Debug)]
pub(crate) struct Control {
    start: Instant,
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Nanoseconds from the start to the ponder hit.
    ponder_time: AtomicU64,
    changed: Mutex<()>,
    condvar: Condvar,
    /// Its stop also stops this search, when several make up one job.
    parent: Option<Arc<Control>>,
    /// Where the search runs.
    host: Host,
}

impl Control {
    /// A control for a search that starts now.
    pub(crate) fn new(pondering: bool) -> Self {
        Self {
            start: Instant::now(),
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            ponder_time: AtomicU64::new(0),
            changed: Mutex::new(()),
            condvar: Condvar::new(),
            parent: None,
            host: Host::System,
        }
    }

    /// A control for a search that began this long ago, with its limits applying from
    /// now on.
    #[cfg(test)]
    pub(crate) fn late(time: Duration) -> Self {
        let now = Self::new(false);
        now.ponder_time.store(time.as_nanos() as u64, Relaxed);
        Self {
            start: now.start - time,
            ..now
        }
    }

    /// A control for a search that runs on this host.
    pub(crate) fn within(host: Host, pondering: bool) -> Self {
        Self {
            host,
            ..Self::new(pondering)
        }
    }

    /// A control for a search that is part of a job that can be stopped as a
    /// whole.
    pub(crate) fn part_of(parent: &Arc<Self>) -> Self {
        Self {
            parent: Some(Arc::clone(parent)),
            ..Self::within(parent.host, false)
        }
    }

    fn notify(&self, change: impl FnOnce()) {
        let guard = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        drop(guard);
        self.condvar.notify_all();
    }

    /// Ends the search.
    pub(crate) fn stop(&self) {
        self.notify(|| self.stop.store(true, Relaxed));
    }

    /// The move pondered on was played: limits apply from now on.
    pub(crate) fn ponder_hit(&self) {
        if !self.is_pondering() {
            // A stray message must not give a search its time again.
            return;
        }
        self.notify(|| {
            let passed = self.start.elapsed().as_nanos() as u64;
            self.ponder_time.store(passed, Relaxed);
            // Whoever sees this also sees the time of the hit.
            self.pondering.store(false, Release);
        });
    }

    /// Called by the search several times a millisecond, so that a host without
    /// threads can take over.
    pub(crate) fn pause(&self) {
        self.host.pause(Pause::Moment);
    }

    /// Pauses, then says whether the search has been asked to end.
    pub(crate) fn pause_and_check(&self) -> bool {
        self.pause();
        self.is_stopped()
    }

    /// Whether the search has been asked to end.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed) || self.parent.as_ref().is_some_and(|whole| whole.is_stopped())
    }

    /// Whether this is still the enemy's time.
    #[inline]
    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Acquire)
    }

    /// Time since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time since the limits began to apply: since the start or the ponder hit.
    /// Zero before that.
    pub(crate) fn thinking_time(&self) -> Duration {
        if self.is_pondering() {
            return Duration::ZERO;
        }
        let pondered = Duration::from_nanos(self.ponder_time.load(Relaxed));
        self.start.elapsed().saturating_sub(pondered)
    }

    /// Waits until a finished search with these limits may answer: an infinite
    /// one after a stop, a pondering one also after a ponder hit.
    pub(crate) fn wait_until_due(&self, limits: &Limits) {
        let is_over = || self.is_stopped() || !(limits.infinite || self.is_pondering());
        while !is_over() && self.host.pause(Pause::UntilInput) {}
        let mut guard = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        while !is_over() {
            guard = self
                .condvar
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Deadlines {
        let limits = Limits {
            clock: Some(Clock {
                remaining: Duration::from_millis(remaining),
                increment: Duration::from_millis(increment),
                moves_to_go,
            }),
            ..Limits::default()
        };
        Deadlines::new(&limits, Duration::from_millis(10))
    }

    #[test]
    fn deadlines_never_use_up_the_clock() {
        for remaining in [1, 5, 10, 12, 20, 50, 100, 1_000, 60_000] {
            for increment in [0, 10, 100, 10_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let deadlines = clock(remaining, increment, moves_to_go);
                    let (soft, hard) = (deadlines.soft.unwrap(), deadlines.hard.unwrap());
                    assert!(soft <= hard);
                    assert!(hard < Duration::from_millis(remaining));
                }
            }
        }
    }

    #[test]
    fn a_fast_game_keeps_a_reserve() {
        let ms = Duration::from_millis;
        for (start, increment) in [(1_000, 10), (1_000, 0), (10_000, 100)] {
            let mut remaining = ms(start);
            let mut least = remaining;
            for _ in 0..80 {
                let deadlines = clock(remaining.as_millis() as u64, increment, None);
                // An answer comes later than its deadline on a busy machine.
                let used = deadlines
                    .soft
                    .unwrap()
                    .mul_f64(1.4)
                    .min(deadlines.hard.unwrap());
                remaining = remaining.saturating_sub(used + ms(5)) + ms(increment);
                least = least.min(remaining);
            }
            assert!(
                least >= ms(if increment == 0 { 20 } else { 80 }),
                "{least:?}"
            );
        }
    }

    #[test]
    fn a_stop_reaches_the_parts_of_a_job_and_no_other() {
        let whole = Arc::new(Control::new(false));
        let (first, second) = (Control::part_of(&whole), Control::part_of(&whole));
        first.stop();
        assert!(first.is_stopped() && !second.is_stopped() && !whole.is_stopped());
        whole.stop();
        assert!(second.is_stopped());
    }

    #[test]
    fn only_the_first_ponder_hit_counts() {
        let control = Control::new(true);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(control.thinking_time(), Duration::ZERO);
        control.ponder_hit();
        let hit = control.ponder_time.load(Relaxed);
        std::thread::sleep(Duration::from_millis(2));
        control.ponder_hit();
        assert_eq!(control.ponder_time.load(Relaxed), hit);
        let never = Control::new(false);
        std::thread::sleep(Duration::from_millis(2));
        never.ponder_hit();
        assert!(never.thinking_time() >= Duration::from_millis(2));
    }

    #[test]
    fn a_fixed_time_is_nearly_used_up() {
        let at = |ms| {
            let limits = Limits {
                move_time: Some(Duration::from_millis(ms)),
                ..Limits::default()
            };
            Deadlines::new(&limits, Duration::from_millis(10))
                .hard
                .unwrap()
        };
        assert_eq!(at(0), Duration::ZERO);
        assert_eq!(at(10), Duration::from_millis(9));
        assert_eq!(at(100), Duration::from_millis(96));
        assert_eq!(at(1000), Duration::from_millis(990));
    }
}
