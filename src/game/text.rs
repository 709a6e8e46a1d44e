//! What both games' notations share: squares, and the fields of a position's
//! text after its rows.

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

/// Splits a square off the front of the text: its file and rank counted from 0,
/// and what is left. Capital letters are accepted too.
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
    // Squares are written without leading zeros.
    (rank > 0 && !rest.starts_with('0')).then(|| (file, rank - 1, &rest[end..]))
}

/// The fields of a position's text after the rows.
pub(super) struct Fields {
    /// The side to move.
    pub(super) side: Side,
    /// The half-move clock as written.
    pub(super) clock: u16,
    /// Plies played since the start, according to the full-move number.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_as_they_are_written() {
        for file in 0..32 {
            for rank in [0, 8, 9, 63] {
                let name = format!("{}{}", file_name(file), rank + 1);
                let read = Some((usize::from(file), rank, "x1"));
                assert_eq!(split_square(&format!("{name}x1")), read);
                assert_eq!(split_square(&name.to_uppercase()).map(|it| it.2), Some(""));
            }
        }
        assert_eq!(file_name(25) + &file_name(26), "zaa");
        for name in ["", "a", "7", "a0", "a01", "ag1", "ba1", "aaa1", "-1"] {
            assert_eq!(split_square(name), None, "{name}");
        }
    }

    #[test]
    fn counters_are_read() {
        for (fields, clock, ply) in [
            (&["w"][..], 0, 0),
            (&["b", "7", "1"], 7, 1),
            (&["w", "-", "-", "2", "9"], 2, 16),
            (&["b", "0", "0"], 0, 1),
            (&["b", "65535", "65535"], 65535, 65535),
        ] {
            let read = parse_fields(fields).unwrap();
            assert_eq!((read.clock, read.ply), (clock, ply), "{fields:?}");
        }
    }
}
