//! The class `Board`, with python-chess's names.

use crate::count;
use crate::errors;
use crate::legal::LegalMoves;
use crate::limit::number;
use crate::moves::{Move, read_square, square_text};
use crate::playout;
use crate::position::{Kind as _, each, is_freeling, is_same_position, stride};
use crate::signals::Signals;
use petard::engine::{Board as Game, GameRecord, Variant, parse_board};
use petard::game::Side;
use petard::game::{Ending, FenError, Game as _, Move as RawMove, Notation as _, Outcome};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A position and the moves that led to it, in either game, on any board.
///
/// ``Board()`` is the start position on 8x8, ``Board("6x6")`` that of another
/// board (files x ranks: at least 2 files, at least 4 ranks, at most 128 squares),
/// ``Board("freeling")`` that of Freeling's game, and ``Board(fen)`` any position
/// of Breakthrough's. Names and meanings are python-chess's where both have the thing;
/// squares are strings such as ``"a1"``.
///
/// Raises ``InvalidFenError`` for anything else. A method that raises leaves
/// the board unchanged.
///
/// >>> board = Board()
/// >>> board.push_uci("b2b3")
/// Move.from_uci('b2b3')
/// >>> len(board.legal_moves)
/// 22
#[pyclass(module = "petard")]
#[derive(Debug)]
pub struct Board {
    pub game: Game,
}

/// A class of `petard._types`.
fn class<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let class = cell.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("petard._types")?.getattr(name)?.unbind())
    })?;
    Ok(class.bind(py).clone())
}

static OUTCOME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The start position or the position that a text names.
fn named(text: &str) -> Result<Game, FenError> {
    if text.contains('/') {
        return Game::from_fen(Variant::STANDARD, text);
    }
    match Variant::by_name(text) {
        Some(variant) => Game::start(variant),
        None => Game::start(parse_board(text)?),
    }
}

fn variant_of(name: &str) -> PyResult<Variant> {
    Variant::by_name(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "'{name}' is not a variant: breakthrough or freeling"
        ))
    })
}

impl Board {
    pub const fn of(game: Game) -> Self {
        Self { game }
    }

    /// The moves of a line that starts here, as objects.
    pub fn line<'py>(&self, py: Python<'py>, texts: &[String]) -> PyResult<Vec<&'py Py<Move>>> {
        let stride = stride(&self.game);
        texts
            .iter()
            .map(|text| Move::of_text(py, text, stride))
            .collect()
    }

    #[inline]
    fn legal(&self, mv: &Bound<'_, Move>) -> PyResult<RawMove> {
        let raw = mv.get().on(stride(&self.game));
        if each!(&self.game, played => played.is_legal(raw)) {
            Ok(raw)
        } else {
            Err(self.refusal(&mv.get().text()))
        }
    }

    /// Why a move is refused.
    #[cold]
    fn refusal(&self, text: &str) -> PyErr {
        match each!(&self.game, played => played.parse(text)) {
            // A well-formed move can only be illegal.
            Err(error) => errors::IllegalMoveError::new_err(error.to_string()),
            Ok(_) => errors::IllegalMoveError::new_err(format!("'{text}' is illegal")),
        }
    }

    fn square(&self, name: &str) -> PyResult<u8> {
        let (files, ranks) = self.game.size();
        match read_square(name) {
            Some(((file, rank), "")) if file < files && rank < ranks => {
                Ok(rank * stride(&self.game) + file)
            }
            _ => Err(PyValueError::new_err(format!(
                "'{name}' is not a square of this board"
            ))),
        }
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (board = "8x8"))]
    fn new(board: &str) -> PyResult<Self> {
        named(board).map(Self::of).map_err(errors::fen)
    }

    /// The position of a FEN; ``variant`` is ``"breakthrough"`` or
    /// ``"freeling"``. In Breakthrough the FEN determines the board's size.
    ///
    /// Raises ``InvalidFenError`` with what is wrong.
    #[staticmethod]
    #[pyo3(signature = (fen, variant = "breakthrough"))]
    fn from_fen(fen: &str, variant: &str) -> PyResult<Self> {
        let game = Game::from_fen(variant_of(variant)?, fen);
        game.map(Self::of).map_err(errors::fen)
    }

    /// A position of Freeling's game, by default its start.
    ///
    /// Raises ``InvalidFenError`` with what is wrong.
    #[staticmethod]
    #[pyo3(signature = (fen = None))]
    fn freeling(fen: Option<&str>) -> PyResult<Self> {
        let game = match fen {
            Some(fen) => Game::from_fen(Variant::Freeling, fen),
            None => Game::start(Variant::Freeling),
        };
        game.map(Self::of).map_err(errors::fen)
    }

    /// ``"breakthrough"`` or ``"freeling"``.
    #[getter]
    const fn variant(&self) -> &'static str {
        if is_freeling(&self.game) {
            "freeling"
        } else {
            "breakthrough"
        }
    }

    /// The number of files.
    #[getter]
    fn files(&self) -> u8 {
        self.game.size().0
    }

    /// The number of ranks.
    #[getter]
    fn ranks(&self) -> u8 {
        self.game.size().1
    }

    /// The side to move: ``WHITE`` (``True``) or ``BLACK`` (``False``).
    #[getter]
    fn turn(&self) -> bool {
        self.game.side_to_move() == Side::White
    }

    /// The legal moves, as a view that follows the board: iterate over it,
    /// count it, or test with ``in``. Empty if the game is over.
    #[getter]
    fn legal_moves(slf: Py<Self>) -> LegalMoves {
        LegalMoves::of(slf)
    }

    /// The moves played, oldest first.
    #[getter]
    fn move_stack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let stride = stride(&self.game);
        each!(&self.game, played => {
            Move::list(py, played.past().iter().map(|&(_, mv)| mv), stride)
        })
    }

    /// Plies played since the start of the game, as far as the FEN says.
    #[getter]
    fn ply(&self) -> u16 {
        each!(&self.game, played => played.position().plies())
    }

    /// The full-move number, from 1; it goes up after Black's move.
    #[getter]
    fn fullmove_number(&self) -> u16 {
        self.ply() / 2 + 1
    }

    /// A 64-bit hash of the position, the side to move and the board's size:
    /// the same in every process and however the position was reached.
    #[getter]
    fn key(&self) -> u64 {
        self.game.key()
    }

    /// Plays a move.
    ///
    /// Raises ``IllegalMoveError`` if it is not legal.
    #[inline]
    fn push(&mut self, r#move: &Bound<'_, Move>) -> PyResult<()> {
        let raw = self.legal(r#move)?;
        each!(&mut self.game, played => played.push(raw));
        Ok(())
    }

    /// Plays a move given as text and returns it.
    ///
    /// Raises ``InvalidMoveError`` if it is not a move, ``IllegalMoveError`` if it
    /// is not legal.
    fn push_uci(&mut self, py: Python<'_>, uci: &str) -> PyResult<Py<Move>> {
        let raw = each!(&self.game, played => played.parse(uci)).map_err(errors::mv)?;
        let mv = Move::shared(py, raw, stride(&self.game))?.clone_ref(py);
        each!(&mut self.game, played => played.push(raw));
        Ok(mv)
    }

    /// Plays several moves given as text: all of them or, if one is refused,
    /// none.
    ///
    /// Raises what ``push_uci`` raises; the message begins with the move's ply.
    fn push_line(&mut self, moves: Vec<String>) -> PyResult<()> {
        self.game
            .play_all(moves.iter().map(String::as_str))
            .map_err(|refused| {
                let error = errors::mv(refused.error.clone());
                Python::attach(|py| PyErr::from_type(error.get_type(py), refused.to_string()))
            })
    }

    /// Takes the last move back and returns it.
    ///
    /// Raises ``IndexError`` if there is none.
    #[inline]
    fn pop<'py>(&mut self, py: Python<'py>) -> PyResult<&'py Py<Move>> {
        match each!(&mut self.game, played => played.pop()) {
            Some(raw) => Move::shared(py, raw, stride(&self.game)),
            None => Err(PyIndexError::new_err("there is no move to take back")),
        }
    }

    /// The last move.
    ///
    /// Raises ``IndexError`` if there is none.
    fn peek<'py>(&self, py: Python<'py>) -> PyResult<&'py Py<Move>> {
        match each!(&self.game, played => played.past().last().map(|&(_, mv)| mv)) {
            Some(raw) => Move::shared(py, raw, stride(&self.game)),
            None => Err(PyIndexError::new_err("no move has been played")),
        }
    }

    /// The position that the game began with, without moves.
    fn root(&self) -> Self {
        Self::of(self.game.beginning())
    }

    /// Whether a move is legal here.
    #[inline]
    fn is_legal(&self, r#move: &Bound<'_, Move>) -> bool {
        let raw = r#move.get().on(stride(&self.game));
        each!(&self.game, played => played.is_legal(raw))
    }

    /// Whether a legal move takes a piece.
    ///
    /// Raises ``IllegalMoveError`` if it is not legal.
    fn is_capture(&self, r#move: &Bound<'_, Move>) -> PyResult<bool> {
        let raw = self.legal(r#move)?;
        Ok(each!(&self.game, played => played.position().is_capture(raw)))
    }

    /// Reads a move such as ``a2b3``; it must be legal here.
    ///
    /// Raises ``InvalidMoveError`` or ``IllegalMoveError``.
    fn parse_uci(&self, py: Python<'_>, uci: &str) -> PyResult<Py<Move>> {
        let raw = each!(&self.game, played => played.parse(uci)).map_err(errors::mv)?;
        Ok(Move::shared(py, raw, stride(&self.game))?.clone_ref(py))
    }

    /// How the game ended, as an ``Outcome``; ``None`` while it goes on. The
    /// third occurrence of a position in Freeling's game is a draw.
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let winner = match self.game.outcome() {
            Outcome::Ongoing => return Ok(None),
            Outcome::Win(side) => Some(side == Side::White),
            Outcome::Draw => None,
        };
        let ending = match self.game.ending() {
            Some(Ending::Blocked) => "BLOCKED",
            Some(Ending::NoPieces) => "NO_PIECES",
            Some(Ending::Repetition) => "REPETITION",
            Some(Ending::Arrived) | None => "ARRIVED",
        };
        let outcome = class(py, &OUTCOME, "Outcome")?;
        Ok(Some(outcome.call_method1("_of", (winner, ending))?))
    }

    /// Whether the game is over.
    #[inline]
    fn is_game_over(&self) -> bool {
        self.game.outcome() != Outcome::Ongoing
    }

    /// ``"1-0"``, ``"0-1"``, ``"1/2-1/2"``, or ``"*"`` while the game goes on.
    fn result(&self) -> &'static str {
        match self.game.outcome() {
            Outcome::Ongoing => "*",
            Outcome::Win(Side::White) => "1-0",
            Outcome::Win(Side::Black) => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }

    /// The position as text: ``rows side 0 move-number``.
    fn fen(&self) -> String {
        self.game.fen()
    }

    /// The rows of the FEN alone.
    fn board_fen(&self) -> String {
        let fen = self.game.fen();
        fen.split(' ').next().unwrap_or_default().to_owned()
    }

    /// Starts over at this position of the same game; the moves are forgotten.
    ///
    /// Raises ``InvalidFenError`` with what is wrong.
    fn set_fen(&mut self, fen: &str) -> PyResult<()> {
        let variant = each!(&self.game, played => played.position().variant());
        self.game = Game::from_fen(variant, fen).map_err(errors::fen)?;
        Ok(())
    }

    /// Starts over at the start position of the same board.
    fn reset(&mut self) -> PyResult<()> {
        let variant = each!(&self.game, played => played.position().variant());
        self.game = Game::start(variant).map_err(errors::fen)?;
        Ok(())
    }

    /// What stands on a square: ``"P"`` White's piece, ``"p"`` Black's, ``"D"`` and
    /// ``"d"`` pairs in Freeling's game; ``None`` if it is empty.
    ///
    /// Raises ``ValueError`` if the board has no such square.
    fn piece_at(&self, square: &str) -> PyResult<Option<char>> {
        let square = self.square(square)?;
        Ok(each!(&self.game, played => played.position().piece(square)))
    }

    /// All pieces: the squares' names and what stands there, from a1 upwards.
    fn piece_map<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (files, ranks) = self.game.size();
        let stride = stride(&self.game);
        let map = PyDict::new(py);
        for rank in 0..ranks {
            for file in 0..files {
                let piece =
                    each!(&self.game, played => played.position().piece(rank * stride + file));
                if let Some(piece) = piece {
                    map.set_item(square_text((file, rank)), piece)?;
                }
            }
        }
        Ok(map)
    }

    /// A copy flipped vertically with colours swapped and the other side to
    /// move: worth the same to the mover. The earlier moves are left out.
    fn mirror(&self) -> Self {
        Self::of(self.game.flipped())
    }

    /// A copy with the files reversed: worth the same. Without the earlier moves.
    fn flip_horizontal(&self) -> Self {
        Self::of(each!(&self.game, played => {
            GameRecord::new(played.position().mirrored()).into()
        }))
    }

    /// A copy; ``stack=False`` leaves the moves out, and with them the history
    /// that repetitions in Freeling's game depend on.
    #[pyo3(signature = (*, stack = true))]
    fn copy(&self, stack: bool) -> Self {
        if stack {
            return Self::of(self.game.clone());
        }
        Self::of(each!(&self.game, played => GameRecord::new(*played.position()).into()))
    }

    /// The number of lines of exactly ``depth`` plies from here. Repetitions do
    /// not end a line. Ctrl-C ends the count and is raised.
    ///
    /// Raises ``ValueError`` for a depth out of range.
    fn perft(&self, py: Python<'_>, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
        let depth = number("depth", depth)?;
        py.detach(|| {
            let signals = Signals::new();
            let count =
                each!(&self.game, played => count::leaves(played.position(), depth, &signals));
            signals.unless_raised(count)
        })
    }

    /// A dictionary of ``perft`` by first move, as text.
    fn divide<'py>(
        &self,
        py: Python<'py>,
        depth: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let depth = number("depth", depth)?;
        let counts: Vec<(String, u64)> = py.detach(|| {
            let signals = Signals::new();
            let counts = each!(&self.game, played => {
                count::by_move(played.position(), depth, &signals)
                    .into_iter()
                    .map(|(mv, count)| (played.position().move_text(mv), count))
                    .collect()
            });
            signals.unless_raised(counts)
        })?;
        let split = PyDict::new(py);
        for (mv, count) in counts {
            split.set_item(mv, count)?;
        }
        Ok(split)
    }

    /// Plays random moves to the end of the game and returns a new board, whose
    /// ``outcome()`` and ``move_stack`` tell what happened. The same seed gives the
    /// same game; without one every call differs. A game of Freeling's that has not
    /// ended after 10,000 plies is cut off.
    ///
    /// Raises ``ValueError`` for a seed that does not fit into 64 bits.
    #[pyo3(signature = (seed = None))]
    fn random_playout(&self, py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let seed = seed.map(|seed| number("seed", seed)).transpose()?;
        Ok(py.detach(|| {
            let mut random = playout::random(seed);
            let mut game = self.game.clone();
            each!(&mut game, played => playout::play_out(played, &mut random));
            Self::of(game)
        }))
    }

    fn __copy__(&self) -> Self {
        self.copy(true)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(true)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let board = slf.borrow();
        let (root, moves) = (board.game.beginning().fen(), board.game.moves());
        (restore, (board.variant(), root, moves)).into_pyobject(py)
    }

    #[staticmethod]
    fn _restore(variant: &str, root: &str, moves: Vec<String>) -> PyResult<Self> {
        let mut board = Self::from_fen(root, variant)?;
        board.push_line(moves)?;
        Ok(board)
    }

    fn __richcmp__(
        &self,
        other: &Bound<'_, PyAny>,
        operator: CompareOp,
        py: Python<'_>,
    ) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(py.NotImplemented());
        };
        let is_same = is_same_position(&self.game, &other.try_borrow()?.game);
        let answer = match operator {
            CompareOp::Eq => is_same,
            CompareOp::Ne => !is_same,
            _ => return Ok(py.NotImplemented()),
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    /// By the position alone, like equality. A board in a set or a dictionary
    /// must not be changed: put a copy there, or use ``key``.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (is_freeling(&self.game), self.key()).hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        let text = self.game.diagram();
        text.trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        if is_freeling(&self.game) {
            format!("Board.freeling('{}')", self.game.fen())
        } else {
            format!("Board('{}')", self.game.fen())
        }
    }

    /// The board as a picture, for notebooks.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("petard.svg")?.call_method1("board", (slf,))
    }
}
