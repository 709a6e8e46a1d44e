//! Certificates: proofs written down for checkers that trust nothing but the
//! rules. The section "Certificates" of `protocol.md` describes the file.

use super::keys::Key;
use super::shared::{Node, Shared};
use crate::base::Side;
use crate::game::Notation as _;
use crate::game::breakthrough::{Bits, Geometry, Perspective, Position};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use unsigned_varint::encode;

/// How deep a checker may be asked to look: within how many plies the winner
/// must win in positions that a certificate leaves out. Odd.
pub const DEPTHS: RangeInclusive<u8> = 1..=9;

/// One winning move for every position that the winner can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    header: String,
    /// Positions and moves, in ascending order of position.
    entries: Vec<(u128, u16)>,
}

impl Certificate {
    pub(super) fn new<B: Bits>(
        position: &Position<B>,
        winner: Side,
        depth: u8,
        mut entries: Vec<(u128, u16)>,
    ) -> Self {
        entries.sort_unstable();
        let header = format!(
            "breakthrough certificate 1\nfen {}\nwinner {winner}\ndepth {depth}\nentries {}\n\n",
            position.fen(),
            entries.len()
        );
        Self { header, entries }
    }

    /// The number of positions.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the checker has to find everything itself.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Writes it, in the format that the section "Certificates" of
    /// `protocol.md` describes: a text header, then pairs of position and move,
    /// positions ascending, as numbers in LEB128.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(self.header.as_bytes())?;
        let mut last = 0;
        for &(position, step) in &self.entries {
            for number in [position - last, u128::from(step)] {
                output.write_all(encode::u128(number, &mut encode::u128_buffer()))?;
            }
            last = position;
        }
        Ok(())
    }
}

/// A move in the format's encoding, on the mirror image with the smaller key.
pub fn written<B: Bits, K: Key>(shared: &Shared<B, K>, node: &Node<B, K>, from: u8, to: u8) -> u16 {
    let is_mirrored = node.keys.own[1] < node.keys.own[0];
    move_code(shared.statics.geometry(), is_mirrored, from, to)
}

/// A step in the format's encoding; mirrored if the mirror image is written.
pub fn move_code<B: Bits>(geometry: &Geometry<B>, is_mirrored: bool, from: u8, to: u8) -> u16 {
    let files = u16::from(geometry.files());
    let (mut file, rank) = (
        u16::from(geometry.file(from)),
        u16::from(geometry.rank(from)),
    );
    let mut direction = u16::from(geometry.file(to)) + 1 - file;
    if is_mirrored {
        file = files - 1 - file;
        direction = 2 - direction;
    }
    3 * (rank * files + file) + direction
}

/// The step of a code, if it is legal for the side to move.
pub fn legal_step<B: Bits>(
    geometry: &Geometry<B>,
    view: Perspective<B>,
    is_mirrored: bool,
    code: u16,
) -> Option<(u8, u8)> {
    let (from, to) = coded_step(geometry, is_mirrored, code)?;
    let is_blocked = geometry.file(from) == geometry.file(to) && view.enemy.has(to);
    (view.own.has(from) && !view.own.has(to) && !is_blocked).then_some((from, to))
}

/// The inverse of [`move_code`]; `None` if it leads off the board.
pub fn coded_step<B: Bits>(
    geometry: &Geometry<B>,
    is_mirrored: bool,
    code: u16,
) -> Option<(u8, u8)> {
    let files = u16::from(geometry.files());
    let (square, mut direction) = (code / 3, code % 3);
    let (mut file, rank) = (square % files, square / files);
    if is_mirrored {
        file = files - 1 - file;
        direction = 2 - direction;
    }
    let target = (file + direction).checked_sub(1)?;
    if target >= files || rank + 1 >= u16::from(geometry.ranks()) {
        return None;
    }
    Some((
        geometry.square(file as u8, rank as u8),
        geometry.square(target as u8, rank as u8 + 1),
    ))
}
