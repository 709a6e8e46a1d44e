//! The faults that the models in `models/` must find. `models/build.rs` injects
//! each into a copy of the source. Models are only run by hand, so the tests of
//! the house check that the code to be replaced is still there.

/// A fault to inject.
pub struct Fault {
    /// Its name, and the name of the copy.
    pub name: &'static str,
    /// The file in `src`.
    pub file: &'static str,
    /// The code to replace, and its replacement.
    pub changes: &'static [(&'static str, &'static str)],
}

/// All of them.
pub const FAULTS: [Fault; 8] = [
    Fault {
        name: "torn_entries",
        file: "search/tt.rs",
        changes: &[
            (
                "chosen.key_xor_data.store(key ^ data, Relaxed);",
                "chosen.key_xor_data.store(key, Relaxed);",
            ),
            (
                "slot.key_xor_data.load(Relaxed) ^ data == key",
                "slot.key_xor_data.load(Relaxed) == key",
            ),
        ],
    },
    Fault {
        name: "lost_stop",
        file: "search/time.rs",
        changes: &[(
            "let guard = self.changed.lock().unwrap_or_else(PoisonError::into_inner);\n        \
             change();\n        drop(guard);",
            "change();",
        )],
    },
    Fault {
        name: "early_answer",
        file: "search/time.rs",
        changes: &[(
            "while !is_over() {\n            guard",
            "if !is_over() {\n            guard",
        )],
    },
    Fault {
        name: "jobs_cut_off",
        file: "search/threads.rs",
        changes: &[(
            "if handle.join().is_err()",
            "if handle.thread().name().is_none()",
        )],
    },
    Fault {
        name: "table_still_in_use",
        file: "search/searcher.rs",
        changes: &[
            (
                "let verdict = {\n        let HelperJob {",
                "let kept = Arc::clone(&job.shared);\n    let verdict = {\n        let HelperJob {",
            ),
            (
                "let _ = sender.send(verdict);",
                // The main thread may need many steps to finish.
                "let _ = sender.send(verdict);\n    drop(sender);\n    \
                 for _ in 0..5000 {\n        shuttle::thread::yield_now();\n    }\n    \
                 drop(kept);",
            ),
        ],
    },
    Fault {
        name: "unheard_end",
        file: "engine/activity.rs",
        changes: &[("self.idle.notify_all();", "")],
    },
    Fault {
        name: "blind_reader",
        file: "solve/table.rs",
        changes: &[("if bucket.version.load(Relaxed) != version {", "if false {")],
    },
    Fault {
        name: "two_writers",
        file: "solve/table.rs",
        changes: &[(
            ".compare_exchange(version, version + 1, Acquire, Relaxed)\n                .is_err()",
            ".compare_exchange(version, version + 1, Acquire, Relaxed)\n                \
             .is_err_and(|_| false)",
        )],
    },
];
