//! The session: one loop that takes lines and the engine's events from one
//! channel, and the only place that writes answers.

use super::command::{Command, CommandError, Go, OutputFormat, Request, is_immediate, shortened};
use super::json;
use super::lines::{Backlog, LineLog, Output, SessionInput, memory_of};
use super::output;
use super::queue::{PendingSignals, Queue};
use crate::base::Instant;
use crate::engine::{
    BENCH_DEPTH, Changed, Engine, EngineError, Event, GameError, OptionError, OptionSpec, Outcome,
};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use thiserror::Error;
use vampirc_uci::UciMessage;

/// Whether the session goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    Quit,
}

/// What ends the execution of a command early.
#[derive(Debug, Error)]
enum Error {
    #[error(transparent)]
    Refused(#[from] CommandError),
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// A command is refused for this reason, and nothing follows from it.
fn refused(reason: impl ToString) -> Error {
    CommandError::Other(reason.to_string()).into()
}

/// How often the session checks, after the end of input, whether anybody still
/// reads its answers.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How long work may go on after the end of input, by default.
const MAX_WORK: Duration = Duration::from_secs(3600);

/// The longest `info string`, in characters.
const INFO_LENGTH: usize = 400;

pub(super) struct Session<W> {
    engine: Engine,
    queue: Queue,
    /// What came after the command that is being executed.
    signals: PendingSignals,
    /// Whether work has begun whose final event has not come. The engine
    /// itself may be idle a moment earlier.
    is_working: bool,
    output: W,
    backlog: Arc<Backlog>,
    /// Goes up with every input and output.
    progress: Arc<AtomicU64>,
    /// The longest line that is read, in bytes.
    pub(super) longest_line: usize,
    is_debug: bool,
    /// How long work may go on after the end of input.
    pub(super) max_work: Duration,
    /// When the input ended.
    ended: Option<Instant>,
    log: LineLog,
}

impl<W: Output> Session<W> {
    pub(super) fn new(
        engine: Engine,
        longest_line: usize,
        output: W,
        backlog: Arc<Backlog>,
        progress: Arc<AtomicU64>,
    ) -> Self {
        Self {
            engine,
            queue: Queue::default(),
            signals: PendingSignals::default(),
            is_working: false,
            output,
            backlog,
            progress,
            longest_line,
            is_debug: false,
            max_work: MAX_WORK,
            ended: None,
            log: LineLog::default(),
        }
    }

    pub(super) const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Whether there is nothing left to do.
    fn is_done(&self) -> bool {
        !self.is_working && self.queue.is_empty()
    }

    /// Runs until `quit`, or until all is done after the end of input. The error is
    /// that the output is closed, here as everywhere in a session.
    pub(super) fn run(mut self, inbox: &Receiver<SessionInput>) -> io::Result<()> {
        loop {
            let input = match self.ended {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => inbox.recv_timeout(CHECK_INTERVAL),
            };
            self.progress.fetch_add(1, Relaxed);
            let flow = match input {
                Ok(input) => self.handle(input)?,
                Err(RecvTimeoutError::Timeout) => Flow::Continue,
                Err(RecvTimeoutError::Disconnected) => Flow::Quit,
            };
            if flow == Flow::Quit {
                return Ok(());
            }
            if let Some(ended) = self.ended {
                if self.is_done() {
                    return Ok(());
                }
                if !self.output.has_reader() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                let is_late = ended.elapsed() > self.max_work;
                if is_late || !self.engine.ends_by_itself() {
                    self.engine.stop();
                }
            }
        }
    }

    pub(super) fn handle(&mut self, input: SessionInput) -> io::Result<Flow> {
        match input {
            SessionInput::Line(line, request) => {
                let bytes = memory_of(&line);
                self.backlog.remove(bytes);
                self.log.write(">", &line);
                self.submit(request, bytes)
            }
            SessionInput::LongLine => {
                let longest = self.longest_line;
                self.info(&format!("line ignored: longer than {longest} bytes"))?;
                Ok(Flow::Continue)
            }
            SessionInput::Engine(event) => self.handle_event(&event),
            SessionInput::End => {
                self.ended = Some(Instant::now());
                Ok(Flow::Continue)
            }
        }
    }

    fn handle_event(&mut self, event: &Event) -> io::Result<Flow> {
        for line in output::event(event, self.engine.settings().show_chances) {
            self.write(&line)?;
        }
        if !event.is_final() {
            return Ok(Flow::Continue);
        }
        self.is_working = false;
        while !self.is_working
            && let Some((request, signals)) = self.queue.pop()
        {
            self.signals = signals;
            if self.carry_out(request)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    /// Carries out a request now, or queues it until the work has ended.
    fn submit(&mut self, request: Request, bytes: usize) -> io::Result<Flow> {
        if is_immediate(&request) || self.is_done() {
            return self.carry_out(request);
        }
        match self.queue.push(request, bytes) {
            None => self.debug(|| "queued until the search ends".to_owned())?,
            Some(request) => {
                if self.changes_position(&request) {
                    self.queue.lose_position();
                }
                let reason = "refused: the queue is full".to_owned();
                self.refuse(match request {
                    Ok(Command::Go(_)) | Err(CommandError::Go(_)) => CommandError::Go(reason),
                    _ => CommandError::Other(reason),
                })?;
            }
        }
        Ok(Flow::Continue)
    }

    /// Whether requests after this one refer to another position than those
    /// before it.
    fn changes_position(&self, request: &Request) -> bool {
        use Command::{Flip, Play, Position, Redo, SetOption, Undo};
        match request {
            Ok(Position { .. } | Play(_) | Undo(_) | Redo(_) | Flip)
            | Err(CommandError::Position(_)) => true,
            Ok(SetOption { name, .. }) => {
                let sets_board = |option: &OptionSpec| {
                    option.sets_board && option.name.eq_ignore_ascii_case(name)
                };
                self.engine.options().iter().any(sets_board)
            }
            _ => false,
        }
    }

    fn carry_out(&mut self, request: Request) -> io::Result<Flow> {
        let done = request
            .map_err(Error::from)
            .and_then(|command| self.execute(command));
        self.signals = PendingSignals::default();
        match done {
            Ok(flow) => Ok(flow),
            Err(Error::Refused(refusal)) => self.refuse(refusal).map(|()| Flow::Continue),
            Err(Error::Output(error)) => Err(error),
        }
    }

    /// Reports why something is refused, and does what follows from that.
    fn refuse(&mut self, refusal: CommandError) -> io::Result<()> {
        self.info(&refusal.to_string())?;
        match refusal {
            CommandError::Other(_) => {}
            CommandError::Position(reason) => self.engine.refuse_position(reason),
            CommandError::Go(_) => self.write("bestmove (none)")?,
        }
        Ok(())
    }

    /// Writes a line and flushes it.
    fn write(&mut self, line: &str) -> io::Result<()> {
        self.log.write("<", line);
        writeln!(self.output, "{line}")?;
        self.output.flush()?;
        self.progress.fetch_add(1, Relaxed);
        Ok(())
    }

    fn write_all(&mut self, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
        lines.into_iter().try_for_each(|line| self.write(&line))
    }

    fn info(&mut self, text: &str) -> io::Result<()> {
        let message = UciMessage::info_string(shortened(text, INFO_LENGTH));
        self.write(&message.to_string())
    }

    /// An `info string` that is written only after `debug on`.
    fn debug(&mut self, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.is_debug {
            self.info(&text())?;
        }
        Ok(())
    }

    fn execute(&mut self, command: Command) -> Result<Flow, Error> {
        match command {
            Command::Uci => {
                let name = format!("petard {}", env!("CARGO_PKG_VERSION"));
                self.write(&UciMessage::id_name(&name).to_string())?;
                self.write(&UciMessage::id_author("the petard authors").to_string())?;
                self.write_all(self.options().into_iter().map(output::option))?;
                self.write(&UciMessage::UciOk.to_string())?;
            }
            Command::IsReady => {
                self.engine.warm_up();
                self.write(&UciMessage::ReadyOk.to_string())?;
            }
            Command::Debug(on) => self.is_debug = on,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::NewGame => self.engine.new_game().map_err(refused)?,
            Command::Position { start, moves } => {
                let result = self.engine.set_game(&start, &moves);
                result.map_err(|error| CommandError::Position(error.to_string()))?;
                self.report_position()?;
            }
            Command::Play(moves) => self.change_game("play", |engine| engine.play(moves))?,
            Command::Undo(plies) => self.change_game("undo", |engine| engine.undo(plies))?,
            Command::Redo(plies) => self.change_game("redo", |engine| engine.redo(plies))?,
            Command::Go(go) => self.go(&go)?,
            Command::Perft(depth) => self.perft(depth, CommandError::Other)?,
            Command::Bench(variant, depth) => {
                let variant = variant.unwrap_or(self.engine.settings().variant);
                let depth = depth.unwrap_or(BENCH_DEPTH);
                self.begin(CommandError::Other, |engine| engine.bench(variant, depth))?;
            }
            Command::Stop => {
                self.queue.stop();
                self.engine.stop();
            }
            Command::PonderHit => {
                self.queue.ponder_hit();
                self.engine.ponder_hit();
            }
            Command::Quit => {
                self.engine.stop();
                return Ok(Flow::Quit);
            }
            Command::Display(OutputFormat::Text) => {
                self.write_all(output::display(self.engine.board()))?;
            }
            Command::Display(OutputFormat::Json) => self.write(&json::display(&self.engine))?,
            Command::Line(moves) => self.write(&json::line(&self.engine, &moves))?,
            Command::Moves => self.write(&output::moves(self.engine.board()))?,
            Command::Eval(OutputFormat::Text) => {
                self.write_all(output::evaluation(&self.engine))?;
            }
            Command::Eval(OutputFormat::Json) => self.write(&json::evaluation(&self.engine))?,
            Command::Flip => {
                self.engine.flip();
                self.report_position()?;
            }
            Command::Help => {
                self.write_all(output::HELP.lines().map(str::to_owned))?;
                self.write_all(self.options().iter().map(output::option_help))?;
            }
            Command::Nothing => {}
        }
        Ok(Flow::Continue)
    }

    /// The engine's options and the session's own.
    fn options(&self) -> Vec<OptionSpec> {
        let log = self.engine.settings().has_files.then(LineLog::option);
        self.engine.options().into_iter().chain(log).collect()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), Error> {
        if name.eq_ignore_ascii_case(LineLog::OPTION) {
            if !self.engine.settings().has_files {
                return Err(refused(OptionError::NotAvailable(LineLog::OPTION)));
            }
            return self.log.set(value.unwrap_or_default()).map_err(refused);
        }
        if self.engine.set_option(name, value).map_err(refused)? == Changed::Variant {
            let variant = self.engine.settings().variant;
            self.write(&output::variant(variant, self.engine.board()))?;
        }
        Ok(())
    }

    /// Moves forward or back in the game.
    fn change_game(
        &mut self,
        command: &str,
        change: impl FnOnce(&mut Engine) -> Result<(), GameError>,
    ) -> Result<(), Error> {
        let result = change(&mut self.engine);
        result.map_err(|error| refused(format!("{command} refused: {error}")))?;
        Ok(self.report_position()?)
    }

    fn report_position(&mut self) -> io::Result<()> {
        if !self.is_debug {
            return Ok(());
        }
        let fen = self.engine.board().fen();
        self.info(&format!("position {fen}"))
    }

    fn perft(&mut self, depth: u32, refusal: fn(String) -> CommandError) -> Result<(), Error> {
        let position = self.engine.valid_board();
        if position.is_ok_and(|board| board.outcome() == Outcome::Draw) {
            self.info("perft ignores repetitions")?;
        }
        self.begin(refusal, |engine| engine.perft(depth))
    }

    fn go(&mut self, go: &Go) -> Result<(), Error> {
        if let Some(depth) = go.perft {
            return self.perft(depth, CommandError::Go);
        }
        if go.prove {
            return self.begin(CommandError::Go, |engine| {
                engine.prove(go.nodes, go.move_time)
            });
        }
        let side = self.engine.board().side_to_move();
        let limits = go.limits(if go.pass { !side } else { side });
        let (moves, overhead) = (&go.search_moves, self.engine.settings().overhead);
        self.debug(|| {
            let moves = moves.join(" ");
            format!("searchmoves '{moves}', overhead: {overhead:?}, {limits:?}")
        })?;
        self.begin(CommandError::Go, |engine| {
            if go.pass {
                engine.go_passed(limits, moves)
            } else {
                engine.go(limits, moves)
            }
        })
    }

    /// Begins work. It may be over before this returns.
    fn begin(
        &mut self,
        refusal: fn(String) -> CommandError,
        work: impl FnOnce(&mut Engine) -> Result<(), EngineError>,
    ) -> Result<(), Error> {
        work(&mut self.engine).map_err(|error| refusal(format!("refused: {error}")))?;
        self.is_working = true;
        if self.signals.ponder_hit {
            self.engine.ponder_hit();
        }
        if self.signals.stop {
            self.engine.stop();
        }
        Ok(())
    }
}
