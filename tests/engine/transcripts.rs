//! Replays every transcript in `protocol.md` against the binary, so that the
//! specification and the program cannot diverge.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::driver::Driver;

/// The transcripts in a text, each as its lines.
fn transcripts(text: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        match &mut open {
            None if line == "```transcript" => open = Some(Vec::new()),
            Some(_) if line == "```" => found.extend(open.take()),
            Some(lines) => lines.push(line),
            None => {}
        }
    }
    assert!(open.is_none(), "a transcript has no end");
    found
}

/// Whether a line is as expected: `#` matches an integer, `*` anything without a
/// blank, `**` anything.
fn matches(expected: &str, line: &str) -> bool {
    if let Some(rest) = expected.strip_prefix("**") {
        return (0..=line.len())
            .filter(|&at| line.is_char_boundary(at))
            .any(|at| matches(rest, &line[at..]));
    }
    if let Some(rest) = expected.strip_prefix('*') {
        let end = line.find(' ').unwrap_or(line.len());
        return (0..=end)
            .filter(|&at| line.is_char_boundary(at))
            .any(|at| matches(rest, &line[at..]));
    }
    if let Some(rest) = expected.strip_prefix('#') {
        let unsigned = line.strip_prefix('-').unwrap_or(line);
        let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
        return digits > 0 && matches(rest, &unsigned[digits..]);
    }
    match (expected.chars().next(), line.chars().next()) {
        (None, None) => true,
        (Some(a), Some(b)) if a == b => matches(&expected[a.len_utf8()..], &line[b.len_utf8()..]),
        _ => false,
    }
}

/// Replays one transcript; the error says how it differs.
fn replay(lines: &[&str]) -> Result<(), String> {
    let mut engine = Driver::start();
    let mut skips = false;
    for &step in lines {
        if step == "<..." {
            skips = true;
        } else if step == "> \\" {
            engine.end_input();
        } else if let Some(text) = step.strip_prefix("> ") {
            engine.send(text);
        } else if let Some(expected) = step.strip_prefix("< ") {
            loop {
                let line = engine.next().ok_or(format!("the end, not: {expected}"))?;
                if matches(expected, &line) {
                    break;
                }
                if !skips {
                    return Err(format!("expected: {expected}\n   found: {line}"));
                }
            }
            skips = false;
        } else if let Some(code) = step.strip_prefix("= ") {
            let (rest, status) = engine.finish();
            if !rest.is_empty() && !skips {
                return Err(format!("not in the transcript: {rest:?}"));
            }
            if status.code().map(|code| code.to_string()).as_deref() != Some(code) {
                return Err(format!("ended with {status}"));
            }
            return Ok(());
        } else {
            return Err(format!("not a step of a transcript: {step}"));
        }
    }
    Err("a transcript must end with the program".to_owned())
}

#[test]
fn every_transcript_of_the_specification_is_what_happens() {
    let found = transcripts(include_str!("../../protocol.md"));
    assert!(found.len() >= 8);
    for lines in found {
        if let Err(error) = replay(&lines) {
            panic!("{error}\nin\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn the_replay_finds_differences() {
    for wrong in [
        "> isready\n< ready\n> quit\n= 0",
        "> isready\n> quit\n= 0",
        "> isready\n< readyok\n> quit\n= 1",
        "> isready\n<...\n< never\n> quit\n= 0",
        "> quit\n< readyok\n= 0",
        "> isready\n< readyok\n> quit",
        "isready",
    ] {
        // Do not wait for a line that never comes: end the input.
        let wrong = wrong.replace("< never", "> \\\n< never");
        let lines: Vec<&str> = wrong.lines().collect();
        assert!(replay(&lines).is_err(), "{wrong}");
    }
}

#[test]
fn wildcards_stand_for_what_they_say() {
    for (expected, line, result) in [
        ("a # b", "a 12 b", true),
        ("a # b", "a -3 b", true),
        ("a # b", "a x b", false),
        ("a # b", "a  b", false),
        ("pv * *", "pv a2a3 b2", true),
        ("pv * *", "pv a2a3", false),
        ("pv *", "pv a2a3 b7b6", false),
        ("pv **", "pv a2a3 b7b6", true),
        ("d6*", "d6d7", true),
        ("", "", true),
        ("", "x", false),
        ("**% to win", "61.3% to win", true),
    ] {
        assert_eq!(matches(expected, line), result, "{expected} / {line}");
    }
}

#[test]
fn every_option_is_specified() {
    let text = include_str!("../../protocol.md");
    let mut engine = Driver::start();
    engine.send("uci");
    for line in engine.until("uciok") {
        if let Some(option) = line.strip_prefix("option name ") {
            let name = option.split(" type ").next().unwrap();
            assert!(text.contains(&format!("\n| `{name}` |")), "{name}");
        }
    }
    engine.quit();
}
