//! The options: one row each, which says all that there is to say about it. Every
//! front end reads them.

use super::board::{VARIANTS, Variant, parse_board};
use super::board_files::{BUILT_IN, NONE};
use super::error::EngineError;
use super::settings::{EvalFile, Settings, opening_book_from_disk};
use super::{ELO_RANGE, Engine};
use crate::base::{MAX_MOVES, Score};
use crate::eval::{EvalSource, Tuning};
use crate::game::FenError;
use crate::search::PARAMETERS;
use std::time::Duration;
use thiserror::Error;

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
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

/// An option as a front end shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name, accepted in upper or lower case.
    pub name: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// What it is set to, as text; empty for a button.
    pub value: String,
    /// Whether it can be set only while the engine is idle.
    pub needs_idle: bool,
    /// Whether setting it begins a game, on the board that it chooses.
    pub sets_board: bool,
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
    /// The engine's host does not allow it.
    #[error("{0} is not available here")]
    NotAvailable(&'static str),
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
    /// A file that an option names cannot be used.
    #[error("{name} '{path}' refused: {reason}")]
    File {
        /// The option.
        name: &'static str,
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// There is no new hash table.
    #[error("{error}; it stays at {megabytes} MB")]
    Hash {
        /// Why.
        error: EngineError,
        /// The size of the table that stays.
        megabytes: usize,
    },
    /// The engine refuses it.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl OptionSpec {
    fn switch(&self, value: &str) -> Result<bool, OptionError> {
        match value.to_ascii_lowercase().as_str() {
            "true" | "on" => Ok(true),
            "false" | "off" => Ok(false),
            _ => Err(OptionError::Switch {
                name: self.name,
                value: value.to_owned(),
            }),
        }
    }

    fn number(&self, value: &str) -> Result<i64, OptionError> {
        let OptionKind::Spin { min, max, .. } = self.kind else {
            return Err(OptionError::NoValue(self.name));
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
    fn word<'a>(&self, value: &'a str) -> Result<&'a str, OptionError> {
        let OptionKind::Combo { values, .. } = &self.kind else {
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

/// The most search threads.
const MAX_THREADS: usize = 512;
/// The most best lines.
const MAX_LINES: i64 = MAX_MOVES as i64;
/// The most time kept back from a deadline, in milliseconds.
const MAX_OVERHEAD: i64 = 10_000;

/// The most that a move of the opening book may give up, in centipawns.
const MAX_VARIETY: i64 = 1000;

/// The values of `Evaluation`.
const NETWORK: &str = "network";
const ARTICLE: &str = "article";

/// What setting an option does.
enum Setter {
    Check(fn(&mut Settings, bool)),
    Spin(fn(&mut Settings, i64)),
    /// A number of something that may be refused.
    Amount(fn(&mut Engine, usize) -> Result<(), OptionError>),
    /// One of the option's words, or any text.
    Text(fn(&mut Engine, &'static str, &str) -> Result<(), OptionError>),
    /// The game and board that the text names.
    Board(fn(&str) -> Result<Variant, OptionError>),
    Button(fn(&mut Engine) -> Result<(), EngineError>),
    /// A search parameter of the option's name.
    Param,
}

/// A row of the table.
struct OptionRow {
    spec: OptionSpec,
    set: Setter,
    is_available: bool,
}

impl OptionRow {
    fn new(
        name: &'static str,
        kind: OptionKind,
        value: impl ToString,
        set: Setter,
        help: &'static str,
    ) -> Self {
        let sets_board = matches!(set, Setter::Board(_));
        Self {
            spec: OptionSpec {
                name,
                kind,
                value: value.to_string(),
                needs_idle: false,
                sets_board,
                help,
            },
            set,
            is_available: true,
        }
    }

    const fn when_idle(mut self) -> Self {
        self.spec.needs_idle = true;
        self
    }

    const fn available_if(mut self, is_available: bool) -> Self {
        self.is_available = is_available;
        self
    }
}

/// All options, in the order in which they are shown. A default is what the
/// [`Settings`] are by default.
fn table(engine: &Engine) -> Vec<OptionRow> {
    let (now, default) = (engine.settings(), Settings::default());
    let check = |name, get: fn(&Settings) -> bool, set, help| {
        let default = get(&default);
        let kind = OptionKind::Check { default };
        OptionRow::new(name, kind, get(now), Setter::Check(set), help)
    };
    let spin = |name, (min, max), get: fn(&Settings) -> i64, set, help| {
        let default = get(&default).clamp(min, max);
        OptionRow::new(
            name,
            OptionKind::Spin { default, min, max },
            get(now),
            set,
            help,
        )
    };
    let text = |name, default, value: String, set, help| {
        OptionRow::new(name, OptionKind::Text { default }, value, set, help)
    };
    let combo = |name, values, get: fn(&Settings) -> &'static str, set, help| {
        let default = get(&default);
        OptionRow::new(
            name,
            OptionKind::Combo { default, values },
            get(now),
            set,
            help,
        )
    };
    let max_hash = now.max_hash.unwrap_or(usize::MAX).min(engine.max_hash);
    let max_threads = now.max_threads.unwrap_or(usize::MAX).min(MAX_THREADS);
    let eval_file = engine.eval_file.as_ref().map(|file| file.path.as_str());
    let rows = [
        spin(
            "Hash",
            (1, max_hash.max(1) as i64),
            |settings| settings.hash as i64,
            Setter::Amount(set_hash),
            "size of the hash table in megabytes",
        )
        .when_idle(),
        OptionRow::new(
            "Clear Hash",
            OptionKind::Button,
            "",
            Setter::Button(Engine::new_game),
            "forget what earlier searches have learned",
        )
        .when_idle(),
        spin(
            "Threads",
            (1, max_threads.max(1) as i64),
            |settings| settings.threads as i64,
            Setter::Amount(|engine, threads| Ok(engine.set_threads(threads)?)),
            "search threads",
        )
        .when_idle(),
        spin(
            "MultiPV",
            (1, MAX_LINES),
            |settings| settings.multi_pv as i64,
            Setter::Spin(|settings, lines| settings.multi_pv = lines as usize),
            "how many best lines to show",
        ),
        // A search's limits already say all that this one and UCI_AnalyseMode could.
        check(
            "Ponder",
            |_| false,
            |_, _| {},
            "the GUI may ponder; changes nothing",
        ),
        spin(
            "Move Overhead",
            (0, MAX_OVERHEAD),
            |settings| settings.overhead.as_millis() as i64,
            Setter::Spin(|settings, time| settings.overhead = Duration::from_millis(time as u64)),
            "milliseconds kept back from every deadline",
        ),
        combo(
            "UCI_Variant",
            VARIANTS.map(|(name, _)| name).to_vec(),
            |settings| settings.variant.name(),
            // The name is one of these.
            Setter::Board(|name| Ok(Variant::by_name(name).unwrap_or(Variant::STANDARD))),
            "the game, and its board",
        ),
        text(
            "Board",
            "8x8",
            match now.variant {
                Variant::Breakthrough { files, ranks } => format!("{files}x{ranks}"),
                Variant::Freeling => String::new(),
            },
            Setter::Board(|size| parse_board(size).map_err(OptionError::Board)),
            "files x ranks of any board",
        ),
        check("UCI_AnalyseMode", |_| false, |_, _| {}, "changes nothing"),
        check(
            "UCI_ShowWDL",
            |settings| settings.show_chances,
            |settings, on| settings.show_chances = on,
            "show win, draw and loss chances next to scores",
        ),
        check(
            "UCI_LimitStrength",
            |settings| settings.limit_strength,
            |settings, on| settings.limit_strength = on,
            "play at about UCI_Elo",
        ),
        spin(
            "UCI_Elo",
            (ELO_RANGE.0.into(), ELO_RANGE.1.into()),
            |settings| settings.elo.into(),
            Setter::Spin(|settings, elo| settings.elo = elo as i32),
            "the rating to play at with UCI_LimitStrength",
        ),
        text(
            "EvalFile",
            BUILT_IN,
            eval_file.unwrap_or(BUILT_IN).to_owned(),
            Setter::Text(set_eval_file),
            "network file to use instead of the built-in one",
        )
        .when_idle()
        .available_if(now.has_files),
        combo(
            "Evaluation",
            vec![NETWORK, ARTICLE],
            |settings| {
                if settings.uses_network {
                    NETWORK
                } else {
                    ARTICLE
                }
            },
            Setter::Text(|engine, _, kind| {
                set_evaluation(engine, engine.eval_file.clone(), kind == NETWORK)
            }),
            "networks, or in Breakthrough the 2009 article's",
        )
        .when_idle(),
        text(
            "ProofFile",
            BUILT_IN,
            engine.proofs.value(),
            Setter::Text(set_proof_file),
            "a short certificate to play by, one per board",
        )
        .available_if(now.has_files || now.read_proof.is_some()),
        check(
            "OwnBook",
            |settings| settings.own_book,
            |settings, on| settings.own_book = on,
            "play by an opening book",
        ),
        text(
            "BookFile",
            BUILT_IN,
            engine.opening_books.value(),
            Setter::Text(set_book_file),
            "an opening book to play by, one per board",
        )
        .available_if(now.has_files),
        spin(
            "BookVariety",
            (0, MAX_VARIETY),
            |settings| settings.book_variety.into(),
            Setter::Spin(|settings, variety| settings.book_variety = variety as Score),
            "centipawns that a move of the book may give up",
        ),
    ];
    rows.into_iter().chain(tuning(engine)).collect()
}

/// The search parameters, in builds made for tuning them.
fn tuning(engine: &Engine) -> impl Iterator<Item = OptionRow> {
    let rows = PARAMETERS.iter().filter(|_| cfg!(feature = "tune"));
    rows.map(|param| {
        let [default, min, max] = [param.default, param.min, param.max].map(i64::from);
        let help = match param.tuning {
            Some(Tuning::Small) => "the same on boards of at most six ranks",
            Some(Tuning::Wide) => "the same in Freeling's game and without a network",
            _ => "a search parameter",
        };
        let kind = OptionKind::Spin { default, min, max };
        let value = engine.params.value(param);
        OptionRow::new(param.name, kind, value, Setter::Param, help)
    })
}

impl Engine {
    /// The options, in the order in which they are to be shown.
    #[must_use]
    pub fn options(&self) -> Vec<OptionSpec> {
        let rows = table(self).into_iter().filter(|row| row.is_available);
        rows.map(|row| row.spec).collect()
    }

    /// Sets an option from its text. A text that is missing is empty.
    ///
    /// # Errors
    /// If there is none of that name, the value is invalid, what it asks for
    /// is refused, or it needs an idle engine and this one is at work. Nothing
    /// has changed then.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Changed, OptionError> {
        let name = name.trim();
        let row = table(self)
            .into_iter()
            .find(|row| row.spec.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        let spec = row.spec;
        if !row.is_available {
            return Err(OptionError::NotAvailable(spec.name));
        }
        if spec.needs_idle && self.is_busy() {
            return Err(EngineError::Busy.into());
        }
        let value = match (value, &spec.kind) {
            (Some(value), _) => value.trim(),
            (None, OptionKind::Text { .. } | OptionKind::Button) => "",
            (None, _) => return Err(OptionError::NoValue(spec.name)),
        };
        match row.set {
            Setter::Check(set) => set(&mut self.settings, spec.switch(value)?),
            Setter::Spin(set) => set(&mut self.settings, spec.number(value)?),
            Setter::Amount(set) => set(self, spec.number(value)? as usize)?,
            Setter::Text(set) => set(self, spec.name, spec.word(value)?)?,
            Setter::Button(press) => press(self)?,
            Setter::Param => {
                let value = spec.number(value)?;
                self.set_param(spec.name, value as i32);
            }
            Setter::Board(read) => {
                let variant = read(spec.word(value)?)?;
                self.set_variant(variant).map_err(OptionError::Board)?;
                return Ok(Changed::Variant);
            }
        }
        Ok(Changed::Setting)
    }
}

fn set_hash(engine: &mut Engine, megabytes: usize) -> Result<(), OptionError> {
    engine
        .set_hash(megabytes)
        .map_err(|error| OptionError::Hash {
            error,
            megabytes: engine.settings.hash,
        })
}

fn set_proof_file(engine: &mut Engine, name: &'static str, path: &str) -> Result<(), OptionError> {
    let read = engine.settings.proof_reader();
    let set = engine.proofs.set(path, read);
    set.map_err(|reason| OptionError::File {
        name,
        path: path.to_owned(),
        reason,
    })
}

fn set_book_file(engine: &mut Engine, name: &'static str, path: &str) -> Result<(), OptionError> {
    let set = engine.opening_books.set(path, opening_book_from_disk);
    set.map_err(|reason| OptionError::File {
        name,
        path: path.to_owned(),
        reason,
    })
}

/// Uses the networks of a file, or only the built-in ones.
fn set_eval_file(engine: &mut Engine, name: &'static str, path: &str) -> Result<(), OptionError> {
    let is_built_in = |path: &str| {
        let names = ["", NONE, BUILT_IN];
        names.iter().any(|name| path.eq_ignore_ascii_case(name))
    };
    let file = if is_built_in(path) {
        None
    } else {
        let file = EvalFile::read(path);
        Some(file.map_err(|reason| OptionError::File {
            name,
            path: path.to_owned(),
            reason,
        })?)
    };
    set_evaluation(engine, file, engine.settings.uses_network)
}

fn set_evaluation(
    engine: &mut Engine,
    file: Option<EvalFile>,
    uses_network: bool,
) -> Result<(), OptionError> {
    let mut source = EvalSource::built_in();
    if let Some(file) = &file {
        source = source.with(file.network.clone());
    }
    if !uses_network {
        source = source.with_article();
    }
    engine.set_evaluation(source)?;
    engine.eval_file = file;
    engine.settings.uses_network = uses_network;
    Ok(())
}
