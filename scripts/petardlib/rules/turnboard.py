"""Breakthrough's rules on any board: every position is seen by the side to move.

A position is a string with one character per square, file by file and rank by rank from the lower
left corner: ``P`` a piece of the side to move, whose pieces move up, ``p`` one of the other side, ``.``
none. Positions that differ in colour or by mirroring are the same after `TurnBoard.normal`. Nothing
here comes from the engine: these rules check what its jobs claim.
"""

from __future__ import annotations

from petardlib.base.errors import UserError
from petardlib.rules import boardtext

_SWAP = str.maketrans("Pp", "pP")


class TurnBoard:
    """The rules on a board of ``files`` x ``ranks``."""

    def __init__(self, files: int, ranks: int) -> None:
        """Prepare the steps from every square."""
        self.files, self.ranks = files, ranks
        self._targets: list[tuple[tuple[int, bool], ...]] = []
        for square in range(files * (ranks - 1)):
            file = square % files
            sides = [side for side in (-1, 0, 1) if 0 <= file + side < files]
            self._targets.append(tuple((square + files + side, side == 0) for side in sides))
        self._names = [
            f"{chr(ord('a') + square % files)}{square // files + 1}"
            for square in range(files * ranks)
        ]

    def read(self, fen: str) -> str:
        """The position in a FEN, as the side to move sees it."""
        board = boardtext.expand_rows(fen.split()[0])
        if (len(board[0]), len(board)) != (self.files, self.ranks):
            raise UserError(
                f"'{fen}' is a position on {len(board[0])}x{len(board)}, "
                f"not on {self.files}x{self.ranks}"
            )
        cells = "".join(cell or "." for row in reversed(board) for cell in row)
        if set(cells) - set("Pp."):
            raise UserError(f"'{fen}': pairs (D, d) belong to the variant freeling")
        if set(cells) == {"."}:
            raise UserError(f"'{fen}': there are no pieces on the board")
        if "p" in cells[: self.files] and "P" in cells[-self.files :]:
            raise UserError(f"'{fen}': both sides have a piece on the far rank")
        return cells if boardtext.side_to_move(fen) == "w" else self.turned(cells)

    def rows(self, cells: str) -> str:
        """A position as the rows of a FEN with White to move."""
        squares = ["" if cell == "." else cell for cell in cells]
        ranks = [squares[i : i + self.files] for i in range(0, len(cells), self.files)]
        return boardtext.join_rows(ranks[::-1])

    def turned(self, cells: str) -> str:
        """The position as the other side sees it."""
        files = self.files
        ranks = [cells[i : i + files] for i in range(len(cells) - files, -1, -files)]
        return "".join(ranks).translate(_SWAP)

    def mirrored(self, cells: str) -> str:
        """The mirror image."""
        return "".join(cells[i : i + self.files][::-1] for i in range(0, len(cells), self.files))

    def normal(self, cells: str) -> str:
        """The same for a position and its mirror image."""
        return min(cells, self.mirrored(cells))

    def has_arrived(self, cells: str) -> bool:
        """Whether a piece of either side stands on its far rank."""
        return "P" in cells[-self.files :] or "p" in cells[: self.files]

    def result(self, cells: str) -> bool | None:
        """Whether the side to move has won; None while the game goes on."""
        if "P" in cells[-self.files :]:
            return True
        if "p" in cells[: self.files] or not self.can_move(cells):
            return False
        return None if "p" in cells else True

    def may_step(self, cells: str, square: int, target: int) -> bool:
        """Whether a piece of the side to move may move from one square to another."""
        if square >= len(self._targets) or cells[square] != "P":
            return False
        return any(
            end == target and (cells[end] == "." or (cells[end] == "p" and not straight))
            for end, straight in self._targets[square]
        )

    def can_move(self, cells: str) -> bool:
        """Whether the side to move has a move. The foremost piece nearly always has one."""
        return any(
            cell == "P" and any(self.may_step(cells, square, end) for end, _ in targets)
            for square, cell, targets in zip(
                range(len(self._targets) - 1, -1, -1),
                cells[len(self._targets) - 1 :: -1],
                reversed(self._targets),
                strict=True,
            )
        )

    def after(self, cells: str, square: int, target: int) -> str:
        """The position after a step, as the other side sees it."""
        squares = list(cells)
        squares[target], squares[square] = squares[square], "."
        return self.turned("".join(squares))

    def moves(self, cells: str) -> list[tuple[str, str]]:
        """Each move, as its mover sees it, and the position after it, as the other side sees it."""
        found = []
        for square, targets in enumerate(self._targets):
            if cells[square] != "P":
                continue
            for target, straight in targets:
                cell = cells[target]
                if cell == "." or (cell == "p" and not straight):
                    move = self._names[square] + self._names[target]
                    found.append((move, self.after(cells, square, target)))
        return found

    def flipped(self, move: str) -> str:
        """A move with its ranks counted from the other side."""
        squares = boardtext.move_squares(move)
        assert squares is not None
        return "".join(f"{name[0]}{self.ranks + 1 - int(name[1:])}" for name in squares)

    def left(self, cells: str) -> int:
        """The steps left to all pieces together; every move reduces it."""
        return sum(
            self.ranks - 1 - square // self.files if cell == "P" else square // self.files
            for square, cell in enumerate(cells)
            if cell != "."
        )
