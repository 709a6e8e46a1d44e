//! A prover kept from one query to the next.

use super::SolveError;
use super::prover::Prover;
use crate::game::breakthrough::Bits;
use std::any::Any;
use std::fmt;
use std::sync::{Mutex, TryLockError};

/// A kept prover, for boards of any bit width; none at first.
#[derive(Default)]
pub struct Remembered(Mutex<Option<Box<dyn Any + Send>>>);

impl Remembered {
    /// Works with the kept prover, or with a new one, which is then kept. If the
    /// kept one is busy, the new one is dropped afterwards.
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
            // A panic may have left it in the middle of a search.
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

    /// Drops the kept prover, unless it is busy.
    pub fn forget(&self) {
        if let Ok(mut kept) = self.0.try_lock() {
            *kept = None;
        }
    }

    /// The kept prover, if there is one and it is not busy.
    pub fn share<B: Bits>(&self) -> Option<Box<dyn Prover<B>>> {
        let kept = self.0.try_lock().ok()?;
        let found = kept.as_ref()?.downcast_ref::<Box<dyn Prover<B>>>()?;
        Some(found.share())
    }
}

/// A clone need not know what the original has found out.
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
