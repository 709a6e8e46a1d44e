"""A game of a tournament as it is kept in the journal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from petardlib.base.errors import UserError
from petardlib.base.journal import FAULTS
from petardlib.rules.positions import BREAKTHROUGH, Result, normal_fen
from petardlib.rules.score import Score

POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


class MoveLog(msgspec.Struct, array_like=True):
    """What is known about a move that an engine has played; a row of numbers in the file."""

    ms: float
    cp: int | None = None
    mate: int | None = None
    proven: Literal["won", "lost"] | None = None
    depth: int | None = None
    nodes: int | None = None

    @classmethod
    def of(cls, ms: float, score: Score | None, depth: int | None, nodes: int | None) -> MoveLog:
        """The row of a move with this score."""
        if score is None:
            return cls(ms, None, None, None, depth, nodes)
        proven: Literal["won", "lost"] | None = None
        if score.proven is not None:
            proven = "won" if score.proven else "lost"
        return cls(ms, score.cp, score.mate, proven, depth, nodes)

    @property
    def score(self) -> Score | None:
        """The engine's score of the position before the move."""
        if self.cp is None and self.mate is None and self.proven is None:
            return None
        return Score(self.cp, self.mate, proven=None if not self.proven else self.proven == "won")


class Fault(msgspec.Struct):
    """How an engine has lost a game by its own fault."""

    engine: str
    kind: str
    detail: str
    alive: bool = False
    ply: int = 0
    elapsed_ms: float | None = None
    dialogue: list[str] = []


class GameRecord(msgspec.Struct):
    """A game; ``book`` of its ``moves`` are from the opening, and ``log`` has the others."""

    white: str
    black: str
    result: Result
    kind: Literal["game"] = "game"
    index: int = 0
    pair: int = 0
    round: int = 1
    reason: str = ""
    termination: str = "normal"
    variant: str = BREAKTHROUGH
    fen: str = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"
    opening: str = ""
    book: int = 0
    moves: list[str] = []
    log: list[MoveLog] = []
    controls: tuple[str, str] = ("-", "-")
    start: str = ""
    duration_s: float = 0.0
    overhead_us: int | None = None
    fault: Fault | None = None

    def __post_init__(self) -> None:
        """Refuse what no game can be."""
        normal_fen(self.fen, self.variant)
        if self.fault is None and len(self.log) + self.book != len(self.moves):
            raise ValueError("the log does not fit the moves")


def decode_game(line: bytes | str) -> GameRecord:
    """A game from its line in a journal, also of version 0.2, which had scores as text."""
    record = msgspec.json.decode(line)
    rows = [_upgraded(row) for row in record["log"]]
    return msgspec.convert({**record, "log": rows}, GameRecord)


def read_ledger(path: Path, text: str) -> Iterator[GameRecord]:
    """The games of a tournament's ledger; ``path`` names it in errors."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if number > 1:
                yield decode_game(line)
            elif msgspec.json.decode(line)["kind"] != "tournament":
                raise UserError(f"{path}: not the ledger of a tournament, nor a PGN file")
        except (*FAULTS, msgspec.DecodeError):
            raise UserError(f"{path}, line {number}: not a record of a tournament") from None


def _upgraded(row: list[Any]) -> list[Any]:
    if len(row) != 4:
        return row
    ms, text, depth, nodes = row
    if not isinstance(text, str):
        return [ms, text, None, None, depth, nodes]
    if text in ("won", "lost"):
        return [ms, None, None, text, depth, nodes]
    if "M" in text:
        return [ms, None, int(text.replace("M", "")), None, depth, nodes]
    return [ms, round(100 * float(text)), None, None, depth, nodes]
