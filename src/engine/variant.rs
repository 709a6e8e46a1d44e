//! The games and boards that can be asked for, by name and by size.

use crate::game::FenError;
use crate::game::breakthrough::parse_board_size;

/// A game and, where it has several, a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Breakthrough on a board of this many files and ranks.
    Breakthrough {
        /// Files.
        files: usize,
        /// Ranks.
        ranks: usize,
    },
    /// Freeling's game of the same name.
    Freeling,
}

/// The variants that have a name, as `UCI_Variant` and the command line know
/// them. Kept short, because some programs read the list into a small buffer.
pub(crate) const VARIANTS: [(&str, Variant); 5] = [
    ("breakthrough", Variant::STANDARD),
    (
        "breakthrough5",
        Variant::Breakthrough { files: 5, ranks: 5 },
    ),
    (
        "breakthrough6",
        Variant::Breakthrough { files: 6, ranks: 6 },
    ),
    (
        "breakthrough7",
        Variant::Breakthrough { files: 7, ranks: 7 },
    ),
    ("freeling", Variant::Freeling),
];

impl Variant {
    /// The standard game.
    pub const STANDARD: Self = Self::Breakthrough { files: 8, ranks: 8 };

    /// The variant of this name, in upper or lower case.
    pub fn by_name(name: &str) -> Option<Self> {
        VARIANTS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|&(_, variant)| variant)
    }

    /// Its name, or that of its game if its board has none.
    pub fn name(self) -> &'static str {
        let named = VARIANTS.iter().find(|&&(_, variant)| variant == self);
        named.map_or(VARIANTS[0].0, |&(name, _)| name)
    }
}

/// Reads a board size such as `8x8`.
///
/// # Errors
/// If it is not of that form or cannot be played on.
pub fn parse_board(text: &str) -> Result<Variant, FenError> {
    let (files, ranks) = parse_board_size(text)?;
    Ok(Variant::Breakthrough { files, ranks })
}
