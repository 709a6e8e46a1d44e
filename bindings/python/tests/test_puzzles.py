"""The puzzles that come with the package, and files of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import petard
from petard import puzzles

HEAD = ",".join(puzzles.FIELDS)
LINE = "abc12,1p4p1/6p1/3p1p2/p3pPp1/8/1p6/8/1PPP1PP1 b 0 34,b8a7 f5e6 b3a2 b1a2,351,88,short,8x8"


def test_those_of_the_package_win() -> None:
    found = puzzles.load()
    assert len(found) > 100
    for one in found[:: len(found) // 20]:
        board = one.board()
        assert board.move_stack[-1].uci() == one.moves[0]
        solution = petard.solve(board, nodes=1_000_000)
        assert solution.winner is board.turn
        assert solution.move is not None and solution.move.uci() == one.solution[0]


def test_files_are_written_and_read(tmp_path: Path) -> None:
    [one] = puzzles.read(f"{HEAD}\n{LINE}\n")
    assert (one.rating, one.deviation, one.themes, one.size) == (351, 88, ("short",), "8x8")
    assert one.solution == ("f5e6", "b3a2", "b1a2")
    path = tmp_path / "own.csv"
    path.write_text(puzzles.write([one]))
    assert puzzles.load(path) == [one]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1. b2b3", "not a file of puzzles: line 1 must be PuzzleId,"),
        (f"{HEAD}\n{LINE}\n{LINE}", "line 3: there is another puzzle abc12"),
        (f"{HEAD}\n{LINE},", "line 2: expected the 7 fields"),
        (f"{HEAD}\n" + LINE.replace("abc12", "a b"), "line 2: 'a b' is not the name of a puzzle"),
        (f"{HEAD}\n" + LINE.replace("351", "x"), "line 2: 'x' is not a rating"),
        (f"{HEAD}\n" + LINE.replace("short", "nice"), "line 2: 'nice' is not a theme"),
        (
            f"{HEAD}\n" + LINE.replace("8x8", "6x6"),
            "line 2: the position is not on the board '6x6'",
        ),
        (f"{HEAD}\n" + LINE.replace(" b1a2", ""), "line 2: the solution does not end with a move"),
        (f"{HEAD}\n" + LINE.replace("b1a2", "b1b4"), "line 2: "),
        (f"{HEAD}\n" + LINE.replace("1p4p1", "1q4p1"), "line 2: "),
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str, error: str) -> None:
    with pytest.raises(puzzles.PuzzleError) as raised:
        puzzles.read(text, "own.csv")
    assert str(raised.value).startswith("own.csv")
    assert error in str(raised.value)
    assert "\n" not in str(raised.value)
