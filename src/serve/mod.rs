//! The page in the browser, and the engine behind it: an HTTP server for the
//! files of `web/`, and a WebSocket for the protocol's lines. One thread serves
//! all connections; each session has threads of its own.

mod certificates;
mod guard;
mod page;
mod session;

pub(crate) use certificates::Certificates;
pub use page::data_file;
pub(crate) use session::SessionLimits;

use crate::base::MachineMemory;
use certificates::LIST;
use guard::{Guard, Refusal};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use page::{File, Page};
use session::Sessions;
use std::convert::Infallible;
use std::env::split_paths;
use std::ffi::OsStr;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tower_http::compression::Compression;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

/// The default port.
const PORT: u16 = 8650;

/// How many ports after [`PORT`] are tried if it is taken.
const MORE_PORTS: u16 = 20;

/// Connections besides those of sessions: a browser opens a few for the files.
const MORE_CONNECTIONS: usize = 64;

/// The path of the WebSocket.
const SOCKET: &str = "/engine";

/// The most bytes of a request, without a body.
const MAX_REQUEST: usize = 16 << 10;

/// How long a client may take to send a request, counted from the last one.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a connection may last unless it becomes a session, so that nobody
/// holds one by not reading. Browsers then open another.
const MAX_CONNECTION: Duration = Duration::from_secs(300);

/// The media type of certificates.
const CERTIFICATE: &str = "application/octet-stream";

/// What the page may do: only use its own files.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Sent with every answer. The last three isolate the page from others, which
/// is also required for memory shared between workers.
const ALWAYS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-cache"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

const METHOD: Refusal = Refusal(
    StatusCode::METHOD_NOT_ALLOWED,
    "Only GET and HEAD are supported.",
);
const NOT_FOUND: Refusal = Refusal(StatusCode::NOT_FOUND, "There is nothing here.");
const NO_UPGRADE: Refusal = Refusal(
    StatusCode::UPGRADE_REQUIRED,
    "This address is a WebSocket for the protocol.",
);

/// Who is served, and what they may ask for.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Where to listen.
    pub(crate) address: IpAddr,
    /// The port, 0 for any; `None` is [`PORT`] or one of those after it.
    pub(crate) port: Option<u16>,
    /// Names that this server may be addressed by, besides addresses and
    /// `localhost`.
    pub(crate) names: Vec<String>,
    /// What the page may load.
    pub(crate) certificates: Certificates,
    /// What sessions may use.
    pub(crate) limits: SessionLimits,
}

/// A server that listens.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    site: Arc<Site>,
    connections: Arc<Semaphore>,
}

/// What all connections have in common.
#[derive(Debug)]
struct Site {
    page: Page,
    certificates: Certificates,
    guard: Guard,
    sessions: Arc<Sessions>,
}

impl Server {
    /// Starts listening.
    pub(crate) fn bind(config: Config) -> io::Result<Self> {
        let listener = listen(config.address, config.port)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let connections = config.limits.sessions.saturating_add(MORE_CONNECTIONS);
        Ok(Self {
            listener,
            address,
            site: Arc::new(Site {
                page: Page::new(),
                certificates: config.certificates,
                guard: Guard::new(address, config.names),
                sessions: Arc::new(Sessions::new(config.limits)),
            }),
            connections: Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS))),
        })
    }

    /// The page's address, for a browser on this machine.
    pub(crate) fn url(&self) -> String {
        let ip = self.address.ip();
        let port = self.address.port();
        match ip {
            IpAddr::V4(ip) if ip.is_unspecified() => format!("http://127.0.0.1:{port}/"),
            IpAddr::V6(ip) if ip.is_unspecified() => format!("http://[::1]:{port}/"),
            _ => format!("http://{}/", self.address),
        }
    }

    /// The page's address for other machines, if it listens on all of this
    /// one's and they are in a network.
    pub(crate) fn network_url(&self) -> Option<String> {
        let ip = self.address.ip().is_unspecified().then(ip_in_network)??;
        Some(format!(
            "http://{}/",
            SocketAddr::new(ip, self.address.port())
        ))
    }

    /// Whether other machines can reach it.
    pub(crate) const fn is_exposed(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Serves until the program ends.
    pub(crate) fn run(self) -> io::Result<()> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build()?.block_on(self.accept_all())
    }

    async fn accept_all(self) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Too many open files, most likely: some will be closed.
                    log::warn!("could not accept a connection: {error}");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            // Connections beyond the limit are dropped.
            if let Ok(permit) = Arc::clone(&self.connections).try_acquire_owned() {
                tokio::spawn(serve(Arc::clone(&self.site), stream, Arc::new(permit)));
            }
        }
    }
}

/// Serves a connection until it ends or becomes a session.
async fn serve(site: Arc<Site>, stream: TcpStream, permit: Arc<OwnedSemaphorePermit>) {
    // It is only slower without.
    let _ = stream.set_nodelay(true);
    let service = tower::service_fn(move |request| {
        let (site, permit) = (Arc::clone(&site), Arc::clone(&permit));
        async move { Ok::<_, Infallible>(site.answer(request, &permit).await) }
    });
    // Certificates hardly become smaller.
    let worth = DefaultPredicate::new().and(NotForContentType::const_new(CERTIFICATE));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .max_buf_size(MAX_REQUEST)
        .half_close(true)
        .serve_connection(
            TokioIo::new(stream),
            TowerToHyperService::new(Compression::new(service).compress_when(worth)),
        )
        .with_upgrades();
    // There is nobody else to report an error to.
    if let Ok(Err(error)) = timeout(MAX_CONNECTION, connection).await {
        log::debug!("a connection ended: {error}");
    }
}

impl Site {
    async fn answer(
        &self,
        mut request: Request<Incoming>,
        permit: &Arc<OwnedSemaphorePermit>,
    ) -> Response<Full<Bytes>> {
        let answer = match self.guard.admit(&request) {
            Err(refusal) => Err(refusal),
            Ok(()) if request.uri().path() == SOCKET => self.upgrade(&mut request, permit),
            Ok(()) => self.file(&request).await,
        };
        let mut response = answer.unwrap_or_else(refuse);
        for (name, value) in ALWAYS {
            let headers = response.headers_mut();
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// One of the page's files, or of the certificates.
    async fn file(&self, request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, Refusal> {
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return Err(METHOD);
        }
        let path = request.uri().path();
        let file = if let Some(certificate) = self.certificates.get(path) {
            let read = || File::new(std::fs::read(certificate).ok()?.into(), CERTIFICATE);
            spawn_blocking(read).await.ok().flatten()
        } else if path == LIST {
            File::new(self.certificates.list(), "application/json")
        } else {
            self.page.get(path).cloned()
        };
        let file = file.ok_or(NOT_FOUND)?;
        let is_known = is_known(request.headers(), &file.tag);
        let body = if is_known { Bytes::new() } else { file.body };
        let mut response = Response::new(Full::from(body));
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert("content-type", HeaderValue::from_static(file.kind));
        headers.insert("etag", file.tag);
        Ok(response)
    }

    /// Starts a session, if the request asks for a WebSocket.
    fn upgrade(
        &self,
        request: &mut Request<Incoming>,
        permit: &Arc<OwnedSemaphorePermit>,
    ) -> Result<Response<Full<Bytes>>, Refusal> {
        let response = create_response_with_body(request, Full::default);
        let response = response.map_err(|_| NO_UPGRADE)?;
        let stream = hyper::upgrade::on(request);
        let (sessions, permit) = (Arc::clone(&self.sessions), Arc::clone(permit));
        tokio::spawn(async move {
            match stream.await {
                Ok(stream) => sessions.run(TokioIo::new(stream)).await,
                Err(error) => log::debug!("a connection ended: {error}"),
            }
            drop(permit);
        });
        Ok(response)
    }
}

/// Whether the client already has what this tag stands for.
fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let tags = headers.get_all("if-none-match");
    let mut tags = tags.iter().filter_map(|tags| tags.to_str().ok());
    tags.any(|tags| tags.split(',').any(|known| known.trim() == tag))
}

fn refuse(Refusal(status, text): Refusal) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert("content-type", kind);
    match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            headers.insert("allow", HeaderValue::from_static("GET, HEAD"));
        }
        StatusCode::UPGRADE_REQUIRED => {
            headers.insert("upgrade", HeaderValue::from_static("websocket"));
        }
        _ => {}
    }
    response
}

/// This machine's address on the way to others: that of a socket which would
/// send there. Connecting a UDP socket sends nothing.
fn ip_in_network() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // TEST-NET-1 of RFC 5737, where nobody is.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

fn listen(address: IpAddr, port: Option<u16>) -> io::Result<TcpListener> {
    let last = port.unwrap_or(PORT + MORE_PORTS);
    let mut port = port.unwrap_or(PORT);
    loop {
        match TcpListener::bind((address, port)) {
            Err(error) if port < last && is_taken(error.kind()) => port += 1,
            result => return result,
        }
    }
}

/// Whether a port is not to be had, but another one may be. Windows reserves
/// ports for its own services and refuses those.
fn is_taken(error: io::ErrorKind) -> bool {
    error == io::ErrorKind::AddrInUse || cfg!(windows) && error == io::ErrorKind::PermissionDenied
}

/// The memory of the machine in megabytes, or what any machine has if it cannot
/// be read.
pub(crate) fn memory() -> usize {
    MachineMemory::read().map_or(1024, |memory| memory.total)
}

/// Opens an address in the browser: with the first of these commands that can
/// be started, separated like the paths in `PATH`, or else with the desktop's
/// default.
pub(crate) fn open_browser(url: &str, commands: &OsStr) -> io::Result<()> {
    let has_opened = |command: PathBuf| {
        let mut command = Command::new(command);
        // Ctrl-C in the terminal is meant for the server.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().is_ok()
    };
    let mut commands = split_paths(commands).filter(|command| !command.as_os_str().is_empty());
    if commands.any(has_opened) {
        return Ok(());
    }
    open::that_detached(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_one_to_pass_over() {
        assert!(is_taken(io::ErrorKind::AddrInUse));
        assert_eq!(is_taken(io::ErrorKind::PermissionDenied), cfg!(windows));
        assert!(!is_taken(io::ErrorKind::AddrNotAvailable));
    }
}
