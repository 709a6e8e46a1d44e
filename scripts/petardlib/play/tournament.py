"""A tournament from its plan to its last table: resume, play, stop, report."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from petardlib.base.errors import EngineError, UserError
from petardlib.base.journal import Journal
from petardlib.base.process import Interrupt
from petardlib.jobs.pool import Pool
from petardlib.play.display import Display, print_summary, ranking
from petardlib.play.engine import Engine
from petardlib.play.game import Adjudication
from petardlib.play.gamefiles import GameFile
from petardlib.play.referee import Referee
from petardlib.play.schedule import Plan
from petardlib.stats.games import GameRecord, decode_game
from petardlib.stats.match import Sprt
from petardlib.stats.summary import Summary


class Output:
    """The files of a tournament. The journal is authoritative; the others are made from it."""

    def __init__(self, plan: Plan, json: Path | None, files: list[GameFile]) -> None:
        """Open the files; an unnamed journal lies beside the first of the others."""
        self.files, self._due = files, 0.0
        self.summaries: Sequence[Callable[[Summary], object]] = ()
        """What is written again and again while games are played."""
        path = json or journal_beside(files[0].path if files else None)
        self.journal = Journal(path, plan.header, decode_game)
        try:
            for _ in self.journal:
                pass
            for file in files:
                file.restore(lambda: self.journal)
        except BaseException:
            self.journal.close()
            raise

    @property
    def can_resume(self) -> bool:
        """Whether the games outlive this run."""
        return self.journal.path is not None

    def add(self, record: GameRecord) -> None:
        """Add a game to all files."""
        self.journal.append(record)
        for file in self.files:
            file.add(record)

    def report(self, summary: Summary, last: bool = False) -> None:
        """Write what sums up the games so far, at most a twentieth of the time."""
        now = time.monotonic()
        if summary.games and (last or now >= self._due):
            for write in self.summaries:
                write(summary)
            self._due = time.monotonic() + max(5.0, 20 * (time.monotonic() - now))

    def close(self) -> None:
        self.journal.close()


def journal_beside(path: Path | None) -> Path | None:
    """Where the journal for a file of games lies, if it was not named."""
    return path.with_name(path.name + ".jsonl") if path else None


def header(plan: Plan, event: str, seed: int, order: str, sprt: Sprt | None) -> dict[str, Any]:
    """What a run must have in common with the run that it resumes."""
    # Without it, journals are as they were before there was any.
    adjudication = {"adjudication": asdict(plan.adjudication)}
    return {
        "kind": "tournament",
        "version": 1,
        "event": event,
        "engines": [spec.to_json() for spec in plan.engines],
        "programs": plan.programs,
        "format": plan.format,
        "variant": plan.variant,
        "seed": seed,
        "order": order,
        "openings": [[opening.fen, *opening.moves] for opening in plan.openings],
        "max_plies": plan.max_plies,
        "sprt": asdict(sprt) if sprt else None,
        **({"seeds": plan.seeds} if plan.seeds != 1 else {}),
        **(adjudication if plan.adjudication != Adjudication() else {}),
    }


def check_engines(plan: Plan) -> None:
    """Start each engine once, so that wrong commands and options are reported before any game.

    What they are called, and the contents of their files, goes into the plan.
    """
    fen, errors = plan.openings[0].fen, list[str]()
    for spec in plan.engines:
        engine = None
        try:
            engine = Engine(spec)
            engine.comment("check before the first game")
            engine.set_up(plan.variant, fen)
            plan.programs[spec.name] = {"id": engine.id_name, "sha256": spec.file_hash()}
            for opening in plan.openings[: plan.pairs_each]:
                try:
                    engine.try_position(engine.position(opening.fen, opening.moves))
                except EngineError as error:
                    if error.kind == "setup":
                        place = " ".join([opening.fen, *opening.moves])
                        error.detail += f" (opening '{opening.label}': {place})"
                    raise
        except EngineError as error:
            errors.append(f"engine '{spec.name}': {error.report()}")
        finally:
            if engine:
                engine.close()
    if errors:
        raise UserError("\n".join(errors))
    for opening in plan.openings[: plan.pairs_each]:
        referee = Referee(plan.variant, opening.fen)
        for move in opening.moves:
            if not referee.play(move):
                raise UserError(f"opening '{opening.label}': illegal move {move}")
        if referee.verdict() is not None:
            raise UserError(f"opening '{opening.label}': the game is already over")


def run(
    plan: Plan,
    output: Output,
    pool: Pool,
    console: Console,
    sprt: Sprt | None = None,
    quiet: bool = False,
) -> tuple[Summary, bool]:
    """Play what is not played yet; returns the summary, and whether the user stopped it."""
    summary = Summary(spec.name for spec in plan.engines)
    done: set[int] = set()

    def take(game: GameRecord) -> None:
        summary.add(game)
        done.add(game.index)

    output.journal.read(take)
    if done:
        console.print(f"resumed: {len(done)} games are already played")

    stopped = False
    try:
        display = Display(console, summary, plan.total, len(done), sprt, quiet)
        with Interrupt(), display:
            if verdict_of(summary, sprt) is None:
                for _, record in pool.run(plan.jobs(done)):
                    output.add(record)
                    summary.add(record)
                    display.game(record)
                    output.report(summary)
                    if verdict_of(summary, sprt):
                        break
    except KeyboardInterrupt:
        stopped = True
    finally:
        pool.close()
    if stopped:
        hint = "the same command resumes from here"
        if not output.can_resume:
            hint = "the games are not kept; with --resume FILE the same command would resume"
        console.print(f"stopped; {hint}")
    output.report(summary, last=True)
    print_summary(console, summary, sprt)
    return summary, stopped


def verdict_of(summary: Summary, sprt: Sprt | None) -> str | None:
    """The verdict of a sequential test: H0, H1, or None while it is open."""
    if sprt is None:
        return None
    duel = summary.duel(*summary.names[:2])
    return None if duel is None else sprt.verdict(duel.pentanomial())[1]


def result_json(plan: Plan, summary: Summary, sprt: Sprt | None) -> dict[str, Any]:
    """What the games add up to, for programs; numbers that are not known are null."""
    rated = None if summary.nothing_measured else summary.ratings()
    ratings = {line.name: line for line in rated.ratings} if rated else {}
    engines = []
    specs = {spec.name: spec for spec in plan.engines}
    for name in ranking(summary):
        use, line = summary.use[name], ratings.get(name)
        engines.append(
            {
                "name": name,
                **plan.programs.get(name, {}),
                "options": specs[name].options,
                "limit": specs[name].limit.describe(),
                "games": use.games,
                "points": use.points,
                "elo": _finite(line.elo) if line else None,
                "error": _finite(line.error) if line else None,
                "games_as_white": use.white_games,
                "points_as_white": use.white_points,
                "mate_claims": use.claims,
                "mate_claims_consistent": use.claims_held,
                "faults": dict(use.faults),
            }
        )
    pairings = []
    for duel in summary.duels.values():
        stats = None if summary.nothing_measured else duel.stats()
        pairings.append(
            {
                "first": duel.first,
                "second": duel.second,
                "won": duel.won,
                "lost": duel.lost,
                "drawn": duel.drawn,
                "pentanomial": duel.pentanomial(),
                "elo": _finite(stats.elo.value) if stats else None,
                "elo_error": _finite(stats.elo.error) if stats else None,
                "los": stats.los if stats else None,
            }
        )
    result: dict[str, Any] = {
        "games": summary.games,
        "results": dict(summary.results),
        "faults": len(summary.faults),
        "engines": engines,
        "pairings": pairings,
    }
    if sprt:
        match = summary.duel(*summary.names[:2])
        llr = sprt.verdict(match.pentanomial())[0] if match else 0.0
        result["sprt"] = {**asdict(sprt), "llr": llr, "verdict": verdict_of(summary, sprt)}
    return result


def _finite(value: float) -> float | None:
    return round(value, 2) if math.isfinite(value) else None
