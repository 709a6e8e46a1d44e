//! Several threads that make certificates from one table, and the check that
//! relies on them.

use super::short::{Prover, grown};
use crate::checker::{CheckError, CheckedPositions, KnownNumbers as Known, Short, Witness, check};
use crate::game::Notation as _;
use crate::game::breakthrough::Position;
use crate::solve::{LeafError, LeafProver, ProofBook, ProofLimits, Solver, built_in_proof};
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
    fn certificate(&mut self, fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, CheckError> {
        let position = Position::<u128>::from_fen(fen).unwrap();
        let made = self
            .solver
            .win_certificate_within(&position, self.most_nodes, 3, known);
        let (certificate, nodes) = made.map_err(|error| error.to_string())?;
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
    let error = new()
        .win_certificate_within(&start, 1 << 24, 3, never)
        .unwrap_err();
    assert_eq!(error, LeafError::Lost);
    let first = Position::<u64>::start(3, 6).unwrap();
    let new = || {
        Solver::new(first.geometry(), 1 << 22)
            .unwrap()
            .grow_to_capacity()
    };
    let (certificate, nodes) = new()
        .win_certificate_within(&first, 1 << 24, 3, never)
        .unwrap();
    let mut data = Vec::new();
    certificate.write(&mut data).unwrap();
    assert!(check(&data, 1, &mut |_, _| true).unwrap().white_wins);
    for most in [0, 1, 100, nodes / 2] {
        let solver = new();
        let error = solver
            .win_certificate_within(&first, most, 3, never)
            .unwrap_err();
        assert_eq!(error, LeafError::Open(most));
        // What it has found is not lost.
        let (_, left) = solver
            .win_certificate_within(&first, 1 << 24, 3, never)
            .unwrap();
        assert!(left <= 2 * nodes, "{left} after {most} of {nodes}");
    }
    // The table of a proof has everything.
    let solver = new();
    solver.prove(&first, &ProofLimits::default(), &|| false, &mut |_| {});
    let (certificate, known) = solver
        .win_certificate_within(&first, 1 << 24, 3, never)
        .unwrap();
    assert!(known < 2 * certificate.len() as u64, "{known}");
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
        fn certificate(
            &mut self,
            _fen: &str,
            known: &mut Known<'_>,
        ) -> Result<Vec<u8>, CheckError> {
            self.1 = self.0.iter().map(|&number| known(&[number]) == 1).collect();
            Err("nothing".to_owned().into())
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
