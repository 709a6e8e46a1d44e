//! The command `serve`.

use crate::base::cores;
use crate::serve::{Certificates, Config, Server, SessionLimits, memory, open_browser};
use clap::Args;
use std::error::Error;
use std::io::{Write as _, stderr, stdout};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Open a board in the browser
///
/// There you can play, analyse, prove and review games. Press Ctrl-C to stop.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Open the page in the browser: the one that the variable BROWSER names,
    /// or the default one
    #[arg(long)]
    open: bool,
    /// Port; by default 8650, or the next free one
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen on. Any other than this machine's own admits
    /// everyone who can reach it
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    listen: IpAddr,
    /// Another host name by which browsers may reach this server, such as
    /// a proxy's
    #[arg(long = "host", value_name = "NAME", value_parser = host_name)]
    hosts: Vec<String>,
    /// Offer the short certificates of this folder (*.proof) on the page: loaded,
    /// they tell who wins on their boards
    #[arg(long, value_name = "DIR")]
    certificates: Option<PathBuf>,
    /// Maximum number of sessions at once; each open page takes one, and
    /// more while it proves or shows a match
    #[arg(long, value_name = "N", default_value = "16")]
    sessions: NonZeroUsize,
    /// The largest hash table of a session or a proof, in megabytes; by
    /// default an eighth of the memory
    #[arg(long, value_name = "MB")]
    max_hash: Option<NonZeroUsize>,
    /// Total size of the tables of all sessions, in megabytes; by default
    /// half of the memory
    #[arg(long, value_name = "MB")]
    memory: Option<NonZeroUsize>,
    /// Maximum search threads per session; by default one per core
    #[arg(long, value_name = "N")]
    max_threads: Option<NonZeroUsize>,
    /// Minutes after which an idle session is ended; the page starts a new
    /// one when it needs one
    #[arg(long, value_name = "MINUTES", default_value = "30", value_parser = minutes)]
    idle: Duration,
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(60.0 * minutes)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "not a valid number of minutes".to_owned())
}

/// A name as in a `Host` header, without its port.
fn host_name(text: &str) -> Result<String, String> {
    let is_address = text.starts_with('[') && text.ends_with(']');
    let is_part = |letter: char| letter.is_alphanumeric() || "-._".contains(letter);
    if !is_address && (text.is_empty() || !text.chars().all(is_part)) {
        return Err("not a name without scheme and port, such as board.example".to_owned());
    }
    Ok(text.to_owned())
}

/// Opens the page in the browser that `BROWSER` names, or the default one.
fn show(url: &str) {
    let named = std::env::var_os("BROWSER").unwrap_or_default();
    if let Err(error) = open_browser(url, &named) {
        let _ = writeln!(stderr(), "petard: could not open a browser: {error}");
    }
}

/// A size in megabytes: as requested, or else the default.
fn size(requested: Option<NonZeroUsize>, default: usize) -> usize {
    requested.map_or(default.max(1), NonZeroUsize::get)
}

/// The certificates of a folder; says which files are left out.
fn certificates(folder: &Path) -> Result<Certificates, Box<dyn Error>> {
    let (found, errors) = Certificates::in_folder(folder)
        .map_err(|error| format!("cannot read the folder {}: {error}", folder.display()))?;
    for error in errors {
        writeln!(stderr(), "petard: {error}")?;
    }
    Ok(found)
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Box<dyn Error>> {
        let folder = self.certificates.as_deref();
        let server = Server::bind(Config {
            address: self.listen,
            port: self.port,
            names: self.hosts,
            certificates: folder.map(certificates).transpose()?.unwrap_or_default(),
            limits: SessionLimits {
                sessions: self.sessions.get(),
                max_hash: size(self.max_hash, memory() / 8),
                memory: size(self.memory, memory() / 2),
                max_threads: self.max_threads.map_or_else(cores, NonZeroUsize::get),
                idle: self.idle,
            },
        })
        .map_err(|error| {
            let port = self
                .port
                .map_or_else(String::new, |port| format!(", port {port}"));
            format!("cannot listen on {}{port}: {error}", self.listen)
        })?;
        let url = server.url();
        if server.is_exposed() {
            writeln!(
                stderr(),
                "petard: warning: anyone who can reach {} can use this engine",
                self.listen
            )?;
        }
        writeln!(stdout(), "The board is at {url} (Ctrl-C stops it)")?;
        if let Some(url) = server.network_url() {
            writeln!(stdout(), "In your network it is at {url}")?;
        }
        if self.open {
            // It may take a while, and the page should not wait for it.
            std::thread::spawn(move || show(&url));
        }
        Ok(server.run()?)
    }
}
