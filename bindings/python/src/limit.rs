//! What ends a search, read from Python's `petard.Limit`.

use petard::engine::{Clock, Limits};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::time::Duration;

/// The longest time: what the protocol's milliseconds can say. Sums and multiples of
/// longer ones would overflow.
const LONGEST: Duration = Duration::from_millis(u64::MAX);

/// A number of seconds, or an error that names the argument.
pub fn seconds(name: &str, value: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(value)
        .map(|time| time.min(LONGEST))
        .map_err(|_| PyValueError::new_err(format!("{name}: {value} is not a time in seconds")))
}

/// A number, or an error that names the argument.
pub fn number<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        let py = value.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            PyValueError::new_err(format!("{name}: {value} is out of range"))
        } else {
            PyTypeError::new_err(format!("{name}: {}", error.value(py)))
        }
    })
}

/// A field that may be `None`, or an error that names it.
fn field<'py, T: FromPyObjectOwned<'py>>(
    limit: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Option<T>> {
    number(name, &limit.getattr(name)?)
}

fn time(limit: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Duration>> {
    let value = field(limit, name)?;
    value.map(|value| seconds(name, value)).transpose()
}

/// The limits of a search by the side to move.
pub fn limits(limit: &Bound<'_, PyAny>, is_white: bool) -> PyResult<Limits> {
    let (left, gain) = if is_white {
        ("white_clock", "white_inc")
    } else {
        ("black_clock", "black_inc")
    };
    let clock = match time(limit, left)? {
        None => None,
        Some(remaining) => Some(Clock {
            remaining,
            increment: time(limit, gain)?.unwrap_or_default(),
            moves_to_go: field(limit, "remaining_moves")?,
        }),
    };
    Ok(Limits {
        depth: field(limit, "depth")?,
        nodes: field(limit, "nodes")?,
        move_time: time(limit, "time")?,
        clock,
        mate: field(limit, "mate")?,
        ..Limits::default()
    })
}
