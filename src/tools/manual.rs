//! `petard manual`: man pages and shell completions, for packagers.

use clap::{Args, Command};
use clap_complete::{Shell, generate_to};
use std::error::Error;
use std::fs;
use std::path::PathBuf;

/// The shells that completions are written for.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Write man pages and shell completions
///
/// Writes the man pages of petard and its tools, and completions for bash, zsh
/// and fish, into a folder.
#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The folder, created if it does not exist
    folder: PathBuf,
}

impl Manual {
    /// Runs it for this command.
    pub(crate) fn run(&self, command: Command) -> Result<(), Box<dyn Error>> {
        let error = |error: std::io::Error| format!("'{}': {error}", self.folder.display());
        fs::create_dir_all(&self.folder).map_err(error)?;
        // Without vector instructions: the pages may be read on another machine
        // than the one that writes them.
        let mut command = command.version(env!("CARGO_PKG_VERSION"));
        clap_mangen::generate_to(command.clone(), &self.folder).map_err(error)?;
        for shell in SHELLS {
            generate_to(shell, &mut command, "petard", &self.folder).map_err(error)?;
        }
        Ok(())
    }
}
