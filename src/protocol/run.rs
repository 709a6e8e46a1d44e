//! What drives a session: threads of its own, one that reads and one that executes
//! and writes; or its host, for hosts that must not block, such as a browser.

use super::lines::{Backlog, LONGEST_LINE, Output, SessionInput, read_lines};
use super::session::{Flow, Session};
use crate::base::STACK;
use crate::engine::{Engine, EngineError, Event, Settings, Task};
use std::io::{self, BufRead};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// What the other end of a session may do. By default everything: it could have
/// started the program itself.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The settings that the session's engine starts with, and its limits. The
    /// hash table is smaller if these, or the memory that is left, require it.
    pub settings: Settings,
    /// The longest line that is read, in bytes.
    pub longest_line: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            longest_line: LONGEST_LINE,
        }
    }
}

impl Policy {
    fn engine(&self, sink: impl Fn(Event) + Send + Sync + 'static) -> Result<Engine, EngineError> {
        let mut settings = self.settings.clone();
        let left = settings.memory.as_ref().map(|memory| memory.left());
        for limit in [settings.max_hash, left].into_iter().flatten() {
            settings.hash = settings.hash.min(limit).max(1);
        }
        Engine::with_settings(settings, sink)
    }
}

/// How long a session may stall after a `quit` before it is abandoned:
/// nobody reads its answers, or a large table is being allocated.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

/// What ends the wait for a session.
enum End {
    /// A `quit` was read; what came before it may still be running.
    Quit,
    /// The session has ended.
    Session(io::Result<()>),
}

/// Runs a session until `quit` or the end of input. At the end of input a
/// bounded search is finished and answered first, an unbounded one is stopped.
///
/// After a `quit` it does not wait for a session that is stuck because its
/// output is full or an option takes long: its threads are abandoned then,
/// until the program ends.
///
/// # Errors
/// If the engine cannot be started, or the output is closed.
pub fn run(
    policy: Policy,
    input: impl BufRead + Send + 'static,
    output: impl Output,
) -> Result<(), Box<dyn std::error::Error>> {
    let (sender, inbox) = channel();
    let events = sender.clone();
    let engine = policy.engine(move |event| {
        // Nobody listens once the loop has ended, and nobody needs to.
        let _ = events.send(SessionInput::Engine(event));
    })?;
    let (end, ends) = channel();
    let backlog = Arc::new(Backlog::default());
    let progress = Arc::new(AtomicU64::new(0));
    let longest_line = policy.longest_line;
    let session = Session::new(
        engine,
        longest_line,
        output,
        Arc::clone(&backlog),
        Arc::clone(&progress),
    );
    let quit = end.clone();
    let unread = Arc::clone(&backlog);
    let has_read_all = Arc::new(AtomicBool::new(false));
    let ends_now = Arc::clone(&has_read_all);
    let reader = thread("input").spawn(move || {
        let read = || {
            // Likewise, nobody may be waiting for the end.
            let leave = || drop(quit.send(End::Quit));
            read_lines(input, longest_line, &sender, &backlog, leave);
        };
        if catch_unwind(AssertUnwindSafe(read)).is_err() {
            log::error!("reading the input panicked; taken as the end of input");
        }
        ends_now.store(true, Release);
        let _ = sender.send(SessionInput::End);
    });
    let reader = reader.map_err(EngineError::Threads)?;
    let session = thread("session").spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| session.run(&inbox)));
        let result = result.unwrap_or_else(|_| Err(io::Error::other("the session panicked")));
        unread.close();
        let _ = end.send(End::Session(result));
    });
    let session = session.map_err(EngineError::Threads)?;
    if let Some(result) = wait(&ends, &progress) {
        // Both threads are about to end. A reader that is still reading may be
        // waiting for a line that never comes.
        let _ = session.join();
        if has_read_all.load(Acquire) {
            let _ = reader.join();
        }
        result?;
    }
    Ok(())
}

/// A thread with a stack for what a session does, whatever the environment says
/// of stacks.
fn thread(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(STACK)
}

/// Waits for the end of the session; after a `quit`, only while it makes
/// progress. Returns its result, or `None` if it is to be abandoned.
fn wait(ends: &Receiver<End>, progress: &AtomicU64) -> Option<io::Result<()>> {
    let mut is_leaving = false;
    loop {
        let before = progress.load(Relaxed);
        let end = if is_leaving {
            ends.recv_timeout(QUIT_TIMEOUT)
        } else {
            ends.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match end {
            Ok(End::Session(result)) => return Some(result),
            Ok(End::Quit) => is_leaving = true,
            Err(RecvTimeoutError::Timeout) if progress.load(Relaxed) != before => {}
            Err(_) => return None,
        }
    }
}

/// A session that its host drives: the [host](crate::engine::Settings::host) of
/// its settings says who that is.
///
/// ```
/// use petard::engine::Host;
/// use petard::protocol::{HostedSession, Policy};
///
/// let mut policy = Policy::default();
/// policy.settings.host = Host::SingleThread(|_| {});
/// let (_reader, writer) = std::io::pipe()?;
/// let mut session = HostedSession::new(policy, writer, || {})?;
/// session.execute_lines("go depth 3")?;
/// while let Some(work) = session.take_work() {
///     work();
///     session.handle_events()?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HostedSession<W> {
    session: Session<W>,
    events: Receiver<SessionInput>,
    is_over: bool,
}

impl<W: Output> HostedSession<W> {
    /// Starts a session. `notify` is called on the engine's threads whenever
    /// there are events to take.
    ///
    /// # Errors
    /// If the engine cannot be started.
    pub fn new(
        policy: Policy,
        output: W,
        notify: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let (sender, events) = channel();
        let engine = policy.engine(move |event| {
            // Nobody listens once the session is gone.
            let _ = sender.send(SessionInput::Engine(event));
            notify();
        })?;
        let session = Session::new(
            engine,
            policy.longest_line,
            output,
            Arc::default(),
            Arc::default(),
        );
        Ok(Self {
            session,
            events,
            is_over: false,
        })
    }

    /// Whether a `quit` has ended it.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Executes these lines.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn execute_lines(&mut self, text: &str) -> io::Result<()> {
        let mut text = text.as_bytes();
        while let Some(input) = SessionInput::read(&mut text, self.session.longest_line) {
            self.handle(input)?;
        }
        Ok(())
    }

    /// Takes the events that have arrived.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn handle_events(&mut self) -> io::Result<()> {
        while let Ok(input) = self.events.try_recv() {
            self.handle(input)?;
        }
        Ok(())
    }

    fn handle(&mut self, input: SessionInput) -> io::Result<()> {
        if !self.is_over {
            self.is_over = self.session.handle(input)? == Flow::Quit;
        }
        Ok(())
    }

    /// The work that has been started, for a host without threads
    /// ([`crate::engine::Host::SingleThread`]) to run. While it runs, the session must
    /// be free to take input.
    #[must_use]
    pub fn take_work(&self) -> Option<Task> {
        self.session.engine().take_work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Budget, OptionKind, OptionSpec};

    fn guest() -> Policy {
        let settings = Settings {
            has_files: false,
            max_hash: Some(8),
            max_threads: Some(2),
            ..Settings::default()
        };
        Policy {
            settings,
            ..Policy::default()
        }
    }

    fn engine(policy: &Policy) -> Engine {
        policy.engine(|_| {}).unwrap()
    }

    fn has(policy: &Policy, name: &str) -> bool {
        let options = engine(policy).options();
        options.iter().any(|option| option.name == name)
    }

    /// Why an option is not set.
    fn refusal(policy: &Policy, name: &str, value: &str) -> String {
        let result = engine(policy).set_option(name, Some(value));
        result.unwrap_err().to_string()
    }

    #[test]
    fn by_default_everything_is_available() {
        let policy = Policy::default();
        assert!(has(&policy, "EvalFile") && has(&policy, "ProofFile"));
        assert!(!refusal(&policy, "EvalFile", "/none").contains("available"));
        assert_eq!(engine(&policy).settings().hash, Settings::default().hash);
    }

    #[test]
    fn a_guest_has_no_files_but_those_that_the_host_reads() {
        let mut policy = guest();
        for name in ["EvalFile", " prooffile ", "ProofFile"] {
            let reason = refusal(&policy, name, "file");
            assert!(reason.ends_with("File is not available here"), "{reason}");
        }
        assert!(!has(&policy, "EvalFile") && !has(&policy, "ProofFile"));
        assert!(has(&policy, "Evaluation"));
        policy.settings.read_proof = Some(|_| Err(io::Error::other("no such proof")));
        assert!(!has(&policy, "EvalFile") && has(&policy, "ProofFile"));
        let reason = "ProofFile 'file' refused: no such proof";
        assert_eq!(refusal(&policy, "ProofFile", "file"), reason);
        assert!(refusal(&policy, "EvalFile", "file").contains("not available"));
    }

    #[test]
    fn a_guest_has_limited_memory_and_threads() {
        let policy = guest();
        let mut engine = engine(&policy);
        for (name, most) in [("Hash", 8), ("Threads", 2)] {
            let is_named = |option: &OptionSpec| option.name == name;
            let option = engine.options().into_iter().find(is_named).unwrap();
            let OptionKind::Spin { default, min, max } = option.kind else {
                panic!("{option:?}");
            };
            assert!(min == 1 && max == most && default <= most, "{option:?}");
            engine.set_option(name, Some(&most.to_string())).unwrap();
            let more = most + 1;
            let reason = format!("{name} takes a number from 1 to {most}, not '{more}'");
            assert_eq!(refusal(&policy, name, &format!(" {more} ")), reason);
        }
        assert_eq!(self::engine(&policy).settings().hash, 8);
        // More than any machine has is no limit.
        let mut generous = Policy::default();
        generous.settings.max_hash = Some(usize::MAX);
        generous.settings.max_threads = Some(usize::MAX);
        let unlimited = Engine::new(|_| {}).unwrap().options();
        assert_eq!(self::engine(&generous).options(), unlimited);
    }

    #[test]
    fn a_session_begins_with_the_memory_that_is_left() {
        let mut policy = guest();
        policy.settings.memory = Some(Arc::new(Budget::new(3)));
        let first = engine(&policy);
        assert_eq!(first.settings().hash, 3);
        drop(first);
        assert_eq!(engine(&policy).settings().hash, 3);
    }

    /// The answers to these lines, if work may continue for this long after
    /// them.
    fn answers(lines: &[&str], max_work: Duration) -> String {
        let (sender, inbox) = channel();
        let events = sender.clone();
        let engine =
            Engine::new(move |event| drop(events.send(SessionInput::Engine(event)))).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let mut session =
            Session::new(engine, LONGEST_LINE, writer, Arc::default(), Arc::default());
        session.max_work = max_work;
        for line in lines {
            sender
                .send(SessionInput::parsed((*line).to_owned()))
                .unwrap();
        }
        sender.send(SessionInput::End).unwrap();
        let text = std::thread::spawn(|| io::read_to_string(reader).unwrap());
        session.run(&inbox).unwrap();
        text.join().unwrap()
    }

    #[test]
    fn work_that_takes_too_long_after_the_end_of_input_is_stopped_and_answered() {
        let lines = ["perft 20", "bench 99", "go depth 239", "go mate 100"];
        let text = answers(&lines, Duration::ZERO);
        assert!(text.contains("info string perft stopped\n"), "{text}");
        assert!(text.contains("info string bench stopped\n"), "{text}");
        assert_eq!(text.matches("bestmove ").count(), 2, "{text}");
        assert!(!text.contains("(none)"), "{text}");
    }

    #[test]
    fn a_count_of_endless_lines_can_be_stopped() {
        let lines = [
            "setoption name UCI_Variant value freeling",
            "perft 4000000000",
        ];
        let text = answers(&lines, Duration::from_millis(300));
        assert!(text.ends_with("info string perft stopped\n"), "{text}");
    }

    #[test]
    fn work_that_ends_in_time_is_finished_after_the_end_of_input() {
        let text = answers(&["go depth 5", "perft 2"], Duration::from_secs(3600));
        assert!(text.contains("info depth 5 "), "{text}");
        assert!(text.ends_with("Nodes searched: 484\n"), "{text}");
    }
}
