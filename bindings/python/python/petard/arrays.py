"""Many positions at a time, as numpy arrays.

A board is an array of shape ``(ranks, files)``: rank 1 first, file a first; 1 is White's piece, -1
Black's, 0 an empty square, and in Freeling's game 2 and -2 are pairs. Many boards are one array of
shape ``(n, ranks, files)``, with an array of ``n`` booleans: whether White is to move.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from petard import _petard
from petard._petard import Board

# Imported only when needed: it takes longer than all the rest.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Positions: TypeAlias = "Iterable[Board] | tuple[NDArray[np.generic], NDArray[np.generic]]"
"""Boards, or their squares and turns as returned by `squares`."""


def squares(boards: Iterable[Board]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The squares of boards, int8 of shape ``(n, ranks, files)``, and whether White is to move.

    Raises `ValueError` if the boards differ in size.
    """
    import numpy as np

    listed = list(boards)
    if not listed:
        return np.zeros((0, 8, 8), np.int8), np.zeros(0, np.bool_)
    shape = (len(listed), listed[0].ranks, listed[0].files)
    if any((board.ranks, board.files) != shape[1:] for board in listed):
        raise ValueError("the boards must all be the same size")
    cells, turns = np.empty(shape, np.int8), np.empty(len(listed), np.uint8)
    _petard.board_squares(listed, cells.reshape(-1), turns)
    return cells, turns.astype(np.bool_)


def evaluate(
    positions: Positions, *, evaluation: Literal["network", "article"] = "network"
) -> NDArray[np.int32]:
    """Static values in centipawns from each mover's view, int32 of shape ``(n,)``.

    ``positions`` are boards of either game and any size, or a pair of squares and turns of
    Breakthrough (see `squares`). There is no search: the built-in networks are used, or for
    Breakthrough the evaluation of the 2009 article (``"article"``, see the option ``Evaluation``).
    Finished games are 32000 to the winner, -32000 to the loser, and 0 for a draw. Positions that
    resemble the previous one, as in a game, cost the least.

    Raises `ValueError` if arrays do not fit together or hold no positions.
    """
    import numpy as np

    if evaluation not in ("network", "article"):
        raise ValueError(f"unknown evaluation '{evaluation}'; choose from network, article")
    uses_article = evaluation == "article"
    pair = _pair(positions)
    if pair is not None:
        cells, turns = _checked(pair)
        values = np.empty(len(turns), np.int32)
        if len(turns):
            ranks, files = cells.shape[1:]
            _petard.evaluate_squares(
                cells.reshape(-1), turns.view(np.uint8), files, ranks, uses_article, values
            )
        return values
    boards = _boards(positions)
    values = np.empty(len(boards), np.int32)
    if boards:
        _petard.evaluate_boards(boards, uses_article, values)
    return values


def _pair(positions: Positions) -> tuple[NDArray[np.generic], NDArray[np.generic]] | None:
    """Squares and turns, if they are that: a tuple may also be one of boards."""
    if isinstance(positions, tuple) and positions and not isinstance(positions[0], Board):
        return cast("tuple[NDArray[np.generic], NDArray[np.generic]]", positions)
    return None


def _boards(positions: Positions) -> list[Board]:
    """The boards, if they are no pair."""
    return cast("list[Board]", positions if isinstance(positions, list) else list(positions))


def _checked(
    pair: tuple[NDArray[np.generic], NDArray[np.generic]],
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    import numpy as np

    if len(pair) != 2:
        raise ValueError(f"expected squares and turns, not {len(pair)} arrays")
    cells, turns = np.asarray(pair[0]), np.asarray(pair[1])
    if cells.ndim != 3 or turns.shape != cells.shape[:1]:
        raise ValueError(
            "expected squares of shape (n, ranks, files) and n turns,"
            f" not {cells.shape} and {turns.shape}"
        )
    if cells.shape[1] > 128 or cells.shape[2] > 128:
        raise ValueError(f"a board of {cells.shape[2]}x{cells.shape[1]} is too large")
    if cells.dtype.kind not in "iub" or turns.dtype.kind not in "iub":
        raise ValueError("squares and turns must be integers or booleans")
    narrow = cells.astype(np.int8)
    if not np.array_equal(narrow, cells):
        raise ValueError("squares must be 1, -1 or 0")
    return np.ascontiguousarray(narrow), np.ascontiguousarray(turns.astype(np.bool_))


def _seen(positions: Positions) -> NDArray[np.int8]:
    """The squares as each mover sees them: own pieces positive, and moving up."""
    import numpy as np

    pair = _pair(positions)
    cells, turns = squares(_boards(positions)) if pair is None else _checked(pair)
    return np.where(turns[:, None, None], cells, -cells[:, ::-1, :]).astype(np.int8)


def planes(positions: Positions) -> NDArray[np.uint8]:
    """Planes for your own network: uint8 of shape ``(n, 2, ranks, files)``.

    The board is seen from the side to move, whose pieces go towards higher ranks: plane 0 holds its
    pieces, plane 1 the enemy's. In Freeling's game a pair counts 2.
    """
    import numpy as np

    seen = _seen(positions)
    return np.stack([np.maximum(seen, 0), np.maximum(-seen, 0)], axis=1).astype(np.uint8)


def network_shape(files: int, ranks: int) -> tuple[int, int, int, int] | None:
    """The built-in network for a board: files and ranks of a window, width, output buckets.

    None if there is none for such a board.
    """
    if not (0 < files <= 128 and 0 < ranks <= 128):
        return None
    return _petard.network_shape(files, ranks)


def features(positions: Positions, window: tuple[int, int] | None = None) -> NDArray[np.int32]:
    """The active inputs of petard's networks: int32 of shape ``(n, 2, windows)``.

    First the view of the side to move, then the other's. Windows of ``window`` files and ranks (by
    default those of the board's network) are numbered row by row from the viewer's first rank; the
    content of a window is the sum of ``state * 3**cell``, with the states 0 empty, 1 own and 2 the
    enemy's, and its input is ``window * 3**cells + content``.

    Raises `ValueError` if no window is given and the board has no network, if the window is so
    large that its inputs do not fit into 32 bits, or for Freeling's game.
    """
    import numpy as np

    if _pair(positions) is None:
        positions = _boards(positions)
    seen = _seen(positions)
    is_freeling = isinstance(positions, list) and any(
        board.variant == "freeling" for board in positions
    )
    if is_freeling or (seen.size and np.abs(seen).max() > 1):
        raise ValueError("there are no networks for Freeling's game")
    ranks, files = seen.shape[1:]
    if window is None:
        shape = network_shape(files, ranks)
        if shape is None:
            raise ValueError(f"there is no network for {files}x{ranks}: name a window")
        window = shape[:2]
    views = np.stack([seen, -seen[:, ::-1, :]], axis=1)
    states = np.where(views < 0, 2, views).astype(np.int32)
    wide, high = window
    parts = np.lib.stride_tricks.sliding_window_view(states, (high, wide), axis=(2, 3))
    digits = 3 ** np.arange(high * wide, dtype=np.int32).reshape(high, wide)
    windows = parts.shape[2] * parts.shape[3]
    if windows * 3 ** (high * wide) > 2**31:
        raise ValueError(f"a window of {wide}x{high} has too many contents")
    content = (parts * digits).sum(axis=(4, 5), dtype=np.int32).reshape(len(seen), 2, windows)
    places = np.arange(windows, dtype=np.int32) * 3 ** (high * wide)
    inputs: NDArray[np.int32] = (content + places).astype(np.int32)
    return inputs


def legal_moves(boards: Iterable[Board]) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """The legal moves of many boards: where each board's moves start, and the moves.

    Board ``i`` has ``moves[starts[i] : starts[i + 1]]``; ``starts`` is int64 of shape ``(n + 1,)``.
    A move is the squares it leaves and enters, so ``moves`` is int16 of shape ``(m, 2)``; squares
    are counted from a1, rank by rank, as in the flattened arrays of `squares`. The passing move of
    Freeling's game is ``(-1, -1)``. The order is that of ``Board.legal_moves``.

    >>> from petard import Board
    >>> starts, moves = legal_moves([Board(), Board("6x6")])
    >>> starts.tolist(), moves[0].tolist(), Board().legal_moves[0]
    ([0, 22, 38], [8, 16], Move.from_uci('a2a3'))
    """
    import numpy as np

    counts, squares = _petard.list_moves(boards if isinstance(boards, list) else list(boards))
    starts = np.zeros(len(counts) // 8 + 1, np.int64)
    np.cumsum(np.frombuffer(counts, np.int64), out=starts[1:])
    moves = np.frombuffer(squares, np.int16).reshape(-1, 2)
    return starts, moves


def random_playouts(
    board: Board, games: int, *, seed: int | None = None
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Random games from a position: results (int8) and lengths in plies (int32), ``(games,)``.

    A result is 1 if White wins, -1 if Black does, 0 for a draw. The same seed gives the same games.

    Raises `ValueError` for numbers out of range.
    """
    import numpy as np

    if games < 0:
        raise ValueError(f"games: {games} is out of range")
    results, plies = np.empty(games, np.int8), np.empty(games, np.int32)
    if games:
        _petard.random_playouts(board, seed, results, plies)
    return results, plies
