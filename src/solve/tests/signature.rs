//! How many nodes proofs take: any change to the proof search shows in them, as
//! changes to the other search show in the node count of `petard bench`.
//! Short proofs are separate: they are done in a moment.

use super::Word;
use crate::game::Notation;
use crate::game::breakthrough::Position;
use crate::solve::{LeafProver, ProofLimits, Solver};

/// Board, megabytes of table, nodes with the board's own word and with a packed one. A
/// change that alters them on purpose updates them.
type Proof = (&'static str, usize, [u64; 2]);

const SHORT: [Proof; 4] = [
    ("4x4", 1, [48, 48]),
    ("5x4", 1, [134, 156]),
    ("4x5", 1, [15_817, 16_062]),
    ("6x4", 1, [363, 366]),
];

const LONG: [Proof; 4] = [
    ("3x7", 1, [295_443, 288_291]),
    ("5x5", 1, [161_500, 209_718]),
    ("5x5", 16, [171_475, 209_569]),
    ("4x6", 2, [786_180, 962_222]),
];

fn counted((board, megabytes, _): Proof) -> Proof {
    let (files, ranks) = board.split_once('x').unwrap();
    let (files, ranks) = (files.parse().unwrap(), ranks.parse().unwrap());
    let position = Position::<u64>::start(files, ranks).unwrap();
    let count = |word: Word| {
        let solver = Solver::in_word((files as u8, ranks as u8), megabytes << 20, word).unwrap();
        let solution = solver.solve(&position, &ProofLimits::default(), &|| false, &mut |_| {});
        assert!(solution.side_to_move_wins.is_some());
        solution.nodes
    };
    (board, megabytes, [Word::Own, Word::Packed].map(count))
}

#[test]
fn short_proofs_take_the_nodes_of_before() {
    assert_eq!(SHORT.map(counted), SHORT);
}

#[test]
fn long_proofs_take_the_nodes_that_they_took() {
    assert_eq!(LONG.map(counted), LONG);
}

/// Position, the nodes that decide it, positions of its certificate: none if the
/// side to move has lost.
const LEAVES: [(&str, u64, usize); 6] = [
    ("pppp/pppp/PPPP/PPPP w 0 1", 44, 0),
    ("ppppp/p1ppp/1p3/PPPPP/PPPPP b 0 1", 12_414, 5_881),
    ("ppp/ppp/3/3/PPP/PPP w 0 1", 17_304, 7_944),
    ("pppppp/pp2pp/PP2PP/PPPPPP w 0 1", 382, 114),
    ("pp2pp/pp2p1/p5/5P/P4P/PP2PP w 0 1", 12_792, 0),
    ("pppp/4/4/2p1/1P2/4/4/PPPP w 0 1", 38_143, 35_076),
];

#[test]
fn leaves_take_the_nodes_of_before() {
    let decided = LEAVES.map(|(fen, ..)| {
        let position = Position::<u64>::from_fen(fen).unwrap();
        let prover = LeafProver::new(position.geometry(), 1).unwrap();
        // In the smallest possible table.
        let prover = prover.with_node_limit(100_000);
        assert!(prover.decide(&position).is_some(), "{fen}");
        let nodes = prover.nodes();
        let _ = prover.decide(&position);
        assert_eq!(prover.nodes(), 2 * nodes, "it knows nothing of the last");
        let certificate = prover.certificate(&position, 3, &mut |_| 0);
        let kept = certificate.map_or(0, |certificate| {
            let kept = certificate.len();
            assert_eq!(certificate.is_empty(), kept < 1, "{fen}");
            kept
        });
        (fen, nodes, kept)
    });
    assert_eq!(decided, LEAVES);
}
