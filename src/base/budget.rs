//! A shared memory budget: nobody can take more than is left.

use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// A number of megabytes to share.
#[derive(Debug)]
pub struct Budget {
    left: Mutex<usize>,
}

/// The budget has less left than was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("only {left} MB left of the memory shared by all sessions")]
pub struct OverBudget {
    /// What is left, in megabytes.
    pub left: usize,
}

/// A part of a budget, given back on drop.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    megabytes: usize,
}

impl Budget {
    /// A budget of this many megabytes.
    pub const fn new(megabytes: usize) -> Self {
        Self {
            left: Mutex::new(megabytes),
        }
    }

    /// What is left, in megabytes.
    pub(crate) fn left(&self) -> usize {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a share of this many megabytes.
    pub(crate) fn take(self: &Arc<Self>, megabytes: usize) -> Result<Share, OverBudget> {
        self.exchange(0, megabytes)?;
        Ok(Share {
            budget: Arc::clone(self),
            megabytes,
        })
    }

    /// Gives some back and takes some, both or neither.
    fn exchange(&self, given: usize, taken: usize) -> Result<(), OverBudget> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let all = *left + given;
        *left = all.checked_sub(taken).ok_or(OverBudget { left: all })?;
        Ok(())
    }
}

impl Share {
    /// If not enough is left, the share stays as it is.
    pub(crate) fn resize(&mut self, megabytes: usize) -> Result<(), OverBudget> {
        self.budget.exchange(self.megabytes, megabytes)?;
        self.megabytes = megabytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // Giving back is never refused.
        let _ = self.budget.exchange(self.megabytes, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_what_is_not_left() {
        let budget = Arc::new(Budget::new(100));
        let mut first = budget.take(60).unwrap();
        assert_eq!(budget.take(41).unwrap_err(), OverBudget { left: 40 });
        let second = budget.take(40).unwrap();
        assert_eq!(budget.left(), 0);
        // A share's own megabytes count as left when it is resized.
        assert_eq!(first.resize(61), Err(OverBudget { left: 60 }));
        first.resize(20).unwrap();
        assert_eq!((first.megabytes, budget.left()), (20, 40));
        drop(second);
        assert_eq!(budget.left(), 80);
        drop(first);
        assert_eq!(budget.left(), 100);
    }
}
