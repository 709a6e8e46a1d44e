"""Positions as White sees them, with mirror images alike: what proofs and opening books are about.

A key is the rows of the FEN of such a position, the smaller ones of it and its mirror image.
"""

from __future__ import annotations

from petard import Board
from petardlib.rules.positions import board_of


def as_white(board: Board) -> Board:
    """The position with White to move: the board turned, if Black is."""
    return board if board.turn else board.mirror()


def key_of(board: Board) -> str:
    """The key of a position."""
    seen = as_white(board)
    return min(seen.board_fen(), seen.flip_horizontal().board_fen())


def board_at(rows: str) -> Board:
    """The position with these rows and White to move."""
    return board_of(f"{rows} w")


def moves_of(board: Board) -> dict[str, str]:
    """The keys of the positions after each move."""
    found = {}
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        found[move.uci()] = key_of(after)
    return found


class Rules:
    """What a tree of positions asks about one of them, by its key."""

    def moves(self, key: str) -> dict[str, str]:
        """The keys of the positions after each move."""
        return moves_of(board_at(key))

    def result(self, key: str) -> bool | None:
        """Whether the side to move has won; None while the game goes on."""
        outcome = board_at(key).outcome()
        return None if outcome is None else outcome.winner

    def left(self, key: str) -> int:
        """The steps left to all pieces together; every move reduces it."""
        rows = key.split("/")
        return sum(
            row.count("P") * above + row.count("p") * (len(rows) - 1 - above)
            for above, row in enumerate(rows)
        )
