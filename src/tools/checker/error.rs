//! Why a certificate is not accepted.

use std::collections::TryReserveError;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// It proves nothing.
    #[error("{0}")]
    Refused(String),
    /// Memory or threads are short; whether it proves anything is not known.
    #[error("{0}")]
    Machine(String),
    /// The caller has ended the check.
    #[error("the check was ended")]
    Ended,
}

impl From<TryReserveError> for CheckError {
    fn from(_: TryReserveError) -> Self {
        Self::Machine("not enough memory for the certificate".to_owned())
    }
}

impl From<String> for CheckError {
    fn from(reason: String) -> Self {
        Self::Refused(reason)
    }
}
