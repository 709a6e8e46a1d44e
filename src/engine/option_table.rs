//! The table of options: one row each, read by every head.

use super::options::{Changed, Kind, OptionError, OptionSpec};
use super::strength::ELO_RANGE;
use super::variant::{VARIANTS, Variant, parse_board};
use super::{Engine, EngineError, Settings};
use crate::eval::nnue::NetworkFile;
use crate::eval::{EvalSource, Tuning};
use crate::search::TABLE;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The most search threads.
const MAX_THREADS: i64 = 512;
/// The most best lines.
const MAX_LINES: i64 = 384;
/// The most time kept back from a deadline, in milliseconds.
const MAX_OVERHEAD: i64 = 10_000;

/// The value of `EvalFile` that is not a file.
const BUILT_IN: &str = "<built-in>";
/// The values of `Evaluation`.
const NETWORK: &str = "network";
const HANDCRAFTED: &str = "handcrafted";

/// What setting an option does.
enum Setter {
    /// A setting that is true or false.
    Check(fn(&mut Settings, bool)),
    /// A setting that is a number in the option's range.
    Number(fn(&mut Settings, i64)),
    /// A number of something that may be refused.
    Amount(fn(&mut Engine, i64) -> Result<(), OptionError>),
    /// One of the option's words, or any text.
    Text(fn(&mut Engine, &str) -> Result<(), OptionError>),
    /// The game and board that the text names.
    Variant(fn(&str) -> Result<Variant, OptionError>),
    /// A button.
    Press(fn(&mut Engine) -> Result<(), EngineError>),
    /// A search parameter, by the option's name.
    Param,
}

/// A row of the table.
struct Row {
    spec: OptionSpec,
    set: Setter,
}

impl Row {
    fn new(name: &'static str, kind: Kind, set: Setter) -> Self {
        Self {
            spec: OptionSpec {
                name,
                kind,
                value: String::new(),
                needs_idle: false,
                touches_files: false,
                help: "",
            },
            set,
        }
    }

    fn is(mut self, value: impl ToString) -> Self {
        self.spec.value = value.to_string();
        self
    }

    const fn when_idle(mut self) -> Self {
        self.spec.needs_idle = true;
        self
    }

    const fn names_a_file(mut self) -> Self {
        self.spec.touches_files = true;
        self
    }

    const fn help(mut self, text: &'static str) -> Self {
        self.spec.help = text;
        self
    }
}

fn spin(name: &'static str, (default, min, max): (i64, i64, i64), set: Setter) -> Row {
    Row::new(name, Kind::Spin { default, min, max }, set)
}

fn check(name: &'static str, default: bool, set: fn(&mut Settings, bool)) -> Row {
    Row::new(name, Kind::Check { default }, Setter::Check(set))
}

fn combo(name: &'static str, values: Vec<&'static str>, set: Setter) -> Row {
    let default = values[0];
    Row::new(name, Kind::Combo { default, values }, set)
}

fn text(name: &'static str, default: &'static str, set: Setter) -> Row {
    Row::new(name, Kind::Text { default }, set)
}

/// All options, in the order in which they are shown.
fn table(engine: &Engine) -> impl Iterator<Item = Row> + use<> {
    let settings = engine.settings();
    resources(settings, engine.max_hash as i64)
        .into_iter()
        .chain(game(settings))
        .chain(strength(settings))
        .chain(evaluation(engine))
        .chain(tuning(engine))
}

/// What to search with, and how.
fn resources(now: &Settings, max_hash: i64) -> [Row; 6] {
    [
        spin("Hash", (64, 1, max_hash), Setter::Amount(set_hash))
            .is(now.hash)
            .when_idle()
            .help("size of the hash table in megabytes"),
        Row::new("Clear Hash", Kind::Button, Setter::Press(Engine::new_game))
            .when_idle()
            .help("forget what earlier searches have learned"),
        spin("Threads", (1, 1, MAX_THREADS), Setter::Amount(set_threads))
            .is(now.threads)
            .when_idle()
            .help("search threads"),
        spin(
            "MultiPV",
            (1, 1, MAX_LINES),
            Setter::Number(|settings, lines| settings.multi_pv = lines as usize),
        )
        .is(now.multi_pv)
        .help("how many best lines to show"),
        // A search's limits already say all that this one and
        // UCI_AnalyseMode could.
        check("Ponder", false, |_, _| {})
            .is(false)
            .help("the GUI may ponder; changes nothing"),
        spin(
            "Move Overhead",
            (10, 0, MAX_OVERHEAD),
            Setter::Number(|settings, time| settings.overhead = Duration::from_millis(time as u64)),
        )
        .is(now.overhead.as_millis())
        .help("milliseconds kept back from every deadline"),
    ]
}

/// What is played.
fn game(now: &Settings) -> [Row; 2] {
    [
        combo(
            "UCI_Variant",
            VARIANTS.map(|(name, _)| name).to_vec(),
            Setter::Variant(|name| {
                // The name is one of these.
                Ok(Variant::by_name(name).unwrap_or(Variant::STANDARD))
            }),
        )
        .is(now.variant.name())
        .help("the game, and its board"),
        text(
            "Board",
            "8x8",
            Setter::Variant(|size| parse_board(size).map_err(OptionError::Board)),
        )
        .is(match now.variant {
            Variant::Breakthrough { files, ranks } => format!("{files}x{ranks}"),
            Variant::Freeling => String::new(),
        })
        .help("files x ranks of any board"),
    ]
}

/// How strongly it plays, and what it shows.
fn strength(now: &Settings) -> [Row; 4] {
    let (low, high) = ELO_RANGE;
    let range = (high.into(), low.into(), high.into());
    [
        check("UCI_AnalyseMode", false, |_, _| {})
            .is(false)
            .help("changes nothing"),
        check("UCI_ShowWDL", false, |settings, on| {
            settings.show_chances = on;
        })
        .is(now.show_chances)
        .help("show win, draw and loss chances next to scores"),
        check("UCI_LimitStrength", false, |settings, on| {
            settings.limit_strength = on;
        })
        .is(now.limit_strength)
        .help("play at about UCI_Elo"),
        spin(
            "UCI_Elo",
            range,
            Setter::Number(|settings, elo| settings.elo = elo as i32),
        )
        .is(now.elo)
        .help("the rating to play at with UCI_LimitStrength"),
    ]
}

/// What positions are evaluated with.
fn evaluation(engine: &Engine) -> [Row; 3] {
    let uses_network = engine.settings.uses_network;
    let path = engine.eval_file.as_ref().map(|file| file.path.as_str());
    [
        text("EvalFile", BUILT_IN, Setter::Text(set_eval_file))
            .is(path.unwrap_or(BUILT_IN))
            .when_idle()
            .names_a_file()
            .help("network file to use instead of the built-in one"),
        combo(
            "Evaluation",
            vec![NETWORK, HANDCRAFTED],
            Setter::Text(|engine, kind| {
                set_evaluation(engine, engine.eval_file.clone(), kind == NETWORK)
            }),
        )
        .is(if uses_network { NETWORK } else { HANDCRAFTED })
        .when_idle()
        .help("networks on boards that have one, or none at all"),
        text("ProofFile", BUILT_IN, Setter::Text(set_proof_file))
            .is(engine.proofs.value())
            .names_a_file()
            .help("a short certificate to play by, one per board"),
    ]
}

/// The search parameters, in builds made for tuning them.
fn tuning(engine: &Engine) -> impl Iterator<Item = Row> + use<> {
    let params = Arc::clone(&engine.params);
    let rows = TABLE.iter().filter(|_| cfg!(feature = "tune"));
    rows.map(move |param| {
        let [default, min, max] = [param.default, param.min, param.max].map(i64::from);
        spin(param.name, (default, min, max), Setter::Param)
            .is(params.value(param))
            .help(match param.tuning {
                Some(Tuning::Small) => "the same on boards of at most six ranks",
                Some(Tuning::Wide) => "the same in Freeling's game and without a network",
                _ => "a search parameter",
            })
    })
}

impl Engine {
    /// The options, in the order in which they are to be shown.
    #[must_use]
    pub fn options(&self) -> Vec<OptionSpec> {
        table(self).map(|row| row.spec).collect()
    }

    /// Sets an option from its text.
    ///
    /// # Errors
    /// If there is none of that name, the value is invalid, what it asks for
    /// is refused, or it needs an idle engine and this one is at work. Nothing
    /// has changed then.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Changed, OptionError> {
        let name = name.trim();
        let Row { spec, set } = table(self)
            .find(|row| row.spec.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        if spec.needs_idle && self.is_busy() {
            return Err(EngineError::Busy.into());
        }
        let given = || value.map(str::trim).ok_or(OptionError::NoValue(spec.name));
        match set {
            Setter::Press(press) => press(self)?,
            Setter::Check(set) => set(&mut self.settings, spec.switch(given()?)?),
            Setter::Number(set) => set(&mut self.settings, spec.number(given()?)?),
            Setter::Amount(set) => set(self, spec.number(given()?)?)?,
            Setter::Text(set) => set(self, spec.word(given()?)?)?,
            Setter::Param => {
                let value = spec.number(given()?)?;
                self.set_param(spec.name, value as i32);
            }
            Setter::Variant(read) => {
                let variant = read(spec.word(given()?)?)?;
                self.set_variant(variant).map_err(OptionError::Board)?;
                return Ok(Changed::Variant);
            }
        }
        Ok(Changed::Setting)
    }
}

fn set_hash(engine: &mut Engine, megabytes: i64) -> Result<(), OptionError> {
    engine
        .set_hash(megabytes as usize)
        .map_err(|fault| OptionError::Hash {
            fault,
            megabytes: engine.settings.hash,
        })
}

fn set_threads(engine: &mut Engine, threads: i64) -> Result<(), OptionError> {
    Ok(engine.set_threads(threads as usize)?)
}

fn set_proof_file(engine: &mut Engine, path: &str) -> Result<(), OptionError> {
    let taken = engine.proofs.set(path, engine.settings.read_proof);
    taken.map_err(|fault| OptionError::Proof {
        path: path.to_owned(),
        fault,
    })
}

/// A network read from a file.
#[derive(Clone, Debug)]
pub(super) struct EvalFile {
    path: String,
    network: NetworkFile,
}

fn set_eval_file(engine: &mut Engine, path: &str) -> Result<(), OptionError> {
    let file = if path.eq_ignore_ascii_case(BUILT_IN) {
        None
    } else {
        Some(read_network(path)?)
    };
    set_evaluation(engine, file, engine.settings.uses_network)
}

fn read_network(path: &str) -> Result<EvalFile, OptionError> {
    let refused = |fault: String| OptionError::Network {
        path: path.to_owned(),
        fault,
    };
    regular_file(Path::new(path)).map_err(|fault| refused(fault.to_string()))?;
    let network = NetworkFile::load(Path::new(path)).map_err(|fault| refused(fault.to_string()))?;
    Ok(EvalFile {
        path: path.to_owned(),
        network,
    })
}

/// Refuses what exists but is not a regular file: opening a pipe waits for its
/// other end, perhaps for ever.
///
/// # Errors
/// If it is not a regular file.
pub fn regular_file(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(std::io::Error::other("not a regular file")),
        _ => Ok(()),
    }
}

fn set_evaluation(
    engine: &mut Engine,
    file: Option<EvalFile>,
    uses_network: bool,
) -> Result<(), OptionError> {
    let source = match &file {
        _ if !uses_network => EvalSource::HANDCRAFTED,
        None => EvalSource::built_in(),
        Some(file) => EvalSource::built_in().with(file.network.clone()),
    };
    engine.set_evaluation(source)?;
    engine.eval_file = file;
    engine.settings.uses_network = uses_network;
    Ok(())
}
