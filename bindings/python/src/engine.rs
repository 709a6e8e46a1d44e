//! The engine in this process: one object that searches, and what it reports.
//! The classes that Python users see are in `petard/engine.py`.

use crate::board::Board;
use crate::errors;
use crate::limit::{limits, seconds};
use crate::moves::Move;
use crate::position::stride;
use petard::engine::{Bound as Bounds, Engine, Event, Info, Settings, mate_plies};
use petard::game::Side;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a waiting call checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(20);

/// The option for the number of lines.
const MULTI_PV: &str = "MultiPV";

/// An engine and its events. One search at a time; waiting releases the GIL.
#[pyclass(frozen, module = "petard._petard")]
pub struct EngineCore {
    engine: Arc<Mutex<Engine>>,
    /// The process that has the engine's threads.
    process: u32,
    events: Mutex<Receiver<Event>>,
    /// Whether a search has been started whose last event has not been read.
    is_pending: AtomicBool,
    /// Whether that search has been asked to stop.
    is_stopped: AtomicBool,
    /// Counts the searches.
    number: AtomicU64,
    /// The row length of the board that is searched.
    stride: AtomicU8,
}

/// Depth, greatest depth, rank, score, plies to the end, bound, chances, nodes,
/// fullness of the table, seconds, line.
type RawInfo = (
    u32,
    u32,
    u32,
    i32,
    Option<i32>,
    &'static str,
    (u32, u32, u32),
    u64,
    u32,
    f64,
    Vec<Py<Move>>,
);

/// The move to play and the reply expected.
type Answer = (Option<Py<Move>>, Option<Py<Move>>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn line(py: Python<'_>, moves: &[String], stride: u8) -> PyResult<Vec<Py<Move>>> {
    moves
        .iter()
        .map(|text| Ok(Move::of_text(py, text, stride)?.clone_ref(py)))
        .collect()
}

fn raw_info(py: Python<'_>, info: &Info, stride: u8) -> PyResult<RawInfo> {
    let bound = match info.bound {
        Bounds::Lower => "lower",
        Bounds::Upper => "upper",
        _ => "exact",
    };
    let chances = info.chances;
    Ok((
        info.depth,
        info.selective_depth,
        info.rank,
        info.score,
        mate_plies(info.score),
        bound,
        (chances.win, chances.draw, chances.loss),
        info.nodes,
        info.hashfull,
        info.time.as_secs_f64(),
        line(py, &info.line, stride)?,
    ))
}

fn answer(
    py: Python<'_>,
    best: Option<&String>,
    ponder: Option<&String>,
    stride: u8,
) -> PyResult<Answer> {
    let object = |text: Option<&String>| {
        text.map(|text| Ok::<_, PyErr>(Move::of_text(py, text, stride)?.clone_ref(py)))
            .transpose()
    };
    Ok((object(best)?, object(ponder)?))
}

#[pymethods]
impl EngineCore {
    #[new]
    #[pyo3(signature = (hash, threads, elo = None))]
    fn new(py: Python<'_>, hash: usize, threads: usize, elo: Option<i32>) -> PyResult<Self> {
        let (sender, events) = channel();
        let settings = Settings {
            hash,
            threads,
            overhead: Duration::ZERO,
            limit_strength: elo.is_some(),
            elo: elo.unwrap_or_else(|| Settings::default().elo),
            ..Settings::default()
        };
        // Nobody listens once the engine is dropped.
        let sink = move |event| drop(sender.send(event));
        let engine = py.detach(|| Engine::with_settings(settings, sink));
        Ok(Self {
            engine: Arc::new(Mutex::new(engine.map_err(errors::engine)?)),
            process: std::process::id(),
            events: Mutex::new(events),
            is_pending: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            number: AtomicU64::new(0),
            stride: AtomicU8::new(8),
        })
    }

    /// Starts a search, which `wait` or `finish` must see to its end.
    fn start(
        &self,
        board: &Board,
        limit: &Bound<'_, PyAny>,
        multipv: usize,
        root_moves: Vec<String>,
    ) -> PyResult<()> {
        let is_white = board.game.side_to_move() == Side::White;
        let limits = limits(limit, is_white)?;
        let mut engine = lock(&self.engine);
        if self.is_pending.load(SeqCst) {
            return Err(errors::EngineBusyError::new_err("the engine is searching"));
        }
        if engine.settings().multi_pv != multipv {
            engine
                .set_option(MULTI_PV, Some(&multipv.to_string()))
                .map_err(|error| PyValueError::new_err(format!("multipv: {error}")))?;
        }
        engine.set_board(board.game.clone());
        engine.go(limits, &root_moves).map_err(errors::engine)?;
        self.stride.store(stride(&board.game), SeqCst);
        self.number.fetch_add(1, SeqCst);
        self.is_stopped.store(false, SeqCst);
        self.is_pending.store(true, SeqCst);
        Ok(())
    }

    /// Ends the search; its last event comes at once. Does nothing if none is
    /// running.
    fn stop(&self) {
        let engine = lock(&self.engine);
        self.is_stopped.store(true, SeqCst);
        engine.stop();
    }

    /// The next event: a tuple for a line, a list for the answer, or None after
    /// this many seconds. Does not check for Ctrl-C: meant for other threads.
    fn wait<'py>(&self, py: Python<'py>, timeout: f64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let stride = self.stride.load(SeqCst);
        let deadline = Instant::now() + seconds("timeout", timeout)?;
        let number = self.number.load(SeqCst);
        while self.is_searching(number) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(event) = self.next(py, number, left) else {
                return Ok(None);
            };
            match event? {
                Event::Info(info) => {
                    return Ok(Some(
                        raw_info(py, &info, stride)?.into_pyobject(py)?.into_any(),
                    ));
                }
                Event::Best { best, ponder } => {
                    let (best, ponder) = answer(py, best.as_ref(), ponder.as_ref(), stride)?;
                    return Ok(Some(vec![best, ponder].into_pyobject(py)?.into_any()));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Waits for the end of the search; returns its last lines by rank, and the
    /// answer. Ctrl-C ends it and is raised.
    fn finish(&self, py: Python<'_>) -> PyResult<(Vec<RawInfo>, Answer)> {
        let stride = self.stride.load(SeqCst);
        let mut lines: Vec<Option<Info>> = Vec::new();
        let mut interrupted = None;
        let number = self.number.load(SeqCst);
        loop {
            let event = match self.next(py, number, TICK) {
                None if !self.is_searching(number) => {
                    let error = "another thread has taken the answer of this search";
                    return Err(PyRuntimeError::new_err(error));
                }
                None => {
                    if interrupted.is_none()
                        && let Err(error) = py.check_signals()
                    {
                        interrupted = Some(error);
                        self.stop();
                    }
                    continue;
                }
                Some(event) => event?,
            };
            match event {
                Event::Info(info) => {
                    let rank = info.rank as usize;
                    if lines.len() < rank {
                        lines.resize(rank, None);
                    }
                    lines[rank - 1] = Some(info);
                }
                Event::Best { best, ponder } => {
                    if let Some(error) = interrupted {
                        return Err(error);
                    }
                    if lines.is_empty() {
                        lines.push(self.unsearched(best.as_ref()));
                    }
                    let lines = lines
                        .iter()
                        .flatten()
                        .map(|info| raw_info(py, info, stride));
                    return Ok((
                        lines.collect::<PyResult<_>>()?,
                        answer(py, best.as_ref(), ponder.as_ref(), stride)?,
                    ));
                }
                _ => {}
            }
        }
    }

    /// Whether a search has been started whose end nobody has waited for.
    #[getter]
    fn is_busy(&self) -> bool {
        self.is_pending.load(SeqCst)
    }

    /// Whether that search has ended, or will at once.
    #[getter]
    fn is_ending(&self) -> bool {
        let is_stopped = self.is_stopped.load(SeqCst);
        self.is_busy() && (is_stopped || !lock(&self.engine).is_busy())
    }

    /// Forgets what was learned from earlier searches.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| lock(&self.engine).new_game())
            .map_err(errors::engine)
    }

    /// Sets an option of the protocol.
    fn set_option(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        if self.is_pending.load(SeqCst) {
            return Err(errors::EngineBusyError::new_err("the engine is searching"));
        }
        py.detach(|| lock(&self.engine).set_option(name, Some(value)))
            .map(|_| ())
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl Drop for EngineCore {
    fn drop(&mut self) {
        // In a forked process the threads that the engine waits for at its end
        // are not there: it must never end.
        if self.process != std::process::id() {
            std::mem::forget(Arc::clone(&self.engine));
        }
    }
}

impl EngineCore {
    /// What is reported for a position when the search ended before its first
    /// line: the static evaluation, at depth 0.
    fn unsearched(&self, best: Option<&String>) -> Option<Info> {
        let evaluation = lock(&self.engine).evaluate()?;
        Some(Info {
            depth: 0,
            selective_depth: 0,
            rank: 1,
            score: evaluation.score,
            bound: Bounds::Exact,
            chances: evaluation.chances,
            nodes: 0,
            hashfull: 0,
            time: Duration::ZERO,
            line: best.cloned().into_iter().collect(),
        })
    }

    /// Whether the search with this number is still to be answered.
    fn is_searching(&self, number: u64) -> bool {
        self.is_pending.load(SeqCst) && self.number.load(SeqCst) == number
    }

    /// The next event of the search with this number within this time.
    fn next(&self, py: Python<'_>, number: u64, time: Duration) -> Option<PyResult<Event>> {
        let event = py.detach(|| {
            let events = lock(&self.events);
            // While this thread waited, another may have taken the answer, and begun
            // a search of its own.
            if !self.is_searching(number) {
                return None;
            }
            let event = events.recv_timeout(time);
            if event.as_ref().is_ok_and(Event::is_final) {
                self.is_pending.store(false, SeqCst);
            }
            Some(event)
        });
        match event? {
            Ok(event) => Some(Ok(event)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(PyRuntimeError::new_err("the engine is gone")))
            }
        }
    }
}
