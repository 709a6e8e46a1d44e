"""Opening sets: positions, or the moves of games."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from petardlib import data_file
from petardlib.base.errors import UserError
from petardlib.play.inputs import Reading
from petardlib.rules.positions import BREAKTHROUGH


@dataclass(frozen=True)
class Opening:
    """Where a game starts: a position, and book moves that are played for both engines."""

    fen: str
    moves: list[str] = field(default_factory=list)
    label: str = ""


def load_openings(
    path: Path, plies: int = 0, variant: str = BREAKTHROUGH, board: str | None = None
) -> list[Opening]:
    """All openings of a file: EPD, PGN, lines of moves, links; ``plies`` cuts games short.

    ``variant`` and ``board`` give the start position for lines of moves.
    """
    items = Reading(variant, board).files([str(path)])
    if not items:
        raise UserError(f"{path}: contains no openings")
    for item in items:
        # A PGN game names its own.
        if item.variant != variant:
            raise UserError(f"{path}: {item.title}: an opening of {item.variant}, not {variant}")
    return [
        Opening(item.fen, item.moves[:plies] if plies else item.moves, item.title) for item in items
    ]


def shipped(width: int, height: int) -> Path | None:
    """The project's own set for a board, if there is one."""
    path = data_file(f"openings-{width}x{height}.epd")
    return path if path.is_file() else None


def arrange(openings: list[Opening], order: str, seed: int) -> list[Opening]:
    """The openings in file order, or shuffled by ``seed``."""
    arranged = list(openings)
    if order == "random":
        random.Random(seed).shuffle(arranged)
    return arranged
