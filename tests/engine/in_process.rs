//! A protocol session in the test's own process.

use petard::engine::Settings;
use petard::protocol::{Policy, run};
use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an answer may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(180);

/// A session in this process.
pub struct Session {
    pub input: Option<PipeWriter>,
    lines: Receiver<String>,
    pub end: JoinHandle<bool>,
    /// All traffic in both directions, for failure messages.
    pub log: Vec<String>,
}

impl Session {
    pub fn new() -> Self {
        let policy = Policy {
            settings: Settings {
                max_hash: Some(2),
                ..Settings::default()
            },
            ..Policy::default()
        };
        let (from_us, input) = pipe().unwrap();
        let (from_session, output) = pipe().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from_session).lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        let end = std::thread::spawn(move || run(policy, BufReader::new(from_us), output).is_ok());
        Self {
            input: Some(input),
            lines,
            end,
            log: Vec::new(),
        }
    }

    pub fn send(&mut self, line: &str) {
        self.log.push(format!("> {line}"));
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next line; `None` at the end of the session.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.log.push(format!("< {line}"));
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer:\n{}", self.log.join("\n")),
        }
    }

    /// The answers up to `readyok`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let lines = std::iter::from_fn(|| self.line());
        lines.take_while(|line| line != "readyok").collect()
    }
}
