"""What an engine has said about a position, as it is kept in the journal."""

from __future__ import annotations

from typing import Literal

import msgspec

from petardlib.play.uci import Info
from petardlib.rules.positions import BREAKTHROUGH
from petardlib.rules.score import Score

Proven = Literal["won", "lost", "unknown"]
EARLIER: dict[bool | None, Proven] = {True: "won", False: "lost", None: "unknown"}
"""What is proven as records before version 0.2 have it."""


class Line(msgspec.Struct):
    """A line of play and its score, from the view of the side to move.

    ``proven`` is who wins by a proof that has no distance.
    """

    cp: int | None = None
    mate: int | None = None
    wdl: tuple[int, int, int] | None = None
    proven: Proven | bool | None = "unknown"
    depth: int = 0
    seldepth: int = 0
    nodes: int = 0
    nps: int = 0
    time_ms: int = 0
    pv: list[str] = []

    def __post_init__(self) -> None:
        """Refuse a line without a score."""
        if self.cp is None and self.mate is None:
            raise ValueError("a line without a score")
        if not isinstance(self.proven, str):
            self.proven = EARLIER[self.proven]

    @classmethod
    def of(cls, info: Info) -> Line:
        """The line of an engine's last info about it."""
        score = info.score or Score()
        counts = (info.depth, info.seldepth, info.nodes, info.nps, info.time_ms)
        return cls(score.cp, score.mate, score.wdl, EARLIER[score.proven], *counts, info.pv)

    @property
    def score(self) -> Score:
        """The score."""
        proven = {"won": True, "lost": False}.get(str(self.proven))
        return Score(self.cp, self.mate, self.wdl, proven=proven)


class Analysis(msgspec.Struct):
    """A position and what an engine has found out about it.

    ``start`` and ``moves`` lead to it, ``fen`` is itself; ``item`` is its place in the input.
    """

    key: str
    best: str
    lines: list[Line]
    kind: Literal["analysis"] = "analysis"
    engine: str = ""
    item: int = 0
    title: str = ""
    ply: int = 0
    variant: str = BREAKTHROUGH
    start: str = ""
    moves: list[str] = []
    fen: str = ""
    elapsed_ms: float = 0.0

    def __post_init__(self) -> None:
        """Refuse an impossible time."""
        if self.elapsed_ms < 0:
            raise ValueError("elapsed_ms")

    @property
    def main(self) -> Line | None:
        """The best line; an engine may give a move and nothing else."""
        return self.lines[0] if self.lines else None
