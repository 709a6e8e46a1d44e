//! A session without a loop of its own: its host hands it lines and tells it
//! when the engine has news. For hosts that must not block, such as a browser.

use super::carrier::Output;
use super::input::Input;
use super::policy::Policy;
use super::session::{Flow, Session};
use crate::engine::{Engine, EngineError, Task};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// A session that its host drives. [`Policy::host`] says who that is.
///
/// ```
/// use petard::engine::Host;
/// use petard::protocol::{HostedSession, Policy};
///
/// let policy = Policy {
///     host: Host::SingleThread(|_| {}),
///     ..Policy::default()
/// };
/// let (_reader, writer) = std::io::pipe()?;
/// let mut session = HostedSession::new(policy, writer, || {})?;
/// session.take_lines("go depth 3")?;
/// while let Some(work) = session.take_work() {
///     work();
///     session.take_news()?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HostedSession<W> {
    session: Session<W>,
    news: Receiver<Input>,
    longest_line: usize,
    is_over: bool,
}

impl<W: Output> HostedSession<W> {
    /// Starts a session. `ring` is called on the engine's threads whenever
    /// there is news to take.
    ///
    /// # Errors
    /// If the engine cannot be started.
    pub fn new(
        policy: Policy,
        output: W,
        ring: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let (sender, news) = channel();
        let engine = Engine::with_settings(policy.settings(), move |event| {
            // Nobody listens once the session is gone.
            let _ = sender.send(Input::Engine(event));
            ring();
        })?;
        let longest_line = policy.longest_line;
        let session = Session::new(engine, policy, output, Arc::default(), Arc::default());
        Ok(Self {
            session,
            news,
            longest_line,
            is_over: false,
        })
    }

    /// Whether it has been told to quit.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Executes these lines.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn take_lines(&mut self, text: &str) -> io::Result<()> {
        for input in Input::lines(text, self.longest_line) {
            self.take(input)?;
        }
        Ok(())
    }

    /// Takes the news that has arrived.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn take_news(&mut self) -> io::Result<()> {
        while let Ok(input) = self.news.try_recv() {
            self.take(input)?;
        }
        Ok(())
    }

    fn take(&mut self, input: Input) -> io::Result<()> {
        if !self.is_over {
            self.is_over = self.session.take_input(input)? == Flow::Quit;
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
