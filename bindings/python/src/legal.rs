//! The view of a board's legal moves.

use crate::board::Board;
use crate::moves::Move;
use crate::position::{each, stride};
use petard::game::Move as RawMove;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PySlice};

/// The legal moves of a board: computed only when asked for, and always for the
/// board as it stands. Iterating uses the moves as they were when it began.
///
/// An index gives one of them, so ``random.choice(board.legal_moves)`` is a
/// random move; a slice gives a list, and ``board.legal_moves[:]`` is the
/// fastest way to get one.
#[pyclass(frozen, freelist = 8, module = "petard")]
#[derive(Debug)]
pub struct LegalMoves {
    board: Py<Board>,
}

impl LegalMoves {
    #[inline]
    pub const fn of(board: Py<Board>) -> Self {
        Self { board }
    }

    /// Calls a function with the moves and the board's row length.
    #[inline]
    fn with<T>(&self, py: Python<'_>, act: impl FnOnce(&[RawMove], u8) -> T) -> PyResult<T> {
        let board = self.board.try_borrow(py)?;
        let list = each!(&board.game, played => played.legal_moves());
        Ok(act(&list, stride(&board.game)))
    }

    #[inline]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.with(py, |moves, stride| {
            Move::list(py, moves.iter().copied(), stride)
        })?
    }

    fn sliced<'py>(
        &self,
        py: Python<'py>,
        slice: &Bound<'py, PySlice>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.with(py, |moves, stride| {
            let part = slice.indices(moves.len() as isize)?;
            if part.step == 1 {
                let first = part.start as usize;
                let run = &moves[first..first + part.slicelength];
                return Move::list(py, run.iter().copied(), stride);
            }
            let picked = (0..part.slicelength as isize)
                .map(|step| moves[(part.start + step * part.step) as usize]);
            Move::list(py, picked.collect::<Vec<_>>().into_iter(), stride)
        })?
    }
}

#[pymethods]
impl LegalMoves {
    /// How many there are.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        let board = self.board.try_borrow(py)?;
        Ok(each!(&board.game, played => played.count_moves()))
    }

    /// All of them as text, sorted: the fastest way to get many.
    fn uci(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let board = self.board.try_borrow(py)?;
        Ok(board.game.legal_moves())
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            return Ok(self.sliced(py, slice)?.into_any());
        }
        // As with a list, a number of any size is an index.
        let wanted = match index.extract::<isize>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => isize::MAX,
            wanted => wanted?,
        };
        self.with(py, |moves, stride| {
            let own = if wanted < 0 { moves.len() as isize } else { 0 };
            match usize::try_from(wanted + own)
                .ok()
                .and_then(|n| moves.get(n))
            {
                Some(&raw) => Ok(Move::shared(py, raw, stride)?.bind(py).clone().into_any()),
                None => Err(PyIndexError::new_err(format!(
                    "there are {} legal moves",
                    moves.len()
                ))),
            }
        })?
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.objects(py)?.try_iter()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.count(py)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.count(py)? > 0)
    }

    fn __contains__(&self, py: Python<'_>, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(mv) = r#move.cast::<Move>() else {
            return Ok(false);
        };
        let board = self.board.try_borrow(py)?;
        let raw = mv.get().on(stride(&board.game));
        Ok(each!(&board.game, played => played.is_legal(raw)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<LegalMoves ({})>", self.uci(py)?.join(", ")))
    }
}
