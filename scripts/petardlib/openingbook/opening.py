"""The opening of a game: how far it followed a book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from petard import Board
from petardlib import book_file
from petardlib.base.errors import UserError
from petardlib.openingbook.file import OpeningBook
from petardlib.rules.positions import board_of


@dataclass(frozen=True)
class Opening:
    """The moves of a game that its book has, and how it went on."""

    moves: list[str]
    left: str | None
    """The move that the book does not have, though it has the position."""
    best: str | None
    """The book's best move there."""

    def text(self) -> str:
        """The opening in a sentence."""
        line = " ".join(self.moves) or "no book move"
        if self.left is None:
            return f"opening: {line}"
        return f"opening: {line}; left the book with {self.left}, where it has {self.best}"


def read_book(path: Path) -> OpeningBook:
    """Read the book in a file."""
    try:
        return OpeningBook(path.read_bytes(), path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def shipped(board: tuple[int, int]) -> OpeningBook | None:
    """The engine's own book of a board, if there is one."""
    path = book_file("{}x{}.book".format(*board))
    return read_book(path) if path.is_file() else None


def opening_of(book: OpeningBook, fen: str, moves: Sequence[str]) -> Opening | None:
    """The opening of a game that began at a position; None if the book does not have that."""
    board: Board = board_of(fen)
    entry = book.lookup(board)
    if entry is None:
        return None
    played: list[str] = []
    for move in moves:
        if move not in entry.moves:
            return Opening(played, move, next(iter(entry.moves), None))
        played.append(move)
        board.push_uci(move)
        entry = book.lookup(board)
        if entry is None:
            break
    return Opening(played, None, None)
