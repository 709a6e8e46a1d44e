//! Short certificates whose leaves depend on each other's proofs.

use super::short::wide;
use super::together::Remembering;
use crate::base::Side;
use crate::checker::{CheckedPositions, Short};
use crate::common::{cases, moves};
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Game as _, Notation as _, Outcome};
use crate::solve::{
    CertificateBuilder, LeafProver, ProofBook, ProofLimits, ShortCertificate, Solver, StepResult,
};

/// The certificate that a solver makes from what it has found.
fn grown<B: Bits>(start: &Position<B>, nodes: u64, bytes: usize) -> ShortCertificate {
    let limits = ProofLimits::default();
    let solver = Solver::new(start.geometry(), bytes).unwrap();
    let wins = solver.prove(start, &limits, &|| false, &mut |_| {});
    let side = start.side_to_move();
    let winner = if wins.unwrap() { side } else { !side };
    let provers = [LeafProver::with_table_of(&solver, nodes)];
    let mut builder =
        CertificateBuilder::begin(&solver, &wide(start), winner, 3, &provers, nodes).unwrap();
    while builder
        .advance(&solver, &provers, &limits, &|| false, &mut |_| {})
        .unwrap()
        != StepResult::Done
    {}
    builder.certificate().unwrap()
}

/// Checks every leaf; whether White wins.
fn holds<B: Bits>(start: &Position<B>, certificate: &ShortCertificate) -> bool {
    let short = Short::new(&certificate.to_bytes(), 1, &mut |_, _| true).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
    let solver = solver.grow_to_capacity();
    let mut witness = Remembering::new(&solver, 1 << 24);
    let memory = CheckedPositions::new(1 << 22, 80).unwrap();
    for index in 0..short.leaves() {
        short
            .check_leaf(index, &mut witness, Some(&memory))
            .unwrap();
    }
    short.proven().white_wins
}

#[test]
fn what_a_solver_has_proven_is_left_out() {
    for (files, ranks, white_wins) in [(3, 5, false), (4, 5, false), (3, 6, true), (5, 4, false)] {
        let start = Position::<u64>::start(files, ranks).unwrap();
        let mut before = usize::MAX;
        for nodes in [1, 8, 64, 512, 1_000_000_000] {
            let certificate = grown(&start, nodes, 1 << 22);
            let kept = certificate.entries.len();
            assert!(kept <= before, "{files}x{ranks}, {nodes}: {kept}");
            // The position to prove is kept, however few nodes it took.
            assert!(kept > 0 || !white_wins, "{files}x{ranks}, {nodes}");
            assert_eq!(holds(&start, &certificate), white_wins, "{files}x{ranks}");
            assert_eq!(grown(&wide(&start), nodes, 1 << 22), certificate);
            before = kept;
        }
    }
}

#[test]
fn what_a_full_table_has_lost_is_proven_again() {
    let start = Position::<u64>::start(4, 5).unwrap();
    let (large, small) = (grown(&start, 8, 1 << 22), grown(&start, 8, 1 << 14));
    assert_ne!(large.entries, small.entries, "nothing was lost");
    assert!(!holds(&start, &small));
}

/// A leaf by itself takes more nodes than the file says, and the winner may spend
/// them; the other side may not.
#[test]
fn the_winner_proves_leaves_though_they_are_shared() {
    const NODES: u64 = 8;
    let start = Position::<u64>::start(3, 6).unwrap();
    let book = ProofBook::new(&grown(&start, NODES, 1 << 22).to_bytes()).unwrap();
    let mut open = vec![start];
    let mut seen = std::collections::HashSet::new();
    let (mut leaves, mut long) = (0, 0);
    while let Some(position) = open.pop() {
        if position.outcome() != Outcome::Ongoing || !seen.insert(position.fen()) {
            continue;
        }
        if let Some(known) = book.lookup(&position, &|| false) {
            let next = position.play(known.best);
            let replies = moves(&next);
            open.extend(replies.iter().map(|&reply| next.play(reply)));
            continue;
        }
        leaves += 1;
        let (known, spent) = book.prove(&position, None, &|| false).unwrap();
        assert!(known.is_some_and(|known| known.wins), "{}", position.fen());
        long += u64::from(spent > 4 * NODES);
        // Half of the allowed nodes are left for a search.
        let (known, spent) = book.prove(&position, Some(100), &|| false).unwrap();
        assert!(known.is_some() || spent == 50, "{spent}");
        let (known, spent) = book.prove(&position.flipped(), None, &|| false).unwrap();
        assert!(known.is_some() || spent == 4 * NODES, "{spent}");
    }
    assert!(
        leaves > 100 && long > 10,
        "{leaves} leaves, {long} long ones"
    );
}

/// All positions and moves are checked, those of the largest files only in longer
/// test runs. (The leaves, which take as long as the proofs did, were checked when
/// the files were made, as far as the page says so.)
#[test]
fn the_certificates_in_the_documentation_hold_if_their_leaves_do() {
    const LARGE: usize = 1 << 20;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/certificates");
    let table = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/docs/experiments/solved.md"
    ));
    let table = table.unwrap();
    let section = table.split("### Shared leaves").nth(1).unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension() != Some("proof".as_ref()) {
            continue;
        }
        let board = path.file_stem().unwrap().to_str().unwrap();
        let data = std::fs::read(&path).unwrap();
        let read = ShortCertificate::from_bytes(&data).unwrap();
        let (files, ranks) = ProofBook::new(&data).unwrap().board();
        let start = Position::<u128>::start(files.into(), ranks.into()).unwrap();
        assert_eq!(
            (board, &read.fen),
            (&*format!("{files}x{ranks}"), &start.fen())
        );
        let row = section
            .lines()
            .find(|line| line.starts_with(&format!("| {board} ")));
        let cells: Vec<&str> = row.unwrap().split('|').map(str::trim).collect();
        let number = |cell: usize| cells[cell].replace(',', "").parse::<usize>().unwrap();
        let winner = match read.winner {
            Side::White => "first",
            Side::Black => "second",
        };
        assert_eq!(cells[2], winner, "{board}");
        assert_eq!(read.leaf_nodes, number(3) as u64, "{board}");
        let found = (data.len(), read.entries.len());
        assert_eq!(found, (number(4), number(5)), "{board}");
        if data.len() < LARGE || cases(1) > 1 {
            let short = Short::new(&data, 2, &mut |_, _| true).unwrap();
            let proven = short.proven();
            assert_eq!((&proven.fen, proven.positions), (&read.fen, number(5)));
            assert_eq!(proven.white_wins, winner == "first", "{board}");
            assert_eq!(short.leaves(), number(6), "{board}");
        }
        count += 1;
    }
    assert!(count > 0);
}
