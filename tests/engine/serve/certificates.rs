//! `--certificates`: a folder's certificates, offered to the page.

use super::{Server, command};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const PROOF: &[u8] = include_bytes!("../../../src/solve/certificates/2x4.proof");

/// A folder of this test's own with these files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = format!("certificates-{name}-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, bytes) in files {
        fs::write(folder.join(file), bytes).unwrap();
    }
    folder
}

#[test]
fn only_listed_certificates_are_served() {
    let files: [(&str, &[u8]); 3] = [
        ("2x4.proof", PROOF),
        ("notes.txt", b"not listed"),
        ("hidden.proof", b"not a certificate"),
    ];
    let folder = folder("served", &files);
    let server = Server::start(&["--certificates", folder.to_str().unwrap()]);
    let list = server.get("/certificates.json");
    assert!(
        list.contains("content-type: application/json\r\n"),
        "{list}"
    );
    let bytes = PROOF.len();
    let expected = format!(r#"[{{"name":"2x4.proof","board":"2x4","bytes":{bytes}}}]"#);
    assert!(list.ends_with(&format!("\r\n\r\n{expected}")), "{list}");

    let host = format!("Host: {}", server.host);
    let get = "GET /certificates/2x4.proof";
    let answer = server.bytes(get, &[&host, "Accept-Encoding: gzip"]);
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert!(answer.ends_with(&[b"\r\n\r\n", PROOF].concat()));
    let head = String::from_utf8_lossy(&answer);
    assert!(head.contains("cache-control: no-cache\r\n"), "{head}");
    let tag = head.split("etag: ").nth(1).unwrap();
    let known = format!("If-None-Match: {}", tag.split("\r\n").next().unwrap());
    assert!(
        server
            .ask(get, &[&host, &known])
            .starts_with("HTTP/1.1 304 ")
    );
    let post = server.ask("POST /certificates/2x4.proof", &[&host]);
    assert!(post.starts_with("HTTP/1.1 405 "), "{post}");

    for path in [
        "/certificates",
        "/certificates/",
        "/certificates/notes.txt",
        "/certificates/hidden.proof",
        "/certificates/./2x4.proof",
        "/certificates/../certificates/2x4.proof",
        "/certificates/..%2fnotes.txt",
        "/certificates//etc/passwd",
        "/2x4.proof",
    ] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    // The file is read when it is asked for.
    fs::remove_file(folder.join("2x4.proof")).unwrap();
    assert!(server.ask(get, &[&host]).starts_with("HTTP/1.1 404 "));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_server_without_certificates_has_an_empty_list() {
    let list = Server::start(&[]).get("/certificates.json");
    assert!(list.ends_with("\r\n\r\n[]"), "{list}");
}

#[test]
fn what_is_left_out_is_named() {
    let version_1 = String::from_utf8_lossy(PROOF).replace("certificate 2", "certificate 1");
    let files: [(&str, &[u8]); 5] = [
        ("2x4.proof", PROOF),
        ("a b.proof", PROOF),
        ("empty.proof", b""),
        (
            "position.proof",
            b"breakthrough certificate 2\nfen xx/xx w 0 1\n",
        ),
        ("whole.proof", version_1.as_bytes()),
    ];
    let folder = folder("left-out", &files);
    fs::create_dir(folder.join("folder.proof")).unwrap();
    let mut server = Server::run(
        command()
            .args(["--port", "0", "--certificates"])
            .arg(&folder)
            .stderr(Stdio::piped()),
    )
    .unwrap();
    assert!(
        server
            .get("/certificates.json")
            .contains(r#"[{"name":"2x4.proof","#)
    );
    server.kill();
    let errors = BufReader::new(server.child.stderr.take().unwrap());
    let errors: Vec<String> = errors.lines().map(Result::unwrap).collect();
    let kind = "it is not a short certificate (version 2)";
    let expected = [
        (
            "a b.proof",
            "its name has other characters than letters, digits, '-', '.' and '_'",
        ),
        ("empty.proof", kind),
        ("folder.proof", "it is not a file"),
        ("position.proof", kind),
        ("whole.proof", kind),
    ]
    .map(|(name, reason)| {
        format!(
            "petard: {} is left out: {reason}",
            folder.join(name).display()
        )
    });
    assert_eq!(errors, expected);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_missing_folder_is_an_error() {
    let missing = folder("missing", &[]).join("nothing");
    let output = command()
        .args(["--port", "0", "--certificates"])
        .arg(&missing)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    let start = format!("cannot read the folder {}: ", missing.display());
    assert!(text.contains(&start) && text.lines().count() == 1, "{text}");
}
