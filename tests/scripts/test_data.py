"""Recorded positions."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from conftest import SCRIPTS, run_program
from petardlib.training import positions, records


@pytest.fixture(scope="module")
def recorded(petard: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file of positions from self-play."""
    path = tmp_path_factory.mktemp("data") / "games.bin"
    datagen(petard, path, 600)
    return path


def datagen(petard: str, path: Path, positions: int, *more: str) -> None:
    """Record positions with one thread, so that the seed determines them."""
    words = ["--positions", str(positions), "--nodes", "100", "--threads", "1", "--seed", "5"]
    run_program(petard, "datagen", path, *words, *more)


def count(sets: np.ndarray) -> np.ndarray:
    """The number of squares of each set."""
    counts: np.ndarray = np.bitwise_count(sets).sum(axis=1)
    return counts


def test_records_are_positions(recorded: Path) -> None:
    data = records.read(recorded)
    assert data.board == (8, 8)
    assert len(data) >= 600
    white, black = (data.sets[:, side] for side in (0, 1))
    assert not np.any(white & black)
    for pieces in (count(white), count(black)):
        assert pieces.min() >= 1
        assert pieces.max() <= 16
    # No piece has arrived, and games start where they are marked.
    assert not np.any(white[:, 7])
    assert not np.any(black[:, 0])
    assert data.is_first[0]
    assert set(np.unique(data.result)) == {0, 2}
    # Sides take turns within a game.
    plies = data.ply.astype(int)
    assert np.all((plies % 2 == 1) == data.black_to_move)


@pytest.mark.parametrize(
    ("words", "board"),
    [(["--board", "12x9"], (12, 9)), (["--variant", "freeling"], (5, 9))],
    ids=["wide", "freeling"],
)
def test_other_boards_and_games_are_recorded(
    petard: str, tmp_path: Path, words: list[str], board: tuple[int, int]
) -> None:
    path = tmp_path / "games.bin"
    datagen(petard, path, 200, *words)
    data = records.read(path)
    assert data.board == board
    assert len(data) >= 200
    first, second = data.sets[:, 0], data.sets[:, 1]
    assert not np.any(first & second)
    most = 2 * board[0] if board == (12, 9) else 10
    assert np.all(count(first) <= most)
    assert np.all(np.diff(np.flatnonzero(data.is_first)) > 1)
    squares = records.unpacked(first, board)
    assert np.array_equal(records.packed(squares), first)


def test_old_positions_are_judged_anew(petard: str, recorded: Path, tmp_path: Path) -> None:
    """Only the scores change, and they depend neither on threads nor on the clock."""
    files = [tmp_path / "one", tmp_path / "two"]
    for path, threads in zip(files, "12", strict=True):
        words = ["--rescore", str(recorded), "--nodes", "400", "--threads", threads]
        command = [petard, "datagen", str(path), *words]
        run_program(*command)
    whole = files[0].read_bytes()
    assert whole == files[1].read_bytes()
    before, after = records.read(recorded), records.read(files[0])
    for column in ("sets", "ply", "result", "is_first", "black_to_move"):
        assert np.array_equal(getattr(before, column), getattr(after, column))
    assert np.any(before.score != after.score)
    assert np.corrcoef(before.score, np.clip(after.score, -2000, 2000))[0, 1] > 0.5
    # If cut off, it continues where it was; if whole, it stays as it is.
    files[0].write_bytes(whole[: len(whole) // 2])
    run_program(*command[:2], files[0], *words)
    assert np.array_equal(records.read(files[0]).sets, before.sets)
    run_program(*command)
    assert files[1].read_bytes() == whole
    # If there are too few, it says so.
    command += ["--positions", "1000000"]
    done = run_program(*command, ok=False)
    assert done.returncode == 1 and "fewer than 1000000 positions" in done.stderr, done.stderr
    assert files[1].read_bytes() == whole


def test_proven_results_are_the_whole_target(petard: str, tmp_path: Path) -> None:
    files = tmp_path / "played", tmp_path / "proven"
    for path, words in zip(files, ([], ["--prove", "300"]), strict=True):
        datagen(petard, path, 600, "--board", "5x5", *words)
    played, proven = map(records.read, files)
    for column in ("sets", "score", "ply", "is_first", "is_noisy", "black_to_move"):
        assert np.array_equal(getattr(played, column), getattr(proven, column))
    assert not played.is_proven.any() and 0 < proven.is_proven.sum() < len(proven)
    assert np.any(played.result != proven.result)
    # Within a game, results change only after a position that is proven.
    starts = np.flatnonzero(np.diff(proven.result.astype(int)) != 0)
    assert np.all(proven.is_proven[starts] | proven.is_first[starts + 1])
    seen = positions.of_movers(proven)
    exact = np.where(seen.result == 2, positions.PROVEN, -positions.PROVEN)
    assert np.array_equal(seen.score, np.where(proven.is_proven, exact, proven.score))
    for words, fault in (
        (["--variant", "freeling"], "only positions of Breakthrough can be proven"),
        (["--board", "12x9"], "12x9"),
    ):
        command = [petard, "datagen", str(tmp_path / "none"), "--prove", "300", *words]
        done = run_program(*command, ok=False)
        assert done.returncode == 1 and fault in done.stderr, done.stderr
        assert not (tmp_path / "none").exists()


def test_games_start_from_positions_of_a_file(petard: str, tmp_path: Path) -> None:
    starts, path = tmp_path / "starts", tmp_path / "games.bin"
    fen = "pppppppp/ppp1pppp/3p4/8/8/4P3/PPPP1PPP/PPPPPPPP w 0 2"
    starts.write_text(f"# one position\n\n{fen}\n", encoding="ascii")
    words = ["--random-min", "0", "--random-max", "0", "--starts", str(starts)]
    datagen(petard, path, 30, *words)
    data = records.read(path)
    assert data.ply[0] == 2
    white = records.unpacked(data.sets[:, 0], (8, 8))[0]
    assert np.argwhere(white[2]).tolist() == [[4]]
    openings = SCRIPTS / "data" / "openings-8x8.epd"
    datagen(petard, tmp_path / "openings.bin", 30, "--starts", str(openings))
    for text, fault in (
        (fen + "\n8/8 w\n", "starts': line 2: "),
        ("ppp/3/3/PPP w 0 1", "starts': line 1: wrong board size, 3x4"),
        ("# nothing\n", "starts': it has no positions"),
    ):
        starts.write_text(text, encoding="ascii")
        command = [petard, "datagen", str(tmp_path / "none"), "--starts", str(starts)]
        refused = run_program(*command, ok=False)
        assert refused.returncode == 1
        assert fault in refused.stderr
        assert not (tmp_path / "none").exists()


def test_a_file_of_the_first_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / "old"
    occupied = 1 | 1 << 10 | 1 << 46
    record = struct.pack("<QIhBB", occupied, 0b010, -7, 9, 1 | 2 << 1 | 8)
    path.write_bytes(b"PETARDD1" + bytes([7, 6, 0, 0, 0, 0, 0, 0]) + 3 * record + b"torn")
    data = records.read(path)
    assert (len(data), data.board) == (3, (7, 6))
    white, black = (records.unpacked(data.sets[:, side], (7, 6)) for side in (0, 1))
    assert np.argwhere(white[0]).tolist() == [[0, 0], [5, 6]]
    assert np.argwhere(black[2]).tolist() == [[1, 2]]
    assert (data.score[1], data.ply[1], data.result[1]) == (-7, 9, 2)
    assert data.black_to_move.all()
    # As the mover sees it, their own first rank is the lowest.
    cells = positions.of_movers(data).cells(slice(None))
    assert np.argwhere(cells[0] == 1).tolist() == [[4, 2]]
    assert np.argwhere(cells[0] == 2).tolist() == [[0, 6], [5, 0]]
    assert positions.of_movers(data).result.tolist() == [0, 0, 0]


def test_a_seed_determines_the_file(petard: str, recorded: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.bin"
    datagen(petard, again, 600)
    assert again.read_bytes() == recorded.read_bytes()


def test_a_run_goes_on_behind_its_file(petard: str, recorded: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.bin"
    # With part of a record at the end, as a killed run may leave.
    longer.write_bytes(recorded.read_bytes() + b"torn")
    datagen(petard, longer, 900)
    before, after = recorded.read_bytes(), longer.read_bytes()
    assert after.startswith(before)
    assert len(records.read(longer)) >= 900
    assert (len(after) - records.HEADER_BYTES) % records.read(longer).header.record.itemsize == 0


def test_what_is_not_a_file_of_positions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(b"x" * 64)
    with pytest.raises(records.RecordError, match="not a file of petard positions"):
        records.read(path)


def test_a_file_of_less_than_a_position_has_none(recorded: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.bin"
    path.write_bytes(recorded.read_bytes()[: records.HEADER_BYTES + 3])
    assert len(records.read(path)) == 0
    with pytest.raises(records.RecordError, match="there are no positions"):
        positions.load([path], 2500, False)
    train, _ = positions.load([path, recorded], 2500, True)
    assert sum(map(len, train)) > 0
