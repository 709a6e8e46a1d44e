"""A position as one side sees it: its own pieces go up, the enemy's go down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from petard import Board
from petardlib.rules.positions import squares_of

Square = tuple[int, int]
"""File and rank, both from 0."""


@dataclass(frozen=True)
class View:
    """The pieces of a side and of its enemy; the side's own goal is the last rank."""

    files: int
    ranks: int
    own: frozenset[Square]
    enemy: frozenset[Square]

    def mirrored(self) -> View:
        """The same with the files reversed."""
        own, enemy = (
            frozenset((self.files - 1 - file, rank) for file, rank in pieces)
            for pieces in (self.own, self.enemy)
        )
        return View(self.files, self.ranks, own, enemy)

    def attacked(self, pieces: Iterable[Square]) -> set[Square]:
        """The squares on which enemy pieces that stand here can take."""
        return {
            (file + step, rank - 1)
            for file, rank in pieces
            for step in (-1, 1)
            if 0 <= file + step < self.files and rank
        }

    def runners(self, moves_first: bool = True) -> list[Square]:
        """Own pieces that reach the goal by running alone, whatever the enemy does meanwhile.

        This is the safe runner of `petard solve`: the enemy may have a piece wherever one of its
        pieces could be by then, all of them at once. So what is found is certain, and what a player
        sees by counting.
        """
        lowest = min((rank for _, rank in self.enemy), default=0)
        limit = lowest if moves_first else lowest - 1
        if self.ranks - 1 - max((rank for _, rank in self.own), default=0) > limit:
            return []
        reach = set(self.enemy)
        fronts: dict[Square, set[Square]] = {piece: {piece} for piece in self.own}
        if not moves_first:
            attacked = self.attacked(reach)
            fronts = {piece: {piece} for piece in self.own if piece not in attacked}
            reach = self._widened(reach)
        found = []
        for _ in range(limit):
            attacked = self.attacked(reach)
            for piece, front in list(fronts.items()):
                landed = self._steps(front, reach)
                if any(rank == self.ranks - 1 for _, rank in landed):
                    found.append(piece)
                fronts[piece] = landed - attacked
                if piece in found or not fronts[piece]:
                    del fronts[piece]
            reach = self._widened(reach)
        return sorted(found)

    def _steps(self, pieces: Iterable[Square], blocked: set[Square]) -> set[Square]:
        """Where own pieces that stand here can be after a step."""
        landed = set()
        for file, rank in pieces:
            if (file, rank + 1) not in blocked:
                landed.add((file, rank + 1))
            landed |= {(file - 1, rank + 1), (file + 1, rank + 1)}
        return {
            (file, rank)
            for file, rank in landed - self.own
            if 0 <= file < self.files and rank < self.ranks
        }

    def _widened(self, reach: set[Square]) -> set[Square]:
        """Where the enemy can have a piece after one move more."""
        ahead = {(file, rank - 1) for file, rank in reach if rank} - self.own
        return reach | ahead | self.attacked(reach)

    @property
    def rows(self) -> str:
        """The squares as text, equal for positions that are the same from this side's view."""
        return "".join(
            "o" if (file, rank) in self.own else "x" if (file, rank) in self.enemy else "."
            for rank in range(self.ranks)
            for file in range(self.files)
        )


def square_of(name: str, white: bool, ranks: int) -> Square:
    """A square such as ``a2``, as White or Black sees it."""
    file, rank = ord(name[0]) - ord("a"), int(name[1:]) - 1
    return file, rank if white else ranks - 1 - rank


def view_of(board: Board, white: bool) -> View:
    """The position as White or Black sees it, whoever is to move."""
    own: set[Square] = set()
    enemy: set[Square] = set()
    for name, piece in board.piece_map().items():
        square = square_of(name, white, board.ranks)
        (own if (piece == "P") == white else enemy).add(square)
    return View(board.files, board.ranks, frozenset(own), frozenset(enemy))


def ends_of(move: str, white: bool, board: Board) -> tuple[Square, Square]:
    """Where a move such as ``a2b3`` begins and ends, as White or Black sees it."""
    begin, end = squares_of(move)
    return square_of(begin, white, board.ranks), square_of(end, white, board.ranks)


def passed(board: Board) -> Board:
    """The same pieces with the other side to move."""
    rows, _, *counters = board.fen().split()
    return Board.from_fen(" ".join([rows, "b" if board.turn else "w", *counters]))


def is_easy(board: Board) -> bool:
    """Whether the side to move wins by merely running: nothing is left to find."""
    return bool(view_of(board, board.turn).runners())
