"""Small types: what is asked of the engine, and what it and the board answer."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from petard._petard import Move

_RawInfo = tuple[
    int,
    int,
    int,
    int,
    int | None,
    str,
    tuple[int, int, int],
    int,
    int,
    float,
    list[Move],
]


class Termination(enum.Enum):
    """Why a game is over."""

    ARRIVED = "a piece has reached the far rank"
    BLOCKED = "the side to move cannot move"
    NO_PIECES = "a side has no pieces left"
    REPETITION = "the position occurred for the third time"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: bool | None
    """`WHITE` (True), `BLACK` (False), or None for a draw."""
    termination: Termination
    """Why."""

    @classmethod
    def _of(cls, winner: bool | None, name: str) -> Outcome:
        return cls(winner, Termination[name])

    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner else "0-1"


@dataclass(slots=True)
class Limit:
    """What ends a search: the first limit reached. Without any it runs until stopped."""

    time: float | None = None
    """Seconds for this move."""
    depth: int | None = None
    """The maximum depth, in plies."""
    nodes: int | None = None
    """Nodes, over all threads."""
    mate: int | None = None
    """End when a win or loss within this many moves is proven, or proven not to exist."""
    white_clock: float | None = None
    """Seconds that White has left."""
    black_clock: float | None = None
    """Seconds that Black has left."""
    white_inc: float | None = None
    """Seconds that White gains with each move."""
    black_inc: float | None = None
    """Seconds that Black gains with each move."""
    remaining_moves: int | None = None
    """Moves to the next time control; None means the rest of the game."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a position is worth to the side to move, an estimate or a proven result."""

    value: int
    """Comparable: centipawns, or near `MATE` (32000) for a proven result."""
    wdl: tuple[int, int, int]
    """The chances to win, draw and lose, in per mille."""
    turn: bool
    """From whose view: `WHITE` or `BLACK`."""
    mate_plies: int | None = None
    """Plies to the end if the result is proven, negative for a loss; 0 means just lost."""

    @property
    def cp(self) -> int | None:
        """The estimate in centipawns; None if the result is proven."""
        return self.value if self.mate_plies is None else None

    @property
    def mate(self) -> int | None:
        """Moves to a proven win, negative for a proven loss; None for an estimate."""
        if self.mate_plies is None:
            return None
        return (self.mate_plies + 1) // 2 if self.mate_plies > 0 else self.mate_plies // 2

    @property
    def is_proven(self) -> bool:
        """Whether the result is certain."""
        return self.mate_plies is not None

    @property
    def win_probability(self) -> float:
        """The expected result, from 0 to 1; a draw is worth a half."""
        return (self.wdl[0] + self.wdl[1] / 2) / 1000

    def pov(self, color: bool) -> Score:
        """The same from a side's view."""
        if color == self.turn:
            return self
        plies = None if self.mate_plies is None else -self.mate_plies
        return Score(-self.value, (self.wdl[2], self.wdl[1], self.wdl[0]), color, plies)

    def white(self) -> Score:
        """The same from White's view."""
        return self.pov(True)

    def black(self) -> Score:
        """The same from Black's view."""
        return self.pov(False)

    def __str__(self) -> str:
        """``+35`` or ``#3``."""
        if self.mate_plies is None:
            return f"{self.value:+d}"
        return f"#{self.mate}" if self.value > 0 else f"#-{abs(self.mate or 0)}"


@dataclass(frozen=True, slots=True)
class Info:
    """One line of an analysis."""

    depth: int
    """The depth of the iteration, in plies."""
    seldepth: int
    """The greatest depth reached, in plies."""
    multipv: int
    """The line's rank, from 1."""
    score: Score
    """What it is worth to the side to move."""
    bound: str
    """``exact``, ``lower`` (it is worth at least that) or ``upper``."""
    nodes: int
    """Nodes searched so far, over all threads."""
    hashfull: int
    """How full the hash table is, in per mille."""
    time: float
    """Seconds so far."""
    pv: list[Move]
    """The moves, legal to the end."""

    @property
    def nps(self) -> int:
        """Nodes per second; a time too short to measure counts as a millisecond."""
        return int(self.nodes / max(self.time, 0.001))


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The engine's answer."""

    move: Move | None
    """The move to play; None if the game is over."""
    ponder: Move | None
    """The expected reply."""
    info: Info | None = None
    """The best line as last reported."""


def win_probability(centipawns: float) -> float:
    """The win probability that a score in centipawns means, in a game without draws."""
    # No power of more than 1: that could overflow.
    odds = 10.0 ** (-abs(centipawns) / 400.0)
    return float((odds if centipawns < 0 else 1.0) / (1.0 + odds))


def _info(raw: _RawInfo, turn: bool) -> Info:
    depth, seldepth, rank, value, plies, bound, wdl, nodes, hashfull, seconds, line = raw
    score = Score(value, wdl, turn, plies)
    return Info(depth, seldepth, rank, score, bound, nodes, hashfull, seconds, line)
