"""One refereed game between two engines, as a JSON-compatible record."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime

from petardlib.base.errors import EngineError, UserError
from petardlib.jobs.slot import Keep
from petardlib.play.engine import Engine
from petardlib.play.limits import Clock, go_command
from petardlib.play.referee import Referee
from petardlib.play.spec import EngineSpec
from petardlib.rules.illegal import why_illegal
from petardlib.rules.positions import BREAKTHROUGH, Verdict, is_white, size_of
from petardlib.rules.score import Score
from petardlib.stats.games import Fault, GameRecord, MoveLog

MAX_WARM_ENGINES = 6


@dataclass(frozen=True)
class Adjudication:
    """What ends a game before its rules do; nothing by default.

    ``proven``: petard claims a win or a loss, which it only does when that is proven. ``resign``:
    an engine gives up after this many moves in a row with a score of at most minus ``score``
    centipawns; with ``two_sided`` its opponent must see the same.
    """

    proven: bool = False
    resign: int = 0
    score: int = 0
    two_sided: bool = False


@dataclass
class Job:
    """A game to be played. The two games of an opening, colours swapped, share a ``pair``."""

    index: int
    pair: int
    round: int
    white: EngineSpec
    black: EngineSpec
    fen: str
    variant: str = BREAKTHROUGH
    book: list[str] = field(default_factory=list)
    opening: str = ""
    max_plies: int = 0
    adjudication: Adjudication = field(default_factory=Adjudication)

    @property
    def title(self) -> str:
        """Its number and the players, for people."""
        return f"game {self.index + 1}: {self.white.name} - {self.black.name}"

    def run(self, keep: Keep) -> GameRecord:
        """Play it, with the engines that the process has running."""
        return play_game(self, keep.get(PlayerCache))


class PlayerCache:
    """Engines kept warm between a worker's games; the least recently used are ended first."""

    def __init__(self) -> None:
        self._warm: OrderedDict[str, Engine] = OrderedDict()

    def get(self, spec: EngineSpec, job: Job, side: str) -> Engine:
        """A running engine, ready for this game.

        ``side`` gives an engine that plays itself two processes.
        """
        key = repr((spec.to_json(), job.variant, size_of(job.fen), side))
        engine = self._warm.pop(key, None)
        if engine is not None and spec.restart:
            engine.close()
            engine = None
        if engine is None:
            engine = Engine(spec)
            try:
                engine.set_up(job.variant, job.fen)
            except EngineError:
                engine.close()
                raise
        self._warm[key] = engine
        while len(self._warm) > MAX_WARM_ENGINES:
            self._warm.popitem(last=False)[1].close()
        engine.comment(job.title)
        engine.new_game()
        return engine

    def drop(self, engine: Engine | None) -> None:
        """End an engine that can no longer be trusted."""
        for key, value in list(self._warm.items()):
            if value is engine:
                del self._warm[key]
                value.close()

    def drop_spec(self, spec: EngineSpec) -> None:
        """End all processes of one engine."""
        for value in list(self._warm.values()):
            if value.spec == spec:
                self.drop(value)

    def close(self) -> None:
        """End everything."""
        for engine in self._warm.values():
            with contextlib.suppress(EngineError):
                engine.close()
        self._warm.clear()


def play_game(job: Job, players: PlayerCache) -> GameRecord:
    """Play a game to its end, whatever the engines do; returns a journal record."""
    return _Game(job, players, Referee(job.variant, job.fen)).play()


class _Game:
    def __init__(self, job: Job, players: PlayerCache, referee: Referee) -> None:
        self.job, self.players, self.referee = job, players, referee
        self.specs = [job.white, job.black]
        self.clocks = [Clock(spec.limit) for spec in self.specs]
        self.engines: list[Engine | None] = [None, None]
        self.log: list[MoveLog] = []
        self.overheads: list[float] = []
        self.fault: Fault | None = None
        # Each side's moves in a row with a losing score, and with a winning one.
        self.losing, self.winning = [0, 0], [0, 0]
        self.termination = "normal"

    def play(self) -> GameRecord:
        began = datetime.now(UTC)
        start = time.perf_counter()
        for move in self.job.book:
            if not self.referee.play(move):
                raise UserError(f"opening {self.job.opening}: illegal move {move}")
        verdict = self.referee.verdict()
        if verdict is None:
            verdict = self._seat() or self._moves()
        verdict = self._confirmed(verdict)
        for engine, spec in zip(self.engines, self.specs, strict=True):
            # After any fault, the next game starts with a new process.
            if self.fault and spec.name == self.fault.engine:
                self.players.drop(engine)
        overhead = statistics.median(self.overheads) if self.overheads else None
        return GameRecord(
            index=self.job.index,
            pair=self.job.pair,
            round=self.job.round,
            white=self.specs[0].name,
            black=self.specs[1].name,
            result=verdict.result,
            reason=verdict.reason,
            termination=self.termination,
            variant=self.job.variant,
            fen=self.job.fen,
            opening=self.job.opening,
            book=len(self.job.book),
            moves=self.referee.moves,
            log=self.log,
            controls=(self.specs[0].limit.describe(), self.specs[1].limit.describe()),
            start=began.isoformat(timespec="seconds"),
            duration_s=round(time.perf_counter() - start, 3),
            overhead_us=None if overhead is None else round(overhead * 1e6),
            fault=self.fault,
        )

    def _seat(self) -> Verdict | None:
        """Get both engines ready; one that cannot start loses."""
        for side, spec in enumerate(self.specs):
            try:
                self.engines[side] = self.players.get(
                    spec, self.job, "wb"[side] if self._mirror() else ""
                )
            except EngineError as error:
                self.players.drop_spec(spec)
                return self._blame(side, error, None)
        return None

    def _mirror(self) -> bool:
        return self.specs[0] == self.specs[1]

    def _moves(self) -> Verdict:
        moves = self.referee.moves
        white_first = is_white(self.job.fen)
        side = (0 if white_first else 1) ^ (len(moves) % 2)
        ended: float | None = None
        while True:
            engine, clock = self.engines[side], self.clocks[side]
            assert engine is not None
            position = engine.position(self.job.fen, moves)
            go = go_command(clock, self.clocks[1 - side], side == 0)
            try:
                reply = engine.think(position, go, clock.budget(), clock.timed)
            except EngineError as error:
                return self._blame(side, error, engine)
            if ended is not None:
                self.overheads.append(engine.go_sent - ended)
            ended = engine.go_sent + reply.elapsed / 1000
            clock.spend(reply.elapsed)
            if not self._accept(reply.move):
                why = why_illegal(self.referee.board, reply.move)
                broken = EngineError("illegal move", f"{why} (ply {len(moves) + 1})", alive=True)
                return self._blame(side, broken, engine)
            info, ms = reply.info, round(reply.elapsed, 1)
            self.log.append(
                MoveLog.of(ms, info.score, info.depth, info.nodes) if info else MoveLog(ms)
            )
            verdict = self.referee.verdict()
            if verdict is not None:
                return verdict
            verdict = self._adjudicated(side, engine, info.score if info else None)
            if verdict is not None:
                self.termination = "adjudication"
                return verdict
            if self.job.max_plies and len(moves) >= self.job.max_plies:
                self.termination = "adjudication"
                return Verdict("1/2-1/2", f"draw after {self.job.max_plies} plies")
            side = 1 - side

    def _adjudicated(self, side: int, engine: Engine, score: Score | None) -> Verdict | None:
        """The result if the game need not be played to its end."""
        rules, name = self.job.adjudication, self.specs[side].name
        if rules.proven and score and score.is_proven and engine.id_name.startswith("petard"):
            wins = score.win_probability() == 1.0
            claim = "win" if wins else "loss"
            return Verdict(("1-0", "0-1")[side ^ (not wins)], f"{name} has proven a {claim}")
        value = 0 if score is None else score.cp or 0
        if score is not None and score.is_proven:
            value = rules.score if score.win_probability() == 1.0 else -rules.score
        self.losing[side] = self.losing[side] + 1 if score and value <= -rules.score else 0
        self.winning[side] = self.winning[side] + 1 if score and value >= rules.score else 0
        agreed = not rules.two_sided or self.winning[1 - side] >= rules.resign
        if rules.resign and self.losing[side] >= rules.resign and agreed:
            return Verdict(("0-1", "1-0")[side], f"{name} resigns")
        return None

    def _accept(self, move: str) -> bool:
        """Engines must write moves as the protocol does, but `0000` is accepted as a pass."""
        # petard's rules know capitals, but the other engine may not.
        return move == move.lower() and self.referee.play("pass" if move == "0000" else move)

    def _blame(self, side: int, error: EngineError, engine: Engine | None) -> Verdict:
        """Record that an engine has lost by its own fault."""
        name = self.specs[side].name
        self.termination = {
            "setup": "crash",
            "garbage": "garbled output",
            "flood": "garbled output",
        }.get(error.kind, error.kind)
        self.fault = Fault(
            engine=name,
            kind=error.kind,
            detail=error.detail,
            alive=error.alive,
            ply=len(self.referee.moves) + 1,
            elapsed_ms=error.elapsed_ms,
            dialogue=error.dialogue or (engine.last_words() if engine else []),
        )
        colour = ("White", "Black")[side]
        return Verdict(
            ("0-1", "1-0")[side], f"{colour} ({name}) loses: {error.kind}: {error.detail}"
        )

    def _confirmed(self, verdict: Verdict) -> Verdict:
        """The referee's final check of the whole game overrides what it accepted on the way."""
        count, final = self.referee.confirm()
        if count < len(self.referee.moves):
            side = (not is_white(self.job.fen)) ^ (count % 2)
            illegal = self.referee.moves[count]
            del self.referee.moves[count:]
            del self.log[max(0, count - len(self.job.book)) :]
            error = EngineError("illegal move", f"{illegal} at ply {count + 1}", alive=True)
            return self._blame(int(side), error, self.engines[int(side)])
        if final is not None and final.result != verdict.result:
            self.termination = "normal"
            self.fault = None
            return final
        if final is None and self.termination == "normal":
            raise UserError(
                f"game {self.job.index}: the referee does not confirm '{verdict.reason}'"
            )
        return verdict
