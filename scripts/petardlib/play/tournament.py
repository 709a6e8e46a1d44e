"""A tournament from its plan to its last table: resume, play, stop, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from petardlib.base.errors import EngineFault, UserError
from petardlib.base.files import replace_text
from petardlib.base.journal import Journal
from petardlib.base.process import Interrupt
from petardlib.jobs.pool import Pool, Task
from petardlib.play.display import Display, print_summary
from petardlib.play.engine import Engine
from petardlib.play.referee import RefereeFactory, pyffish_holds
from petardlib.play.schedule import Plan
from petardlib.play.spec import EngineSpec
from petardlib.rules import boardtext
from petardlib.stats.match import Sprt
from petardlib.stats.summary import Summary

FIELDS: dict[str, type | tuple[type, ...]] = {
    "index": int, "pair": int, "round": int, "white": str, "black": str, "result": str,
    "reason": str, "termination": str, "variant": str, "fen": str, "opening": str, "book": int,
    "moves": list, "log": list, "controls": list, "start": str, "fault": (dict, type(None)),
}  # fmt: skip


def check_record(record: dict[str, Any]) -> None:
    """Raise if a game that was read was not written by `play_game`."""
    for key, kind in FIELDS.items():
        if not isinstance(record[key], kind):
            raise ValueError(key)
    boardtext.normal_fen(record["fen"])
    fault = record["fault"] or {"engine": "", "kind": "", "detail": "", "dialogue": []}
    texts = [*record["moves"], *record["controls"], *fault["dialogue"]]
    texts += [fault["engine"], fault["kind"], fault["detail"]]
    if not all(isinstance(text, str) for text in texts) or len(record["controls"]) != 2:
        raise ValueError("a text")
    if record["fault"] is None and len(record["log"]) + record["book"] != len(record["moves"]):
        raise ValueError("log")
    for elapsed, score, depth, nodes in record["log"]:
        if not isinstance(score, str | None) or not isinstance(depth, int | None):
            raise ValueError("log")
        _ = elapsed + (depth or 0) + (nodes or 0)


class GameFile:
    """A file of games in a human-readable format, made from the journal."""

    def __init__(self, option: str, path: Path, write: Callable[[dict[str, Any]], str]) -> None:
        """``write`` makes the text of one game."""
        self.option, self.path, self.write = option, path, write

    def restore(self, games: Iterable[dict[str, Any]]) -> None:
        """Repair what a kill left half-written; refuse a file with anything else in it."""
        # In bytes: a kill may have cut a letter in two.
        found = self.path.read_bytes() if self._exists() else b""
        at, complete = 0, True
        for record in games:
            text = self.write(record).encode()
            if found.startswith(text, at):
                at += len(text)
                continue
            complete = False
            if text.startswith(found[at:]):
                at = len(found)
            break
        rest = found[at:]
        # Only a game torn too early to be recognised may be left over
        if rest and (b"\n" in rest or at == 0):
            raise UserError(
                f"{self.option} {self.path}: this file has content that is not from this run's "
                "journal; name another"
            )
        if rest or not complete or not self._exists():
            replace_text(self.path, map(self.write, games))

    def _exists(self) -> bool:
        return self.path.exists()

    def add(self, record: dict[str, Any]) -> None:
        """Append a game."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self.write(record))


class Output:
    """The files of a tournament. The journal is authoritative; the others are made from it."""

    def __init__(self, plan: Plan, json: Path | None, files: list[GameFile]) -> None:
        """Open the files; an unnamed journal lies beside the first of the others."""
        self.files = files
        path = json or journal_beside(files[0].path if files else None)
        self.journal = Journal(path, plan.header)
        try:
            self.journal.read(check_record)
            for file in files:
                file.restore(self.journal)
        except BaseException:
            self.journal.close()
            raise

    @property
    def can_resume(self) -> bool:
        """Whether the games outlive this run."""
        return self.journal.path is not None

    def add(self, record: dict[str, Any]) -> None:
        """Add a game to all files."""
        self.journal.append(record)
        for file in self.files:
            file.add(record)

    def close(self) -> None:
        """Close the files."""
        self.journal.close()


def journal_beside(path: Path | None) -> Path | None:
    """Where the journal for a file of games lies, if it was not named."""
    return path.with_name(path.name + ".jsonl") if path else None


def header(plan: Plan, event: str, seed: int, order: str, sprt: Sprt | None) -> dict[str, Any]:
    """What a run must have in common with the run that it resumes."""
    referee = None if plan.referee is None or pyffish_referees(plan) else plan.referee.cmd
    return {
        "kind": "tournament",
        "version": 1,
        "event": event,
        "engines": [spec.to_json() for spec in plan.engines],
        "format": plan.format,
        "variant": plan.variant,
        "seed": seed,
        "order": order,
        "openings": [[opening.fen, *opening.moves] for opening in plan.openings],
        "max_plies": plan.max_plies,
        "sprt": asdict(sprt) if sprt else None,
        "referee": referee,
    }


def check_engines(plan: Plan) -> None:
    """Start each engine once, so that a wrong command or option is reported before any game."""
    fen = plan.openings[0].fen
    for spec in plan.engines:
        engine = None
        try:
            engine = Engine(spec)
            engine.set_up(plan.variant, fen)
            for opening in plan.openings:
                tail = f" moves {' '.join(opening.moves)}" if opening.moves else ""
                try:
                    engine.try_position(f"position fen {opening.fen}{tail}")
                except EngineFault as fault:
                    if fault.kind == "setup":
                        fault.detail += f" (opening '{opening.label}': {opening.fen}{tail})"
                    raise
        except EngineFault as fault:
            raise UserError(f"engine '{spec.name}': {fault.told()}") from None
        finally:
            if engine:
                engine.close()
    choose_referee(plan)
    if plan.referee is not None or pyffish_holds(plan.variant, fen):
        factory = RefereeFactory(plan.referee)
        try:
            for opening in plan.openings:
                referee = factory.make(plan.variant, opening.fen)
                for move in opening.moves:
                    if not referee.play(move):
                        raise UserError(f"opening '{opening.label}': illegal move {move}")
                if referee.verdict() is not None:
                    raise UserError(f"opening '{opening.label}': the game is already over")
        except EngineFault as fault:
            raise UserError(f"the referee engine failed: {fault}") from None
        finally:
            factory.close()


def pyffish_referees(plan: Plan) -> bool:
    """Whether every game is refereed by pyffish."""
    return all(pyffish_holds(plan.variant, opening.fen) for opening in plan.openings)


def choose_referee(plan: Plan) -> None:
    """If pyffish cannot referee, take the first engine that answers `moves`."""
    fen = plan.openings[0].fen
    if plan.referee is not None or pyffish_referees(plan):
        return
    for spec in plan.engines:
        referee = EngineSpec(f"referee ({spec.name})", spec.cmd, dir=spec.dir)
        try:
            engine = Engine(referee)
            try:
                engine.set_up(plan.variant, fen)
                engine.try_position(f"position fen {fen}")
                engine.send("moves")
                # An engine that does not have the command says nothing and is ready.
                has_moves = any(line.startswith("moves:") for line in engine.wait_ready())
            finally:
                engine.close()
        except EngineFault:
            continue
        if has_moves:
            plan.referee = referee
            return
    raise UserError(
        "pyffish does not support this game, and no engine here answers `moves` and `d`; "
        "name one that does with --referee COMMAND"
    )


def run(
    plan: Plan, output: Output, pool: Pool, console: Console, sprt: Sprt | None = None
) -> tuple[Summary, bool]:
    """Play what is not played yet; returns the summary, and whether the user stopped it."""
    summary = Summary(spec.name for spec in plan.engines)
    done: set[int] = set()

    def take(record: dict[str, Any]) -> None:
        summary.add(record)
        done.add(record["index"])

    output.journal.read(take)
    if done:
        console.print(f"resumed: {len(done)} games are already played")

    def tasks() -> Iterator[Task]:
        for job in plan.jobs(done):
            yield {"do": "play", "job": job.to_json()}

    stopped = False
    try:
        with Interrupt(), Display(console, summary, plan.total, len(done), sprt) as display:
            if verdict_of(summary, sprt) is None:
                for _, record in pool.run(tasks()):
                    output.add(record)
                    summary.add(record)
                    display.game(record)
                    if verdict_of(summary, sprt):
                        break
    except KeyboardInterrupt:
        stopped = True
    finally:
        pool.close()
    if stopped:
        hint = "the same command resumes from here"
        if not output.can_resume:
            hint = "the games are not kept; with --json FILE the same command would resume"
        console.print(f"stopped; {hint}")
    print_summary(console, summary, sprt)
    return summary, stopped


def verdict_of(summary: Summary, sprt: Sprt | None) -> str | None:
    """The verdict of a sequential test: H0, H1, or None while it is open."""
    if sprt is None:
        return None
    duel = summary.duel(*summary.names[:2])
    return None if duel is None else sprt.verdict(duel.pentanomial())[1]
