//! The solver's table in a file, raw and with its checksum repaired: a search
//! that continues from it must end.

use super::Target;
use crate::game::breakthrough::Position;
use crate::solve::{LoadMode, ProofLimits, Solver, Spent};
use std::sync::OnceLock;

pub const TARGET: Target = Target {
    name: "table",
    run,
    seeds,
    words: "PETARDT1|\x03\x04|\0\0\0\0\0\0\0\0|\u{7f}\u{7f}\u{7f}|\x01\0\0\0",
};

/// Bytes in the table.
const BYTES: usize = 1 << 18;
/// Bytes before the entries.
const HEADER: usize = 48;

fn solver() -> (Position<u64>, Solver) {
    let start = Position::<u64>::start(3, 4).expect("3x4");
    let solver = Solver::new(start.geometry(), BYTES).expect("a quarter of a megabyte");
    (start, solver)
}

/// The table of the solved board, as a file.
fn solved() -> &'static [u8] {
    static SOLVED: OnceLock<Vec<u8>> = OnceLock::new();
    SOLVED.get_or_init(|| {
        let (start, solver) = solver();
        let solution = solver.solve(&start, &ProofLimits::default(), &|| false, &mut |_| {});
        assert!(solution.side_to_move_wins.is_some());
        let mut file = Vec::new();
        solver
            .save(&mut file, Spent::default())
            .expect("memory takes all");
        file
    })
}

/// Changes to the file of the solved board, six bytes each: where, how, and to
/// what. Data of any other length is taken as a whole file.
fn seeds() -> Vec<Vec<u8>> {
    vec![
        Vec::new(),
        vec![0, 8, 0, 1, 255, 0],
        vec![0, 16, 0, 0, 8, 0, 1, 0, 0, 0, 77, 3],
        solved()[..HEADER + 3].to_vec(),
    ]
}

fn run(data: &[u8]) {
    if data.starts_with(b"PETARD") || !data.len().is_multiple_of(6) {
        go_on_all(data);
        return;
    }
    let mut file = solved().to_vec();
    let end = file.len() - 4;
    for change in data.chunks_exact(6).take(4000) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize;
        // Bytes near the beginning matter more.
        let place = match change[3] & 3 {
            0 => place % (HEADER + 64),
            1 => HEADER + place % 4096 % (end - HEADER),
            _ => HEADER + place % (end - HEADER),
        };
        match change[3] >> 2 & 1 {
            0 => file[place] ^= change[4],
            _ => file[place] = change[5],
        }
    }
    let sum = crc32fast::hash(&file[..end]).to_le_bytes();
    file[end..].copy_from_slice(&sum);
    go_on_all(&file);
}

fn go_on_all(file: &[u8]) {
    for mode in [LoadMode::Whole, LoadMode::Part] {
        go_on(file, mode);
    }
}

fn go_on(file: &[u8], mode: LoadMode) {
    let (start, solver) = solver();
    if let Err(error) = solver.load(file, mode) {
        assert_ne!(file, solved(), "{error}");
        return;
    }
    let limits = ProofLimits {
        nodes: Some(2000),
        ..ProofLimits::default()
    };
    // What it finds may be wrong: a table is trusted like the program itself.
    let solution = solver.solve(&start, &limits, &|| false, &mut |_| {});
    assert!(solution.nodes <= 2000 + 100, "{}", solution.nodes);
    let _ = solver.opened(&start);
    solver
        .save(std::io::sink(), Spent::default())
        .expect("nothing is kept");
}
