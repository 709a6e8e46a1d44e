//! The petard binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    petard::command::run(std::env::args_os())
}
