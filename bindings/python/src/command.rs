//! The command `petard` that comes with the package, and the data that its page shares.

use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with these arguments, the first of which is its name, and
/// returns its exit status. Requests such as `--help` end the process.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let status = py.detach(|| petard::command::run(arguments));
    // An `ExitCode` does not reveal its number.
    (0..=u8::MAX)
        .find(|&number| ExitCode::from(number) == status)
        .unwrap_or(1)
}

/// The contents of a file of the page's data, such as ``puzzles.csv``.
#[pyfunction]
pub fn data_file(name: &str) -> PyResult<&'static [u8]> {
    petard::data_file(name)
        .ok_or_else(|| PyFileNotFoundError::new_err(format!("no data file '{name}'")))
}
