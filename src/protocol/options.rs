//! The options: how they are told, and how they are set.

use crate::base::MachineMemory;
use crate::engine::{ELO_RANGE, Engine, VARIANTS, Variant, parse_board};
use crate::eval::EvalSource;
use crate::eval::nnue::NetworkFile;
use crate::search::TABLE;
use std::path::Path;
use std::time::Duration;
use vampirc_uci::{UciMessage, UciOptionConfig};

/// The most search threads.
const MAX_THREADS: i64 = 512;
/// The most best lines.
const MAX_LINES: i64 = 384;
/// The most time kept back from a deadline, in milliseconds.
const MAX_OVERHEAD: i64 = 10_000;

/// The value of `EvalFile` that is no file.
const BUILT_IN: &str = "<built-in>";
/// The values of `Evaluation`.
const NETWORK: &str = "network";
const HANDCRAFTED: &str = "handcrafted";

/// What is set that the engine itself does not hold.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The game and board that `startpos` means.
    pub variant: Variant,
    /// Whether chances are told beside scores.
    pub show_chances: bool,
    /// Whether to play at `elo`.
    pub limit_strength: bool,
    /// The rating to play at.
    pub elo: u32,
    /// The network that was read from a file, in place of the built-in one for
    /// its board.
    pub network: Option<NetworkFile>,
    /// Whether networks are to be used, on boards that have one.
    pub uses_network: bool,
    /// The largest hash table that can be asked for, in megabytes.
    pub max_hash: usize,
}

impl Choices {
    pub fn new() -> Self {
        Self {
            variant: Variant::STANDARD,
            show_chances: false,
            limit_strength: false,
            elo: ELO_RANGE.1,
            network: None,
            uses_network: true,
            max_hash: MachineMemory::read().map_or(MODEST_MEMORY, |memory| memory.total),
        }
    }
}

/// What any machine has, for where its memory cannot be read.
const MODEST_MEMORY: usize = 1024;

fn spin(name: &str, default: usize, min: i64, max: i64) -> UciOptionConfig {
    UciOptionConfig::Spin {
        name: name.to_owned(),
        default: Some(default as i64),
        min: Some(min),
        max: Some(max),
    }
}

fn check(name: &str, default: bool) -> UciOptionConfig {
    UciOptionConfig::Check {
        name: name.to_owned(),
        default: Some(default),
    }
}

fn text(name: &str, default: &str) -> UciOptionConfig {
    UciOptionConfig::String {
        name: name.to_owned(),
        default: Some(default.to_owned()),
    }
}

/// The `option` lines.
pub(super) fn list(choices: &Choices) -> Vec<String> {
    let (low, high) = ELO_RANGE;
    let options = [
        spin("Hash", 64, 1, choices.max_hash as i64),
        UciOptionConfig::Button {
            name: "Clear Hash".to_owned(),
        },
        spin("Threads", 1, 1, MAX_THREADS),
        spin("MultiPV", 1, 1, MAX_LINES),
        check("Ponder", false),
        spin("Move Overhead", 10, 0, MAX_OVERHEAD),
        UciOptionConfig::Combo {
            name: "UCI_Variant".to_owned(),
            default: Some("breakthrough".to_owned()),
            var: VARIANTS.map(|(name, _)| name.to_owned()).to_vec(),
        },
        text("Board", "8x8"),
        check("UCI_AnalyseMode", false),
        check("UCI_ShowWDL", false),
        check("UCI_LimitStrength", false),
        spin("UCI_Elo", high as usize, i64::from(low), i64::from(high)),
        text("EvalFile", BUILT_IN),
        UciOptionConfig::Combo {
            name: "Evaluation".to_owned(),
            default: Some(NETWORK.to_owned()),
            var: [NETWORK, HANDCRAFTED].map(str::to_owned).to_vec(),
        },
        text("Log File", "<empty>"),
    ];
    let tunable = TABLE
        .iter()
        .filter(|_| cfg!(feature = "tune"))
        .map(|number| {
            let (low, high) = (number.min.into(), number.max.into());
            UciOptionConfig::Spin {
                name: number.name.to_owned(),
                default: Some(number.value.into()),
                min: Some(low),
                max: Some(high),
            }
        });
    options
        .into_iter()
        .chain(tunable)
        .map(|option| UciMessage::Option(option).to_string())
        .collect()
}

fn number(name: &str, value: &str, min: i64, max: i64) -> Result<i64, String> {
    value
        .trim()
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| format!("{name} takes a number from {min} to {max}, not '{value}'"))
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" => Ok(true),
        "false" | "off" => Ok(false),
        _ => Err(format!("{name} takes true or false, not '{value}'")),
    }
}

/// What setting an option asks of the session besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// The game or the board has changed.
    Variant,
    /// Lines are to be logged in this file; empty is nowhere.
    Log(String),
}

/// Sets an option.
///
/// # Errors
/// Why it was refused; nothing has changed then.
pub(super) fn set(
    engine: &mut Engine,
    choices: &mut Choices,
    name: &str,
    value: Option<&str>,
) -> Result<Effect, String> {
    let given = || value.ok_or_else(|| format!("{name} needs a value"));
    match name.to_ascii_lowercase().as_str() {
        "hash" => set_hash(engine, choices, given()?)?,
        "clear hash" => engine.new_game().map_err(|fault| fault.to_string())?,
        "threads" => {
            let threads = number(name, given()?, 1, MAX_THREADS)? as usize;
            engine
                .set_threads(threads)
                .map_err(|fault| fault.to_string())?;
        }
        "multipv" => {
            let lines = number(name, given()?, 1, MAX_LINES)? as usize;
            engine.configure(|settings| settings.multi_pv = lines);
        }
        "move overhead" => {
            let time = number(name, given()?, 0, MAX_OVERHEAD)? as u64;
            engine.configure(|settings| settings.overhead = Duration::from_millis(time));
        }
        // The limits of `go` say all there is to these two.
        "ponder" | "uci_analysemode" => {
            switch(name, given()?)?;
        }
        "uci_variant" => {
            let wanted = given()?;
            choices.variant = Variant::by_name(wanted.trim()).ok_or_else(|| {
                let names = VARIANTS.map(|(variant, _)| variant).join(", ");
                format!("UCI_Variant '{wanted}' is unknown; there are {names}")
            })?;
            return Ok(Effect::Variant);
        }
        "board" => {
            choices.variant = parse_board(given()?.trim())
                .map_err(|fault| format!("Board takes files x ranks such as 8x8: {fault}"))?;
            return Ok(Effect::Variant);
        }
        "uci_showwdl" => choices.show_chances = switch(name, given()?)?,
        "uci_limitstrength" => choices.limit_strength = switch(name, given()?)?,
        "uci_elo" => {
            let (low, high) = ELO_RANGE;
            choices.elo = number(name, given()?, low.into(), high.into())? as u32;
        }
        "evalfile" => set_eval_file(engine, choices, given()?.trim())?,
        "evaluation" => {
            let wanted = given()?.trim();
            let uses_network = match wanted.to_ascii_lowercase().as_str() {
                NETWORK => true,
                HANDCRAFTED => false,
                _ => {
                    return Err(format!(
                        "Evaluation takes {NETWORK} or {HANDCRAFTED}, not '{wanted}'"
                    ));
                }
            };
            set_evaluation(engine, choices, choices.network.clone(), uses_network)?;
        }
        "log file" => {
            let path = value.unwrap_or_default().trim();
            let path = if path == "<empty>" { "" } else { path };
            return Ok(Effect::Log(path.to_owned()));
        }
        _ if cfg!(feature = "tune") => {
            let wanted = given()?;
            let number = number(name, wanted, i32::MIN.into(), i32::MAX.into())?;
            if !engine.set_param(name, number as i32) {
                return Err(format!("no option '{name}'"));
            }
        }
        _ => return Err(format!("no option '{name}'")),
    }
    let elo = choices.limit_strength.then_some(choices.elo);
    engine.configure(|settings| settings.elo = elo);
    Ok(Effect::None)
}

/// Refuses what is there but no regular file: opening a pipe waits for its
/// other end, perhaps for ever.
///
/// # Errors
/// If it is no regular file.
pub(super) fn no_device(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(std::io::Error::other("not a regular file")),
        _ => Ok(()),
    }
}

/// Reads a network's file and uses it.
fn set_eval_file(engine: &mut Engine, choices: &mut Choices, path: &str) -> Result<(), String> {
    let network = if path.eq_ignore_ascii_case(BUILT_IN) {
        None
    } else {
        let path = Path::new(path);
        let network = no_device(path)
            .map_err(|fault| fault.to_string())
            .and_then(|()| NetworkFile::load(path).map_err(|fault| fault.to_string()))
            .map_err(|fault| format!("EvalFile '{}' refused: {fault}", path.display()))?;
        Some(network)
    };
    set_evaluation(engine, choices, network, choices.uses_network)
}

fn set_evaluation(
    engine: &mut Engine,
    choices: &mut Choices,
    network: Option<NetworkFile>,
    uses_network: bool,
) -> Result<(), String> {
    let source = match &network {
        _ if !uses_network => EvalSource::HANDCRAFTED,
        None => EvalSource::built_in(),
        Some(network) => EvalSource::built_in().with(network.clone()),
    };
    engine
        .set_evaluation(source)
        .map_err(|fault| fault.to_string())?;
    (choices.network, choices.uses_network) = (network, uses_network);
    Ok(())
}

fn set_hash(engine: &mut Engine, choices: &Choices, value: &str) -> Result<(), String> {
    let megabytes = number("Hash", value, 1, choices.max_hash as i64)? as usize;
    engine
        .set_hash(megabytes)
        .map_err(|fault| format!("{fault}; it stays at {} MB", engine.settings().hash))
}

/// The name of a variant as `UCI_Variant` has it, if it has one.
pub(super) fn variant_name(variant: Variant) -> Option<&'static str> {
    VARIANTS
        .iter()
        .find(|(_, known)| *known == variant)
        .map(|(name, _)| *name)
}
