//! What long jobs have in common: they can be interrupted, show how far they have
//! come, and save a checkpoint from which they resume.

use super::checkpoint::{Checkpoint, Writer};
use super::console::{Status, report_error};
use crate::base::{STACK, check_thread_available};
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How often progress is shown.
const REPORT: Duration = Duration::from_millis(500);

/// A job at work.
pub(crate) struct LongJob {
    pub(crate) interrupt: Interrupt,
    pub(crate) status: Status,
    pub(crate) checkpoint: Option<Checkpoint>,
    shown: Instant,
}

impl LongJob {
    /// A job that can be interrupted from now on.
    pub(crate) fn begin(
        is_quiet: bool,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            interrupt: Interrupt::listen()?,
            status: Status::new(is_quiet),
            checkpoint,
            shown: Instant::now(),
        })
    }

    /// Shows progress, if it is time to; returns whether the job goes on.
    pub(crate) fn show(&mut self, progress: impl FnOnce() -> String) -> bool {
        if self.shown.elapsed() >= REPORT {
            self.shown = Instant::now();
            self.status.show(&progress());
        }
        !self.interrupt.is_raised()
    }

    /// How often the checkpoint is saved, if there is one.
    pub(crate) fn save_interval(&self) -> Option<Duration> {
        self.checkpoint.as_ref().map(Checkpoint::interval)
    }

    /// Whether there is a checkpoint, and it is time to save it.
    pub(crate) fn is_save_due(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(Checkpoint::is_due)
    }

    /// Saves the checkpoint, if there is one; an error is only reported.
    pub(crate) fn save_so_far(&mut self, write: &mut dyn FnMut(&mut Writer<'_>) -> io::Result<()>) {
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.save_so_far(write);
        }
    }

    /// Saves the checkpoint at the end, if there is one.
    pub(crate) fn save(
        &mut self,
        write: &mut dyn FnMut(&mut Writer<'_>) -> io::Result<()>,
    ) -> Result<(), Box<dyn Error>> {
        let checkpoint = self.checkpoint.as_mut();
        checkpoint.map_or(Ok(()), |checkpoint| checkpoint.save(write))
    }
}

/// The exit status after an interruption, as shells report Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Signals within this time count as one: `timeout` signals the program and
/// then its process group, which includes the program.
const ONE_SIGNAL: Duration = Duration::from_millis(500);

/// Whether the program has been asked to end. The first time it winds down in an
/// orderly way; a second time it exits at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts listening. Only one can be created per process.
    pub(crate) fn listen() -> Result<Self, Box<dyn Error>> {
        check_thread_available(STACK)?;
        let interrupt = Self::default();
        let flag = Arc::clone(&interrupt.0);
        let mut first = None;
        listen(move || match action(&mut first, Instant::now()) {
            SignalAction::End => {
                flag.store(true, Relaxed);
                report_error("stopping; press Ctrl-C again to quit at once without saving");
            }
            SignalAction::Exit => std::process::exit(i32::from(INTERRUPTED)),
            SignalAction::Nothing => {}
        })
        .map_err(|error| format!("cannot listen for signals: {error}"))?;
        Ok(interrupt)
    }

    /// Whether to end.
    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// Calls `act` in a thread of its own at every signal that asks the program to end.
#[cfg(not(windows))]
fn listen(act: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(act).map_err(|error| match error {
        ctrlc::Error::System(error) => error,
        error => io::Error::other(error),
    })
}

/// The same. When the window is closed, the user logs off or the system shuts down,
/// Windows ends the program as soon as its handler returns: those of tokio do not,
/// which leaves the some five seconds that Windows grants for the work to be saved.
#[cfg(windows)]
fn listen(mut act: impl FnMut() + Send + 'static) -> io::Result<()> {
    use tokio::signal::windows;
    let mut interrupt = windows::ctrl_c()?;
    let mut stop = windows::ctrl_break()?;
    let mut close = windows::ctrl_close()?;
    let mut log_off = windows::ctrl_logoff()?;
    let mut shutdown = windows::ctrl_shutdown()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let signals = async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = stop.recv() => {}
                _ = close.recv() => {}
                _ = log_off.recv() => {}
                _ = shutdown.recv() => {}
            }
            act();
        }
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || runtime.block_on(signals)).map(drop)
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignalAction {
    /// To end in an orderly way.
    End,
    /// To end at once.
    Exit,
    /// Nothing new.
    Nothing,
}

/// What a signal at `now` asks for, given when the first one came.
fn action(first: &mut Option<Instant>, now: Instant) -> SignalAction {
    match first {
        None => {
            *first = Some(now);
            SignalAction::End
        }
        Some(first) if now.saturating_duration_since(*first) > ONE_SIGNAL => SignalAction::Exit,
        Some(_) => SignalAction::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_is_sent_twice_is_one() {
        let start = Instant::now();
        let mut first = None;
        let after = [0, 0, 3, 500, 501, 10_000].map(|milliseconds| {
            let now = start + Duration::from_millis(milliseconds);
            action(&mut first, now)
        });
        let [end, nothing, exit] = [SignalAction::End, SignalAction::Nothing, SignalAction::Exit];
        assert_eq!(after, [end, nothing, nothing, nothing, exit, exit]);
    }
}
