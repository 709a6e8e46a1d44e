"""How long an engine may think: per move, per game, or until a depth or node count."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import Any

from petardlib.base.errors import UserError


@dataclass(frozen=True)
class Limit:
    """The limits of one engine; all that are set apply together.

    Times are milliseconds. ``moves_to_go`` of 0 means that the clock is for the whole game.
    ``margin`` is how far past a clock or a move time the runner lets an engine go before it loses;
    ``hang`` is how long the runner waits if no clock runs.
    """

    movetime: float | None = None
    depth: int | None = None
    nodes: int | None = None
    base: float | None = None
    increment: float = 0.0
    moves_to_go: int = 0
    margin: float = 50.0
    hang: float = 60_000.0

    @property
    def bounded(self) -> bool:
        """Whether any limit ends a search."""
        return any(x is not None for x in (self.movetime, self.depth, self.nodes, self.base))

    def scaled(self, factor: float) -> Limit:
        """Time odds: the same limit with ``factor`` times the time and the nodes."""
        return replace(
            self,
            movetime=None if self.movetime is None else self.movetime * factor,
            nodes=None if self.nodes is None else max(1, round(self.nodes * factor)),
            base=None if self.base is None else self.base * factor,
            increment=self.increment * factor,
        )

    def describe(self) -> str:
        """The PGN ``TimeControl`` tag, extended for what that tag cannot say."""
        parts = []
        if self.base is not None:
            moves = f"{self.moves_to_go}/" if self.moves_to_go else ""
            parts.append(f"{moves}{_seconds(self.base)}+{_seconds(self.increment)}")
        if self.movetime is not None:
            parts.append(f"{_seconds(self.movetime)}/move")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        if self.nodes is not None:
            parts.append(f"{self.nodes} nodes")
        return ", ".join(parts) or "-"

    def to_json(self) -> dict[str, Any]:
        """Only what is set, for the journal and for workers."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def _seconds(milliseconds: float) -> str:
    """Seconds in full: ``g`` alone would write a million of them as 1e+06, and round more."""
    return f"{milliseconds / 1000:.6f}".rstrip("0").rstrip(".")


def parse_clock(text: str) -> dict[str, Any]:
    """``40/60+0.6`` (moves/seconds+increment), minutes as ``1:30``, into the fields of `Limit`."""
    found = re.fullmatch(
        r"(?:(\d{1,9})/)?(?:(\d{1,9}):)?(\d{1,9}(?:\.\d+)?)(?:\+(\d{1,9}(?:\.\d+)?))?",
        text.strip(),
        re.ASCII,
    )
    if not found:
        raise UserError(f"tc={text}: expected [moves/]seconds[+increment], for example 10+0.1")
    base = float(found[2] or 0) * 60_000 + float(found[3]) * 1000
    if base + float(found[4] or 0) <= 0:
        raise UserError(f"tc={text}: the time must be more than zero")
    return {
        "moves_to_go": int(found[1] or 0),
        "base": base,
        "increment": float(found[4] or 0) * 1000,
    }


class Clock:
    """One player's clock during one game; milliseconds."""

    def __init__(self, limit: Limit) -> None:
        """Start with the full time of ``limit``."""
        self.limit = limit
        self.left = limit.base if limit.base is not None else 0.0
        self.to_go = limit.moves_to_go

    def budget(self) -> float:
        """How long the next move may take before it is lost on time."""
        budgets = []
        if self.limit.base is not None:
            budgets.append(self.left + self.limit.margin)
        if self.limit.movetime is not None:
            budgets.append(self.limit.movetime + self.limit.margin)
        return min(budgets) if budgets else self.limit.hang

    @property
    def timed(self) -> bool:
        """Whether exceeding the budget is a loss on time rather than a hang."""
        return self.limit.base is not None or self.limit.movetime is not None

    def spend(self, elapsed: float) -> None:
        """Subtract a move's time, and add what the time control gives."""
        if self.limit.base is None:
            return
        self.left = max(0.0, self.left - elapsed) + self.limit.increment
        if self.limit.moves_to_go:
            self.to_go -= 1
            if self.to_go == 0:
                self.to_go = self.limit.moves_to_go
                self.left += self.limit.base


def go_command(own: Clock, other: Clock, white_to_move: bool) -> str:
    """The ``go`` line for the player whose clock is ``own``."""
    limit = own.limit
    words = ["go"]
    if limit.base is not None:
        # For an opponent without a clock, send our own time: UCI has no way to say "none".
        foe_left = other.left if other.limit.base is not None else own.left
        left = (own.left, foe_left) if white_to_move else (foe_left, own.left)
        gain = (limit.increment, other.limit.increment)
        if not white_to_move:
            gain = gain[::-1]
        words += [f"wtime {max(1, int(left[0]))}", f"btime {max(1, int(left[1]))}"]
        words += [f"winc {int(gain[0])}", f"binc {int(gain[1])}"]
        if limit.moves_to_go:
            words.append(f"movestogo {own.to_go}")
    if limit.movetime is not None:
        words.append(f"movetime {max(1, int(limit.movetime))}")
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    return " ".join(words)
