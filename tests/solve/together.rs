//! Several threads that make certificates from one table, and the check that
//! relies on them.

use super::short::{Prover, grown};
use super::short_files::{Folder, checkpoint, petard, sections};
#[cfg(unix)]
use crate::common::driver::Running;
use petard::checker::{CheckedPositions, KnownNumbers as Known, Short, Witness, check};
use petard::game::Notation as _;
use petard::game::breakthrough::Position;
use petard::solve::{LeafError, LeafProver, ProofBook, ProofLimits, Solver, built_in_proof};
use serde_json::Value;
#[cfg(unix)]
use std::io::Read as _;
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::thread::scope;

/// A solver as the checker's witness.
pub struct Remembering<'a> {
    solver: &'a Solver,
    most_nodes: u64,
    /// The nodes taken by all leaves.
    pub spent: u64,
}

impl<'a> Remembering<'a> {
    pub const fn new(solver: &'a Solver, most_nodes: u64) -> Self {
        Self {
            solver,
            most_nodes,
            spent: 0,
        }
    }
}

impl Witness for Remembering<'_> {
    fn certificate(&mut self, fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, String> {
        let position = Position::<u128>::from_fen(fen).unwrap();
        let made = self.solver.certify(&position, self.most_nodes, 3, known);
        let (certificate, nodes) = made.map_err(|fault| fault.to_string())?;
        assert!(nodes <= self.most_nodes, "{nodes}");
        self.spent += nodes;
        let mut data = Vec::new();
        certificate.write(&mut data).unwrap();
        Ok(data)
    }
}

/// Four threads check the leaves, in opposite orders, so that they meet.
#[test]
fn threads_on_one_table_prove_what_one_does() {
    for (files, ranks, nodes) in [(4, 5, 30), (3, 6, 30), (5, 4, 5)] {
        let start = Position::<u64>::start(files, ranks).unwrap();
        let short = Short::new(&grown(&start, nodes, 1).to_bytes(), 1, &mut |_, _| true).unwrap();
        let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
        let solver = solver.grow_to_capacity();
        scope(|scope| {
            for thread in 0..4 {
                let (short, solver) = (&short, &solver);
                scope.spawn(move || {
                    let memory = CheckedPositions::new(0, 80).unwrap();
                    let mut witness = Remembering::new(solver, u64::MAX);
                    for index in 0..short.leaves() {
                        let index = if thread % 2 == 0 {
                            index
                        } else {
                            short.leaves() - 1 - index
                        };
                        short
                            .check_leaf(index, &mut witness, Some(&memory))
                            .unwrap();
                    }
                });
            }
        });
    }
}

#[test]
fn no_certificate_is_made_of_what_is_lost_or_takes_too_long() {
    let start = Position::<u64>::start(3, 5).unwrap();
    let never: &mut Known<'_> = &mut |_| 0;
    let new = || {
        Solver::new(start.geometry(), 1 << 22)
            .unwrap()
            .grow_to_capacity()
    };
    let fault = new().certify(&start, 1 << 24, 3, never).unwrap_err();
    assert_eq!(fault, LeafError::Lost);
    let first = Position::<u64>::start(3, 6).unwrap();
    let new = || {
        Solver::new(first.geometry(), 1 << 22)
            .unwrap()
            .grow_to_capacity()
    };
    let (certificate, nodes) = new().certify(&first, 1 << 24, 3, never).unwrap();
    let mut data = Vec::new();
    certificate.write(&mut data).unwrap();
    assert!(check(&data, 1, &mut |_, _| true).unwrap().white_wins);
    for most in [0, 1, 100, nodes / 2] {
        let solver = new();
        let fault = solver.certify(&first, most, 3, never).unwrap_err();
        assert_eq!(fault, LeafError::Open(most));
        // What it has found is not lost.
        let (_, left) = solver.certify(&first, 1 << 24, 3, never).unwrap();
        assert!(left <= 2 * nodes, "{left} after {most} of {nodes}");
    }
    // The table of a proof has everything.
    let solver = new();
    solver.prove(&first, &ProofLimits::default(), &|| false, &mut |_| {});
    let (certificate, known) = solver.certify(&first, 1 << 24, 3, never).unwrap();
    assert!(known < 2 * certificate.len() as u64, "{known}");
}

#[test]
fn a_check_may_begin_with_the_table_of_the_proof() {
    let folder = Folder::new("check-table");
    let [table, file, other] = ["table", "proof", "other"].map(|name| folder.file(name));
    let solve = |board: &str, table: &str| {
        let done = petard(&[
            "solve", "--board", board, "-q", "--hash", "16", "--resume", table,
        ]);
        assert!(done.status.success());
    };
    solve("3x6", &table);
    solve("3x5", &other);
    let grow = ["solve", "--board", "3x6", "-q", "--certificate", &file];
    let how = ["--leaf-nodes", "50", "--shared-leaves", "--hash", "16"];
    assert!(
        petard(&[&grow[..], &how, &["--resume", &table]].concat())
            .status
            .success()
    );
    let nodes = |arguments: &[&str]| {
        let done = petard(
            &[
                &["check", &file, "-q", "--json", "--threads", "2"],
                arguments,
            ]
            .concat(),
        );
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let text = String::from_utf8_lossy(&done.stdout);
        let told: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&told["proven"], &told["winner"]),
            (&true.into(), &"white".into())
        );
        told["nodes"].as_u64().unwrap()
    };
    let (with, without) = (nodes(&["--from", &table]), nodes(&[]));
    assert!(with < without / 2, "{with} {without}");
    nodes(&["--from", &table, "--memory", "0"]);
    for (wrong, why) in [
        (&*other, "it is for a board of 3x5"),
        (&*file, "it is not a checkpoint"),
        ("/nowhere/table", "No such file"),
    ] {
        let done = petard(&["check", &file, "-q", "--from", wrong]);
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{told}");
        assert!(told.contains(why) && told.contains(wrong), "{told}");
    }
}

/// All positions and moves are checked; and all leaves of the small boards,
/// some of the others. (All of them were checked when the files were made.)
#[test]
fn built_in_proofs_hold() {
    const ALL: usize = 2_000;
    const SAMPLES: usize = 10;
    let (mut count, mut complete) = (0, 0);
    for (files, ranks) in (2..=10).flat_map(|files| (4..=20).map(move |ranks| (files, ranks))) {
        let Some(data) = built_in_proof((files, ranks)) else {
            continue;
        };
        count += 1;
        let short = Short::new(data, 2, &mut |_, _| true).unwrap();
        let start = Position::<u128>::start(files.into(), ranks.into()).unwrap();
        assert_eq!(short.proven().fen, start.fen());
        let prover = LeafProver::new(start.geometry(), short.leaf_nodes());
        // Provers of other versions and set widths search differently.
        let most = 16 * short.leaf_nodes();
        let mut witness = Prover(prover.unwrap().with_node_limit(most));
        let memory = CheckedPositions::new(1 << 18, 80).unwrap();
        let is_small = short.leaves() <= ALL;
        complete += usize::from(is_small);
        let step = if is_small {
            1
        } else {
            short.leaves().div_ceil(SAMPLES)
        };
        for index in (0..short.leaves()).step_by(step) {
            short
                .check_leaf(index, &mut witness, Some(&memory))
                .unwrap();
        }
        assert_eq!(ProofBook::new(data).unwrap().board(), (files, ranks));
    }
    assert!(count >= 20, "{count} are built in");
    assert!(complete >= 20, "{complete} are checked");
}

#[test]
fn a_leaf_may_rest_on_all_positions_but_itself() {
    /// Asks about all positions, and answers nothing.
    struct Curious(Vec<u128>, Vec<bool>);
    impl Witness for Curious {
        fn certificate(&mut self, _fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, String> {
            self.1 = self.0.iter().map(|&number| known(&[number]) == 1).collect();
            Err("nothing".to_owned())
        }
    }
    let start = Position::<u64>::start(4, 5).unwrap();
    let certificate = grown(&start, 100, 1);
    let short = Short::new(&certificate.to_bytes(), 1, &mut |_, _| true).unwrap();
    let claims: Vec<_> = short.claims().collect();
    let kept: Vec<_> = claims.iter().filter(|claim| claim.1.is_some()).collect();
    assert_eq!(kept.len(), certificate.entries.len());
    assert_eq!(claims.len() - kept.len(), short.leaves());
    let numbers: Vec<u128> = claims.iter().map(|claim| claim.0).chain([1]).collect();
    let memory = CheckedPositions::new(1 << 10, 80).unwrap();
    for index in [0, 7, short.leaves() - 1] {
        let mut witness = Curious(numbers.clone(), Vec::new());
        short
            .check_leaf(index, &mut witness, Some(&memory))
            .unwrap_err();
        let unknown = witness.1.iter().enumerate().filter(|known| !known.1);
        let unknown: Vec<usize> = unknown.map(|(place, _)| place).collect();
        assert_eq!(unknown, [kept.len() + index, claims.len()]);
        short.check_leaf(index, &mut witness, None).unwrap_err();
        assert!(witness.1.iter().all(|known| !known), "it holds by itself");
    }
}

/// Runs a check of several minutes, interrupted as soon as it reports leaves;
/// returns how many it has done.
#[cfg(unix)]
fn interrupted(file: &str, notes: &str) -> u64 {
    let mut child = Running::start(
        Command::new(env!("CARGO_BIN_EXE_petard"))
            .args(["check", file, "--threads", "2", "--memory", "32", "--json"])
            .args(["--resume", notes])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let mut told = Vec::new();
    let mut byte = [0];
    while !told.ends_with(b" leaves, about") {
        child
            .stderr
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .unwrap();
        told.push(byte[0]);
    }
    child.signal("-INT");
    let output = child.output();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(" hold if the others do\n"), "{text}");
    let told: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    told["leaves"].as_u64().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupted_check_saves_its_table_and_resumes() {
    let folder = Folder::new("kept");
    let notes = folder.file("notes");
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/solve/certificates/8x5.proof"
    );
    let first = interrupted(file, &notes);
    let size = std::fs::metadata(&notes).unwrap().len();
    assert!(size >= 16 << 20, "half of the memory: {size}");
    assert!(interrupted(file, &notes) >= first);
}

/// What has been checked is not checked again, and only the file's own memory is
/// accepted.
#[cfg(unix)]
#[test]
fn an_interrupted_check_saves_what_it_has_checked() {
    let folder = Folder::new("kept-memory");
    let [notes, other] = ["notes", "other"].map(|name| folder.file(name));
    let root = env!("CARGO_MANIFEST_DIR");
    let file = format!("{root}/src/solve/certificates/8x5.proof");
    let mut done = 0;
    while done == 0 {
        done = interrupted(&file, &notes);
    }
    let check = |file: &str, more: &[&str]| {
        let arguments = ["check", file, "-q", "--json", "--resume", &other];
        petard(&[&arguments, more].concat())
    };
    let part = ["--leaves", &format!("0-{done}")];
    let positions = || {
        let output = check(&file, &part);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        let told: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(told["leaves"].as_u64(), Some(done));
        told["checked"].as_u64().unwrap()
    };
    // The same memory, but no leaf is said to have been checked.
    let whole = std::fs::read(&notes).unwrap();
    let (subject, sections) = sections(&whole);
    let memory = &sections
        .iter()
        .find(|(name, _)| name == "memory")
        .unwrap()
        .1;
    let of_part = format!("{subject} leaves 0-{done}");
    let kept = [("record", &b"0 0 0 0\n"[..]), ("memory", memory)];
    std::fs::write(&other, checkpoint(&of_part, &kept)).unwrap();
    let once_more = positions();
    assert!(!std::path::Path::new(&other).exists(), "all is checked");
    // If both threads stored a position in the same place, one was lost.
    assert!(100 * once_more < positions(), "{once_more}");

    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    let files: [(&[u8], &str, &str); 5] = [
        (&changed, &file, "damaged"),
        (&whole[..whole.len() - 5], &file, "cut short"),
        (&[&whole[..], b"\n"].concat(), &file, "damaged"),
        (b"no memory", &file, "it is not a checkpoint"),
        (&whole, &file.replace("8x5", "5x5"), "another certificate"),
    ];
    for (data, file, fault) in files {
        std::fs::write(&other, data).unwrap();
        let refused = check(file, &[]);
        assert_eq!(refused.status.code(), Some(1));
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(told.contains(&other) && told.contains(fault), "{told}");
        assert_eq!(std::fs::read(&other).unwrap(), data, "it is left alone");
    }
}
