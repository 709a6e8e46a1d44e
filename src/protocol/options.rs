//! The engine's options as protocol text, and the one option that belongs to
//! the session.

use super::policy::Policy;
use crate::engine::{Kind, OptionSpec};
use vampirc_uci::{UciMessage, UciOptionConfig};

/// The option that names the session's log.
pub(super) const LOG_FILE: &str = "Log File";
/// The value that means no file.
const NO_FILE: &str = "<empty>";

/// The engine's options and the session's own.
fn all(options: Vec<OptionSpec>) -> impl Iterator<Item = OptionSpec> {
    let log_file = OptionSpec {
        name: LOG_FILE,
        kind: Kind::Text { default: NO_FILE },
        value: String::new(),
        needs_idle: false,
        touches_files: true,
        help: "append every line, received and sent, to this file",
    };
    options.into_iter().chain([log_file])
}

/// The `option` lines for what the policy grants.
pub(super) fn list(options: Vec<OptionSpec>, policy: &Policy) -> Vec<String> {
    all(options)
        .filter_map(|option| policy.granted(option))
        .map(|option| UciMessage::Option(config(option)).to_string())
        .collect()
}

fn config(option: OptionSpec) -> UciOptionConfig {
    let name = option.name.to_owned();
    match option.kind {
        Kind::Check { default } => UciOptionConfig::Check {
            name,
            default: Some(default),
        },
        Kind::Spin { default, min, max } => UciOptionConfig::Spin {
            name,
            default: Some(default),
            min: Some(min),
            max: Some(max),
        },
        Kind::Combo { default, values } => UciOptionConfig::Combo {
            name,
            default: Some(default.to_owned()),
            var: values.into_iter().map(str::to_owned).collect(),
        },
        Kind::Text { default } => UciOptionConfig::String {
            name,
            default: Some(default.to_owned()),
        },
        Kind::Button => UciOptionConfig::Button { name },
    }
}

/// The options as `help` lists them.
pub(super) fn help(options: Vec<OptionSpec>, policy: &Policy) -> Vec<String> {
    let line = |option: OptionSpec| {
        let takes = match option.kind {
            Kind::Check { .. } => "true, false".to_owned(),
            Kind::Spin { min, max, .. } => format!("{min} to {max}"),
            Kind::Combo { values, .. } => values.join(", "),
            Kind::Text { .. } | Kind::Button => String::new(),
        };
        let head = format!("{:<17} {takes}", option.name);
        format!("{head:<36} {}", option.help)
    };
    all(options)
        .filter_map(|option| policy.granted(option))
        .map(line)
        .collect()
}

/// The log's path in the option's value; empty for none.
pub(super) fn log_path(value: Option<&str>) -> &str {
    let path = value.unwrap_or_default().trim();
    if path.eq_ignore_ascii_case(NO_FILE) {
        ""
    } else {
        path
    }
}
