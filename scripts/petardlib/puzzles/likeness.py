"""Which puzzles are the same but for a mirror, the colours, or a few pieces."""

from __future__ import annotations

from collections import defaultdict

from petard import Board
from petardlib.puzzles.view import View, ends_of, view_of

MAX_DIFFERENCE = 8
"""Squares in which two positions with the same answer may differ and still be near duplicates; no
more than there are pieces."""


def face_of(board: Board, move: str) -> tuple[str, str]:
    """The position and its answer, equal for mirror images and with the colours exchanged.

    Both are from the view of the side to move, with the files in the order that sorts first.
    """
    white = board.turn
    view, ends = view_of(board, white), ends_of(move, white, board)
    turned = tuple((view.files - 1 - file, rank) for file, rank in ends)
    rows, other = _text(view), _text(view.mirrored())
    return min((rows, _name(ends)), (other, _name(turned)))


def _text(view: View) -> str:
    return f"{view.files}x{view.ranks} {view.rows}"


def _name(ends: tuple[tuple[int, int], ...]) -> str:
    return "-".join(f"{file}.{rank}" for file, rank in ends)


def _is_near(one: str, other: str) -> bool:
    pieces = min(len(rows) - rows.count(".") for rows in (one.split()[1], other.split()[1]))
    difference = sum(a != b for a, b in zip(one, other, strict=True))
    return difference <= min(MAX_DIFFERENCE, pieces)


class Likeness:
    """The puzzles seen so far."""

    def __init__(self) -> None:
        self._by_answer: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
        self._rows: set[str] = set()

    def has(self, board: Board, move: str) -> bool:
        """Whether this puzzle is like one of them, or a position of their solutions."""
        rows, answer = face_of(board, move)
        if rows in self._rows:
            return True
        # A position and its mirror image may sort either way round once a piece differs.
        forms = [(rows, answer), _mirrored(board, move, rows)]
        return any(
            _is_near(form, known)
            for form, name in forms
            for known in self._by_answer[len(form), name]
        )

    def add(self, board: Board, line: list[str]) -> None:
        """Add a puzzle by its position and solution."""
        at = board.copy(stack=False)
        for number, move in enumerate(line):
            if number % 2 == 0:
                rows, answer = face_of(at, move)
                self._rows.add(rows)
                if number == 0:
                    self._by_answer[len(rows), answer].append(rows)
            at.push_uci(move)


def _mirrored(board: Board, move: str, rows: str) -> tuple[str, str]:
    """The other of a face's two forms."""
    white = board.turn
    view, ends = view_of(board, white), ends_of(move, white, board)
    turned = tuple((view.files - 1 - file, rank) for file, rank in ends)
    both = (_text(view), _name(ends)), (_text(view.mirrored()), _name(turned))
    return both[1] if both[0][0] == rows else both[0]
