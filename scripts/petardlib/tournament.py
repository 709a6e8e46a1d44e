"""A tournament from its plan to its last table: resume, play, stop, report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from .cli import Interrupt
from .display import Display, print_summary
from .engine import Engine
from .errors import EngineFault, UserError
from .journal import Journal
from .pgn import write_game
from .pool import Pool, Task
from .rules import RefereeFactory, pyffish_holds
from .schedule import Plan
from .spec import EngineSpec
from .stats import Sprt
from .summary import Summary


class Output:
    """The files of a tournament. The journal is the truth; the PGN is made from it."""

    def __init__(self, plan: Plan, json: Path | None, pgn: Path | None, event: str) -> None:
        """Open the files; a PGN file without a journal beside it is never overwritten."""
        self.event, self.pgn = event, pgn
        path = json or (pgn.with_name(pgn.name + ".jsonl") if pgn else None)
        fresh = path is None or not path.exists()
        if pgn and fresh and pgn.exists() and pgn.stat().st_size:
            raise UserError(f"{pgn} exists and is not of a run that could be resumed; name another")
        self.journal = Journal(path, plan.header)
        if pgn:
            # Whatever a kill left half-written is made good from the journal.
            pgn.parent.mkdir(parents=True, exist_ok=True)
            partial = pgn.with_name(pgn.name + ".part")
            with partial.open("w", encoding="utf-8") as file:
                file.writelines(write_game(record, event) for record in self.journal)
            partial.replace(pgn)

    def add(self, record: dict[str, Any]) -> None:
        """Keep a game for good."""
        self.journal.append(record)
        if self.pgn:
            with self.pgn.open("a", encoding="utf-8") as file:
                file.write(write_game(record, self.event))

    def close(self) -> None:
        """Close the files."""
        self.journal.close()


def header(plan: Plan, event: str, seed: int, order: str, sprt: Sprt | None) -> dict[str, Any]:
    """What a run must have in common with the run that it resumes."""
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
    }


def check_engines(plan: Plan) -> None:
    """Start each engine once, so that a wrong command or option is told before any game."""
    fen = plan.openings[0].fen
    for spec in plan.engines:
        engine = None
        try:
            engine = Engine(spec)
            engine.set_up(plan.variant, fen)
        except EngineFault as fault:
            words = "\n".join(f"    {line}" for line in fault.dialogue[-6:])
            raise UserError(f"engine '{spec.name}': {fault}\n{words}".rstrip()) from None
        finally:
            if engine:
                engine.close()
    choose_judge(plan)
    if plan.judge is not None or pyffish_holds(plan.variant, fen):
        factory = RefereeFactory(plan.judge)
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


def choose_judge(plan: Plan) -> None:
    """Where pyffish cannot judge, take the first engine that answers `moves`."""
    fen = plan.openings[0].fen
    if plan.judge is not None or all(pyffish_holds(plan.variant, o.fen) for o in plan.openings):
        return
    for spec in plan.engines:
        judge = EngineSpec(f"referee ({spec.name})", spec.cmd, dir=spec.dir)
        try:
            engine = Engine(judge)
            try:
                engine.set_up(plan.variant, fen)
                engine.send(f"position fen {fen}")
                engine.ask("moves", "moves:", 1000.0)
            finally:
                engine.close()
        except EngineFault:
            continue
        plan.judge = judge
        return
    raise UserError(
        "pyffish cannot hold this game, and no engine here answers `moves` and `d`; "
        "name one that does with --referee COMMAND"
    )


def run(
    plan: Plan, output: Output, pool: Pool, console: Console, sprt: Sprt | None = None
) -> tuple[Summary, bool]:
    """Play what is not played yet; the summary, and whether the user stopped it."""
    summary = Summary(spec.name for spec in plan.engines)
    done = set()
    for record in output.journal:
        summary.add(record)
        done.add(record["index"])
    if done:
        console.print(f"resumed: {len(done)} games are already played")

    def tasks() -> Iterator[Task]:
        for job in plan.jobs(done):
            yield {"do": "play", "job": job.to_json()}

    stopped = False
    try:
        with Interrupt(), Display(console, summary, plan.total, len(done), sprt) as display:
            if not decided(summary, sprt):
                for _, record in pool.run(tasks()):
                    output.add(record)
                    summary.add(record)
                    display.game(record)
                    if decided(summary, sprt):
                        break
    except KeyboardInterrupt:
        stopped = True
    finally:
        pool.close()
    if stopped:
        console.print("stopped; the same command goes on from here")
    print_summary(console, summary, sprt)
    return summary, stopped


def decided(summary: Summary, sprt: Sprt | None) -> bool:
    """Whether a sequential test has its verdict."""
    if sprt is None:
        return False
    duel = summary.duel(*summary.names[:2])
    return duel is not None and sprt.verdict(duel.pentanomial())[1] is not None
