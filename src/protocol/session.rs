//! The session: one loop that takes lines and the engine's events from one
//! channel, and the only place that prints.

use super::command::{Command, Start, parse};
use super::go::Go;
use super::input::{Input, LONGEST_LINE, read_lines};
use super::options::{self, Choices, Effect};
use super::output;
use crate::engine::{BENCH_DEPTH, Board, Engine, EngineError, Event, Variant};
use crate::search::Limits;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, channel};
use vampirc_uci::UciMessage;

/// Whether the loop goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

/// Runs a session until `quit` or the end of input. At the end of input a
/// bounded search is finished and answered first, an unbounded one is stopped.
///
/// # Errors
/// If the engine cannot be started, or the output is closed.
pub fn run(
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let (sender, inbox) = channel();
    let news = sender.clone();
    let engine = Engine::new(move |event| {
        // After the loop has ended nobody listens, and nobody needs to.
        let _ = news.send(Input::Engine(event));
    })?;
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || read_lines(input, &sender))?;
    Session::new(engine, output).run(&inbox)
}

/// The answer to a `go` that is refused: whoever sent it waits for one.
const NO_MOVE: &str = "bestmove (none)";

struct Session<W> {
    engine: Engine,
    output: W,
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
    has_ended: bool,
    /// Commands that must wait for the end of the running search.
    waiting: VecDeque<Command>,
    log: Option<File>,
}

impl<W: Write> Session<W> {
    fn new(engine: Engine, output: W) -> Self {
        Self {
            board: engine.board().clone(),
            engine,
            output,
            choices: Choices::new(),
            is_debug: false,
            is_running: false,
            is_bounded: true,
            is_bounded_after_hit: true,
            has_ended: false,
            waiting: VecDeque::new(),
            log: None,
        }
    }

    fn run(mut self, inbox: &Receiver<Input>) -> Result<(), Box<dyn std::error::Error>> {
        for input in inbox {
            let flow = match input {
                Input::Line(line) => self.take_line(&line)?,
                Input::LongLine => {
                    self.note(&format!("a line of more than {LONGEST_LINE} bytes"))?;
                    Flow::Continue
                }
                Input::Engine(event) => self.take_event(&event)?,
                Input::End => {
                    self.has_ended = true;
                    Flow::Continue
                }
            };
            if flow == Flow::Quit {
                break;
            }
            if self.has_ended {
                if !self.is_running && self.waiting.is_empty() {
                    break;
                }
                if !self.is_bounded {
                    self.engine.stop();
                }
            }
        }
        Ok(())
    }

    /// Prints a line and sends it off at once.
    fn say(&mut self, line: &str) -> std::io::Result<()> {
        self.log_line("<", line);
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }

    fn note(&mut self, text: &str) -> std::io::Result<()> {
        self.say(&format!("info string {}", output::shortened(text)))
    }

    fn log_line(&mut self, direction: &str, line: &str) {
        log::debug!("{direction} {line}");
        if let Some(file) = &mut self.log
            && let Err(fault) = writeln!(file, "{direction} {line}")
        {
            log::warn!("the log file cannot be written: {fault}");
            self.log = None;
        }
    }

    fn take_line(&mut self, line: &str) -> std::io::Result<Flow> {
        self.log_line(">", line);
        match parse(line) {
            Ok(command) => self.take(command),
            Err(fault) => self.note(&fault).map(|()| Flow::Continue),
        }
    }

    fn take_event(&mut self, event: &Event) -> std::io::Result<Flow> {
        for line in output::event(event, self.choices.show_chances) {
            self.say(&line)?;
        }
        if !event.is_final() {
            return Ok(Flow::Continue);
        }
        self.is_running = false;
        // The engine is free: do what had to wait, up to the next search.
        while !self.is_running {
            let Some(command) = self.waiting.pop_front() else {
                break;
            };
            if self.act(command)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        if self.is_running && self.waiting.contains(&Command::Stop) {
            // A stop ends every search that was sent before it.
            self.engine.stop();
        }
        Ok(Flow::Continue)
    }

    /// Does a command now, or keeps it until the running search has ended.
    fn take(&mut self, command: Command) -> std::io::Result<Flow> {
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
                self.is_bounded = self.is_bounded_after_hit;
                self.act(command)
            }
            Command::Stop => {
                self.engine.stop();
                if !self.waiting.is_empty() {
                    self.waiting.push_back(Command::Stop);
                }
                Ok(Flow::Continue)
            }
            _ => {
                self.waiting.push_back(command);
                self.debug("kept until the search has ended")?;
                Ok(Flow::Continue)
            }
        }
    }

    /// A note that only `debug on` asks for.
    fn debug(&mut self, text: &str) -> std::io::Result<()> {
        if self.is_debug {
            self.note(text)
        } else {
            Ok(())
        }
    }

    fn act(&mut self, command: Command) -> std::io::Result<Flow> {
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
            Command::RefusedGo(fault) => {
                self.note(&fault)?;
                self.say(NO_MOVE)?;
            }
            Command::Perft(depth) => {
                self.begin(|engine| engine.perft(depth))?;
            }
            Command::Bench(variant, depth) => {
                let variant = variant.unwrap_or(self.choices.variant);
                self.begin(|engine| engine.bench(variant, depth.unwrap_or(BENCH_DEPTH)))?;
            }
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponder_hit(),
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

    fn say_all(&mut self, lines: Vec<String>) -> std::io::Result<()> {
        for line in lines {
            self.say(&line)?;
        }
        Ok(())
    }

    fn introduce(&mut self) -> std::io::Result<()> {
        let name = format!("petard {}", env!("CARGO_PKG_VERSION"));
        self.say(&UciMessage::id_name(&name).to_string())?;
        self.say(&UciMessage::id_author("the petard authors").to_string())?;
        self.say_all(options::list(&self.choices))?;
        self.say(&UciMessage::UciOk.to_string())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> std::io::Result<()> {
        match options::set(&mut self.engine, &mut self.choices, name, value) {
            Err(fault) => self.note(&fault),
            Ok(Effect::None) => Ok(()),
            Ok(Effect::Log) => self.open_log(),
            Ok(Effect::Variant) => self.change_variant(),
        }
    }

    fn change_variant(&mut self) -> std::io::Result<()> {
        let variant = self.choices.variant;
        match Board::start(variant) {
            Err(fault) => self.note(&fault.to_string()),
            Ok(board) => {
                let name = options::variant_name(variant).unwrap_or("breakthrough");
                let line = output::variant(name, &board);
                self.board = board;
                self.say(&line)
            }
        }
    }

    fn open_log(&mut self) -> std::io::Result<()> {
        let path = self.choices.log_file.clone();
        self.log = None;
        if path.is_empty() {
            return Ok(());
        }
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => {
                self.log = Some(file);
                Ok(())
            }
            Err(fault) => self.note(&format!("log file '{path}' cannot be opened: {fault}")),
        }
    }

    fn set_position(&mut self, start: &Start, moves: &[String]) -> std::io::Result<()> {
        let variant: Variant = self.choices.variant;
        let board = match start {
            Start::StartPos => Board::start(variant),
            Start::Fen(fen) => Board::from_fen(variant, fen),
        };
        let board = match board {
            Ok(board) => board,
            Err(fault) => return self.note(&format!("position refused: {fault}")),
        };
        match board.with_moves(moves.iter().map(String::as_str)) {
            Ok(board) => {
                let fen = board.fen();
                self.board = board;
                self.debug(&format!("position {fen}"))
            }
            Err(fault) => self.note(&format!("position refused: {fault}")),
        }
    }

    fn go(&mut self, go: &Go) -> std::io::Result<()> {
        if let Some(depth) = go.perft {
            return self.begin(|engine| engine.perft(depth)).map(drop);
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
    ) -> std::io::Result<bool> {
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
