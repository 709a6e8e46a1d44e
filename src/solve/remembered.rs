//! A prover that is kept from one question to the next.

use super::SolveError;
use super::prover::Prover;
use crate::game::troyka::Bits;
use std::any::Any;
use std::fmt;
use std::sync::{Mutex, TryLockError};

/// A prover that is kept, of whatever width its boards are; at first none.
#[derive(Default)]
pub struct Remembered(Mutex<Option<Box<dyn Any + Send>>>);

impl Remembered {
    /// Works with the prover that is kept, or with a new one, which is kept from
    /// now on. If the other is at work the new one is thrown away afterwards.
    ///
    /// # Errors
    /// If none could be made.
    pub fn with<B: Bits, T>(
        &self,
        make: impl FnOnce() -> Result<Box<dyn Prover<B>>, SolveError>,
        work: impl FnOnce(&dyn Prover<B>) -> T,
    ) -> Result<T, SolveError> {
        let mut kept = match self.0.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::WouldBlock) => return Ok(work(&*make()?)),
            // Whoever panicked with it may have left it in the middle of a search.
            Err(TryLockError::Poisoned(fault)) => {
                let mut kept = fault.into_inner();
                *kept = None;
                self.0.clear_poison();
                kept
            }
        };
        let found = kept
            .as_ref()
            .and_then(|kept| kept.downcast_ref::<Box<dyn Prover<B>>>());
        if let Some(prover) = found {
            return Ok(work(&**prover));
        }
        let prover = make()?;
        let done = work(&*prover);
        *kept = Some(Box::new(prover));
        Ok(done)
    }

    /// The prover that is kept, if there is one and it is not at work.
    pub fn share<B: Bits>(&self) -> Option<Box<dyn Prover<B>>> {
        let kept = self.0.try_lock().ok()?;
        let found = kept.as_ref()?.downcast_ref::<Box<dyn Prover<B>>>()?;
        Some(found.share())
    }
}

/// What one has found out the other need not know.
impl Clone for Remembered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembered").finish_non_exhaustive()
    }
}
