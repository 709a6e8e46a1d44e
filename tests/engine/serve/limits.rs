//! How much may be requested.

use super::{Server, wait_for_session};
use tungstenite::Message;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};

#[test]
fn hash_and_threads_have_ceilings() {
    let server = Server::start(&["--max-hash", "20", "--max-threads", "2"]);
    let mut client = server.session();
    client.send("uci");
    let listed = client.until("uciok");
    for line in [
        "option name Hash type spin default 20 min 1 max 20",
        "option name Threads type spin default 1 min 1 max 2",
    ] {
        assert!(listed.iter().any(|listed| listed == line), "{listed:#?}");
    }
    for (set, answer) in [
        ("hash value 20", None),
        (
            "Hash value 21",
            Some("Hash takes a number from 1 to 20, not '21'"),
        ),
        ("Threads value 2", None),
        (
            "Threads value 512",
            Some("Threads takes a number from 1 to 2, not '512'"),
        ),
        // The error names the range of this session.
        (
            "Hash value 0",
            Some("Hash takes a number from 1 to 20, not '0'"),
        ),
        (
            "threads value x",
            Some("Threads takes a number from 1 to 2, not 'x'"),
        ),
    ] {
        let text = client.ask(&format!("setoption name {set}"));
        let expected: Vec<_> = answer
            .iter()
            .map(|text| format!("info string {text}"))
            .collect();
        assert_eq!(text, expected, "{set}");
    }
}

#[test]
fn limits_beyond_all_numbers_are_none() {
    let most = usize::MAX.to_string();
    let limits = ["--sessions", "--max-hash", "--max-threads", "--memory"];
    let server = Server::start(&limits.map(|name| [name, &most]).concat());
    let mut client = server.session();
    client.send("uci");
    let listed = client.until("uciok");
    for line in [
        "option name Hash type spin default 64 min 1 max ",
        "option name Threads type spin default 1 min 1 max 512",
    ] {
        assert!(
            listed.iter().any(|listed| listed.starts_with(line)),
            "{listed:#?}"
        );
    }
}

#[test]
fn a_message_that_is_too_long_is_refused() {
    let server = Server::start(&[]);
    let mut client = server.session();
    let moves = " a2a3".repeat(20_000);
    let answer = client.ask(&format!("position startpos moves{moves}"));
    let error = "refused: line longer than 65536 bytes";
    assert_eq!(answer, [format!("info string position {error}")]);
    // The position before it is not the intended one.
    client.send("go depth 1");
    let reason = "the last position was refused: line longer than 65536 bytes";
    let refused = [&format!("info string refused: {reason}"), "bestmove (none)"];
    assert_eq!(client.until("bestmove"), refused);
    let answer = client.ask(&"x".repeat(70_000));
    assert_eq!(
        answer,
        ["info string line ignored: longer than 65536 bytes"]
    );
    client.0.send(Message::text("x".repeat(2 << 20))).unwrap();
    assert_eq!(client.end().0, 1009);
    let mut client = server.session();
    client.0.send(Message::binary(b"uci".to_vec())).unwrap();
    assert_eq!(client.end().0, 1003);
}

/// The close frame names the mistake that ended the session.
#[test]
fn what_is_no_websocket_is_refused_with_a_reason() {
    let server = Server::start(&[]);
    let text = |kind, text: &[u8]| Frame::message(text.to_vec(), OpCode::Data(kind), true);
    for (frame, code) in [
        (text(Data::Text, b"\xff\xfe"), 1007),
        (text(Data::Continue, b"go"), 1002),
        (Frame::ping(vec![0; 126]), 1002),
    ] {
        let mut client = server.session();
        client.0.send(Message::Frame(frame)).unwrap();
        assert_eq!(client.end().0, code);
    }
}

#[test]
fn a_message_in_pieces_is_as_long_as_they_are_together() {
    let server = Server::start(&[]);
    let mut client = server.session();
    let piece = |kind, is_last| {
        let text = vec![b'x'; 600_000];
        Message::Frame(Frame::message(text, OpCode::Data(kind), is_last))
    };
    client.0.send(piece(Data::Text, false)).unwrap();
    client.0.send(piece(Data::Continue, true)).unwrap();
    assert_eq!(client.end().0, 1009);
}

/// All tables together stay within the memory set aside for them; a refused
/// resize is reported, and the table stays as it was.
#[test]
fn all_sessions_together_have_so_much_memory() {
    let server = Server::start(&["--memory", "100", "--max-hash", "90", "--sessions", "3"]);
    let mut first = server.session();
    assert_eq!(first.ask("setoption name Hash value 64"), [""; 0]);
    // Less is left than a session starts with by default, but enough.
    let mut second = server.session();
    assert_eq!(second.ask("setoption name Hash value 36"), [""; 0]);
    let (code, lines) = server.session().end();
    assert_eq!((code, lines), (1013, Vec::new()));

    let text = "left of the memory shared by all sessions";
    let error = format!("a hash table of 90 MB is too large: only 64 MB {text}");
    let answer = first.ask("setoption name Hash value 90");
    assert_eq!(answer, [format!("info string {error}; it stays at 64 MB")]);
    first.send("go prove");
    let error = format!("a proof table of 64 MB is too large: only 0 MB {text}");
    let refused = [
        format!("info string refused: {error}"),
        "bestmove (none)".to_owned(),
    ];
    assert_eq!(first.until("bestmove"), refused);
    // Its existing table is as good as before.
    first.send("go depth 3");
    assert_ne!(first.until("bestmove").last().unwrap(), "bestmove (none)");

    // Released memory is available to others, and a proof releases its own.
    assert_eq!(first.ask("setoption name Hash value 20"), [""; 0]);
    assert_eq!(second.ask("setoption name Hash value 80"), [""; 0]);
    assert_eq!(second.ask("setoption name Hash value 30"), [""; 0]);
    for _ in 0..3 {
        second.send("position fen ppp/ppp/3/PPP/PPP w\ngo prove");
        assert_ne!(second.until("bestmove").last().unwrap(), "bestmove (none)");
    }
    drop((first, second));
    let mut next = wait_for_session(&server);
    // Nothing has leaked: sooner or later, all of it is free again.
    while !next.ask("setoption name Hash value 90").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
