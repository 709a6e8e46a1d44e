//! What the other end of a session may do.

use super::input::LONGEST_LINE;
use crate::engine::{Budget, Host, Kind, OptionError, OptionSpec, ReadFile, Settings};
use std::sync::Arc;

/// The option that names a proof.
const PROOF_OPTION: &str = "ProofFile";
/// Options that name files on the engine's machine.
const FILE_OPTIONS: [&str; 3] = ["EvalFile", PROOF_OPTION, "Log File"];

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

    /// Why this must not be set, if so.
    pub(super) fn refusal(&self, name: &str, value: Option<&str>) -> Option<String> {
        if self.withholds(name) {
            return Some(format!("{} is not available here", name.trim()));
        }
        let most = self.ceiling(name)?;
        let wanted: usize = value?.trim().parse().ok()?;
        (wanted > most).then(|| format!("{} is at most {most} here, not {wanted}", name.trim()))
    }

    /// The fault as it is told: with the range that is granted, not the engine's.
    pub(super) fn told(&self, mut fault: OptionError) -> OptionError {
        if let OptionError::Number { name, max, .. } = &mut fault
            && let Some(most) = self.ceiling(name)
        {
            *max = (*max).min(i64::try_from(most).unwrap_or(i64::MAX));
        }
        fault
    }

    /// The option as it is listed; `None` if it is withheld.
    pub(super) fn granted(&self, mut option: OptionSpec) -> Option<OptionSpec> {
        if option.touches_files && self.withholds(option.name) {
            return None;
        }
        if let (Some(most), Kind::Spin { default, max, .. }) =
            (self.ceiling(option.name), &mut option.kind)
        {
            *max = (*max).min(i64::try_from(most).unwrap_or(i64::MAX));
            *default = (*default).min(*max);
        }
        Some(option)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use std::io;

    fn guest() -> Policy {
        Policy {
            has_files: false,
            max_hash: Some(8),
            max_threads: Some(2),
            ..Policy::default()
        }
    }

    fn options(policy: &Policy) -> Vec<OptionSpec> {
        let all = Engine::new(|_| {}).unwrap().options();
        all.into_iter()
            .filter_map(|option| policy.granted(option))
            .collect()
    }

    fn has(policy: &Policy, name: &str) -> bool {
        options(policy).iter().any(|option| option.name == name)
    }

    #[test]
    fn who_may_do_everything_is_refused_nothing() {
        let policy = Policy::default();
        for (name, value) in [("EvalFile", "net"), ("Hash", "100000"), ("Threads", "64")] {
            assert_eq!(policy.refusal(name, Some(value)), None);
        }
        assert!(has(&policy, "EvalFile") && has(&policy, "ProofFile"));
    }

    #[test]
    fn a_guest_has_no_files() {
        let mut policy = guest();
        for name in ["EvalFile", " prooffile ", "ProofFile"] {
            let fault = format!("{} is not available here", name.trim());
            assert_eq!(policy.refusal(name, Some("file")), Some(fault));
        }
        assert!(!has(&policy, "EvalFile") && !has(&policy, "ProofFile"));
        assert!(has(&policy, "Evaluation"));
        // Unless his host reads them for him.
        policy.read_proof = Some(|_| Err(io::Error::other("no such proof")));
        assert_eq!(policy.refusal("ProofFile", Some("file")), None);
        assert!(policy.refusal("EvalFile", Some("file")).is_some());
        assert!(!has(&policy, "EvalFile") && has(&policy, "ProofFile"));
        let read = policy.settings().read_proof;
        assert_eq!(read("file").unwrap_err().to_string(), "no such proof");
    }

    #[test]
    fn a_guest_has_so_much_memory_and_so_many_threads() {
        let policy = guest();
        assert_eq!(policy.refusal("hash", Some("8")), None);
        let fault = "Hash is at most 8 here, not 9".to_owned();
        assert_eq!(policy.refusal("Hash", Some(" 9 ")), Some(fault));
        let fault = "Threads is at most 2 here, not 3".to_owned();
        assert_eq!(policy.refusal("Threads", Some("3")), Some(fault));
        for option in options(&policy) {
            let most = match option.name {
                "Hash" => 8,
                "Threads" => 2,
                _ => continue,
            };
            let Kind::Spin { default, max, .. } = option.kind else {
                panic!("{option:?}");
            };
            assert!(max == most && default <= most, "{option:?}");
        }
        assert_eq!(policy.settings().hash, 8);
        // More than any machine has is no limit.
        let generous = Policy {
            max_hash: Some(usize::MAX),
            max_threads: Some(usize::MAX),
            ..guest()
        };
        assert_eq!(
            options(&generous),
            options(&Policy {
                has_files: false,
                ..Policy::default()
            })
        );
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
