//! The exceptions: every refusal has a name, and all are `ValueError`s or
//! `RuntimeError`s for callers who do not care.

use petard::engine::EngineError;
use petard::game::{FenError, MoveError};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{create_exception, types::PyModule};

create_exception!(
    petard,
    InvalidFenError,
    PyValueError,
    "The text of a position, or the name of a board, cannot be read."
);
create_exception!(
    petard,
    InvalidMoveError,
    PyValueError,
    "The text of a move cannot be read."
);
create_exception!(
    petard,
    IllegalMoveError,
    PyValueError,
    "The move is not legal in this position."
);
create_exception!(
    petard,
    EngineBusyError,
    PyRuntimeError,
    "The engine is at work; stop it first, or use another one."
);
create_exception!(
    petard,
    SolveError,
    PyValueError,
    "There are no proofs for this game or board."
);

/// A refused position.
pub fn fen(error: FenError) -> PyErr {
    InvalidFenError::new_err(error.to_string())
}

/// A refused move.
pub fn mv(error: MoveError) -> PyErr {
    match error {
        MoveError::Malformed(_) | MoveError::OffBoard(_) => {
            InvalidMoveError::new_err(error.to_string())
        }
        _ => IllegalMoveError::new_err(error.to_string()),
    }
}

/// What the engine refuses.
pub fn engine(error: EngineError) -> PyErr {
    match error {
        EngineError::Busy => EngineBusyError::new_err(error.to_string()),
        EngineError::Memory { .. } | EngineError::NoMemory(_) | EngineError::Table(_) => {
            pyo3::exceptions::PyMemoryError::new_err(error.to_string())
        }
        EngineError::Threads(error) => error.into(),
        EngineError::Position(error) => fen(error),
        EngineError::Move(error) => mv(error),
        error => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Adds them to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("InvalidFenError", py.get_type::<InvalidFenError>())?;
    module.add("InvalidMoveError", py.get_type::<InvalidMoveError>())?;
    module.add("IllegalMoveError", py.get_type::<IllegalMoveError>())?;
    module.add("EngineBusyError", py.get_type::<EngineBusyError>())?;
    module.add("SolveError", py.get_type::<SolveError>())
}
