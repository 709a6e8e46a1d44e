//! Certificates, verified by a checker that shares nothing with the engine.
use crate::checker::check;
use crate::game::Notation;
use crate::game::breakthrough::{Bits, Position};
use crate::solve::{ProofLimits, SolveError, Solver};

fn certificate<B: Bits>(position: &Position<B>, depth: u8, threads: usize) -> Vec<u8> {
    let solver = Solver::new(position.geometry(), 1 << 24).unwrap();
    let stop = || false;
    let limits = ProofLimits {
        threads,
        ..ProofLimits::default()
    };
    let solution = solver.solve(position, &limits, &stop, &mut |_| {});
    let certificate = solver
        .certificate(position, &solution, depth, &stop)
        .unwrap();
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    bytes
}

/// Whether the side to move wins; `None` if the certificate is refused.
fn proven(data: &[u8]) -> Option<bool> {
    let proven = check(data, 1, &mut |_, _| true).ok()?;
    Some(proven.side_to_move_wins)
}

#[test]
fn certificates_of_small_boards_hold() {
    for (files, ranks, side_to_move_wins) in [
        (3, 4, false),
        (4, 4, false),
        (8, 4, false),
        (3, 5, false),
        (4, 5, false),
        (3, 6, true),
    ] {
        let narrow = Position::<u64>::start(files, ranks).unwrap();
        let wide = Position::<u128>::start(files, ranks).unwrap();
        for depth in [3, 5] {
            for (data, view) in [
                (certificate(&narrow, depth, 1), "narrow"),
                (certificate(&narrow, depth, 2), "two threads"),
                (certificate(&wide, depth, 1), "wide"),
            ] {
                assert_eq!(
                    proven(&data),
                    Some(side_to_move_wins),
                    "{files}x{ranks} {depth} {view}"
                );
            }
        }
    }
}

#[test]
fn certificates_of_other_positions_hold() {
    for (fen, expected) in [
        // A race, a lost race, and a fight, from either side.
        ("4/1p2/4/4/2P1/4 w 0 1", true),
        ("1p1/3/P1p/P2/3 w 0 1", true),
        ("p3/4/4/4/P3 b 0 1", true),
        ("pppp/1ppp/p3/P2P/1PP1/PPPP b 0 1", false),
    ] {
        let position = Position::<u64>::from_fen(fen).unwrap();
        let found = proven(&certificate(&position, 3, 1));
        assert!(found.is_some(), "{fen}");
        // The other colour's view has the same result.
        let flipped = certificate(&position.flipped(), 3, 1);
        assert_eq!(proven(&flipped), found, "{fen} flipped");
        assert_eq!(found, Some(expected), "{fen}");
    }
}

#[test]
fn a_certificate_that_is_wrong_anywhere_is_refused() {
    let start = Position::<u64>::start(3, 5).unwrap();
    let good = certificate(&start, 1, 1);
    assert_eq!(proven(&good), Some(false));
    let body = good.windows(2).position(|pair| pair == b"\n\n").unwrap() + 2;
    let mut refused = 0;
    let mut tried = 0;
    for index in (body..good.len()).step_by(7) {
        let mut bad = good.clone();
        bad[index] ^= 1;
        tried += 1;
        refused += usize::from(proven(&bad).is_none());
    }
    // A changed move may also win; a changed position never goes unnoticed.
    assert!(refused * 10 >= tried * 8, "{refused} of {tried} refused");
    assert_eq!(proven(&good[..good.len() - 1]), None);
    let text = String::from_utf8_lossy(&good[..body]).replace("winner black", "winner white");
    let mut bad = text.into_bytes();
    bad.extend_from_slice(&good[body..]);
    assert_eq!(proven(&bad), None, "the wrong winner");
}

/// The certificates in `tests/data/certificates.tsv`: whether true, name, data.
/// The Python checker is tested on the same ones.
fn corpus() -> Vec<(bool, &'static str, Vec<u8>)> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    include_str!("../../../tests/data/certificates.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let header = fields[2].replace("\\n", "\n").replace("\\r", "\r");
            let mut data = header.into_bytes();
            data.extend(fields[3].as_bytes().chunks(2).map(byte));
            (fields[0] == "true", fields[1], data)
        })
        .collect()
}

#[test]
fn false_certificates_are_refused() {
    let corpus = corpus();
    assert!(corpus.len() > 100 && corpus.iter().any(|(holds, ..)| *holds));
    for (holds, name, data) in corpus {
        for threads in [1, 2] {
            let found = check(&data, threads, &mut |_, _| true);
            assert_eq!(found.is_ok(), holds, "{name}: {found:?}");
        }
    }
}

#[test]
fn a_checker_tells_what_it_has_proven() {
    let (_, _, data) = corpus().into_iter().find(|(holds, ..)| *holds).unwrap();
    let proven = check(&data, 1, &mut |_, _| true).unwrap();
    assert_eq!(proven.fen, "pp/pp/2/PP/PP w 0 1");
    assert_eq!((proven.board, proven.white_wins), ((2, 5), false));
    assert!(!proven.side_to_move_wins);
    assert_eq!(proven.depth, 1);
}

#[test]
fn a_finished_game_is_won_by_whom_the_rules_say() {
    for (fen, winner, holds) in [
        ("P3/4/4/4/3p w 0 1", "white", false),
        ("P3/4/4/p3/4 b 0 1", "white", true),
        ("P3/4/4/p3/4 b 0 1", "black", false),
        ("4/4/P3/4/3p w 0 1", "black", true),
        ("4/4/P3/4/3p w 0 1", "white", false),
        ("4/4/p3/4/4 w 0 1", "black", true),
        ("4/4/p3/4/4 b 0 1", "black", true),
        ("4/4/p3/4/4 w 0 1", "white", false),
    ] {
        let data = format!(
            "breakthrough certificate 1\nfen {fen}\nwinner {winner}\ndepth 1\nentries 0\n\n"
        );
        let found = check(data.as_bytes(), 1, &mut |_, _| true);
        assert_eq!(found.is_ok(), holds, "{fen} {winner}: {found:?}");
    }
}

#[test]
fn without_a_solution_there_is_no_certificate() {
    let start = Position::<u64>::start(6, 6).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 20).unwrap();
    let stop = || false;
    let limits = ProofLimits {
        nodes: Some(1000),
        ..ProofLimits::default()
    };
    let solution = solver.solve(&start, &limits, &stop, &mut |_| {});
    assert_eq!(solution.side_to_move_wins, None);
    assert_eq!(
        solver.certificate(&start, &solution, 5, &stop),
        Err(SolveError::NotSolved)
    );
}
