"""Searches for an opening book: the task, and the engine that a worker keeps for it."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Annotated

import msgspec

from petardlib.base.errors import EngineError, UserError
from petardlib.base.journal import Count, Seconds
from petardlib.jobs.slot import Keep
from petardlib.openingbook.tree import Leaf
from petardlib.openingbook.values import MAX_PLIES, WON, estimate, proven
from petardlib.play.engine import Engine, Reply
from petardlib.play.spec import EngineSpec
from petardlib.rules.keys import board_at, moves_of
from petardlib.rules.positions import BREAKTHROUGH, legal_moves
from petardlib.rules.score import Score

MAX_ATTEMPTS = 2
PROOF_NODES = 10_000
"""Enough for the prover to prove what a short certificate leaves out."""
MIN_NODES_PER_MS = 10
"""An engine that is slower than this is taken to hang."""


class Search(msgspec.Struct):
    """A line of the ledger: a position, and the values of moves that a search has found."""

    pos: str
    found: dict[str, Annotated[int, msgspec.Meta(ge=-WON, le=WON)]]
    nodes: Count
    engine: str = ""
    s: Seconds = 0.0


@dataclass(frozen=True)
class SearchTask:
    """A position to search with so many nodes, for the values of its so many best moves."""

    engine: EngineSpec
    leaf: Leaf
    lines: int
    nodes: int

    def run(self, keep: Keep) -> Search:
        """Search it; a failed engine is restarted once."""
        engines = keep.get(EngineCache)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return _searched(engines.get(self.engine, self.fen), self)
            except EngineError as error:
                engines.close()
                if attempt == MAX_ATTEMPTS or error.kind == "setup":
                    where = f"engine '{self.engine.name}' on {self.fen}"
                    raise UserError(f"{where}: {error.report()}") from None
        raise AssertionError

    @property
    def fen(self) -> str:
        """The position."""
        return f"{self.leaf.key} w 0 1"


class EngineCache:
    """The engine of one worker."""

    def __init__(self) -> None:
        self._engine: Engine | None = None

    def get(self, spec: EngineSpec, fen: str) -> Engine:
        """A running engine, set up for the board."""
        if self._engine is None or self._engine.spec != spec:
            self.close()
            self._engine = Engine(spec)
            self._engine.set_up(BREAKTHROUGH, fen)
        return self._engine

    def close(self) -> None:
        """End it."""
        if self._engine is not None:
            with contextlib.suppress(EngineError):
                self._engine.close()
            self._engine = None


def value_of(score: Score) -> int:
    """A score as the value of a position or a move."""
    if score.mate is not None:
        return proven(score.mate > 0, 2 * abs(score.mate) - (score.mate > 0))
    if score.proven is not None:
        return proven(score.proven, MAX_PLIES)
    return estimate(score.cp or 0)


def _searched(engine: Engine, task: SearchTask) -> Search:
    begin = time.perf_counter()
    moves = list(task.leaf.moves)
    found, nodes = _proof(engine, task, moves), 0
    if not found:
        reply = _think(engine, task, min(task.lines, len(moves)), task.nodes, moves)
        for info in (reply.infos[number] for number in sorted(reply.infos)):
            if info.score is not None and info.pv and info.pv[0] in moves:
                found.setdefault(info.pv[0], value_of(info.score))
                nodes = max(nodes, info.nodes)
        if not found:
            raise EngineError("garbage", "returned no line", alive=True)
    seconds = round(time.perf_counter() - begin, 3)
    return Search(task.leaf.key, found, nodes, engine.id_name, seconds)


def _proof(engine: Engine, task: SearchTask, moves: list[str]) -> dict[str, int]:
    """What proofs of the board that the engine has say, or a short search."""
    info = _think(engine, task, 1, PROOF_NODES, []).info
    if info is None or info.score is None or info.score.mate is None:
        return {}
    value = value_of(info.score)
    if value < 0:
        return dict.fromkeys(moves, value)
    # The move itself or its mirror image.
    after = moves_of(board_at(task.leaf.key))
    return {move: value for move in moves if info.pv and after[move] == after.get(info.pv[0])}


def _think(engine: Engine, task: SearchTask, lines: int, nodes: int, moves: list[str]) -> Reply:
    """The answer to a search with an empty table."""
    engine.new_game()
    engine.set_option("MultiPV", str(lines))
    position = f"position fen {task.fen}"
    engine.try_position(position)
    words = [f"go nodes {nodes}"]
    if moves and len(moves) < len(legal_moves(board_at(task.leaf.key))):
        words += ["searchmoves", *moves]
    budget = max(task.engine.limit.hang, nodes / MIN_NODES_PER_MS)
    return engine.think(position, " ".join(words), budget, False)
