"""Puzzles in endings with few pieces, which games seldom come to: zugzwang and blocking.

An ending is drawn at random and taken a move back on both sides, so that there is a last move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from petard import Board, Move

PIECES = 2, 10
"""Pieces of a side, at least and at most."""


def draw(files: int, ranks: int, random: Random) -> Board:
    """A random ending, both sides with about as many pieces in their own half.

    White or Black is to move.
    """
    pieces: dict[str, str] = {}
    count = random.randint(*PIECES)
    for piece in "Pp":
        for _ in range(count):
            rank = random.randrange((ranks + 1) // 2)
            square = _square(random.randrange(files), rank if piece == "P" else ranks - 1 - rank)
            pieces.setdefault(square, piece)
    return _board(files, ranks, pieces, random.random() < 0.5)


def taken_back(board: Board, random: Random) -> Iterator[tuple[Board, Move]]:
    """Positions from which a move that takes nothing leads to this one, and the moves."""
    white = not board.turn
    pieces = board.piece_map()
    own = [square for square, piece in pieces.items() if (piece == "P") == white]
    for square in random.sample(own, len(own)):
        rank = int(square[1:]) - 1 - (1 if white else -1)
        for side in random.sample((-1, 0, 1), 3):
            file = ord(square[0]) - ord("a") + side
            origin = _square(file, rank)
            if not (0 <= file < board.files and 0 <= rank < board.ranks) or origin in pieces:
                continue
            before = {origin if at == square else at: piece for at, piece in pieces.items()}
            yield (
                _board(board.files, board.ranks, before, white),
                Move.from_uci(f"{origin}{square}"),
            )


def _square(file: int, rank: int) -> str:
    return f"{chr(ord('a') + file)}{rank + 1}"


def _board(files: int, ranks: int, pieces: dict[str, str], white: bool) -> Board:
    rows = [
        "".join(pieces.get(_square(file, rank), ".") for file in range(files))
        for rank in reversed(range(ranks))
    ]
    text = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows))
    return Board.from_fen(f"{text} {'w' if white else 'b'} 0 1")
