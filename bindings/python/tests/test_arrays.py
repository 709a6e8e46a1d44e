"""Many positions at a time: values, squares, planes, the network's inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import petard
from petard import Board, Engine, Limit

ROOT = Path(__file__).resolve().parents[3]


def games(size: str, count: int = 8) -> list[Board]:
    """All positions of some random games."""
    found = []
    for seed in range(count):
        end = Board(size).random_playout(seed=seed)
        board = Board(size)
        for move in end.move_stack:
            board.push(move)
            found.append(board.copy(stack=False))
    return found


@pytest.mark.parametrize("size", ["8x8", "6x6", "5x7", "10x10"])
def test_boards_and_arrays_are_worth_the_same(size: str) -> None:
    boards = games(size)
    values = petard.evaluate(boards)
    assert values.dtype == np.int32 and values.shape == (len(boards),)
    assert (petard.evaluate(petard.squares(boards)) == values).all()
    # One at a time, nothing is kept from the previous position.
    assert [petard.evaluate([board])[0] for board in boards[::7]] == values[::7].tolist()
    over = np.array([board.is_game_over() for board in boards])
    assert (values[over] == -32000).all() and (abs(values[~over]) < 31000).all()
    mirrored = petard.evaluate([board.flip_horizontal() for board in boards])
    assert (mirrored == values).all() or size in ("5x7", "10x10")
    assert (petard.evaluate([board.mirror() for board in boards]) == values).all()


def test_boards_of_all_kinds_together() -> None:
    boards = [Board(), Board("6x6"), Board.freeling(), Board("10x10"), Board()]
    values = petard.evaluate(boards)
    assert values[0] == values[4]
    assert petard.evaluate(boards, evaluation="article")[0] != values[0]
    assert petard.evaluate([]).shape == (0,)
    assert petard.evaluate(iter(boards)).tolist() == values.tolist()


def test_a_tuple_of_boards_is_no_pair() -> None:
    boards = [Board(), Board().random_playout(seed=1)]
    for count in (0, 1, 2):
        for work in (petard.evaluate, petard.planes, petard.features):
            assert np.array_equal(work(tuple(boards[:count])), work(boards[:count]))


@pytest.mark.parametrize("size", ["8x8", "6x6", "10x10", "freeling"])
def test_legal_moves_of_many(size: str) -> None:
    boards = games(size, 3)
    starts, moves = petard.legal_moves(iter(boards))
    assert starts.dtype == np.int64 and moves.dtype == np.int16
    assert starts.shape == (len(boards) + 1,) and moves.shape == (starts[-1], 2)
    files = boards[0].files

    def name(square: int) -> str:
        return f"{chr(ord('a') + square % files)}{square // files + 1}"

    for number, board in enumerate(boards):
        own = moves[starts[number] : starts[number + 1]].tolist()
        texts = ["pass" if move == [-1, -1] else name(move[0]) + name(move[1]) for move in own]
        assert texts == [move.uci() for move in board.legal_moves]
    assert [part.shape for part in petard.legal_moves([])] == [(1,), (0, 2)]


def test_squares_and_planes() -> None:
    board = Board()
    board.push_uci("a2b3")
    cells, turns = petard.squares([board, Board()])
    assert cells.shape == (2, 8, 8) and cells.dtype == np.int8
    assert turns.tolist() == [False, True] and turns.dtype == np.bool_
    assert cells[0, 2, 1] == 1 and cells[0, 1, 0] == 0 and cells[0, 7, 7] == -1
    planes = petard.planes([board, Board()])
    assert planes.shape == (2, 2, 8, 8) and planes.dtype == np.uint8
    assert planes.sum(axis=(2, 3)).tolist() == [[16, 16], [16, 16]]
    # Black sees its own pieces below, and White's piece on b3 as on b6.
    assert planes[0, 0, :2].all() and planes[0, 1, 5, 1] == 1
    assert (planes == petard.planes((cells, turns))).all()
    pair = Board.freeling("1d3/1d1d1/2p1P/1D1P1/2D2/5/3P1/5/5 w 33 35")
    assert petard.squares([pair])[0].min() == -2
    assert petard.planes([pair]).max() == 2


def test_what_does_not_fit_is_refused() -> None:
    cells, turns = petard.squares([Board(), Board()])
    for bad in (
        (cells, turns[:1]),
        (cells[0], turns),
        (cells * 3, turns),
        (cells * 0, turns),
        (cells.astype(float), turns),
        (cells.astype(np.int64) * 256 + cells, turns),
        (np.zeros((1, 2, 2), np.int8), turns[:1]),
        (np.zeros((1, 200, 200), np.int8), turns[:1]),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            petard.evaluate(bad)
    with pytest.raises(ValueError, match="size"):
        petard.squares([Board(), Board("6x6")])
    with pytest.raises(TypeError):
        petard.evaluate(["board"])  # type: ignore[list-item]
    for board in (
        Board.freeling(),
        Board.freeling("1d3/1d1d1/2p1P/1D1P1/2D2/5/3P1/5/5 w 33 35"),
    ):
        with pytest.raises(ValueError, match="Freeling"):
            petard.features([board], (2, 2))


def test_inputs_that_do_not_fit_are_refused() -> None:
    assert petard.features([Board()], (4, 4)).max() < 25 * 3**16
    for window in ((3, 6), (4, 5), (8, 8)):
        with pytest.raises(ValueError, match="too many"):
            petard.features([Board()], window)
    cells, turns = petard.squares([Board()])
    for arrays in ((cells,), (cells, turns, turns)):
        with pytest.raises(ValueError, match=f"not {len(arrays)} arrays"):
            petard.evaluate(arrays)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(6, 6), (8, 6), (8, 8)])
def test_the_features_are_the_networks(size: tuple[int, int]) -> None:
    """The network's file, these inputs, and the formula of its documentation give its values."""
    files, ranks = size
    shape = petard.network_shape(files, ranks)
    assert shape is not None and petard.network_shape(8, 200) is None
    wide, high, hidden, buckets = shape
    data = (ROOT / f"src/eval/nnue/default-{files}x{ranks}.nnue").read_bytes()
    scale = int.from_bytes(data[16:20], "little")
    windows, patterns = (files + 1 - wide) * (ranks + 1 - high), 3 ** (wide * high)
    numbers = np.frombuffer(data, "<i2", offset=32).astype(np.int64)
    assert data[30] == 1, "it is mirrored"
    kept = (files + 2 - wide) // 2
    left = numbers[: kept * (ranks + 1 - high) * patterns * hidden].reshape(
        -1, kept, patterns, hidden
    )
    at = left.size
    places = 3 ** np.arange(wide * high)
    contents = (np.arange(patterns)[:, None] // places % 3).reshape(-1, high, wide)
    image = contents[:, :, ::-1].reshape(patterns, -1) @ places
    right = np.roll(left[:, : files + 1 - wide - kept][:, ::-1, image], hidden // 2, axis=3)
    rows = np.concatenate([left, right], axis=1).reshape(-1, hidden)
    bias = numbers[at : at + hidden]
    at += hidden
    weights = numbers[at : at + 2 * hidden * buckets].reshape(buckets, 2 * hidden)
    at += weights.size
    pairs = data[31]
    second = numbers[at : at + 2 * hidden * pairs].reshape(pairs, 2 * hidden).T
    at += second.size
    second_output = numbers[at : at + buckets * pairs].reshape(buckets, pairs)
    at += second_output.size
    biases = np.frombuffer(data, "<i4", offset=32 + 2 * at).astype(np.int64)
    output_bias, second_bias = biases[:buckets], biases[buckets:]

    boards = [board for board in games(f"{files}x{ranks}", 4) if not board.is_game_over()]
    inputs = petard.features(boards)
    assert inputs.shape == (len(boards), 2, windows) and inputs.dtype == np.int32
    sums = bias + rows[inputs].sum(axis=2)
    clipped = np.clip(sums, 0, 255) ** 2
    pieces = np.abs(petard.squares(boards)[0]).sum(axis=(1, 2))
    bucket = np.minimum((pieces - 1) * buckets // (4 * files), buckets - 1)
    out = (clipped.reshape(len(boards), -1) * weights[bucket]).sum(axis=1)
    halves = (clipped >> 8).reshape(len(boards), 2, 2, -1)
    units = [seen.reshape(len(boards), -1) @ second for seen in (halves, halves[:, :, ::-1])]
    active = sum(np.clip(unit + second_bias, 0, 255**2) >> 6 for unit in units)
    added = np.trunc(4 * (active * second_output[bucket]).sum(axis=1) / 255).astype(np.int64)
    inner = np.trunc(out / 255).astype(np.int64) + output_bias[bucket] + added
    values = np.trunc(inner * scale / (255 * 64)).astype(np.int64)
    assert values.tolist() == petard.evaluate(boards).tolist()


def test_a_search_of_nothing_agrees_about_the_sign() -> None:
    board = Board("6x6")
    assert petard.features([board], (1, 1)).shape == (1, 2, 36)
    assert petard.features([], (1, 1)).shape == (0, 2, 64)
    assert Engine(hash=1).analyse(board, Limit(depth=1)).score.cp is not None
