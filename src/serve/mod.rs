//! The page in the browser, and the engine behind it: a small HTTP server for
//! the files of `web/`, and a WebSocket that carries the protocol's lines.
//!
//! It is synchronous: a session has its own threads anyway and sessions are
//! few, so an asynchronous runtime would only sit between threads.
//! `tungstenite` speaks WebSocket and `httparse` parses requests; all that is
//! left is to answer GET from a table. Compared with `axum` on `tokio` that is
//! 20 crates instead of 70, 18 seconds of compile time instead of 56, and 0.3
//! MB of binary instead of 1.0.

mod connection;
mod guard;
mod host;
mod http;
mod page;
mod seats;
mod socket;

use crate::base::{Budget, MachineMemory, STACK, ask_for_thread};
use guard::Guard;
use host::Host;
use page::Page;
use seats::Seats;
use std::env::split_paths;
use std::ffi::OsStr;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{Builder, available_parallelism, sleep};
use std::time::Duration;

/// The default port.
pub const PORT: u16 = 8650;

/// How many ports after [`PORT`] are tried if it is taken.
const MORE_PORTS: u16 = 20;

/// Connections besides those of sessions: a browser opens a few for the files.
const MORE_CONNECTIONS: usize = 64;

/// Who is served, and what they may ask for.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub address: IpAddr,
    /// The port, 0 for any; `None` is [`PORT`] or one of those after it.
    pub port: Option<u16>,
    /// Names that this server may be addressed by, besides addresses and
    /// `localhost`.
    pub names: Vec<String>,
    /// The most sessions at once.
    pub sessions: usize,
    /// The largest hash table of a session, in megabytes.
    pub max_hash: usize,
    /// The memory shared by the tables of all sessions, in megabytes.
    pub memory: usize,
    /// The most search threads of a session.
    pub max_threads: usize,
    /// How long a session may be idle.
    pub idle: Duration,
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    host: Arc<Host>,
}

impl Server {
    /// Starts listening.
    ///
    /// # Errors
    /// If the address or port is not available.
    pub fn bind(config: Config) -> io::Result<Self> {
        let listener = listen(config.address, config.port)?;
        let address = listener.local_addr()?;
        let host = Host {
            page: Page::new(),
            guard: Guard::new(address, config.names.clone()),
            connections: Seats::new(config.sessions.saturating_add(MORE_CONNECTIONS)),
            sessions: Seats::new(config.sessions),
            memory: Arc::new(Budget::new(config.memory)),
            config,
        };
        Ok(Self {
            listener,
            address,
            host: Arc::new(host),
        })
    }

    /// The page's address, for a browser on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let ip = self.address.ip();
        let port = self.address.port();
        match ip {
            IpAddr::V4(ip) if ip.is_unspecified() => format!("http://127.0.0.1:{port}/"),
            IpAddr::V6(ip) if ip.is_unspecified() => format!("http://[::1]:{port}/"),
            _ => format!("http://{}/", self.address),
        }
    }

    /// Whether other machines can reach it.
    #[must_use]
    pub const fn is_exposed(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Serves until the program ends.
    pub fn run(self) {
        for stream in self.listener.incoming() {
            let stream = match stream {
                Ok(stream) => stream,
                Err(fault) => {
                    // Too many open files, most likely: some will be closed.
                    log::warn!("could not accept a connection: {fault}");
                    sleep(Duration::from_millis(100));
                    continue;
                }
            };
            // Connections beyond the limit are dropped.
            let Some(seat) = self.host.connections.take() else {
                continue;
            };
            let host = Arc::clone(&self.host);
            let serve = move || {
                connection::serve(&host, stream);
                drop(seat);
            };
            let start = || Builder::new().name("connection".to_owned()).spawn(serve);
            if let Err(fault) = ask_for_thread(STACK).and_then(|()| start()) {
                log::warn!("could not accept a connection: {fault}");
            }
        }
    }
}

fn listen(address: IpAddr, port: Option<u16>) -> io::Result<TcpListener> {
    let Some(port) = port else {
        let ports = PORT..=PORT + MORE_PORTS;
        let taken = |port: &u16| TcpListener::bind((address, *port));
        return ports
            .map(|port| taken(&port))
            .find(|result| match result {
                Err(fault) => fault.kind() != io::ErrorKind::AddrInUse,
                Ok(_) => true,
            })
            .unwrap_or_else(|| Err(io::ErrorKind::AddrInUse.into()));
    };
    TcpListener::bind((address, port))
}

/// The processor's cores.
#[must_use]
pub fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// The memory of the machine in megabytes.
#[must_use]
pub fn memory() -> usize {
    MachineMemory::read().map_or(MODEST_MEMORY, |memory| memory.total)
}

/// What any machine has, in megabytes, for when its memory cannot be read.
const MODEST_MEMORY: usize = 1024;

/// Opens an address in the browser: with the first of these commands that can
/// be started, separated like the paths in `PATH`, or else with the desktop's
/// default.
///
/// # Errors
/// If there is nothing to open it with.
pub fn open_browser(url: &str, commands: &OsStr) -> io::Result<()> {
    let has_opened = |command: PathBuf| {
        let command = command.to_string_lossy().into_owned();
        !command.is_empty() && open::with_detached(url, command).is_ok()
    };
    if split_paths(commands).any(has_opened) {
        return Ok(());
    }
    open::that_detached(url)
}
