//! Requests to end: Ctrl-C and, on systems that have them, SIGTERM and SIGHUP.

use super::console::tell;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The exit status after an interruption, as shells report Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Signals within this time count as one: `timeout` signals the program and
/// then its process group, which includes the program.
const SAME: Duration = Duration::from_millis(500);

/// Whether the program has been told to end. The first time it winds down in an
/// orderly way; a second time it exits at once.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts listening. Only one can be created per process.
    ///
    /// # Errors
    /// If the signal handler cannot be installed.
    pub fn listen() -> Result<Self, Box<dyn Error>> {
        let interrupt = Self::default();
        let flag = Arc::clone(&interrupt.0);
        let mut first = None;
        ctrlc::set_handler(move || match answer(&mut first, Instant::now()) {
            Answer::End => {
                flag.store(true, Relaxed);
                tell("stopping; press Ctrl-C again to quit at once without saving");
            }
            Answer::Exit => std::process::exit(i32::from(INTERRUPTED)),
            Answer::Nothing => {}
        })
        .map_err(|fault| match fault {
            ctrlc::Error::System(error) => format!("cannot listen for signals: {error}"),
            fault => format!("cannot listen for signals: {fault}"),
        })?;
        Ok(interrupt)
    }

    /// Whether to end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// To end in an orderly way.
    End,
    /// To end at once.
    Exit,
    /// Nothing new.
    Nothing,
}

/// What a signal at `now` asks for, given when the first one came.
fn answer(first: &mut Option<Instant>, now: Instant) -> Answer {
    match first {
        None => {
            *first = Some(now);
            Answer::End
        }
        Some(first) if now.saturating_duration_since(*first) > SAME => Answer::Exit,
        Some(_) => Answer::Nothing,
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
            answer(&mut first, now)
        });
        let [end, nothing, exit] = [Answer::End, Answer::Nothing, Answer::Exit];
        assert_eq!(after, [end, nothing, nothing, nothing, exit, exit]);
    }
}
