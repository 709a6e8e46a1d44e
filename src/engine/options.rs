//! Options as heads see them: what they are called and what values they take.
//! The options themselves are in [`super::option_table`].

use super::error::EngineError;
use crate::game::FenError;
use thiserror::Error;

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Check {
        /// The default value.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default value.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The default value.
        default: &'static str,
        /// All of them.
        values: Vec<&'static str>,
    },
    /// Any text.
    Text {
        /// The default value.
        default: &'static str,
    },
    /// None: it is pressed.
    Button,
}

/// An option as a head shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name, accepted in upper or lower case.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// What it is set to, as text; empty for a button.
    pub value: String,
    /// Whether it can be set only while the engine is idle.
    pub needs_idle: bool,
    /// Whether it names a file on the engine's machine: a head that strangers
    /// can reach should withhold it.
    pub touches_files: bool,
    /// What it does, in a few words.
    pub help: &'static str,
}

/// What setting an option has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// A setting.
    Setting,
    /// The game or board; the position is now its start position.
    Variant,
}

/// Why an option was not set. Nothing has changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is none of that name.
    #[error("unknown option '{0}'")]
    Unknown(String),
    /// The value is missing.
    #[error("{0} needs a value")]
    NoValue(&'static str),
    /// Neither true nor false.
    #[error("{name} takes true or false, not '{value}'")]
    Switch {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
    },
    /// Not a number in range.
    #[error("{name} takes a number from {min} to {max}, not '{value}'")]
    Number {
        /// The option.
        name: &'static str,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// What was given.
        value: String,
    },
    /// Not one of its words.
    #[error("unknown {name} '{value}'; choose from {}", .values.join(", "))]
    Word {
        /// The option.
        name: &'static str,
        /// All its words.
        values: Vec<&'static str>,
        /// What was given.
        value: String,
    },
    /// Not the size of a board that can be played on.
    #[error("Board takes files x ranks such as 8x8: {0}")]
    Board(FenError),
    /// A network cannot be read.
    #[error("EvalFile '{path}' refused: {fault}")]
    Network {
        /// Its file.
        path: String,
        /// Why.
        fault: String,
    },
    /// A proof cannot be read.
    #[error("ProofFile '{path}' refused: {fault}")]
    Proof {
        /// Its file.
        path: String,
        /// Why.
        fault: String,
    },
    /// There is no new hash table.
    #[error("{fault}; it stays at {megabytes} MB")]
    Hash {
        /// Why.
        fault: EngineError,
        /// The size of the table that stays.
        megabytes: usize,
    },
    /// The engine refuses it.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Reading a value.
impl OptionSpec {
    pub(super) fn switch(&self, value: &str) -> Result<bool, OptionError> {
        match value.to_ascii_lowercase().as_str() {
            "true" | "on" => Ok(true),
            "false" | "off" => Ok(false),
            _ => Err(OptionError::Switch {
                name: self.name,
                value: value.to_owned(),
            }),
        }
    }

    pub(super) fn number(&self, value: &str) -> Result<i64, OptionError> {
        let (min, max) = match self.kind {
            Kind::Spin { min, max, .. } => (min, max),
            _ => (i64::MIN, i64::MAX),
        };
        let number = value.parse().ok();
        number
            .filter(|number| (min..=max).contains(number))
            .ok_or_else(|| OptionError::Number {
                name: self.name,
                min,
                max,
                value: value.to_owned(),
            })
    }

    /// A combo's word as the table spells it; other text as it is.
    pub(super) fn word<'a>(&self, value: &'a str) -> Result<&'a str, OptionError> {
        let Kind::Combo { values, .. } = &self.kind else {
            return Ok(value);
        };
        let known = values.iter().find(|word| word.eq_ignore_ascii_case(value));
        known.copied().ok_or_else(|| OptionError::Word {
            name: self.name,
            values: values.clone(),
            value: value.to_owned(),
        })
    }
}
