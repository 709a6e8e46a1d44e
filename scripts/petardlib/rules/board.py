"""A game in progress by Troyka's rules: moves named as on the board, and how it ended.

The rules themselves are those of `turnboard`. A referee has pyffish confirm all that they accept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from petardlib.rules import boardtext
from petardlib.rules.turnboard import TurnBoard


@dataclass(frozen=True)
class Verdict:
    """How a game ended: ``1-0``, ``0-1`` or ``1/2-1/2``, and why."""

    result: str
    reason: str


@cache
def rules_of(files: int, ranks: int) -> TurnBoard:
    """The rules on a board, whose tables are made once."""
    return TurnBoard(files, ranks)


class Board:
    """A position that moves are played in; each is checked in microseconds."""

    def __init__(self, fen: str) -> None:
        """Set up a position."""
        self.files, self.ranks = boardtext.board_size(fen)
        self.rules = rules_of(self.files, self.ranks)
        self.cells = self.rules.read(fen)
        """As the side to move sees them."""
        self.white_to_move = boardtext.side_to_move(fen) == "w"

    def _index(self, square: str) -> int | None:
        """A square's place in ``cells``; None if it is not on the board."""
        file, rank = ord(square[0]) - ord("a"), int(square[1:]) - 1
        if file >= self.files or not 0 <= rank < self.ranks:
            return None
        return (rank if self.white_to_move else self.ranks - 1 - rank) * self.files + file

    def _indices(self, move: str) -> tuple[int, int] | None:
        squares = boardtext.move_squares(move)
        if squares is None or "!" in move:
            return None
        start, end = map(self._index, squares)
        return None if start is None or end is None else (start, end)

    def is_legal(self, move: str) -> bool:
        """Whether the side to move may play ``move`` (as ``a2b3``)."""
        indices = self._indices(move)
        if indices is None or self.rules.result(self.cells) is not None:
            return False
        return self.rules.may_step(self.cells, *indices)

    def is_capture(self, move: str) -> bool:
        """Whether a legal move takes a man."""
        indices = self._indices(move)
        return indices is not None and self.cells[indices[1]] == "p"

    def legal_moves(self) -> list[str]:
        """All legal moves, by square of departure as the side to move counts them."""
        if self.rules.result(self.cells) is not None:
            return []
        moves = [move for move, _ in self.rules.moves(self.cells)]
        return moves if self.white_to_move else [self.rules.flipped(move) for move in moves]

    def apply(self, move: str) -> None:
        """Play a move without asking whether it is legal."""
        indices = self._indices(move)
        assert indices is not None
        self.cells = self.rules.after(self.cells, *indices)
        self.white_to_move = not self.white_to_move

    def pass_turn(self) -> None:
        """Let the other side move, where a game allows that."""
        self.cells = self.rules.turned(self.cells)
        self.white_to_move = not self.white_to_move

    @property
    def enemy_is_bare(self) -> bool:
        """Whether the side that is not to move has no men."""
        return "p" not in self.cells

    def verdict(self) -> Verdict | None:
        """The result, or None while the game goes on."""
        won = self.rules.result(self.cells)
        if won is None:
            return None
        white = won == self.white_to_move
        winner, loser = ("White", "Black") if white else ("Black", "White")
        if self.rules.has_arrived(self.cells):
            reason = f"{winner} reaches the far rank"
        elif won or "P" not in self.cells:
            reason = f"{loser} has no men left"
        else:
            reason = f"{loser} has no legal move"
        return Verdict("1-0" if white else "0-1", reason)

    def fen(self) -> str:
        """The position; counters are not kept."""
        seen = self.cells if self.white_to_move else self.rules.turned(self.cells)
        return f"{self.rules.rows(seen)} {'w' if self.white_to_move else 'b'} 0 1"
