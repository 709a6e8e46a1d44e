//! Proofs: who wins a position of Troyka's game.

use crate::board::Board;
use crate::engine::seconds;
use crate::errors::SolveError;
use crate::moves::Move;
use crate::position::{Game, Kind as _};
use petard::game::troyka::{Bits, Position};
use petard::solve::{DEPTHS, Limits, Progress, Solution, Solver};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// How often a proof checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// What is asked for.
struct Order {
    limits: Limits,
    bytes: usize,
    /// The plies that a certificate leaves to its checker, if one is wanted.
    certificate: Option<u8>,
    progress: Option<Py<PyAny>>,
}

/// What was found: whether the side to move wins, the line, nodes, seconds,
/// certificate.
type Answer<'py> = (
    Option<bool>,
    Vec<Py<Move>>,
    u64,
    f64,
    Option<Bound<'py, PyBytes>>,
);

/// The solution and its certificate.
type Found = (Solution, Option<Vec<u8>>);

fn refuse(fault: petard::solve::SolveError) -> PyErr {
    match fault {
        petard::solve::SolveError::Memory(_) => PyMemoryError::new_err(fault.to_string()),
        fault => SolveError::new_err(fault.to_string()),
    }
}

/// Solves with the GIL released; Ctrl-C or an exception from `progress` ends
/// it.
fn run<B: Bits>(position: &Position<B>, order: &Order) -> PyResult<Found> {
    let solver = Solver::new(position.geometry(), order.bytes).map_err(refuse)?;
    let fault: RefCell<Option<PyErr>> = RefCell::new(None);
    let last = Cell::new(Instant::now());
    let stop = || {
        if fault.borrow().is_none() && last.get().elapsed() >= TICK {
            last.set(Instant::now());
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                *fault.borrow_mut() = Some(raised);
            }
        }
        fault.borrow().is_some()
    };
    let mut progress = |told: &Progress| {
        if let Some(call) = &order.progress {
            let told = (told.nodes, told.time.as_secs_f64(), told.phi, told.delta);
            if let Err(raised) = Python::attach(|py| call.call1(py, told).map(drop)) {
                *fault.borrow_mut() = Some(raised);
            }
        }
    };
    let solution = solver.solve(position, &order.limits, &stop, &mut progress);
    let mut certificate = None;
    if let Some(depth) = order.certificate
        && solution.side_to_move_wins.is_some()
        && fault.borrow().is_none()
        && let Ok(proof) = solver.certificate(position, &solution, depth, &stop)
    {
        let mut bytes = Vec::new();
        proof.write(&mut bytes)?;
        certificate = Some(bytes);
    }
    match fault.into_inner() {
        Some(raised) => Err(raised),
        None => Ok((solution, certificate)),
    }
}

/// Proves who wins; see `petard.solve`.
#[pyfunction]
#[pyo3(signature = (board, threads, hash, time, nodes, certificate, progress))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is one of Python's keywords"
)]
pub fn solve<'py>(
    py: Python<'py>,
    board: &Board,
    threads: usize,
    hash: usize,
    time: Option<f64>,
    nodes: Option<u64>,
    certificate: Option<u8>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    if let Some(depth) = certificate
        && (!DEPTHS.contains(&depth) || depth.is_multiple_of(2))
    {
        return Err(PyValueError::new_err(
            "certificate_depth must be an odd number from 1 to 9",
        ));
    }
    let time = time.map(|time| seconds("time", time)).transpose()?;
    let bytes = hash
        .checked_mul(1 << 20)
        .ok_or_else(|| PyMemoryError::new_err(format!("no memory for {hash} MB")))?;
    let order = Order {
        limits: Limits {
            threads: threads.max(1),
            time,
            nodes,
            ..Limits::default()
        },
        bytes,
        certificate,
        progress,
    };
    let (solution, certificate) = py.detach(|| match &board.game {
        Game::Small(played) => run(&played.position, &order),
        Game::Large(played) => run(&played.position, &order),
        Game::Freeling(_) => Err(SolveError::new_err("only Troyka's game can be proven")),
    })?;
    let stride = match &board.game {
        Game::Small(played) => played.position.stride(),
        Game::Large(played) => played.position.stride(),
        Game::Freeling(_) => 5,
    };
    let line = solution
        .line
        .iter()
        .map(|&mv| Ok(Move::shared(py, mv, stride)?.clone_ref(py)))
        .collect::<PyResult<_>>()?;
    Ok((
        solution.side_to_move_wins,
        line,
        solution.nodes,
        solution.time.as_secs_f64(),
        certificate.map(|bytes| PyBytes::new(py, &bytes)),
    ))
}

/// What a certificate proves: FEN, whether White wins, positions checked; or
/// why it is refused, as `ValueError`.
#[pyfunction]
pub fn check_certificate(
    py: Python<'_>,
    data: &[u8],
    threads: usize,
) -> PyResult<(String, bool, usize)> {
    let proven = py
        .detach(|| petard::tools::check::check(data, threads.max(1), &mut |_, _| true))
        .map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    Ok((proven.fen, proven.white_wins, proven.positions))
}
