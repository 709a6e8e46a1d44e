"""The value of a position or a move, from the view of the side to move, as one number.

Centipawns; from `PROVEN` on a proven win, and that far below zero a proven loss. Then `WON` minus
its size is the number of plies within which the game ends.
"""

from __future__ import annotations

WON = 32_000
PROVEN = 31_000
MAX_PLIES = WON - PROVEN
ESTIMATE = PROVEN - 1


def is_proven(value: int) -> bool:
    """Whether the result is proven."""
    return abs(value) >= PROVEN


def estimate(centipawns: int) -> int:
    """The value of an estimate."""
    return max(-ESTIMATE, min(ESTIMATE, centipawns))


def proven(wins: bool, plies: int) -> int:
    """The value of a result that is proven to come within so many plies."""
    value = WON - min(plies, MAX_PLIES)
    return value if wins else -value


def before(value: int) -> int:
    """What a position's value means for the move that led to it."""
    if not is_proven(value):
        return -value
    return proven(value < 0, WON - abs(value) + 1)


def plies_of(value: int) -> int | None:
    """Within how many plies the game ends; None if that is not proven."""
    return WON - abs(value) if is_proven(value) else None


def text(value: int) -> str:
    """A value in words: ``+0.25``, ``won``, ``lost``."""
    if is_proven(value):
        return "won" if value > 0 else "lost"
    return f"{value / 100:+.2f}"
