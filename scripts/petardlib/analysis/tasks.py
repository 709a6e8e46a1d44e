"""Analysing positions: the tasks, and the engines that a worker keeps warm for them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from petardlib.analysis.records import Analysis, Line
from petardlib.base.errors import EngineError, UserError
from petardlib.jobs.slot import Keep
from petardlib.play.engine import Engine, Reply
from petardlib.play.inputs import Item
from petardlib.play.limits import Clock, go_command
from petardlib.play.proofwatch import mark_proven
from petardlib.play.spec import EngineSpec
from petardlib.rules.positions import BREAKTHROUGH, is_white, size_of

MAX_ATTEMPTS = 2
MAX_BOARDS = 3
"""On how many boards an engine is kept warm."""


def key_of(engine: str, variant: str, fen: str, moves: list[str]) -> str:
    """The key by which an analysis is found when a run is resumed."""
    text = json.dumps([engine, variant, fen, moves])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plies_of(item: Item) -> range:
    """The positions of an item that are analysed: all of a game, or only the last."""
    return range(0 if item.is_game else len(item.moves), len(item.moves) + 1)


def keys_of(engine: str, item: Item) -> list[str]:
    """The keys of an engine's analyses of an item, in the order of its positions."""
    return [key_of(engine, item.variant, item.fen, item.moves[:ply]) for ply in plies_of(item)]


@dataclass(frozen=True)
class AnalyseTask:
    """A position to be analysed; ``board`` is its FEN, ``fen`` where its moves begin."""

    key: str
    engine: EngineSpec
    variant: str
    fen: str
    moves: list[str]
    board: str
    multipv: int
    prove: float | None
    item: int
    title: str

    def run(self, keep: Keep) -> Analysis:
        """Analyse it, with the engines that the process has running."""
        return analyse_task(self, keep.get(AnalystCache))


def tasks_of(
    items: list[Item],
    engines: list[EngineSpec],
    multipv: int,
    prove: float | None = None,
) -> Iterator[AnalyseTask]:
    """All positions to be analysed, each once per engine.

    The positions of a game come from its end backwards: what a warm engine has learned about later
    positions helps it see more in earlier ones.
    """
    given: set[str] = set()
    for number, item in enumerate(items):
        for ply in reversed(plies_of(item)):
            if ply == len(item.moves) and item.result is not None:
                continue
            for spec in engines:
                key = key_of(spec.name, item.variant, item.fen, item.moves[:ply])
                if key in given:
                    continue
                given.add(key)
                yield AnalyseTask(
                    key,
                    spec,
                    item.variant,
                    item.fen,
                    item.moves[:ply],
                    item.boards[ply],
                    multipv,
                    prove,
                    number + 1,
                    item.title,
                )


class AnalystCache:
    """The engines of one worker."""

    def __init__(self) -> None:
        self._warm: dict[str, tuple[Engine, int]] = {}

    def get(self, spec: EngineSpec, task: AnalyseTask) -> Engine:
        """A running engine; when the item changes, a new game begins."""
        size = size_of(task.fen)
        key = repr((spec.to_json(), task.variant, size, task.multipv))
        engine, group = self._warm.pop(key, (None, -1))
        if engine is None:
            engine = Engine(spec)
            try:
                engine.set_up(task.variant, task.fen)
                own = {name.lower() for name in spec.options}
                for name, value in (
                    ("MultiPV", str(task.multipv)),
                    ("UCI_ShowWDL", "true"),
                    ("UCI_AnalyseMode", "true"),
                ):
                    known = engine.options.get(name.lower())
                    if known is None or name.lower() in own:
                        continue
                    if objection := known.objection(value):
                        raise EngineError("setup", f"option '{name}': {objection}")
                    engine.set_option(name, value)
            except EngineError:
                engine.close()
                raise
        self._warm[key] = (engine, task.item)
        others = [name for name, (one, _) in self._warm.items() if one.spec == spec]
        for name in others[:-MAX_BOARDS]:
            self._warm.pop(name)[0].close()
        if group != task.item:
            engine.new_game()
        return engine

    def drop(self, spec: EngineSpec) -> None:
        """End an engine that has failed."""
        for key, (engine, _) in list(self._warm.items()):
            if engine.spec == spec:
                del self._warm[key]
                engine.close()

    def close(self) -> None:
        """End all engines."""
        for engine, _ in self._warm.values():
            with contextlib.suppress(EngineError):
                engine.close()
        self._warm.clear()


def analyse_task(task: AnalyseTask, analysts: AnalystCache) -> Analysis:
    """Analyse one position; a failed engine is restarted once, and a second failure is an error."""
    spec = task.engine
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            engine = analysts.get(spec, task)
            return _analyse(engine, spec, task)
        except EngineError as error:
            analysts.drop(spec)
            if attempt == MAX_ATTEMPTS or error.kind == "setup":
                where = f"engine '{spec.name}' on {task.board}"
                raise UserError(f"{where}: {error.report()}") from None
    raise AssertionError


def _analyse(engine: Engine, spec: EngineSpec, task: AnalyseTask) -> Analysis:
    moves = task.moves
    position = engine.position(task.fen, moves)
    clock = Clock(spec.limit)
    white = is_white(task.board)
    # An analysis cannot lose on time: the timeout is the same whatever the limit.
    budget = clock.budget() + spec.limit.hang
    engine.try_position(position)
    reply = engine.think(position, go_command(clock, clock, white), budget, False)
    if reply.move == "(none)":
        raise EngineError("garbage", "returned no move in an unfinished game", alive=True)
    if task.prove and task.variant == BREAKTHROUGH:
        _prove(engine, position, reply, task.prove, white)
    return Analysis(
        key=task.key,
        best=_best(reply),
        lines=[Line.of(reply.infos[number]) for number in sorted(reply.infos)],
        engine=spec.name,
        item=task.item,
        title=task.title,
        ply=len(moves),
        variant=task.variant,
        start=task.fen,
        moves=moves,
        fen=task.board,
        elapsed_ms=round(reply.elapsed, 1),
    )


def _prove(engine: Engine, position: str, reply: Reply, seconds: float, white: bool) -> None:
    """Ask the prover if the search has not found out who wins."""
    engine.check_prover()
    info = reply.info
    if info is None or info.score is None:
        return
    if info.score.mate is not None or info.score.proven is not None:
        return
    winner, line = engine.prove(position, seconds)
    if winner:
        mark_proven(reply.infos, (winner == "white") == white, line)


def _best(reply: Reply) -> str:
    """The move to play: a proven win takes precedence over what the search prefers."""
    info = reply.info
    is_won = info is not None and info.score is not None and info.score.proven
    return info.pv[0] if is_won and info and info.pv else reply.move
