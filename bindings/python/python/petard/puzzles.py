"""Puzzles: positions in which exactly one move wins, proven, with measured ratings.

Some come with the package, in the form in which lichess publishes its own: CSV files with a line
for each puzzle. They are in the public domain (CC0).

>>> from petard import puzzles
>>> one = puzzles.load()[0]
>>> board = one.board()
>>> one.solution[0] in board.legal_moves.uci()
True
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from petard import _petard
from petard._petard import Board

FIELDS = ("PuzzleId", "FEN", "Moves", "Rating", "RatingDeviation", "Themes", "Board")
"""The columns of a file of puzzles."""
THEMES = (
    "blocking",
    "doubleThreat",
    "long",
    "oneMove",
    "onlyDefence",
    "quietMove",
    "race",
    "sacrifice",
    "short",
    "veryLong",
    "zugzwang",
)
"""What a puzzle can be about."""

_MAX_LINE = 1000


class PuzzleError(ValueError):
    """A file that does not hold puzzles; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle. Every move of its solution is the only one that wins."""

    id: str
    """Short letters and digits; the same puzzle has the same one in every edition."""
    fen: str
    """The position before the opponent's last move."""
    moves: tuple[str, ...]
    """That move, then the solution: the solver's moves and the longest resistance in turns."""
    rating: int
    """On the scale of ``UCI_Elo``: an engine of this rating solves it half of the time."""
    deviation: int
    """The rating's standard deviation."""
    themes: tuple[str, ...]
    """Of `THEMES`, sorted."""

    @property
    def solution(self) -> tuple[str, ...]:
        """The moves from the position that is asked: the solver's are at even places."""
        return self.moves[1:]

    @property
    def size(self) -> str:
        """The board, such as ``8x8``."""
        board = Board.from_fen(self.fen)
        return f"{board.files}x{board.ranks}"

    def board(self) -> Board:
        """The position that is asked, with the opponent's last move in its history."""
        board = Board.from_fen(self.fen)
        board.push_uci(self.moves[0])
        return board


def load(path: str | os.PathLike[str] | None = None) -> list[Puzzle]:
    """The puzzles of a file, by default of the one that comes with the package.

    Raises `PuzzleError` if it holds anything else, `OSError` if it cannot be read.
    """
    if path is None:
        return read(_petard.data_file("puzzles.csv").decode(), "puzzles.csv")
    try:
        return read(Path(path).read_text("utf-8"), str(path))
    except UnicodeDecodeError:
        raise PuzzleError(f"{path}: not a text file in UTF-8") from None


def read(text: str, source: str = "puzzles") -> list[Puzzle]:
    """The puzzles of a text, each checked against the rules; ``source`` names it in errors."""
    lines = text.splitlines()
    if not lines or lines[0].split(",") != list(FIELDS):
        raise PuzzleError(f"{source}: not a file of puzzles: line 1 must be {','.join(FIELDS)}")
    found: list[Puzzle] = []
    known: set[str] = set()
    for number, line in enumerate(lines[1:], start=2):
        try:
            puzzle = _parse(line)
            if puzzle.id in known:
                raise ValueError(f"there is another puzzle {puzzle.id}")
        except ValueError as error:
            raise PuzzleError(f"{source}, line {number}: {error}") from None
        known.add(puzzle.id)
        found.append(puzzle)
    return found


def write(puzzles: Iterable[Puzzle]) -> str:
    """The text of a file of these puzzles."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(FIELDS)
    for one in puzzles:
        moves, themes = " ".join(one.moves), " ".join(one.themes)
        rows.writerow([one.id, one.fen, moves, one.rating, one.deviation, themes, one.size])
    return text.getvalue()


def _parse(line: str) -> Puzzle:
    fields = line.split(",")
    if len(line) > _MAX_LINE or len(fields) != len(FIELDS):
        raise ValueError(f"expected the {len(FIELDS)} fields {', '.join(FIELDS)}")
    name, fen, text, rating, deviation, themes, size = fields
    if not re.fullmatch(r"[A-Za-z0-9]{1,12}", name):
        raise ValueError(f"'{name[:20]}' is not the name of a puzzle")
    for value, what in ((rating, "rating"), (deviation, "deviation")):
        if not re.fullmatch(r"-?[0-9]{1,4}", value):
            raise ValueError(f"'{value[:20]}' is not a {what}")
    moves = tuple(text.split(" "))
    puzzle = Puzzle(name, fen, moves, int(rating), int(deviation), tuple(themes.split()))
    unknown = [theme for theme in puzzle.themes if theme not in THEMES]
    if unknown:
        raise ValueError(f"'{unknown[0][:20]}' is not a theme")
    board = Board.from_fen(fen)
    if size != f"{board.files}x{board.ranks}":
        raise ValueError(f"the position is not on the board '{size[:20]}'")
    if len(moves) % 2:
        raise ValueError("the solution does not end with a move of the solver")
    board.push_line(moves)
    return puzzle
