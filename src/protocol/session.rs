//! The session: one loop that takes lines and the engine's events from one
//! channel, and the only place that prints.

use super::carrier::Output;
use super::command::{Command, Form};
use super::go::Go;
use super::input::{Backlog, Input, memory_of};
use super::json;
use super::line_log::LineLog;
use super::options;
use super::output;
use super::policy::Policy;
use crate::base::Instant;
use crate::engine::{
    BENCH_DEPTH, Changed, Engine, EngineError, Event, GameError, MOST_COMMANDS, Outcome, Scheduler,
    Start, Turn,
};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use vampirc_uci::UciMessage;

/// Whether the session goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    Quit,
}

/// How often the session checks, after the end of input, whether anybody still
/// reads its answers.
const LOOK: Duration = Duration::from_millis(100);
/// How long work may go on after the end of input, by default.
const LONGEST_WORK: Duration = Duration::from_secs(3600);

/// The answer to a refused `go`: its sender waits for one.
const NO_MOVE: &str = "bestmove (none)";

pub(super) struct Session<W> {
    scheduler: Scheduler<Command>,
    /// What the other end may do.
    policy: Policy,
    output: W,
    backlog: Arc<Backlog>,
    /// Goes up with every input and output, as a sign of progress.
    pulse: Arc<AtomicU64>,
    is_debug: bool,
    /// How long work may go on after the end of input.
    pub longest_work: Duration,
    /// When the input ended.
    ended: Option<Instant>,
    log: LineLog,
}

impl<W: Output> Session<W> {
    pub fn new(
        engine: Engine,
        policy: Policy,
        output: W,
        backlog: Arc<Backlog>,
        pulse: Arc<AtomicU64>,
    ) -> Self {
        Self {
            scheduler: Scheduler::new(engine),
            policy,
            output,
            backlog,
            pulse,
            is_debug: false,
            longest_work: LONGEST_WORK,
            ended: None,
            log: LineLog::default(),
        }
    }

    pub const fn engine(&self) -> &Engine {
        self.scheduler.engine()
    }

    const fn engine_mut(&mut self) -> &mut Engine {
        self.scheduler.engine_mut()
    }

    /// Runs until `quit`, or until all is done after the end of input.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn run(mut self, inbox: &Receiver<Input>) -> io::Result<()> {
        loop {
            let input = match self.ended {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => inbox.recv_timeout(LOOK),
            };
            self.pulse.fetch_add(1, Relaxed);
            let flow = match input {
                Ok(input) => self.take_input(input)?,
                Err(RecvTimeoutError::Timeout) => Flow::Continue,
                Err(RecvTimeoutError::Disconnected) => Flow::Quit,
            };
            if flow == Flow::Quit {
                return Ok(());
            }
            if let Some(ended) = self.ended {
                if self.scheduler.is_done() {
                    return Ok(());
                }
                if !self.output.has_reader() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                let is_late = ended.elapsed() > self.longest_work;
                if is_late || !self.engine().ends_by_itself() {
                    self.engine().stop();
                }
            }
        }
    }

    /// Handles one input.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn take_input(&mut self, input: Input) -> io::Result<Flow> {
        match input {
            Input::Line(line, command) => self.take_line(&line, command),
            Input::LongLine => {
                let most = self.policy.longest_line;
                self.note(&format!("line ignored: longer than {most} bytes"))?;
                Ok(Flow::Continue)
            }
            Input::Engine(event) => self.take_event(&event),
            Input::End => {
                self.ended = Some(Instant::now());
                Ok(Flow::Continue)
            }
        }
    }

    /// Prints a line and flushes it.
    fn say(&mut self, line: &str) -> io::Result<()> {
        self.log.write("<", line);
        writeln!(self.output, "{line}")?;
        self.output.flush()?;
        self.pulse.fetch_add(1, Relaxed);
        Ok(())
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        self.say(&format!("info string {}", output::shortened(text)))
    }

    fn take_line(&mut self, line: &str, command: Result<Command, String>) -> io::Result<Flow> {
        let bytes = memory_of(line);
        self.backlog.remove(bytes);
        self.log.write(">", line);
        match command {
            Ok(command) => self.take(command, bytes),
            Err(fault) => self.note(&fault).map(|()| Flow::Continue),
        }
    }

    fn take_event(&mut self, event: &Event) -> io::Result<Flow> {
        for line in output::event(event, self.engine().settings().show_chances) {
            self.say(&line)?;
        }
        if !self.scheduler.finished(event) {
            return Ok(Flow::Continue);
        }
        while let Some(command) = self.scheduler.next_command() {
            if self.act(command)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        self.tell_overflow().map(|()| Flow::Continue)
    }

    /// Answers the commands that did not fit in the queue, after all others.
    fn tell_overflow(&mut self) -> io::Result<()> {
        let Some(overflow) = self.scheduler.take_overflow() else {
            return Ok(());
        };
        let (commands, searches) = (overflow.commands, overflow.searches);
        self.note(&format!(
            "refused: queue full, {commands} commands dropped, {searches} of them go"
        ))?;
        for _ in 0..searches {
            self.say(NO_MOVE)?;
        }
        Ok(())
    }

    /// Runs a command now, or queues it until the running search has ended.
    fn take(&mut self, command: Command, bytes: usize) -> io::Result<Flow> {
        match self.scheduler.submit(command, bytes) {
            Turn::Now(command) => return self.act(command),
            Turn::Kept => self.debug(|| "queued until the search ends".to_owned())?,
            Turn::Refused { is_first: true } => self.note(&format!(
                "queue full (more than {MOST_COMMANDS} commands, or too long ones): \
                 new commands are refused until it is empty"
            ))?,
            Turn::Refused { is_first: false } => {}
        }
        Ok(Flow::Continue)
    }

    /// A note printed only after `debug on`.
    fn debug(&mut self, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.is_debug {
            self.note(&text())
        } else {
            Ok(())
        }
    }

    fn act(&mut self, command: Command) -> io::Result<Flow> {
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => {
                self.engine().warm_up();
                self.say(&UciMessage::ReadyOk.to_string())?;
            }
            Command::Debug(on) => {
                self.is_debug = on;
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::NewGame => {
                if let Err(fault) = self.engine_mut().new_game() {
                    self.note(&fault.to_string())?;
                }
            }
            Command::Position { start, moves } => self.set_position(&start, &moves)?,
            Command::Play(moves) => self.change_game("play", |engine| engine.play(moves))?,
            Command::Undo(plies) => self.change_game("undo", |engine| engine.undo(plies))?,
            Command::Redo(plies) => self.change_game("redo", |engine| engine.redo(plies))?,
            Command::Go(go) => self.go(&go)?,
            Command::RefusedPosition(fault) => {
                self.note(&fault)?;
                // The engine says itself that it was refused.
                let reason = fault.strip_prefix("position refused: ").unwrap_or(&fault);
                self.engine_mut().refuse_position(reason.to_owned());
            }
            Command::RefusedGo(fault) => {
                self.note(&fault)?;
                self.say(NO_MOVE)?;
            }
            Command::Perft(depth) => {
                self.perft(depth)?;
            }
            Command::Bench(variant, depth) => {
                let variant = variant.unwrap_or(self.engine().settings().variant);
                self.begin(|engine| engine.bench(variant, depth.unwrap_or(BENCH_DEPTH)))?;
            }
            Command::Stop => self.scheduler.stop(),
            Command::PonderHit => self.scheduler.ponder_hit(),
            Command::Quit => {
                self.engine().stop();
                return Ok(Flow::Quit);
            }
            Command::Display(Form::Text) => self.say_all(output::display(self.engine().board()))?,
            Command::Display(Form::Json) => self.say(&json::display(self.engine()))?,
            Command::Line(moves) => self.tell_line(&moves)?,
            Command::Moves => self.say(&output::moves(self.engine().board()))?,
            Command::Eval(Form::Text) => self.say_all(output::evaluation(self.engine()))?,
            Command::Eval(Form::Json) => self.say(&json::evaluation(self.engine()))?,
            Command::Flip => {
                self.engine_mut().flip();
                self.tell_position()?;
            }
            Command::Help => {
                self.say_all(output::HELP.lines().map(str::to_owned).collect())?;
                self.say_all(options::help(self.engine().options(), &self.policy))?;
            }
            Command::Register | Command::Nothing => {}
        }
        Ok(Flow::Continue)
    }

    fn say_all(&mut self, lines: Vec<String>) -> io::Result<()> {
        for line in lines {
            self.say(&line)?;
        }
        Ok(())
    }

    fn introduce(&mut self) -> io::Result<()> {
        let name = format!("petard {}", env!("CARGO_PKG_VERSION"));
        self.say(&UciMessage::id_name(&name).to_string())?;
        self.say(&UciMessage::id_author("the petard authors").to_string())?;
        self.say_all(options::list(self.engine().options(), &self.policy))?;
        self.say(&UciMessage::UciOk.to_string())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        if let Some(fault) = self.policy.refusal(name, value) {
            return self.note(&fault);
        }
        if name.eq_ignore_ascii_case(options::LOG_FILE) {
            let path = options::log_path(value);
            return match self.log.open(path) {
                Ok(()) => Ok(()),
                Err(fault) => self.note(&format!("log file '{path}' cannot be opened: {fault}")),
            };
        }
        match self.engine_mut().set_option(name, value) {
            Err(fault) => {
                let fault = self.policy.told(fault);
                self.note(&fault.to_string())
            }
            Ok(Changed::Setting) => Ok(()),
            Ok(Changed::Variant) => {
                let engine = self.engine();
                let line = output::variant(engine.settings().variant, engine.board());
                self.say(&line)
            }
        }
    }

    fn set_position(&mut self, start: &Start, moves: &[String]) -> io::Result<()> {
        match self.engine_mut().set_game(start, moves) {
            Ok(()) => self.tell_position(),
            Err(fault) => self.note(&format!("position refused: {fault}")),
        }
    }

    /// Moves forward or back in the game.
    fn change_game(
        &mut self,
        command: &str,
        change: impl FnOnce(&mut Engine) -> Result<(), GameError>,
    ) -> io::Result<()> {
        match change(self.engine_mut()) {
            Ok(()) => self.tell_position(),
            Err(fault) => self.note(&format!("{command} refused: {fault}")),
        }
    }

    fn tell_position(&mut self) -> io::Result<()> {
        if !self.is_debug {
            return Ok(());
        }
        let fen = self.engine().board().fen();
        self.note(&format!("position {fen}"))
    }

    /// Shows what moves would do.
    fn tell_line(&mut self, moves: &[String]) -> io::Result<()> {
        let answer = match self.engine().game().position() {
            Err(fault) => json::no_line(&fault.to_string()),
            Ok(board) => {
                let (steps, fault) = board.line(moves.iter().map(String::as_str));
                json::line(&board.fen(), &steps, fault.as_ref())
            }
        };
        self.say(&answer)
    }

    /// Starts counting leaves; `false` if it was refused.
    fn perft(&mut self, depth: u32) -> io::Result<bool> {
        let position = self.engine().game().position();
        if position.is_ok_and(|board| board.outcome() == Outcome::Draw) {
            self.note("perft ignores repetitions")?;
        }
        self.begin(|engine| engine.perft(depth))
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        let has_begun = if let Some(depth) = go.perft {
            self.perft(depth)?
        } else if go.prove {
            self.begin(|engine| engine.prove(go.nodes, go.move_time))?
        } else {
            let side = self.engine().board().side_to_move();
            let mut limits = go.limits(if go.pass { !side } else { side });
            limits.overhead = self.engine().settings().overhead;
            let moves = go.search_moves.join(" ");
            self.debug(|| format!("searchmoves '{moves}', {limits:?}"))?;
            self.begin(|engine| {
                if go.pass {
                    engine.go_passed(limits, &go.search_moves)
                } else {
                    engine.go(limits, &go.search_moves)
                }
            })?
        };
        if has_begun { Ok(()) } else { self.say(NO_MOVE) }
    }

    /// Starts work; `false` if it was refused. The work may be over before this
    /// returns.
    fn begin(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<(), EngineError>,
    ) -> io::Result<bool> {
        match self.scheduler.begin(work) {
            Ok(()) => Ok(true),
            Err(fault) => self.note(&format!("refused: {fault}")).map(|()| false),
        }
    }
}
