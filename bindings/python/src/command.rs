//! The command `petard` that comes with the package.

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
