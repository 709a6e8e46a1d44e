//! What whoever is at the other end of a session may do.

use super::input::LONGEST_LINE;
use crate::engine::{Budget, Host, Kind, OptionSpec, ReadFile, Settings, Turns};
use std::sync::Arc;

/// The option that names a proof.
const PROOF_OPTION: &str = "ProofFile";
/// Options that name files on the engine's machine.
const FILE_OPTIONS: [&str; 3] = ["EvalFile", PROOF_OPTION, "Log File"];

/// What whoever is at the other end of a session may do. By default
/// everything: it is somebody who could start the program himself.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Whether there are options that name files.
    pub has_files: bool,
    /// Reads the files of proofs; `None` takes them from the machine, if there
    /// are options that name files.
    pub read_proof: Option<ReadFile>,
    /// The largest hash table, in megabytes; `None` leaves it to the machine.
    pub max_hash: Option<usize>,
    /// The most search threads; `None` leaves it to the engine.
    pub max_threads: Option<usize>,
    /// The longest line that is read, in bytes.
    pub longest_line: usize,
    /// Where the session's engine works.
    pub host: Host,
    /// Called by every search thread as it starts.
    pub thread_start: Option<fn()>,
    /// The turns that the search threads of all sessions take.
    pub turns: Option<Turns>,
    /// What the tables of all sessions may take together.
    pub memory: Option<Arc<Budget>>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            has_files: true,
            read_proof: None,
            max_hash: None,
            max_threads: None,
            longest_line: LONGEST_LINE,
            host: Host::System,
            thread_start: None,
            turns: None,
            memory: None,
        }
    }
}

impl Policy {
    /// What the session's engine begins with.
    pub(super) fn settings(&self) -> Settings {
        let usual = Settings::default();
        let left = self
            .memory
            .as_ref()
            .map_or(usize::MAX, |memory| memory.left());
        let most = self.max_hash.unwrap_or(usize::MAX).min(left);
        Settings {
            hash: usual.hash.min(most).max(1),
            read_proof: self.read_proof.unwrap_or(usual.read_proof),
            host: self.host,
            thread_start: self.thread_start,
            turns: self.turns.clone(),
            memory: self.memory.clone(),
            ..usual
        }
    }

    fn withholds(&self, name: &str) -> bool {
        let is_named = |file: &str| file.eq_ignore_ascii_case(name.trim());
        let is_read = self.read_proof.is_some() && is_named(PROOF_OPTION);
        !self.has_files && !is_read && FILE_OPTIONS.iter().any(|file| is_named(file))
    }

    fn ceiling(&self, name: &str) -> Option<usize> {
        match name.trim().to_ascii_lowercase().as_str() {
            "hash" => self.max_hash,
            "threads" => self.max_threads,
            _ => None,
        }
    }

    /// Why this must not be set.
    pub(super) fn refusal(&self, name: &str, value: Option<&str>) -> Option<String> {
        if self.withholds(name) {
            return Some(format!("{} is not available here", name.trim()));
        }
        let most = self.ceiling(name)?;
        let wanted: usize = value?.trim().parse().ok()?;
        (wanted > most).then(|| format!("{} is at most {most} here, not {wanted}", name.trim()))
    }

    /// The option as it is listed; `None` if it is withheld.
    pub(super) fn granted(&self, mut option: OptionSpec) -> Option<OptionSpec> {
        if option.touches_files && self.withholds(option.name) {
            return None;
        }
        if let (Some(most), Kind::Spin { default, max, .. }) =
            (self.ceiling(option.name), &mut option.kind)
        {
            *max = (*max).min(most as i64);
            *default = (*default).min(*max);
        }
        Some(option)
    }
}
