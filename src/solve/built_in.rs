//! The built-in short certificates: proofs for small boards, all of them
//! checked by `petard check`. `docs/solved.md` says how they were made.

/// Files and ranks of the board, and its certificate.
const PROOFS: [((u8, u8), &[u8]); 33] = [
    ((2, 4), include_bytes!("certificates/2x4.proof")),
    ((2, 5), include_bytes!("certificates/2x5.proof")),
    ((2, 6), include_bytes!("certificates/2x6.proof")),
    ((2, 7), include_bytes!("certificates/2x7.proof")),
    ((2, 8), include_bytes!("certificates/2x8.proof")),
    ((2, 9), include_bytes!("certificates/2x9.proof")),
    ((2, 10), include_bytes!("certificates/2x10.proof")),
    ((2, 11), include_bytes!("certificates/2x11.proof")),
    ((2, 12), include_bytes!("certificates/2x12.proof")),
    ((2, 13), include_bytes!("certificates/2x13.proof")),
    ((2, 14), include_bytes!("certificates/2x14.proof")),
    ((2, 15), include_bytes!("certificates/2x15.proof")),
    ((2, 16), include_bytes!("certificates/2x16.proof")),
    ((3, 4), include_bytes!("certificates/3x4.proof")),
    ((3, 5), include_bytes!("certificates/3x5.proof")),
    ((3, 6), include_bytes!("certificates/3x6.proof")),
    ((3, 7), include_bytes!("certificates/3x7.proof")),
    ((3, 8), include_bytes!("certificates/3x8.proof")),
    ((3, 9), include_bytes!("certificates/3x9.proof")),
    ((4, 4), include_bytes!("certificates/4x4.proof")),
    ((4, 5), include_bytes!("certificates/4x5.proof")),
    ((4, 6), include_bytes!("certificates/4x6.proof")),
    ((4, 7), include_bytes!("certificates/4x7.proof")),
    ((5, 4), include_bytes!("certificates/5x4.proof")),
    ((5, 5), include_bytes!("certificates/5x5.proof")),
    ((6, 4), include_bytes!("certificates/6x4.proof")),
    ((6, 5), include_bytes!("certificates/6x5.proof")),
    ((7, 4), include_bytes!("certificates/7x4.proof")),
    ((7, 5), include_bytes!("certificates/7x5.proof")),
    ((8, 4), include_bytes!("certificates/8x4.proof")),
    ((8, 5), include_bytes!("certificates/8x5.proof")),
    ((9, 4), include_bytes!("certificates/9x4.proof")),
    ((10, 4), include_bytes!("certificates/10x4.proof")),
];

/// The proof of a board's start position, if there is one.
pub(crate) fn built_in_proof(board: (u8, u8)) -> Option<&'static [u8]> {
    let found = PROOFS.iter().find(|(of, _)| *of == board);
    found.map(|(_, data)| *data)
}
