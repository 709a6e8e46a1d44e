"""Troyka's rules in a few lines, for any board: what passes a move on between two engines.

`rules` has pyffish confirm all that these lines accept.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import boardtext
from .errors import UserError


@dataclass(frozen=True)
class Verdict:
    """How a game ended: ``1-0``, ``0-1`` or ``1/2-1/2``, and why."""

    result: str
    reason: str


class QuickBoard:
    """Troyka's rules on any board, kept small; each move is checked in microseconds."""

    def __init__(self, fen: str) -> None:
        """Set up a position."""
        self.cells = boardtext.expand_rows(fen.split()[0])
        self.width, self.height = len(self.cells[0]), len(self.cells)
        self.white_to_move = boardtext.side_to_move(fen) == "w"
        flat = [cell for row in self.cells for cell in row]
        if any(cell in ("D", "d") for cell in flat):
            raise UserError(f"FEN '{fen}': pairs (D, d) belong to the variant freeling")
        self.men = {"P": flat.count("P"), "p": flat.count("p")}
        self.arrived = [man for man, row in (("P", 0), ("p", -1)) if man in self.cells[row]]
        if len(self.arrived) == 2:
            raise UserError(f"FEN '{fen}': both sides have arrived")

    def _locate(self, square: str) -> tuple[int, int]:
        return self.height - int(square[1:]), ord(square[0]) - ord("a")

    def is_legal(self, move: str) -> bool:
        """Whether the side to move may play ``move`` (as ``a2b3``)."""
        squares = boardtext.move_squares(move)
        if self.arrived or squares is None or "!" in move:
            return False
        (from_row, from_column), (row, column) = map(self._locate, squares)
        inside = 0 <= from_row < self.height and 0 <= row < self.height
        if not inside or from_column >= self.width or column >= self.width:
            return False
        own, foe, step = ("P", "p", -1) if self.white_to_move else ("p", "P", 1)
        if self.cells[from_row][from_column] != own or row - from_row != step:
            return False
        target = self.cells[row][column]
        if column == from_column:
            return target == ""
        return abs(column - from_column) == 1 and target in ("", foe)

    def is_capture(self, move: str) -> bool:
        """Whether a legal move takes a man."""
        squares = boardtext.move_squares(move)
        assert squares is not None
        row, column = self._locate(squares[1])
        return self.cells[row][column] != ""

    def legal_moves(self) -> list[str]:
        """All legal moves, by square of departure from the top row down."""
        own, step = ("P", -1) if self.white_to_move else ("p", 1)
        moves = []
        for row, cells in enumerate(self.cells):
            for column, cell in enumerate(cells):
                if cell == own and 0 <= row + step < self.height:
                    names = (
                        self._name(row, column) + self._name(row + step, to)
                        for to in (column - 1, column, column + 1)
                        if 0 <= to < self.width
                    )
                    moves += [move for move in names if self.is_legal(move)]
        return moves

    def _name(self, row: int, column: int) -> str:
        return f"{chr(ord('a') + column)}{self.height - row}"

    def apply(self, move: str) -> None:
        """Play a move without asking whether it is legal."""
        squares = boardtext.move_squares(move)
        assert squares is not None
        (from_row, from_column), (row, column) = map(self._locate, squares)
        man = self.cells[from_row][from_column]
        captured = self.cells[row][column]
        if captured:
            self.men[captured] -= 1
        self.cells[from_row][from_column] = ""
        self.cells[row][column] = man
        if row == (0 if man == "P" else self.height - 1):
            self.arrived.append(man)
        self.white_to_move = not self.white_to_move

    def verdict(self) -> Verdict | None:
        """The result, or None while the game goes on."""
        if self.arrived:
            white = self.arrived[0] == "P"
            side = "White" if white else "Black"
            return Verdict("1-0" if white else "0-1", f"{side} reaches the far rank")
        lost, won = ("White", "0-1") if self.white_to_move else ("Black", "1-0")
        if not self.men["P" if self.white_to_move else "p"]:
            return Verdict(won, f"{lost} has no men left")
        # A side with a man nearly always has a move; only set-up positions make this loop matter.
        if not self._can_move():
            return Verdict(won, f"{lost} has no legal move")
        return None

    def _can_move(self) -> bool:
        own, foe, step = ("P", "p", -1) if self.white_to_move else ("p", "P", 1)
        for row, cells in enumerate(self.cells):
            if not 0 <= row + step < self.height:
                continue
            ahead = self.cells[row + step]
            for column, cell in enumerate(cells):
                if cell != own:
                    continue
                if ahead[column] == "":
                    return True
                for side in (column - 1, column + 1):
                    if 0 <= side < self.width and ahead[side] in ("", foe):
                        return True
        return False

    def fen(self) -> str:
        """The position; counters are not kept."""
        side = "w" if self.white_to_move else "b"
        return f"{boardtext.join_rows(self.cells)} {side} 0 1"
