//! The file of a certificate, read strictly: anything that does not follow the
//! description to the letter is refused; and why a certificate is not accepted.

use super::board::{CheckerBoard, MAX_SQUARES, Pieces};
use std::collections::TryReserveError;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// It proves nothing.
    #[error("{0}")]
    Refused(String),
    /// Memory or threads are short; whether it proves anything is not known.
    #[error("{0}")]
    Machine(String),
    /// The caller has ended the check.
    #[error("the check was ended")]
    Ended,
}

impl From<TryReserveError> for CheckError {
    fn from(_: TryReserveError) -> Self {
        Self::Machine("not enough memory for the certificate".to_owned())
    }
}

impl From<String> for CheckError {
    fn from(reason: String) -> Self {
        Self::Refused(reason)
    }
}

/// What a file says.
pub(crate) struct ParsedCertificate {
    pub(crate) board: CheckerBoard,
    /// The position to prove, as written in the file.
    pub(crate) fen: String,
    pub(crate) pieces: Pieces,
    pub(crate) winner_is_white: bool,
    /// Whether the winner is to move in it.
    pub(crate) winner_moves: bool,
    pub(crate) depth: u32,
    /// The most nodes that a prover needs for what is left out; `None` in a
    /// whole certificate, which leaves nothing out.
    pub(crate) leaf_nodes: Option<u64>,
    pub(crate) positions: Vec<u128>,
    pub(crate) moves: Vec<u16>,
}

/// The most plies that a checker may be asked to look ahead.
const MAX_DEPTH: usize = 9;

/// The first line of a whole certificate, and of a short one.
const WHOLE_TITLE: &str = "breakthrough certificate 1";
pub(crate) const SHORT_TITLE: &str = "breakthrough certificate 2";

/// The largest number of nodes that a file may state for a leaf.
const MAX_NODES: usize = 1_000_000_000;

/// Parses a certificate; checks its form, not its truth.
pub(super) fn parse(data: &[u8]) -> Result<ParsedCertificate, CheckError> {
    if data.starts_with(SHORT_TITLE.as_bytes()) {
        return parse_short(data);
    }
    let (lines, body) = header(data)?;
    let [title, fen, winner, depth, entries] = lines[..] else {
        return Err(format!("the header has {} lines, not 5", lines.len()).into());
    };
    if title != WHOLE_TITLE {
        return Err("it is not a certificate of version 1 or 2"
            .to_owned()
            .into());
    }
    certificate([fen, winner, depth, entries], None, body)
}

/// A short one: it has one more line, and a checksum at the end.
fn parse_short(data: &[u8]) -> Result<ParsedCertificate, CheckError> {
    let (whole, sum) = data.split_at(data.len().saturating_sub(4));
    if crc32fast::hash(whole).to_le_bytes() != sum {
        return Err("its checksum is wrong: it is damaged or truncated"
            .to_owned()
            .into());
    }
    let (lines, body) = header(whole)?;
    let [title, fen, winner, depth, nodes, entries] = lines[..] else {
        return Err(format!("the header has {} lines, not 6", lines.len()).into());
    };
    if title != SHORT_TITLE {
        return Err("it is not a certificate of version 1 or 2"
            .to_owned()
            .into());
    }
    let nodes = whole_number(value(nodes, "leaf-nodes")?)?;
    if !(1..=MAX_NODES).contains(&nodes) {
        return Err(format!("leaf-nodes {nodes} is not from 1 to {MAX_NODES}").into());
    }
    certificate([fen, winner, depth, entries], Some(nodes as u64), body)
}

/// The lines of the header, and what follows them.
fn header(data: &[u8]) -> Result<(Vec<&str>, &[u8]), String> {
    let end = data.windows(2).position(|pair| pair == b"\n\n");
    let end = end.ok_or("there is no empty line after the header")?;
    let head = std::str::from_utf8(&data[..end]).map_err(|_| "the header is not text")?;
    Ok((head.split('\n').collect(), &data[end + 2..]))
}

/// The part that all versions share.
fn certificate(
    [fen, winner, depth, entries]: [&str; 4],
    leaf_nodes: Option<u64>,
    body: &[u8],
) -> Result<ParsedCertificate, CheckError> {
    let fen = value(fen, "fen")?;
    let winner_is_white = match value(winner, "winner")? {
        "white" => true,
        "black" => false,
        other => return Err(format!("winner '{other}' is neither white nor black").into()),
    };
    let depth = whole_number(value(depth, "depth")?)?;
    if depth % 2 == 0 || depth > MAX_DEPTH {
        return Err(format!("depth {depth} is not an odd number from 1 to {MAX_DEPTH}").into());
    }
    let count = whole_number(value(entries, "entries")?)?;
    let (board, pieces, white_moves) = position(fen, winner_is_white)?;
    let (positions, moves) = entries_of(body, count)?;
    Ok(ParsedCertificate {
        board,
        fen: fen.to_owned(),
        pieces,
        winner_is_white,
        winner_moves: winner_is_white == white_moves,
        depth: depth as u32,
        leaf_nodes,
        positions,
        moves,
    })
}

/// What follows the name in a line of the header.
fn value<'a>(line: &'a str, name: &str) -> Result<&'a str, String> {
    line.strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(' '))
        .ok_or_else(|| format!("expected '{name} ...', found '{line}'"))
}

/// A number in canonical form, of at most 19 digits.
fn whole_number(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok();
    number
        .filter(|number| number.to_string() == text && text.len() < 20)
        .ok_or_else(|| format!("'{text}' is not a whole number"))
}

/// The board, its pieces from the winner's side, and whether White is to move.
fn position(fen: &str, winner_is_white: bool) -> Result<(CheckerBoard, Pieces, bool), String> {
    let error = |what: &str| format!("'{fen}' is not a position: {what}");
    let fields: Vec<&str> = fen.split(' ').collect();
    let [rows, side, halfmoves, move_number] = fields[..] else {
        return Err(error("it does not have four fields"));
    };
    let white_moves = match side {
        "w" => true,
        "b" => false,
        _ => return Err(error("the side to move is neither w nor b")),
    };
    if whole_number(halfmoves).is_err() || whole_number(move_number).is_err() {
        return Err(error("a counter is not a number"));
    }
    let rows = rows.split('/').map(row).collect::<Option<Vec<_>>>();
    let mut rows = rows.ok_or_else(|| error("a row is malformed"))?;
    let (files, ranks) = (rows[0].len(), rows.len());
    if rows.iter().any(|row| row.len() != files) {
        return Err(error("its rows differ in length"));
    }
    if files == 0 || ranks < 2 || files * ranks > MAX_SQUARES as usize {
        return Err(error("its board is too small or too large"));
    }
    // From the winner's side: rank 1 first for White, the top rank for Black.
    if winner_is_white {
        rows.reverse();
    }
    let set = |piece: u8| {
        let squares = rows.iter().flatten().enumerate();
        squares
            .filter(|&(_, &found)| found == piece)
            .fold(0u128, |set, (square, _)| set | 1 << square)
    };
    let (white, black) = (set(b'P'), set(b'p'));
    let pieces = if winner_is_white {
        (white, black)
    } else {
        (black, white)
    };
    Ok((
        CheckerBoard::new(files as u32, ranks as u32),
        pieces,
        white_moves,
    ))
}

/// The squares of a row; `None` if it is malformed.
fn row(text: &str) -> Option<Vec<u8>> {
    let mut squares = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let run = whole_number(&rest[..digits]).ok()?;
            if !(1..=MAX_SQUARES as usize).contains(&run) {
                return None;
            }
            squares.extend(std::iter::repeat_n(b'.', run));
            rest = &rest[digits..];
        } else if first == b'P' || first == b'p' {
            squares.push(first);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(squares)
}

/// The positions and moves that follow the header.
fn entries_of(body: &[u8], count: usize) -> Result<(Vec<u128>, Vec<u16>), CheckError> {
    // An entry takes at least two bytes, so there cannot be more.
    if count > body.len() / 2 || count >= u32::MAX as usize {
        return Err(format!("{count} entries do not fit in the file").into());
    }
    let mut bytes = body.iter();
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    positions.try_reserve_exact(count)?;
    moves.try_reserve_exact(count)?;
    let mut last = 0u128;
    for index in 0..count {
        let error = |what: &str| format!("entry {index}: {what}");
        let step = number(&mut bytes).ok_or_else(|| error("its position is not a number"))?;
        if step == 0 {
            return Err(error("positions are not in ascending order").into());
        }
        last = last
            .checked_add(step)
            .ok_or_else(|| error("its position is too large"))?;
        let code = number(&mut bytes).and_then(|code| u16::try_from(code).ok());
        positions.push(last);
        moves.push(code.ok_or_else(|| error("its move is not a number"))?);
    }
    match bytes.len() {
        0 => Ok((positions, moves)),
        1 => Err("1 byte follows the last entry".to_owned().into()),
        more => Err(format!("{more} bytes follow the last entry").into()),
    }
}

/// A number in LEB128, in its shortest form.
fn number<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<u128> {
    let mut number = 0u128;
    for shift in (0..).step_by(7) {
        let byte = *bytes.next()?;
        let digits = u128::from(byte & 0x7f);
        if shift > 126 || (digits << shift) >> shift != digits {
            return None;
        }
        number |= digits << shift;
        if byte < 0x80 {
            return (byte > 0 || shift == 0).then_some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_up_to_the_largest_and_no_further() {
        let read = |bytes: &[u8]| number(&mut bytes.iter());
        let mut largest = [0xff; 19];
        largest[18] = 3;
        for (bytes, expected) in [
            (&[0][..], Some(0)),
            (&[0x7f], Some(127)),
            (&[0x80, 1], Some(128)),
            (&largest, Some(u128::MAX)),
            // Truncated, with a zero too many, and with too many bits.
            (&[0x80], None),
            (&[0x80, 0], None),
            (&[&largest[..18], &[4]].concat(), None),
            (&[&largest[..18], &[0x83, 1]].concat(), None),
            (&[0xff; 40], None),
        ] {
            assert_eq!(read(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn no_room_is_made_for_more_entries_than_there_are_bytes_for() {
        let error = |count, body: &[u8]| entries_of(body, count).unwrap_err().to_string();
        assert_eq!(error(2, &[1, 0, 1]), "2 entries do not fit in the file");
        assert_eq!(
            error(1, &[0, 0]),
            "entry 0: positions are not in ascending order"
        );
        assert_eq!(error(1, &[1, 0, 1]), "1 byte follows the last entry");
        assert_eq!(error(1, &[1, 0x80]), "entry 0: its move is not a number");
        assert_eq!(
            error(1, &[0x80, 0x80]),
            "entry 0: its position is not a number"
        );
        let two = entries_of(&[5, 7, 3, 0], 2);
        assert_eq!(two, Ok((vec![5, 8], vec![7, 0])));
    }
}
