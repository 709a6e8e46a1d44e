//! The short certificates that are built in: proofs of small boards, all of
//! them checked by `petard check`. `docs/solved.md` says how they were made.

/// Files and ranks, and the file.
const PROOFS: [((u8, u8), &[u8]); 0] = [];

/// The proof of a board's start position, if there is one.
#[must_use]
pub fn built_in_proof(board: (u8, u8)) -> Option<&'static [u8]> {
    let found = PROOFS.iter().find(|(of, _)| *of == board);
    found.map(|(_, data)| *data)
}
