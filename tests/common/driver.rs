//! Drives the real binary over standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::ops::{Deref, DerefMut};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long an answer may take before the test gives up. It measures nothing:
/// machines that run tests can be very busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// The binary, which the tests inside the crate do not have.
const PETARD: Option<&str> = option_env!("CARGO_BIN_EXE_petard");

/// Waits for a program to exit by itself.
pub fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    panic!("the program does not end");
}

/// A running program, which is killed if its test fails before it has ended.
pub struct Running(Option<Child>);

impl Running {
    /// Starts it.
    pub fn start(command: &mut Command) -> Self {
        Self(Some(command.spawn().expect("the program starts")))
    }

    /// Sends it a signal, such as `-INT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for its end: its exit status, and what is left of its output.
    pub fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect("it runs until its output is taken")
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("it runs until its output is taken")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has already ended unless a test fails.
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A running engine.
pub struct Driver {
    child: Running,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Driver {
    /// Starts the binary without arguments.
    pub fn start() -> Self {
        Self::run(&mut Command::new(PETARD.expect("an integration test")))
    }

    /// The same, with a limited address space in megabytes.
    #[cfg(target_os = "linux")]
    pub fn limited(megabytes: u32) -> Self {
        let program = PETARD.expect("an integration test");
        let script = format!(
            "unset RUST_BACKTRACE; ulimit -v {}; exec {program}",
            megabytes << 10
        );
        Self::run(Command::new("sh").args(["-c", &script]))
    }

    fn run(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Running::start(command.stderr(Stdio::inherit()));
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    /// Sends bytes as they are, in one write.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends lines, in one write.
    pub fn send(&mut self, text: &str) {
        self.write(format!("{text}\n").as_bytes());
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        self.next().expect("a line from the engine")
    }

    /// The next line, or nothing if the engine has closed its output.
    pub fn next(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}"),
        }
    }

    /// Ends the input.
    pub fn end_input(&mut self) {
        drop(self.input.take());
    }

    /// All lines up to and including the first that starts with `beginning`.
    pub fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(line),
                Err(_) => panic!("no line '{beginning}...' after {lines:#?}"),
            }
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    /// The answers to lines that are acted on at once.
    pub fn ask(&mut self, text: &str) -> Vec<String> {
        self.send(&format!("{text}\nisready"));
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends lines and waits for the move: the move, and the lines before it.
    pub fn best(&mut self, text: &str) -> (String, Vec<String>) {
        self.send(text);
        let mut lines = self.until("bestmove ");
        let last = lines.pop().unwrap();
        let best = last.split_whitespace().nth(1).unwrap().to_owned();
        (best, lines)
    }

    /// The position's FEN.
    pub fn fen(&mut self) -> String {
        let lines = self.ask("d");
        let line = lines.iter().find_map(|line| line.strip_prefix("Fen: "));
        line.expect("a line with the FEN").to_owned()
    }

    /// The legal moves.
    pub fn moves(&mut self) -> Vec<String> {
        let lines = self.ask("moves");
        let line = lines.iter().find_map(|line| line.strip_prefix("moves:"));
        let list = line.expect("a line with the moves").split_whitespace();
        list.map(str::to_owned).collect()
    }

    /// Ends the input and waits for the program to exit: the rest of the output,
    /// and the exit status.
    pub fn close(&mut self) -> (Vec<String>, ExitStatus) {
        self.end_input();
        self.finish()
    }

    /// Waits for the program to exit by itself.
    pub fn finish(&mut self) -> (Vec<String>, ExitStatus) {
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no end after {rest:#?}"),
            }
        }
        (rest, self.wait())
    }

    fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    /// Waits for the program to close its output and exit, with the input still
    /// open.
    pub fn quit(mut self) {
        self.send("quit");
        let (_, status) = self.finish();
        assert!(status.success());
    }
}

/// The number after a word in an `info` line.
pub fn number(line: &str, word: &str) -> Option<i64> {
    let mut tokens = line.split_whitespace();
    tokens.find(|&token| token == word)?;
    tokens.next()?.parse().ok()
}

/// The moves after `pv` in an `info` line.
pub fn line_of(info: &str) -> Vec<String> {
    info.split_whitespace()
        .skip_while(|&token| token != "pv")
        .skip(1)
        .map(str::to_owned)
        .collect()
}

/// The last `info` line with a score and a line of moves.
pub fn last_info(lines: &[String]) -> &str {
    lines
        .iter()
        .rev()
        .find(|line| line.starts_with("info depth") && line.contains(" pv "))
        .expect("an info line")
}
