//! The session: one loop that takes lines and the engine's events from one
//! channel, and the only place that prints.

use super::carrier::Output;
use super::command::{Command, Start};
use super::go::Go;
use super::input::{Backlog, Input};
use super::line_log::LineLog;
use super::options::{self, Choices, Effect};
use super::output;
use super::policy::Policy;
use super::queue::{MOST_COMMANDS, Queue, Waited};
use crate::engine::{BENCH_DEPTH, Board, Engine, EngineError, Event, Variant};
use crate::game::Outcome;
use crate::search::Limits;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use vampirc_uci::UciMessage;

/// Whether the loop goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

/// How often the session looks, after the end of input, whether anybody still
/// reads its answers.
const LOOK: Duration = Duration::from_millis(100);
/// How long work goes on after the end of input, unless told otherwise.
const LONGEST_WORK: Duration = Duration::from_secs(3600);

/// The answer to a `go` that is refused: whoever sent it waits for one.
const NO_MOVE: &str = "bestmove (none)";

pub(super) struct Session<W> {
    engine: Engine,
    /// What whoever is at the other end may do.
    policy: Policy,
    output: W,
    backlog: Arc<Backlog>,
    /// Counts what is taken and said, to show that the session moves.
    pulse: Arc<AtomicU64>,
    choices: Choices,
    /// The board that moves and limits refer to; the engine's own is set when
    /// a search begins.
    board: Board,
    is_debug: bool,
    /// Whether something has begun whose final event has not come. The
    /// engine itself may be idle a moment earlier.
    is_running: bool,
    /// Whether what is running ends by itself.
    is_bounded: bool,
    /// The same once the move pondered on has been played.
    is_bounded_after_hit: bool,
    /// How long work may go on after the end of input.
    pub longest_work: Duration,
    /// When the input ended.
    ended: Option<Instant>,
    /// Commands that must wait for the end of the running search.
    waiting: Queue,
    /// Why the last `position` was refused, until one is accepted.
    no_position: Option<String>,
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
            board: engine.board().clone(),
            engine,
            policy,
            output,
            backlog,
            pulse,
            choices: Choices::new(),
            is_debug: false,
            is_running: false,
            is_bounded: true,
            is_bounded_after_hit: true,
            longest_work: LONGEST_WORK,
            ended: None,
            waiting: Queue::default(),
            no_position: None,
            log: LineLog::default(),
        }
    }

    /// Runs until `quit` or the end of all there is to do.
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
                Ok(Input::Line(line, command)) => self.take_line(&line, command)?,
                Ok(Input::LongLine) => {
                    let most = self.policy.longest_line;
                    self.note(&format!("a line of more than {most} bytes"))?;
                    Flow::Continue
                }
                Ok(Input::Engine(event)) => self.take_event(&event)?,
                Ok(Input::End) => {
                    self.ended = Some(Instant::now());
                    Flow::Continue
                }
                Err(RecvTimeoutError::Timeout) => Flow::Continue,
                Err(RecvTimeoutError::Disconnected) => Flow::Quit,
            };
            if flow == Flow::Quit {
                return Ok(());
            }
            if let Some(ended) = self.ended {
                if !self.is_running && self.waiting.is_empty() {
                    return Ok(());
                }
                if !self.output.has_reader() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                if !self.is_bounded || ended.elapsed() > self.longest_work {
                    self.engine.stop();
                }
            }
        }
    }

    /// Prints a line and sends it off at once.
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
        self.backlog.remove(line);
        self.log.write(">", line);
        match command {
            Ok(command) => self.take(command, line.len()),
            Err(fault) => self.note(&fault).map(|()| Flow::Continue),
        }
    }

    fn take_event(&mut self, event: &Event) -> io::Result<Flow> {
        for line in output::event(event, self.choices.show_chances) {
            self.say(&line)?;
        }
        if !event.is_final() {
            return Ok(Flow::Continue);
        }
        self.is_running = false;
        // The engine is free: do what had to wait, up to the next search.
        while !self.is_running {
            let Some(waited) = self.waiting.pop() else {
                return self.tell_overflow().map(|()| Flow::Continue);
            };
            let Waited {
                command,
                is_stopped,
                is_hit,
            } = waited;
            if self.act(command)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
            // What came later, but holds for all that was sent before it.
            if self.is_running && is_hit {
                self.ponder_hit();
            }
            if self.is_running && is_stopped {
                self.engine.stop();
            }
        }
        Ok(Flow::Continue)
    }

    /// Answers for what there was no room for, after all else that waited.
    fn tell_overflow(&mut self) -> io::Result<()> {
        let Some(overflow) = self.waiting.take_overflow() else {
            return Ok(());
        };
        let (commands, searches) = (overflow.commands, overflow.searches);
        self.note(&format!(
            "refused: {commands} commands that there was no room for, {searches} of them go"
        ))?;
        if overflow.has_position {
            self.no_position = Some("there was no room for it".to_owned());
        }
        for _ in 0..searches {
            self.say(NO_MOVE)?;
        }
        Ok(())
    }

    fn ponder_hit(&mut self) {
        self.is_bounded = self.is_bounded_after_hit;
        self.engine.ponder_hit();
    }

    /// Does a command now, or keeps it until the running search has ended.
    fn take(&mut self, command: Command, bytes: usize) -> io::Result<Flow> {
        if !self.is_running && self.waiting.is_empty() {
            return self.act(command);
        }
        match command {
            Command::IsReady
            | Command::Quit
            | Command::Debug(_)
            | Command::Help
            | Command::Nothing
            | Command::Uci
            | Command::Register => self.act(command),
            Command::PonderHit => {
                self.waiting.ponder_hit();
                self.act(command)
            }
            Command::Stop => {
                self.waiting.stop();
                self.act(command)
            }
            _ => {
                if self.waiting.push(command, bytes) {
                    self.debug("kept until the search has ended")?;
                } else {
                    self.note(&format!(
                        "more than {MOST_COMMANDS} commands or too much text waits: \
                         what comes now is refused until all that is done"
                    ))?;
                }
                Ok(Flow::Continue)
            }
        }
    }

    /// A note that only `debug on` asks for.
    fn debug(&mut self, text: &str) -> io::Result<()> {
        if self.is_debug {
            self.note(text)
        } else {
            Ok(())
        }
    }

    fn act(&mut self, command: Command) -> io::Result<Flow> {
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => self.say(&UciMessage::ReadyOk.to_string())?,
            Command::Debug(on) => {
                self.is_debug = on;
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::NewGame => {
                if let Err(fault) = self.engine.new_game() {
                    self.note(&fault.to_string())?;
                }
            }
            Command::Position { start, moves } => self.set_position(&start, &moves)?,
            Command::Go(go) => self.go(&go)?,
            Command::RefusedPosition(fault) => {
                self.note(&fault)?;
                self.no_position = Some(fault);
            }
            Command::RefusedGo(fault) => {
                self.note(&fault)?;
                self.say(NO_MOVE)?;
            }
            Command::Perft(depth) => match self.position_fault() {
                None => self.perft(depth)?,
                Some(fault) => self.note(&fault)?,
            },
            Command::Bench(variant, depth) => {
                let variant = variant.unwrap_or(self.choices.variant);
                self.begin(|engine| engine.bench(variant, depth.unwrap_or(BENCH_DEPTH)))?;
            }
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => {
                self.engine.stop();
                return Ok(Flow::Quit);
            }
            Command::Display => self.say_all(output::display(&self.board))?,
            Command::Moves => self.say(&output::moves(&self.board))?,
            Command::Eval => {
                let lines = output::evaluation(&self.board, self.engine.evaluation());
                self.say_all(lines)?;
            }
            Command::Flip => self.board = self.board.flipped(),
            Command::Help => self.say(output::HELP)?,
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
        self.say_all(options::list(&self.choices, &self.policy))?;
        self.say(&UciMessage::UciOk.to_string())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        if let Some(fault) = self.policy.refusal(name, value) {
            return self.note(&fault);
        }
        match options::set(&mut self.engine, &mut self.choices, name, value) {
            Err(fault) => self.note(&fault),
            Ok(Effect::None) => Ok(()),
            Ok(Effect::Log(path)) => match self.log.open(&path) {
                Ok(()) => Ok(()),
                Err(fault) => self.note(&format!("log file '{path}' cannot be opened: {fault}")),
            },
            Ok(Effect::Variant) => self.change_variant(),
        }
    }

    fn change_variant(&mut self) -> io::Result<()> {
        let variant = self.choices.variant;
        match Board::start(variant) {
            Err(fault) => self.note(&fault.to_string()),
            Ok(board) => {
                let name = options::variant_name(variant).unwrap_or("breakthrough");
                let line = output::variant(name, &board);
                self.set_board(board);
                self.say(&line)
            }
        }
    }

    fn set_board(&mut self, board: Board) {
        self.board = board;
        self.no_position = None;
    }

    /// Why there is no position to work on, if there is none: the one that
    /// stands is not the one that was meant.
    fn position_fault(&self) -> Option<String> {
        let fault = self.no_position.as_ref()?;
        Some(format!("refused: the last position was refused: {fault}"))
    }

    fn set_position(&mut self, start: &Start, moves: &[String]) -> io::Result<()> {
        let variant: Variant = self.choices.variant;
        let board = match start {
            Start::StartPos => Board::start(variant),
            Start::Fen(fen) => Board::from_fen(variant, fen),
        };
        let board = board.map_err(|fault| fault.to_string()).and_then(|board| {
            let moves = moves.iter().map(String::as_str);
            board.with_moves(moves).map_err(|fault| fault.to_string())
        });
        match board {
            Ok(board) => {
                self.set_board(board);
                if !self.is_debug {
                    return Ok(());
                }
                self.note(&format!("position {}", self.board.fen()))
            }
            Err(fault) => {
                self.note(&format!("position refused: {fault}"))?;
                self.no_position = Some(output::shortened(&fault));
                Ok(())
            }
        }
    }

    fn perft(&mut self, depth: u32) -> io::Result<()> {
        if self.board.outcome() == Outcome::Draw {
            self.note("perft leaves repetitions out of account")?;
        }
        self.begin(|engine| engine.perft(depth)).map(drop)
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        if let Some(fault) = self.position_fault() {
            self.note(&fault)?;
            return self.say(NO_MOVE);
        }
        if let Some(depth) = go.perft {
            return self.perft(depth);
        }
        if go.prove {
            let (nodes, time) = (go.nodes, go.move_time);
            let is_bounded = nodes.is_some() || time.is_some();
            if self.begin(|engine| engine.prove(nodes, time))? {
                (self.is_bounded, self.is_bounded_after_hit) = (is_bounded, is_bounded);
                return Ok(());
            }
            return self.say(NO_MOVE);
        }
        let limits = go.limits(self.board.side_to_move());
        let bounded = limits.is_bounded();
        self.debug(&format!("{limits:?}"))?;
        let after_hit = Limits {
            ponder: false,
            ..limits.clone()
        };
        if !self.begin(|engine| engine.go(limits, &go.search_moves))? {
            return self.say(NO_MOVE);
        }
        self.is_bounded = bounded;
        self.is_bounded_after_hit = after_hit.is_bounded();
        Ok(())
    }

    /// Begins work on the session's board; `false` if it was refused. The work
    /// may be over before this returns.
    fn begin(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<(), EngineError>,
    ) -> io::Result<bool> {
        self.engine.set_position(self.board.clone());
        self.is_bounded = true;
        self.is_bounded_after_hit = true;
        match work(&mut self.engine) {
            Ok(()) => {
                self.is_running = true;
                Ok(true)
            }
            Err(fault) => self.note(&format!("refused: {fault}")).map(|()| false),
        }
    }
}
