"""Small types that the extension hands out."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Termination(enum.Enum):
    """Why a game is over."""

    ARRIVED = "a man has reached the far rank"
    BLOCKED = "the side to move cannot move"
    NO_MEN = "a side has no men left"
    REPETITION = "the position occurred for the third time"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game has ended."""

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
