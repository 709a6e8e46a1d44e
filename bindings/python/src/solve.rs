//! Proofs: who wins a position of Breakthrough.

use crate::board::Board;
use crate::errors::SolveError;
use crate::limit::{number, seconds};
use crate::moves::Move;
use crate::position::stride;
use crate::signals::Signals;
use petard::engine::Board as Game;
use petard::game::breakthrough::{Bits, Position};
use petard::solve::{DEPTHS, Progress, ProofLimits, Solution, Solver};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What is asked for.
struct SolveOptions {
    limits: ProofLimits,
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

fn no_memory(megabytes: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory for {megabytes} MB"))
}

/// Solves with the GIL released; Ctrl-C or an exception from `progress` ends
/// it.
fn run<B: Bits>(position: &Position<B>, options: &SolveOptions) -> PyResult<Found> {
    let solver = Solver::new(position.geometry(), options.bytes).map_err(|error| match error {
        petard::solve::SolveError::Memory(_) => no_memory(options.bytes >> 20),
        error => SolveError::new_err(error.to_string()),
    })?;
    let signals = Signals::new();
    let stop = || signals.is_raised();
    let mut progress = |now: &Progress| {
        if let Some(call) = &options.progress {
            let arguments = (now.nodes, now.time.as_secs_f64(), now.proof, now.disproof);
            if let Err(raised) = Python::attach(|py| call.call1(py, arguments).map(drop)) {
                signals.raise(raised);
            }
        }
    };
    let solution = solver.solve(position, &options.limits, &stop, &mut progress);
    let mut certificate = None;
    if let Some(depth) = options.certificate
        && solution.side_to_move_wins.is_some()
        && !signals.is_raised()
        && let Ok(proof) = solver.certificate(position, &solution, depth, &stop)
    {
        let mut bytes = Vec::new();
        proof.write(&mut bytes)?;
        certificate = Some(bytes);
    }
    signals.unless_raised((solution, certificate))
}

fn certificate_depth(plies: &Bound<'_, PyAny>) -> PyResult<u8> {
    let plies: i64 = number("certificate_depth", plies)?;
    u8::try_from(plies)
        .ok()
        .filter(|plies| DEPTHS.contains(plies) && !plies.is_multiple_of(2))
        .ok_or_else(|| PyValueError::new_err("certificate_depth must be an odd number from 1 to 9"))
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
    certificate: Option<&Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let certificate = certificate.map(certificate_depth).transpose()?;
    let time = time.map(|time| seconds("time", time)).transpose()?;
    let bytes = hash.checked_mul(1 << 20).ok_or_else(|| no_memory(hash))?;
    let options = SolveOptions {
        limits: ProofLimits {
            threads: threads.max(1),
            time,
            nodes,
            ..ProofLimits::default()
        },
        bytes,
        certificate,
        progress,
    };
    let (solution, certificate) = py.detach(|| match &board.game {
        Game::Small(played) => run(played.position(), &options),
        Game::Large(played) => run(played.position(), &options),
        Game::Freeling(_) => Err(SolveError::new_err("only Breakthrough can be proven")),
    })?;
    let stride = stride(&board.game);
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
/// why it is refused, as `ValueError`. Ctrl-C ends it.
#[pyfunction]
pub fn check_certificate(
    py: Python<'_>,
    data: &[u8],
    threads: usize,
) -> PyResult<(String, bool, usize)> {
    let checked = py.detach(|| {
        let signals = Signals::new();
        let mut go_on = |_, _| !signals.is_raised();
        let checked = petard::checker::check(data, threads.max(1), &mut go_on);
        signals.unless_raised(checked)
    })?;
    let proven = checked.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((proven.fen, proven.white_wins, proven.positions))
}
