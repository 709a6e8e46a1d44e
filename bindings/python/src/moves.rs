//! Moves as Python sees them: small objects, created once and shared.

use crate::errors::InvalidMoveError;
use petard::game::Move as RawMove;
use petard::game::freeling::PASS;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};
use std::hash::{DefaultHasher, Hash, Hasher};

/// All row lengths that can occur are below this.
const STRIDES: usize = 65;

/// The number of values that [`RawMove::raw`] can have.
const MOVES: usize = 1 << 14;

/// File and rank of both squares, each counted from 0: the same on every board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coordinates {
    pub from: (u8, u8),
    pub to: (u8, u8),
}

impl Coordinates {
    const PASS: Self = Self {
        from: (u8::MAX, u8::MAX),
        to: (u8::MAX, u8::MAX),
    };

    /// Those of a move on a board with this row length.
    fn of(raw: RawMove, stride: u8) -> Self {
        if raw == PASS && stride == 5 {
            return Self::PASS;
        }
        let square = |square: u8| (square % stride, square / stride);
        Self {
            from: square(raw.from()),
            to: square(raw.to()),
        }
    }

    /// The move on a board with this row length; none if it has no such
    /// squares.
    fn on(self, stride: u8) -> RawMove {
        if self == Self::PASS {
            return if stride == 5 { PASS } else { RawMove::NONE };
        }
        let square = |(file, rank): (u8, u8)| {
            let square = u16::from(rank) * u16::from(stride) + u16::from(file);
            (file < stride && square < 128).then_some(square as u8)
        };
        match (square(self.from), square(self.to)) {
            (Some(from), Some(to)) => RawMove::new(from, to),
            _ => RawMove::NONE,
        }
    }

    /// Reads `a2b3` or `pass`.
    fn read(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(Self::PASS);
        }
        let (from, rest) = read_square(text)?;
        let (to, rest) = read_square(rest)?;
        rest.is_empty().then_some(Self { from, to })
    }

    fn text(self) -> String {
        if self == Self::PASS {
            return "pass".to_owned();
        }
        square_text(self.from) + &square_text(self.to)
    }
}

/// The name of a square.
pub fn square_text((file, rank): (u8, u8)) -> String {
    petard::game::breakthrough::square_name(file, rank)
}

/// Splits a square off the front of a text: its file and rank counted from 0.
pub fn read_square(text: &str) -> Option<((u8, u8), &str)> {
    let letters = text.find(|c: char| c.is_ascii_digit())?;
    let (name, rest) = text.split_at(letters);
    let letter = |byte: u8| {
        byte.to_ascii_lowercase()
            .checked_sub(b'a')
            .filter(|&n| n < 26)
    };
    let file = match *name.as_bytes() {
        [only] => letter(only)?,
        // The files after z are aa, ab ... as the protocol names them.
        [first, second] if letter(first) == Some(0) => 26 + letter(second)?,
        _ => return None,
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let rank: u8 = rest[..end].parse().ok()?;
    (!rest.starts_with('0') && rank <= 128).then(|| ((file, rank - 1), &rest[end..]))
}

/// A move, from one square to another; in Freeling's game also a pass.
///
/// Moves are values: equal if they name the same squares, whatever the board.
#[pyclass(frozen, module = "petard")]
#[derive(Debug)]
pub struct Move {
    squares: Coordinates,
    /// The row length for which `raw` is valid.
    stride: u8,
    raw: u16,
}

/// The moves of boards with one row length, by their number.
type Table = Box<[PyOnceLock<Py<Move>>]>;

/// All moves that have been handed out, by the board's row length.
static TABLES: [PyOnceLock<Table>; STRIDES] = [const { PyOnceLock::new() }; STRIDES];

/// A move that is still to be looked up in its table.
struct Wanted<'t> {
    table: &'t Table,
    raw: RawMove,
    stride: u8,
}

impl<'t> Wanted<'t> {
    #[inline]
    fn found(&self, py: Python<'_>) -> PyResult<&'t Py<Move>> {
        let Self { table, raw, stride } = *self;
        table[usize::from(raw.raw()) & (MOVES - 1)].get_or_try_init(py, || {
            Py::new(
                py,
                Move {
                    squares: Coordinates::of(raw, stride),
                    stride,
                    raw: raw.raw(),
                },
            )
        })
    }
}

impl<'py> IntoPyObject<'py> for Wanted<'_> {
    type Target = Move;
    type Output = Bound<'py, Move>;
    type Error = PyErr;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Ok(self.found(py)?.bind(py).clone())
    }
}

impl Move {
    #[inline]
    fn table(py: Python<'_>, stride: u8) -> &Table {
        TABLES[usize::from(stride)]
            .get_or_init(py, || (0..MOVES).map(|_| PyOnceLock::new()).collect())
    }

    /// The object for a move on a board with this row length.
    #[inline]
    pub fn shared<'py>(py: Python<'py>, raw: RawMove, stride: u8) -> PyResult<&'py Py<Self>> {
        let table = Self::table(py, stride);
        Wanted { table, raw, stride }.found(py)
    }

    /// A list of moves on a board with this row length.
    #[inline]
    pub fn list<'py>(
        py: Python<'py>,
        moves: impl ExactSizeIterator<Item = RawMove>,
        stride: u8,
    ) -> PyResult<Bound<'py, PyList>> {
        let table = Self::table(py, stride);
        PyList::new(py, moves.map(|raw| Wanted { table, raw, stride }))
    }

    /// The move on a board with this row length; [`RawMove::NONE`] if it has no
    /// such squares.
    #[inline]
    pub fn on(&self, stride: u8) -> RawMove {
        if self.stride == stride {
            RawMove::from_raw(self.raw)
        } else {
            self.squares.on(stride)
        }
    }

    /// The object for the text of a move, on such a board.
    pub fn of_text<'py>(py: Python<'py>, text: &str, stride: u8) -> PyResult<&'py Py<Self>> {
        let squares = Coordinates::read(text)
            .ok_or_else(|| InvalidMoveError::new_err(format!("'{text}' is not a move")))?;
        Self::shared(py, squares.on(stride), stride)
    }

    pub fn text(&self) -> String {
        self.squares.text()
    }
}

#[pymethods]
impl Move {
    /// Reads a move such as ``a2b3``, or ``pass``.
    ///
    /// Raises ``InvalidMoveError`` if it is not one. Whether it is legal depends
    /// on the position: see ``Board.parse_uci``.
    #[staticmethod]
    fn from_uci(py: Python<'_>, text: &str) -> PyResult<Py<Self>> {
        let squares = Coordinates::read(text).ok_or_else(|| {
            InvalidMoveError::new_err(format!("'{text}' is not a move such as a2b3"))
        })?;
        // The usual boards share their moves.
        let raw = squares.on(8);
        if raw.is_some() && squares != Coordinates::PASS {
            return Ok(Self::shared(py, raw, 8)?.clone_ref(py));
        }
        Py::new(
            py,
            Self {
                squares,
                stride: if squares == Coordinates::PASS { 5 } else { 0 },
                raw: if squares == Coordinates::PASS {
                    PASS.raw()
                } else {
                    0
                },
            },
        )
    }

    /// The passing move of Freeling's game.
    #[staticmethod]
    fn null(py: Python<'_>) -> PyResult<Py<Self>> {
        Ok(Self::shared(py, PASS, 5)?.clone_ref(py))
    }

    /// The move's text, such as ``a2b3``.
    fn uci(&self) -> String {
        self.text()
    }

    /// The name of the square it starts from; ``None`` for a pass.
    #[getter]
    #[expect(clippy::wrong_self_convention, reason = "python-chess's name")]
    fn from_square(&self) -> Option<String> {
        (self.squares != Coordinates::PASS).then(|| square_text(self.squares.from))
    }

    /// The name of the square it ends on; ``None`` for a pass.
    #[getter]
    fn to_square(&self) -> Option<String> {
        (self.squares != Coordinates::PASS).then(|| square_text(self.squares.to))
    }

    fn __bool__(&self) -> bool {
        self.squares != Coordinates::PASS
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Move.from_uci('{}')", self.text())
    }

    /// Equal if the squares are; ordered by the square left, then the one
    /// entered.
    fn __richcmp__(
        &self,
        other: &Bound<'_, PyAny>,
        operator: CompareOp,
        py: Python<'_>,
    ) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(py.NotImplemented());
        };
        let key = |squares: Coordinates| (squares.from, squares.to);
        let order = key(self.squares).cmp(&key(other.get().squares));
        let answer = operator.matches(order).into_pyobject(py)?;
        Ok(answer.to_owned().into_any().unbind())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.squares.hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyString>,))> {
        let py = slf.py();
        let read = py.get_type::<Self>().getattr("from_uci")?;
        Ok((read, (PyString::new(py, &slf.get().text()),)))
    }
}
