//! Short certificates, with their checksum repaired: the checker's reader, the
//! engine's, and the book that the engine plays by, which is trusted but must
//! not make it play illegal moves.

use super::Target;
use crate::checker::Short;
use crate::game::breakthrough::Position;
use crate::game::{Game as _, MoveList, Notation as _, Outcome};
use crate::solve::{FileError, ProofBook, ShortCertificate, built_in_proof};

pub const TARGET: Target = Target {
    name: "proof",
    run,
    seeds,
    words: "breakthrough certificate 2\n|fen |winner white\n|winner black\n|depth 1\n|depth 3\n|\
        leaf-nodes 1\n|leaf-nodes 1000\n|leaf-nodes 18446744073709551615\n|entries 0\n|\
        entries 1\n|entries 18446744073709551615\n|\n\n|pp/pp/2/PP/PP w 0 1|128/|64/64|\
        \u{80}\u{80}|\u{ff}",
};

/// Bytes in the checksum.
const SUM: usize = 4;
/// Plies played by the book.
const PLIES: usize = 40;

/// The certificates of the smallest boards, without their checksums.
fn seeds() -> Vec<Vec<u8>> {
    let boards = [
        (2, 4),
        (2, 7),
        (2, 8),
        (2, 9),
        (2, 10),
        (3, 4),
        (3, 6),
        (4, 5),
        (8, 4),
    ];
    boards
        .into_iter()
        .map(|board| {
            let data = built_in_proof(board).expect("it is built in");
            data[..data.len() - SUM].to_vec()
        })
        .collect()
}

fn run(data: &[u8]) {
    let mut whole = data.to_vec();
    whole.extend_from_slice(&crc32fast::hash(data).to_le_bytes());
    for data in [data, &whole] {
        let file = ShortCertificate::from_bytes(data);
        let book = ProofBook::new(data);
        if let Ok(file) = &file {
            assert_eq!(
                ShortCertificate::from_bytes(&file.to_bytes()),
                Ok(file.clone())
            );
            check(data, file, &book);
        } else {
            assert!(book.is_err());
            assert!(Short::new(data, 1, &mut |_, _| true).is_err());
        }
        if let (Ok(file), Ok(book)) = (file, book) {
            play(&file, &book, data.len());
        }
    }
}

/// The engine accepts what the checker does, except on boards it does not have.
fn check(data: &[u8], file: &ShortCertificate, book: &Result<ProofBook, FileError>) {
    // Anything deeper may take very long on a large board, which is not a fault.
    if file.depth > 3 {
        return;
    }
    let Ok(short) = Short::new(data, 1, &mut |_, _| true) else {
        return;
    };
    match book {
        Ok(_) => {
            for index in 0..short.leaves().min(20) {
                let leaf = Position::<u128>::from_fen(&short.leaf(index)).expect("a position");
                assert_eq!(leaf.outcome(), Outcome::Ongoing);
            }
        }
        Err(FileError::Position(_) | FileError::Other(_)) => {}
        Err(error) => panic!("only the checker takes it: {error}"),
    }
}

/// Plays by the book, against replies chosen by the data.
fn play(file: &ShortCertificate, book: &ProofBook, mut choice: usize) {
    let mut position = Position::<u128>::from_fen(&file.fen).expect("the book has read it");
    for ply in 0..PLIES {
        if position.outcome() != Outcome::Ongoing {
            return;
        }
        let mut known = book.lookup(&position, &|| false);
        if known.is_none() && ply % 8 == 0 {
            let (proven, nodes) = book.prove(&position, Some(200), &|| false).expect("memory");
            assert!(nodes <= 201, "{nodes} nodes: {}", position.fen());
            known = proven;
        }
        if let Some(known) = known {
            assert!(position.is_legal(known.best), "{}", position.fen());
        }
        let mut moves = MoveList::new();
        position.moves(&mut moves);
        choice = choice
            .wrapping_mul(31)
            .wrapping_add(file.entries.len() + ply);
        let reply = moves[choice % moves.len()];
        let by_book = known.filter(|known| known.wins).map(|known| known.best);
        position = position.play(by_book.unwrap_or(reply));
    }
}
