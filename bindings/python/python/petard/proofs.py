"""Proofs: who wins a position of Breakthrough, and certificates of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from petard import _petard
from petard._petard import Board, Move


def _refuse_too_many(threads: int) -> None:
    if threads > 1024:
        raise ValueError(f"threads={threads}: must be at most 1024")


@dataclass(frozen=True, slots=True)
class Solution:
    """What `solve` has found."""

    winner: bool | None
    """`WHITE` or `BLACK`, proven; None if a limit was reached first."""
    line: list[Move]
    """A line to the end of the game. The winner's moves are proven, but need not be the shortest
    win; the loser resists."""
    nodes: int
    """Positions searched."""
    time: float
    """Seconds taken."""
    certificate: bytes | None
    """The proof as a file that ``petard check`` and scripts/check_certificate.py accept, if it was
    requested and there is one."""

    @property
    def move(self) -> Move | None:
        """The first move of the line, a winning one if the side to move wins."""
        return self.line[0] if self.line else None


@dataclass(frozen=True, slots=True)
class Proven:
    """What a certificate proves."""

    fen: str
    """The position."""
    winner: bool
    """`WHITE` or `BLACK`."""
    positions: int
    """How many positions were checked."""


def solve(
    board: Board,
    *,
    threads: int = 1,
    hash: int = 64,
    time: float | None = None,
    nodes: int | None = None,
    certificate: bool = False,
    certificate_depth: int = 5,
    progress: Callable[[int, float, int, int], object] | None = None,
) -> Solution:
    """Prove who wins a position of Breakthrough on a board of at most 80 squares.

    ``hash`` is the table's size in megabytes, ``time`` the time limit in seconds, ``nodes`` the
    limit on positions. Wins within ``certificate_depth`` plies (odd, 1 to 9) are left to the
    checker of a certificate. ``progress`` is called now and then with the positions searched, the
    seconds taken, and the proof and disproof numbers. Ctrl-C, or an exception from ``progress``,
    ends the proof and is raised.

    Raises `SolveError` if there are no proofs for such a game or board, `MemoryError` if the table
    cannot be allocated, and `ValueError` for numbers out of range.
    """
    if threads < 1 or hash < 1:
        raise ValueError("threads and hash must be at least 1")
    _refuse_too_many(threads)
    if hash >= 1 << 64:
        raise MemoryError(f"no memory for {hash} MB")
    if nodes is not None and not 0 <= nodes < 1 << 64:
        raise ValueError(f"nodes: {nodes} is out of range")
    depth = certificate_depth if certificate else None
    wins, line, searched, seconds, proof = _petard.solve(
        board, threads, hash, time, nodes, depth, progress
    )
    winner = None if wins is None else board.turn is wins
    return Solution(winner, line, searched, seconds, proof)


def check_certificate(certificate: bytes | str | os.PathLike[str], *, threads: int = 1) -> Proven:
    """Check a certificate, given as bytes or as a path. No code is shared with the prover.

    Raises `ValueError` with the reason if it proves nothing, `OSError` if the file cannot be read.
    Ctrl-C ends the check.
    """
    if threads < 1:
        raise ValueError("threads must be at least 1")
    _refuse_too_many(threads)
    data = certificate if isinstance(certificate, bytes) else Path(certificate).read_bytes()
    fen, white_wins, positions = _petard.check_certificate(data, threads)
    return Proven(fen, white_wins, positions)
