"""What an engine thinks of a position."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """An engine's score of a position, from the view of the side to move.

    ``mate`` counts moves to a proven end (negative when losing); ``cp`` is on the engine's own
    scale; ``wdl`` is the per mille of wins, draws and losses, if the engine reports them.
    """

    cp: int | None = None
    mate: int | None = None
    wdl: tuple[int, int, int] | None = None
    bound: str = ""
    proven: bool | None = None
    """Who wins by a proof without a distance: True means the side to move."""

    @property
    def is_empty(self) -> bool:
        """Whether it is a bound that says nothing about who wins: at most a win, at least a loss.

        At least a win is a win, and at most a loss is a loss.
        """
        if self.mate is None:
            return False
        return self.bound == ("upperbound" if self.mate > 0 else "lowerbound")

    @property
    def is_proven(self) -> bool:
        """Whether it is known who wins."""
        return self.proven is not None or self.mate is not None

    def text(self) -> str:
        """As Cute Chess writes it in PGN comments: ``+0.25`` or ``+M5``; ``won`` by a proof."""
        if self.proven is not None:
            return "won" if self.proven else "lost"
        if self.mate is not None:
            return f"{'-' if self.mate <= 0 else '+'}M{abs(self.mate)}"
        return f"{(self.cp or 0) / 100:+.2f}"

    def win_probability(self, scale: float = 400.0) -> float:
        """The expected score of the side to move, 0 to 1.

        ``wdl`` is used if given; otherwise a logistic curve on which ``scale`` centipawns mean
        odds of ten to one. A proven end is exactly 0 or 1.
        """
        if self.proven is not None:
            return 1.0 if self.proven else 0.0
        if self.mate is not None:
            return 1.0 if self.mate > 0 else 0.0
        if self.wdl is not None and sum(self.wdl) > 0:
            win, draw, _ = self.wdl
            return (win + draw / 2) / sum(self.wdl)
        return 1.0 / (1.0 + math.pow(10.0, -(self.cp or 0) / scale))
