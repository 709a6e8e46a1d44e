//! Who is let in. Every page open in a browser can reach a server on the same
//! machine: a foreign page may open a WebSocket to `localhost` (then `Origin`
//! is its own), or point its own name at this machine (then `Host` is that
//! name; this is called DNS rebinding).

use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use std::net::{IpAddr, SocketAddr};

/// A refused request: the status and the text of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub StatusCode, pub &'static str);

const MALFORMED: Refusal = Refusal(StatusCode::BAD_REQUEST, "The request cannot be read.");
const FORBIDDEN: Refusal = Refusal(
    StatusCode::FORBIDDEN,
    "This server answers only its own page, under its own name. Add names with --host.",
);

/// Who may come in.
#[derive(Debug)]
pub(super) struct Guard {
    port: u16,
    /// Whether only this machine is served.
    is_local: bool,
    names: Vec<String>,
}

impl Guard {
    /// For a server at this address, also known by these names.
    pub(super) const fn new(address: SocketAddr, names: Vec<String>) -> Self {
        Self {
            port: address.port(),
            is_local: address.ip().is_loopback(),
            names,
        }
    }

    /// Refuses a request that is not meant for this server, or comes from a page
    /// of others.
    pub(super) fn admit<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        let host = single(headers, "host")?.ok_or(MALFORMED)?;
        // What the target names replaces the header, which must be there all the
        // same (RFC 9112, 3.2).
        let named = request.uri().authority();
        let host = named.map_or(host, |named| named.as_str());
        if self.admits(host, single(headers, "origin")?) {
            Ok(())
        } else {
            Err(FORBIDDEN)
        }
    }

    /// Whether a request with these headers is meant for this server and comes
    /// from its own page, or from a program, which sends no `Origin`.
    fn admits(&self, host: &str, origin: Option<&str>) -> bool {
        self.is_own(host) && origin.is_none_or(|origin| is_same(origin, host))
    }

    /// Whether the server is addressed by a name that nobody else can have.
    fn is_own(&self, host: &str) -> bool {
        let Some((name, port)) = split(host) else {
            return false;
        };
        if self.names.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return true;
        }
        let is_own_name = match name.trim_matches(['[', ']']).parse::<IpAddr>() {
            // An address is not looked up, so nobody can point it elsewhere.
            Ok(ip) => ip.is_loopback() || !self.is_local,
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        is_own_name && port.unwrap_or(80) == self.port
    }
}

/// A header that may be sent only once: of two, a proxy may have read the other.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| MALFORMED),
        (Some(_), Some(_)) => Err(MALFORMED),
    }
}

/// Whether a page's origin is the host that it asks. A proxy may have spoken
/// TLS with the browser.
fn is_same(origin: &str, host: &str) -> bool {
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// Name and port of a `Host` header.
fn split(host: &str) -> Option<(&str, Option<u16>)> {
    let end = host.rfind(']').map_or(0, |bracket| bracket + 1);
    match host[end..].find(':') {
        None => Some((host, None)),
        Some(colon) => {
            let (name, port) = host.split_at(end + colon);
            Some((name, Some(port[1..].parse().ok()?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str, names: &[&str]) -> Guard {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Guard::new(address.parse().unwrap(), names)
    }

    #[test]
    fn only_names_that_nobody_else_can_have_are_answered() {
        let local = guard("127.0.0.1:8650", &["board.example"]);
        for host in [
            "127.0.0.1:8650",
            "localhost:8650",
            "LOCALHOST:8650",
            "[::1]:8650",
            "board.example",
            "board.example:443",
        ] {
            assert!(local.is_own(host), "{host}");
        }
        for host in [
            "",
            "evil.example:8650",
            "localhost",
            "localhost:80",
            "localhost:x",
            "localhost:8650:8650",
            "localhost.evil.example:8650",
            "192.168.1.5:8650",
            "127.0.0.1.evil.example:8650",
            "[::1]x:8650",
            "]:8650",
        ] {
            assert!(!local.is_own(host), "{host}");
        }
        let open = guard("0.0.0.0:80", &[]);
        assert!(open.is_own("192.168.1.5") && open.is_own("localhost"));
        assert!(!open.is_own("evil.example") && !open.is_own("192.168.1.5:81"));
    }

    #[test]
    fn only_the_servers_own_page_comes_in() {
        let local = guard("127.0.0.1:8650", &[]);
        let host = "localhost:8650";
        for origin in ["http://localhost:8650", "https://localhost:8650"] {
            assert!(local.admits(host, Some(origin)), "{origin}");
        }
        assert!(local.admits(host, None));
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost",
            "http://localhost:8651",
            "http://127.0.0.1:8650",
            "file://localhost:8650",
        ] {
            assert!(!local.admits(host, Some(origin)), "{origin}");
        }
    }

    #[test]
    fn a_target_in_absolute_form_says_which_host_is_meant() {
        let local = guard("127.0.0.1:8650", &[]);
        let own = "localhost:8650";
        for (target, hosts, expected) in [
            ("/a?http://evil.example/", &[own][..], Ok(())),
            ("http://localhost:8650/b", &[own], Ok(())),
            ("HTTP://[::1]:8650", &[own], Ok(())),
            ("http://localhost:8650/", &["evil.example"], Ok(())),
            ("http://evil.example/", &[own], Err(FORBIDDEN)),
            (
                "http://evil.example?b@localhost:8650/",
                &[own],
                Err(FORBIDDEN),
            ),
            (
                "http://localhost:8650@evil.example/",
                &[own],
                Err(FORBIDDEN),
            ),
            ("http://localhost:8650/", &[], Err(MALFORMED)),
            ("/", &[own, own], Err(MALFORMED)),
            ("/", &["\u{e9}"], Err(MALFORMED)),
        ] {
            let mut request = Request::builder().uri(target);
            for &host in hosts {
                request = request.header("host", host);
            }
            let answer = local.admit(&request.body(()).unwrap());
            assert_eq!(answer, expected, "{target} {hosts:?}");
        }
    }
}
