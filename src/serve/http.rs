//! HTTP/1.1 requests and responses, as far as a page needs: no request bodies.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// The most bytes of a request.
const MOST_BYTES: usize = 16 << 10;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;
/// How long a request may take to arrive, once it has begun.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the page may do: only use its own files.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Sent with every answer. The last three isolate the page from others, which
/// is also required for memory shared between workers.
const ALWAYS: [(&str, &str); 7] = [
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

/// A request without its body.
#[derive(Debug)]
pub(super) struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// Whether it is HTTP/1.1, where connections are reused.
    pub is_current: bool,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header that may be sent only once.
    ///
    /// # Errors
    /// If it was sent more than once: a proxy may have read a different one.
    pub fn header<'a>(&'a self, name: &str) -> Result<Option<&'a str>, Refusal> {
        let mut found = self.all(name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(Refusal::Malformed),
            (value, None) => Ok(value),
        }
    }

    fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// All headers.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// Whether the answer may be compressed with gzip.
    pub fn takes_gzip(&self) -> bool {
        let encodings = self
            .all("accept-encoding")
            .flat_map(|value| value.split(','));
        let mut wishes = encodings.filter_map(|encoding| {
            let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
            let weight = weight.trim().trim_start_matches(['q', 'Q']).trim_start();
            let weight = weight.strip_prefix('=').map_or("1", str::trim);
            let is_gzip = ["gzip", "x-gzip"].contains(&name.trim().to_ascii_lowercase().as_str());
            is_gzip.then(|| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
        });
        wishes.next().unwrap_or(false)
    }

    /// Whether the connection ends after the answer.
    pub fn is_last(&self) -> bool {
        let mut wishes = self.all("connection").flat_map(|value| value.split(','));
        let asks = wishes.any(|wish| wish.trim().eq_ignore_ascii_case("close"));
        asks || !self.is_current
    }
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Malformed,
    Forbidden,
    NotFound,
    Method,
    TooLarge,
    NoUpgrade,
}

impl Refusal {
    const fn status(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => ("400 Bad Request", "The request cannot be read."),
            Self::Forbidden => (
                "403 Forbidden",
                "This server answers only its own page, under its own name. \
                 Add names with --host.",
            ),
            Self::NotFound => ("404 Not Found", "There is nothing here."),
            Self::Method => ("405 Method Not Allowed", "Only GET and HEAD are supported."),
            Self::TooLarge => (
                "431 Request Header Fields Too Large",
                "The request is too large.",
            ),
            Self::NoUpgrade => (
                "426 Upgrade Required",
                "This address is a WebSocket for the protocol.",
            ),
        }
    }
}

/// Why no request came.
#[derive(Debug)]
pub(super) enum NoRequest {
    /// The client is gone.
    Gone,
    /// It cannot be read.
    Refused(Refusal),
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Reads a request; what came after it stays in the buffer.
///
/// # Errors
/// If none comes, or it cannot be read.
pub(super) fn read(stream: &mut impl Read, buffer: &mut Vec<u8>) -> Result<Request, NoRequest> {
    let mut begun = None;
    loop {
        if !buffer.is_empty()
            && let Some(request) = parse(buffer).map_err(NoRequest::Refused)?
        {
            return Ok(request);
        }
        if buffer.len() > MOST_BYTES {
            return Err(NoRequest::Refused(Refusal::TooLarge));
        }
        let mut part = [0; 4096];
        let count = stream.read(&mut part)?;
        if count == 0 || begun.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            return Err(NoRequest::Gone);
        }
        buffer.extend_from_slice(&part[..count]);
    }
}

/// Takes a request from the front of the buffer, if it is complete.
fn parse(buffer: &mut Vec<u8>) -> Result<Option<Request>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let size = match parsed.parse(buffer) {
        Ok(httparse::Status::Complete(size)) if size > MOST_BYTES => return Err(Refusal::TooLarge),
        Ok(httparse::Status::Complete(size)) => size,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooLarge),
        Err(_) => return Err(Refusal::Malformed),
    };
    let text = |value: &[u8]| {
        let value = std::str::from_utf8(value).map_err(|_| Refusal::Malformed)?;
        Ok(value.trim().to_owned())
    };
    let (authority, path) = split_target(parsed.path.unwrap_or_default());
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        is_current: parsed.version == Some(1),
        headers: parsed
            .headers
            .iter()
            .map(|header| Ok((header.name.to_owned(), text(header.value)?)))
            .collect::<Result<_, Refusal>>()?,
    };
    // What the target names replaces the `Host` header, which must be there all
    // the same (RFC 9112, 3.2): so whoever checks that header checks the target.
    if let Some(authority) = authority {
        for (name, value) in &mut request.headers {
            if name.eq_ignore_ascii_case("host") {
                authority.clone_into(value);
            }
        }
    }
    // A body would be taken for the next request.
    let length = request.header("content-length")?;
    if length.is_some_and(|length| length != "0") || request.all("transfer-encoding").count() > 0 {
        return Err(match request.method.as_str() {
            "GET" | "HEAD" => Refusal::Malformed,
            _ => Refusal::Method,
        });
    }
    buffer.drain(..size);
    Ok(Some(request))
}

/// Authority and path of a request's target, without its query. Only the
/// absolute form, in which proxies are asked, has an authority.
fn split_target(target: &str) -> (Option<&str>, &str) {
    const SCHEME: &str = "http://";
    let target = target.split('?').next().unwrap_or_default();
    match target.split_at_checked(SCHEME.len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(SCHEME) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (Some(authority), if path.is_empty() { "/" } else { path })
        }
        _ => (None, target),
    }
}

/// A response.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub status: &'a str,
    pub headers: Vec<(&'a str, &'a str)>,
    pub body: &'a [u8],
}

impl From<Refusal> for Answer<'_> {
    fn from(refusal: Refusal) -> Self {
        let (status, text) = refusal.status();
        let mut headers = vec![("Content-Type", "text/plain; charset=utf-8")];
        match refusal {
            Refusal::Method => headers.push(("Allow", "GET, HEAD")),
            Refusal::NoUpgrade => headers.push(("Upgrade", "websocket")),
            _ => {}
        }
        Self {
            status,
            headers,
            body: text.as_bytes(),
        }
    }
}

impl Answer<'_> {
    /// Sends it, without its body if only the head was asked for.
    ///
    /// # Errors
    /// If it cannot be sent.
    pub fn send(&self, stream: &mut impl Write, with_body: bool, is_last: bool) -> io::Result<()> {
        let mut text = format!("HTTP/1.1 {}\r\n", self.status).into_bytes();
        for (name, value) in ALWAYS.iter().chain(&self.headers) {
            write!(text, "{name}: {value}\r\n")?;
        }
        if !self.status.starts_with("304") {
            write!(text, "Content-Length: {}\r\n", self.body.len())?;
        }
        let connection = if is_last { "close" } else { "keep-alive" };
        write!(text, "Connection: {connection}\r\n\r\n")?;
        if with_body {
            text.extend_from_slice(self.body);
        }
        stream.write_all(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut text: &[u8]) -> Vec<Result<String, Refusal>> {
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        loop {
            match read(&mut text, &mut buffer) {
                Ok(request) => found.push(Ok(request.path)),
                Err(NoRequest::Refused(refusal)) => {
                    found.push(Err(refusal));
                    return found;
                }
                Err(NoRequest::Gone) => return found,
            }
        }
    }

    #[test]
    fn requests_follow_each_other() {
        let path = |path: &str| Ok(path.to_owned());
        let text = b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\n\r\nGET /d";
        assert_eq!(read_all(text), [path("/a"), path("/c")]);
    }

    #[test]
    fn a_target_in_absolute_form_says_which_host_is_meant() {
        for (target, host, path) in [
            ("/a?http://b/c", "own", "/a"),
            ("http://a:1/b?c", "a:1", "/b"),
            ("HTTP://[::1]:1", "[::1]:1", "/"),
            ("http://a?b@own/c", "a", "/"),
            ("http://own@a:1/b", "own@a:1", "/b"),
            ("http:///b", "", "/b"),
            ("https://a/b", "own", "https://a/b"),
        ] {
            let text = format!("GET {target} HTTP/1.1\r\nHOST: own\r\n\r\n");
            let request = read(&mut text.as_bytes(), &mut Vec::new()).unwrap();
            assert_eq!(request.header("host"), Ok(Some(host)), "{target}");
            assert_eq!(request.path, path, "{target}");
        }
        for (headers, host) in [
            ("", Ok(None)),
            ("Host: a\r\nHost: a\r\n", Err(Refusal::Malformed)),
        ] {
            let text = format!("GET http://a/ HTTP/1.1\r\n{headers}\r\n");
            let request = read(&mut text.as_bytes(), &mut Vec::new()).unwrap();
            assert_eq!(request.header("host"), host, "{headers}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (text, refusal) in [
            (b"nonsense\r\n\r\n".as_slice(), Refusal::Malformed),
            (
                b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
                Refusal::Method,
            ),
            (
                b"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
                Refusal::Malformed,
            ),
            (
                b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                Refusal::Malformed,
            ),
            (b"GET / HTTP/1.1\r\nA: \xff\r\n\r\n", Refusal::Malformed),
        ] {
            assert_eq!(read_all(text), [Err(refusal)]);
        }
        let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(MOST_BYTES));
        assert_eq!(read_all(long.as_bytes()), [Err(Refusal::TooLarge)]);
        let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(MOST_BYTES));
        assert_eq!(read_all(long.as_bytes()), [Err(Refusal::TooLarge)]);
        let many = "A: b\r\n".repeat(MOST_HEADERS + 1);
        let many = format!("GET / HTTP/1.1\r\n{many}\r\n");
        assert_eq!(read_all(many.as_bytes()), [Err(Refusal::TooLarge)]);
    }

    #[test]
    fn a_connection_ends_when_the_client_says_so() {
        for (line, is_last) in [
            ("HTTP/1.1", false),
            ("HTTP/1.1\r\nConnection: keep-alive", false),
            ("HTTP/1.1\r\nConnection: Close", true),
            ("HTTP/1.1\r\nConnection: TE, close", true),
            ("HTTP/1.1\r\nConnection: TE\r\nConnection: close", true),
            ("HTTP/1.0", true),
        ] {
            let text = format!("GET / {line}\r\n\r\n");
            let request = read(&mut text.as_bytes(), &mut Vec::new()).unwrap();
            assert_eq!(request.is_last(), is_last, "{line}");
        }
    }

    #[test]
    fn who_takes_gzip_says_so() {
        for (header, takes) in [
            ("", false),
            ("Accept-Encoding: gzip, deflate, br", true),
            ("accept-encoding: br\r\nAccept-Encoding: GZIP;q=0.5", true),
            ("Accept-Encoding: x-gzip; q=1.0", true),
            ("Accept-Encoding: br, gzip;q=0", false),
            ("Accept-Encoding: gzip; q=0.000", false),
            ("Accept-Encoding: gzip;q=many", false),
            ("Accept-Encoding: identity, *", false),
            ("Accept-Encoding: gzipped", false),
        ] {
            let line = if header.is_empty() { "" } else { "\r\n" };
            let text = format!("GET / HTTP/1.1\r\n{header}{line}\r\n");
            let request = read(&mut text.as_bytes(), &mut Vec::new()).unwrap();
            assert_eq!(request.takes_gzip(), takes, "{header}");
        }
    }

    #[test]
    fn a_header_that_is_sent_twice_is_no_header() {
        let mut text = b"GET / HTTP/1.1\r\nHost: a\r\nHOST: b\r\nOrigin: c\r\n\r\n".as_slice();
        let request = read(&mut text, &mut Vec::new()).unwrap();
        assert_eq!(request.header("host"), Err(Refusal::Malformed));
        assert_eq!(request.header("origin"), Ok(Some("c")));
        assert_eq!(request.header("upgrade"), Ok(None));
    }
}
