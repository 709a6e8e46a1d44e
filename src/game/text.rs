//! What the texts of both games have in common: squares, and the fields of a
//! position's text after its rows.

use super::FenError;
use crate::base::Side;

/// The name of a file counted from 0: a to z, then aa, ab ...
pub(super) fn file_name(file: u8) -> String {
    let letter = |n: u8| char::from(b'a' + n);
    if file < 26 {
        letter(file).to_string()
    } else {
        format!("a{}", letter(file - 26))
    }
}

/// Splits a square off the front of the text: its file and rank counted from
/// 0, and what is left. Capital letters are taken too.
pub(super) fn split_square(text: &str) -> Option<(usize, usize, &str)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, rest) = text.split_at(digits);
    let file = match letters.to_ascii_lowercase().as_bytes() {
        [letter @ b'a'..=b'z'] => usize::from(letter - b'a'),
        [b'a', letter @ b'a'..=b'f'] => 26 + usize::from(letter - b'a'),
        _ => return None,
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let rank: usize = rest[..end].parse().ok()?;
    // Leading zeros are not how squares are written.
    (rank > 0 && !rest.starts_with('0')).then(|| (file, rank - 1, &rest[end..]))
}

/// The fields of a position's text after the rows.
pub(super) struct Fields {
    /// The side to move.
    pub(super) side: Side,
    /// The half-move clock as written.
    pub(super) clock: u16,
    /// Plies played since the start, by the full-move number.
    pub(super) ply: u16,
}

/// Reads the fields after the rows: the side alone, `w 0 1` or `w - - 0 1`.
pub(super) fn parse_fields(fields: &[&str]) -> Result<Fields, FenError> {
    let (&side, counters) = fields.split_first().ok_or(FenError::NoSide)?;
    let side = match side {
        "w" | "W" => Side::White,
        "b" | "B" => Side::Black,
        _ => return Err(FenError::Side(side.to_owned())),
    };
    let counters = match counters {
        [] => &["0", "1"],
        [_, _] => counters,
        [castling, en_passant, rest @ ..] if rest.len() == 2 => {
            for field in [castling, en_passant] {
                if *field != "-" {
                    return Err(FenError::Unused((*field).to_owned()));
                }
            }
            rest
        }
        _ => return Err(FenError::Fields(fields.len() + 1)),
    };
    let mut numbers = [0u16; 2];
    for (number, text) in numbers.iter_mut().zip(counters) {
        *number = text
            .parse()
            .map_err(|_| FenError::Counter((*text).to_owned()))?;
    }
    let full_moves = numbers[1].max(1) - 1;
    Ok(Fields {
        side,
        clock: numbers[0],
        ply: full_moves
            .saturating_mul(2)
            .saturating_add(u16::from(side == Side::Black)),
    })
}
