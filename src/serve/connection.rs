//! A connection: a series of requests, one of which may turn it into a session.

use super::host::Host;
use super::http::{Answer, NoRequest, Refusal, Request, read};
use super::socket;
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::handshake::server::create_response;
use tungstenite::http as types;

/// How long an idle connection is kept.
const KEEP: Duration = Duration::from_secs(30);
/// How long a client may take to read what it is sent.
const PATIENCE: Duration = Duration::from_secs(30);

/// The path of the WebSocket.
const SOCKET: &str = "/engine";

/// Serves a connection until it ends.
pub(super) fn serve(host: &Host, stream: TcpStream) {
    // There is nobody else to report a failure to.
    if let Err(fault) = try_serve(host, stream) {
        log::debug!("a connection ended: {fault}");
    }
}

fn try_serve(host: &Host, mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(KEEP))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut buffer = Vec::new();
    loop {
        let request = match read(&mut stream, &mut buffer) {
            Ok(request) => request,
            Err(NoRequest::Gone) => return Ok(()),
            Err(NoRequest::Refused(refusal)) => {
                return Answer::from(refusal).send(&mut stream, true, true);
            }
        };
        let is_last = request.is_last();
        let with_body = request.method != "HEAD";
        let asks_for_session = request.path == SOCKET;
        let answer = admit(host, &request).and_then(|()| {
            if asks_for_session {
                Err(Refusal::NoUpgrade)
            } else {
                answer(host, &request)
            }
        });
        match answer {
            Err(Refusal::NoUpgrade) => {
                if let Some(accepted) = upgrade(&request) {
                    stream.write_all(accepted.as_bytes())?;
                    return socket::carry(host, stream, buffer);
                }
                Answer::from(Refusal::NoUpgrade).send(&mut stream, with_body, is_last)?;
            }
            Err(refusal) => Answer::from(refusal).send(&mut stream, with_body, is_last)?,
            Ok(answer) => answer.send(&mut stream, with_body, is_last)?,
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Refuses what the guard does not admit.
fn admit(host: &Host, request: &Request) -> Result<(), Refusal> {
    let name = request.header("host")?.ok_or(Refusal::Malformed)?;
    if host.guard.admits(name, request.header("origin")?) {
        Ok(())
    } else {
        Err(Refusal::Forbidden)
    }
}

/// One of the page's files.
fn answer<'a>(host: &'a Host, request: &Request) -> Result<Answer<'a>, Refusal> {
    if !["GET", "HEAD"].contains(&request.method.as_str()) {
        return Err(Refusal::Method);
    }
    let file = host.page.get(&request.path).ok_or(Refusal::NotFound)?;
    let packed = if request.takes_gzip() {
        file.packed()
    } else {
        None
    };
    let mut headers = vec![("Content-Type", file.kind), ("Vary", "Accept-Encoding")];
    let (body, tag) = match packed {
        None => (file.body, &file.tag),
        Some(packed) => {
            headers.push(("Content-Encoding", "gzip"));
            (packed.body.as_slice(), &packed.tag)
        }
    };
    headers.push(("ETag", tag));
    let known = request.header("if-none-match")?;
    // A proxy that changes the encoding marks the tag as weak.
    let is_known = |known: &str| known.trim().trim_start_matches("W/") == *tag;
    let has_it = known.is_some_and(|tags| tags.split(',').any(is_known));
    Ok(Answer {
        status: if has_it { "304 Not Modified" } else { "200 OK" },
        headers,
        body: if has_it { b"" } else { body },
    })
}

/// The response that starts a WebSocket, if the request asks for one.
fn upgrade(request: &Request) -> Option<String> {
    let mut wish = types::Request::builder()
        .method(request.method.as_str())
        .version(if request.is_current {
            types::Version::HTTP_11
        } else {
            types::Version::HTTP_10
        })
        .uri(SOCKET);
    for (name, value) in request.headers() {
        wish = wish.header(name, value);
    }
    let answer = create_response(&wish.body(()).ok()?).ok()?;
    let mut text = "HTTP/1.1 101 Switching Protocols\r\n".to_owned();
    for (name, value) in answer.headers() {
        text += &format!("{name}: {}\r\n", value.to_str().ok()?);
    }
    Some(text + "\r\n")
}
