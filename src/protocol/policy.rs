//! What the other end of a session may do.

use super::lines::LONGEST_LINE;
use crate::engine::{Budget, Host, ReadFile, Settings};
use std::sync::Arc;

/// What the other end of a session may do. By default everything: it could have
/// started the program itself.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Whether there are options that name files.
    pub has_files: bool,
    /// Reads proof files; `None` reads them from disk, if there are options
    /// that name files.
    pub read_proof: Option<ReadFile>,
    /// The largest hash table, in megabytes; `None` leaves it to the machine.
    pub max_hash: Option<usize>,
    /// The most search threads; `None` leaves it to the engine.
    pub max_threads: Option<usize>,
    /// The longest line that is read, in bytes.
    pub longest_line: usize,
    /// Where the session's engine works.
    pub host: Host,
    /// The memory shared by the tables of all sessions.
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
            memory: None,
        }
    }
}

impl Policy {
    /// The settings that the session's engine starts with.
    pub(super) fn settings(&self) -> Settings {
        let default = Settings::default();
        let left = self
            .memory
            .as_ref()
            .map_or(usize::MAX, |memory| memory.left());
        let most = self.max_hash.unwrap_or(usize::MAX).min(left);
        Settings {
            hash: default.hash.min(most).max(1),
            has_files: self.has_files,
            read_proof: self.read_proof,
            max_hash: self.max_hash,
            max_threads: self.max_threads,
            host: self.host,
            memory: self.memory.clone(),
            ..default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, OptionKind, OptionSpec};
    use std::io;

    fn guest() -> Policy {
        Policy {
            has_files: false,
            max_hash: Some(8),
            max_threads: Some(2),
            ..Policy::default()
        }
    }

    fn engine(policy: &Policy) -> Engine {
        Engine::with_settings(policy.settings(), |_| {}).unwrap()
    }

    fn has(policy: &Policy, name: &str) -> bool {
        let options = engine(policy).options();
        options.iter().any(|option| option.name == name)
    }

    /// Why an option is not set.
    fn refusal(policy: &Policy, name: &str, value: &str) -> String {
        let result = engine(policy).set_option(name, Some(value));
        result.unwrap_err().to_string()
    }

    #[test]
    fn by_default_everything_is_available() {
        let policy = Policy::default();
        assert!(has(&policy, "EvalFile") && has(&policy, "ProofFile"));
        assert!(!refusal(&policy, "EvalFile", "/none").contains("available"));
        assert_eq!(policy.settings().hash, Settings::default().hash);
    }

    #[test]
    fn a_guest_has_no_files_but_those_that_the_host_reads() {
        let mut policy = guest();
        for name in ["EvalFile", " prooffile ", "ProofFile"] {
            let reason = refusal(&policy, name, "file");
            assert!(reason.ends_with("File is not available here"), "{reason}");
        }
        assert!(!has(&policy, "EvalFile") && !has(&policy, "ProofFile"));
        assert!(has(&policy, "Evaluation"));
        policy.read_proof = Some(|_| Err(io::Error::other("no such proof")));
        assert!(!has(&policy, "EvalFile") && has(&policy, "ProofFile"));
        let reason = "ProofFile 'file' refused: no such proof";
        assert_eq!(refusal(&policy, "ProofFile", "file"), reason);
        assert!(refusal(&policy, "EvalFile", "file").contains("not available"));
    }

    #[test]
    fn a_guest_has_limited_memory_and_threads() {
        let policy = guest();
        let mut engine = engine(&policy);
        for (name, most) in [("Hash", 8), ("Threads", 2)] {
            let is_named = |option: &OptionSpec| option.name == name;
            let option = engine.options().into_iter().find(is_named).unwrap();
            let OptionKind::Spin { default, min, max } = option.kind else {
                panic!("{option:?}");
            };
            assert!(min == 1 && max == most && default <= most, "{option:?}");
            engine.set_option(name, Some(&most.to_string())).unwrap();
            let more = most + 1;
            let reason = format!("{name} takes a number from 1 to {most}, not '{more}'");
            assert_eq!(refusal(&policy, name, &format!(" {more} ")), reason);
        }
        assert_eq!(policy.settings().hash, 8);
        // More than any machine has is no limit.
        let generous = Policy {
            max_hash: Some(usize::MAX),
            max_threads: Some(usize::MAX),
            ..Policy::default()
        };
        let unlimited = Engine::new(|_| {}).unwrap().options();
        assert_eq!(self::engine(&generous).options(), unlimited);
    }

    #[test]
    fn what_sessions_share_reaches_the_engine() {
        let settings = Policy::default().settings();
        assert!(settings.memory.is_none() && matches!(settings.host, Host::System));
        let policy = Policy {
            host: Host::Background,
            memory: Some(Arc::new(Budget::new(1))),
            ..Policy::default()
        };
        let settings = policy.settings();
        assert!(settings.memory.is_some() && matches!(settings.host, Host::Background));
    }
}
