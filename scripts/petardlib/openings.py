"""Reading opening sets: EPD (a position a line) or PGN (the moves of its games)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from . import SCRIPTS_DIR, boardtext
from .errors import UserError
from .pgn import read_games


@dataclass(frozen=True)
class Opening:
    """Where a game starts: a position, and book moves that both engines are given."""

    fen: str
    moves: list[str] = field(default_factory=list)
    label: str = ""


def load_openings(path: Path, plies: int = 0) -> list[Opening]:
    """All openings of a file, its kind told by its ending; ``plies`` cuts PGN games short."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file") from None
    openings = []
    if path.suffix.lower() == ".pgn":
        for number, game in enumerate(read_games(text, str(path)), start=1):
            moves = game.moves[:plies] if plies else game.moves
            openings.append(Opening(game.fen, moves, f"{path.stem} {number}"))
    else:
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            try:
                epd = boardtext.parse_epd(line)
            except UserError as error:
                raise UserError(f"{path}, line {number}: {error}") from None
            openings.append(Opening(epd.fen, [], epd.ops.get("id", f"{path.stem} {number}")))
    if not openings:
        raise UserError(f"{path}: no opening in it")
    return openings


def shipped(width: int, height: int) -> Path | None:
    """The project's own set for a board, if there is one."""
    path = SCRIPTS_DIR / "data" / f"openings-{width}x{height}.epd"
    return path if path.is_file() else None


def arrange(openings: list[Opening], order: str, seed: int) -> list[Opening]:
    """In file order, or shuffled by ``seed``."""
    arranged = list(openings)
    if order == "random":
        random.Random(seed).shuffle(arranged)
    return arranged
