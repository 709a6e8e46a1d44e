//! Being told to end: Ctrl-C, and where there are such signals also SIGTERM
//! and SIGHUP.

use super::console::tell;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The exit status of work that was interrupted, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Whether the program has been told to end. The first time it ends its work
/// in order; a second time it ends at once.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Begins to listen. Only one can be made in a process.
    ///
    /// # Errors
    /// If the system lets nobody listen.
    pub fn listen() -> Result<Self, Box<dyn Error>> {
        let interrupt = Self::default();
        let flag = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if flag.swap(true, Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
            tell("ending; once more ends at once and keeps nothing");
        })
        .map_err(|fault| match fault {
            ctrlc::Error::System(error) => format!("signals cannot be listened to: {error}"),
            fault => format!("signals cannot be listened to: {fault}"),
        })?;
        Ok(interrupt)
    }

    /// Whether to end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}
