//! Many positions at a time, where a call for each would be slow.

use crate::board::Board;
use crate::limit::number;
use crate::playout;
use crate::position::{Kind, each, stride};
use crate::signals::Signals;
use petard::engine::{BatchEvaluator, Board as Game, GameRecord};
use petard::game::Side;
use petard::game::breakthrough::{Bits, Geometry, Position};
use petard::game::{Game as _, freeling};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList};

/// Writes static values of boards in centipawns, from each mover's view, into
/// an array.
#[pyfunction]
pub fn evaluate_boards(
    py: Python<'_>,
    boards: &Bound<'_, PyList>,
    uses_article: bool,
    out: PyBuffer<i32>,
) -> PyResult<()> {
    let mut evaluator = BatchEvaluator::new(uses_article);
    let mut values = Vec::with_capacity(boards.len());
    for board in boards.iter() {
        let board = board.cast::<Board>()?.try_borrow()?;
        values.push(evaluator.value(&board.game));
    }
    out.copy_from_slice(py, &values)
}

/// The same for positions of Breakthrough given as squares, a1 first, rank by
/// rank: 1 White's piece, -1 Black's, 0 none; and whether White is to move.
#[pyfunction]
pub fn evaluate_squares(
    py: Python<'_>,
    squares: PyBuffer<i8>,
    turns: PyBuffer<u8>,
    files: u8,
    ranks: u8,
    uses_article: bool,
    out: PyBuffer<i32>,
) -> PyResult<()> {
    let (squares, turns) = (squares.to_vec(py)?, turns.to_vec(py)?);
    let values = py.detach(|| {
        if files <= 8 && ranks <= 8 {
            values_of::<u64>(&squares, &turns, files, ranks, uses_article)
        } else {
            values_of::<u128>(&squares, &turns, files, ranks, uses_article)
        }
    });
    out.copy_from_slice(py, &values.map_err(PyValueError::new_err)?)
}

fn values_of<B: Bits>(
    squares: &[i8],
    turns: &[u8],
    files: u8,
    ranks: u8,
    uses_article: bool,
) -> Result<Vec<i32>, String>
where
    Game: From<GameRecord<Position<B>>>,
{
    let geometry = Geometry::<B>::new(files.into(), ranks.into()).map_err(|f| f.to_string())?;
    let mut evaluator = BatchEvaluator::new(uses_article);
    let boards = squares.chunks_exact(usize::from(files) * usize::from(ranks));
    if boards.len() != turns.len() || !boards.remainder().is_empty() {
        return Err("there must be one turn per board".to_owned());
    }
    let mut values = Vec::with_capacity(turns.len());
    for (index, (board, &turn)) in boards.zip(turns).enumerate() {
        let mut pieces = [B::EMPTY; 2];
        for (rank, row) in (0..).zip(board.chunks_exact(usize::from(files))) {
            // No branch per square: the pieces are few, and the loop vectorises.
            let (mut white, mut black, mut others) = (0u64, 0u64, 0u64);
            for (file, &cell) in row.iter().enumerate() {
                white |= u64::from(cell == 1) << file;
                black |= u64::from(cell == -1) << file;
                others |= u64::from(!(-1..=1).contains(&cell));
            }
            if others != 0 {
                return Err(format!("board {index}: squares must be 1, -1 or 0"));
            }
            for (pieces, mut row) in pieces.iter_mut().zip([white, black]) {
                while row != 0 {
                    *pieces |= B::bit(geometry.square(row.trailing_zeros() as u8, rank));
                    row &= row - 1;
                }
            }
        }
        let side = if turn != 0 { Side::White } else { Side::Black };
        let position = Position::new(geometry, pieces, side, 0)
            .map_err(|error| format!("board {index}: {error}"))?;
        values.push(evaluator.value(&GameRecord::new(position).into()));
    }
    Ok(values)
}

/// Writes the squares of boards of one size, a1 first, rank by rank, and whose
/// turn it is, into arrays: 1 and 2 White's piece and pair, -1 and -2 Black's.
#[pyfunction]
pub fn board_squares(
    py: Python<'_>,
    boards: &Bound<'_, PyList>,
    squares: PyBuffer<i8>,
    turns: PyBuffer<u8>,
) -> PyResult<()> {
    fn fill<G: Kind>(position: &G, size: (u8, u8), cells: &mut Vec<i8>) {
        let stride = position.stride();
        for rank in 0..size.1 {
            for file in 0..size.0 {
                cells.push(match position.piece(rank * stride + file) {
                    Some('P') => 1,
                    Some('D') => 2,
                    Some('p') => -1,
                    Some('d') => -2,
                    _ => 0,
                });
            }
        }
    }
    let mut size = None;
    let (mut cells, mut sides) = (Vec::new(), Vec::with_capacity(boards.len()));
    for board in boards.iter() {
        let board = board.cast::<Board>()?.try_borrow()?;
        let own = board.game.size();
        if *size.get_or_insert(own) != own {
            return Err(PyValueError::new_err(
                "the boards must all be the same size",
            ));
        }
        each!(&board.game, played => {
            fill(played.position(), own, &mut cells);
            sides.push(u8::from(played.position().side_to_move() == Side::White));
        });
    }
    squares.copy_from_slice(py, &cells)?;
    turns.copy_from_slice(py, &sides)
}

/// The legal moves of these boards, one after the other: how many each has, as
/// i64, and for each move the squares it leaves and enters as i16, counted from
/// a1, rank by rank. The passing move of Freeling's game is -1 and -1.
#[pyfunction]
pub fn list_moves<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyList>,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    type Number = [u8; 2];
    /// The numbers of all squares on a board of this shape: files, stride.
    fn numbers((files, stride): (u8, u8)) -> [Number; 128] {
        std::array::from_fn(|square| {
            let square = square as u8;
            let number = i16::from(square / stride) * i16::from(files);
            (number + i16::from(square % stride)).to_ne_bytes()
        })
    }
    fn fill<G: Kind>(
        played: &GameRecord<G>,
        numbers: &[Number; 128],
        squares: &mut Vec<u8>,
    ) -> i64 {
        let list = played.legal_moves();
        for &mv in &list {
            let [from, to] = if G::CAN_REPEAT && mv == freeling::PASS {
                [(-1i16).to_ne_bytes(); 2]
            } else {
                [mv.from(), mv.to()].map(|square| numbers[usize::from(square)])
            };
            squares.extend_from_slice(&[from[0], from[1], to[0], to[1]]);
        }
        list.len() as i64
    }
    let mut shape = (8, 8);
    let mut known = numbers(shape);
    let (mut counts, mut squares) = (Vec::new(), Vec::new());
    for board in boards.iter() {
        let board = board.cast::<Board>()?.try_borrow()?;
        let own = (board.game.size().0, stride(&board.game));
        if own != shape {
            shape = own;
            known = numbers(shape);
        }
        let count = each!(&board.game, played => fill(played, &known, &mut squares));
        counts.extend_from_slice(&count.to_ne_bytes());
    }
    Ok((
        PyByteArray::new(py, &counts),
        PyByteArray::new(py, &squares),
    ))
}

/// The built-in network for a board: files and ranks of a window, width of an
/// accumulator, output buckets; None where there is none.
#[pyfunction]
pub fn network_shape(files: u8, ranks: u8) -> Option<(u8, u8, u16, u16)> {
    petard::engine::network_shape(files, ranks)
}

/// Plays random games from a position and writes results (1 White wins, -1
/// Black, 0 a draw) and lengths in plies into arrays. Ctrl-C ends it and is
/// raised.
#[pyfunction]
pub fn random_playouts(
    py: Python<'_>,
    board: &Board,
    seed: &Bound<'_, PyAny>,
    results: PyBuffer<i8>,
    plies: PyBuffer<i32>,
) -> PyResult<()> {
    let seed = number("seed", seed)?;
    let games = results.item_count();
    let (won, length): (Vec<i8>, Vec<i32>) = py.detach(|| {
        let mut random = playout::random(seed);
        let signals = Signals::new();
        let found = (0..games)
            .take_while(|_| !signals.is_raised())
            .map(|_| each!(&board.game, played => playout::result(played, &mut random)))
            .unzip();
        signals.unless_raised(found)
    })?;
    results.copy_from_slice(py, &won)?;
    plies.copy_from_slice(py, &length)
}
