//! The view of a board's legal moves.

use crate::board::{Board, legal_list};
use crate::moves::Move;
use crate::position::each;
use petard::game::Notation as _;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

/// The legal moves of a board: nothing is computed before it is asked for, and
/// the answer is always that of the board as it stands. Iterating takes the
/// moves as they are at its beginning.
#[pyclass(frozen, module = "petard")]
#[derive(Debug)]
pub struct LegalMoves {
    board: Py<Board>,
}

impl LegalMoves {
    #[inline]
    pub const fn of(board: Py<Board>) -> Self {
        Self { board }
    }

    #[inline]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let board = self.board.try_borrow(py)?;
        let stride = board.game.stride();
        let list = legal_list(&board.game);
        let mut objects: Vec<&Py<Move>> = Vec::with_capacity(list.len());
        for mv in list {
            objects.push(Move::shared(py, mv, stride)?);
        }
        PyList::new(py, objects)
    }
}

#[pymethods]
impl LegalMoves {
    /// How many there are.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        let board = self.board.try_borrow(py)?;
        Ok(each!(&board.game, played => played.count_moves()))
    }

    /// All of them as text, sorted: the quickest way to many.
    fn uci(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let board = self.board.try_borrow(py)?;
        let list = legal_list(&board.game);
        let mut texts: Vec<String> = each!(&board.game, played => list
            .iter()
            .map(|&mv| played.position.move_text(mv))
            .collect());
        texts.sort_unstable();
        Ok(texts)
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
        let raw = mv.get().on(board.game.stride());
        Ok(each!(&board.game, played => played.is_legal(raw)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<LegalMoves ({})>", self.uci(py)?.join(", ")))
    }
}
