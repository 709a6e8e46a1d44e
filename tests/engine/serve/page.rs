//! The files of the page.

use super::Server;
use flate2::read::GzDecoder;
use std::io::Read;

#[test]
fn the_page_is_served_and_nothing_else() {
    let server = Server::start(&[]);
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/?a=b", "text/html; charset=utf-8"),
        ("/js/main.js", "text/javascript; charset=utf-8"),
        ("/js/engine/transport.js", "text/javascript; charset=utf-8"),
        ("/css/base.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/data/judgement.json", "application/json"),
    ] {
        let answer = server.get(path);
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n"),
            "{path}: {answer}"
        );
        assert!(
            answer.contains(&format!("content-type: {kind}\r\n")),
            "{path}"
        );
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "x-content-type-options: nosniff\r\n",
            "referrer-policy: no-referrer\r\n",
            "cross-origin-opener-policy: same-origin\r\n",
            "cross-origin-embedder-policy: require-corp\r\n",
            "cross-origin-resource-policy: same-origin\r\n",
            "cache-control: no-cache\r\n",
        ] {
            assert!(answer.contains(header), "{path}: {header}");
        }
    }
    for path in [
        "/js",
        "/js/",
        "/README.md",
        "/tests/package.json",
        "/../Cargo.toml",
        "/js/../../Cargo.toml",
        "/js/%2e%2e/index.html",
        "//etc/passwd",
    ] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    let host = format!("Host: {}", server.host);
    let answer = server.ask("POST /", &[&host]);
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    assert!(server.get("/engine").starts_with("HTTP/1.1 426 "));
}

#[test]
fn a_file_that_the_browser_has_is_not_sent_again() {
    let server = Server::start(&[]);
    let host = format!("Host: {}", server.host);
    let answer = server.get("/js/main.js");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let tag = tag(head);
    let again = server.ask(
        "GET /js/main.js",
        &[&host, &format!("If-None-Match: {tag}")],
    );
    assert!(again.starts_with("HTTP/1.1 304 "), "{again}");
    assert!(again.ends_with("\r\n\r\n"), "{again}");
    let several = format!("If-None-Match: \"other\", {tag}");
    let again = server.ask("GET /js/main.js", &[&host, &several]);
    assert!(again.starts_with("HTTP/1.1 304 "), "{again}");
    let other = server.ask("GET /js/main.js", &[&host, "If-None-Match: \"other\""]);
    assert!(other.ends_with(body) && !body.is_empty());
    let head = server.ask("HEAD /js/main.js", &[&host]);
    let length = format!("content-length: {}\r\n", body.len());
    assert!(
        head.contains(&length) && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[test]
fn a_file_is_compressed_for_who_takes_that() {
    let server = Server::start(&[]);
    let host = format!("Host: {}", server.host);
    for path in ["/", "/js/main.js", "/css/base.css"] {
        let get = format!("GET {path}");
        let plain = server.get(path);
        let (plain_head, plain_body) = plain.split_once("\r\n\r\n").unwrap();
        let (head, body) = parts(server.bytes(&get, &[&host, "Accept-Encoding: br, gzip;q=0.8"]));
        assert!(head.contains("content-encoding: gzip\r\n"), "{head}");
        assert!(!plain_head.contains("content-encoding"), "{plain_head}");
        for head in [&head, plain_head] {
            assert!(head.contains("vary: accept-encoding\r\n"), "{head}");
        }
        assert!(body.len() < plain_body.len());
        let mut unpacked = String::new();
        GzDecoder::new(body.as_slice())
            .read_to_string(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, plain_body);
        // The bytes differ, so the tag must be weak.
        let tag = tag(&head);
        assert!(tag.starts_with("W/"), "{tag}");
        let known = format!("If-None-Match: {tag}");
        let again = server.ask(&get, &[&host, "Accept-Encoding: gzip", &known]);
        assert!(again.starts_with("HTTP/1.1 304 "), "{again}");
    }
    for refusal in ["", "br", "gzip;q=0", "br, gzip; q=0.000", "gzipped"] {
        let accept = format!("Accept-Encoding: {refusal}");
        let answer = server.ask("GET /js/main.js", &[&host, &accept]);
        assert!(!answer.contains("content-encoding"), "{refusal}");
    }
}

/// The head and body of a response.
fn parts(mut bytes: Vec<u8>) -> (String, Vec<u8>) {
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let body = bytes.split_off(end + 4);
    (String::from_utf8(bytes).unwrap(), body)
}

fn tag(head: &str) -> &str {
    let tag = head.split("etag: ").nth(1).unwrap();
    tag.split("\r\n").next().unwrap()
}
