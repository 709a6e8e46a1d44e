"""One job of a proof: `petard solve` on a position, with a limit, one thread."""

from __future__ import annotations

import contextlib
import io
import tempfile
import threading
from dataclasses import dataclass
from typing import IO, Literal

import msgspec

from petardlib.base.errors import UserError
from petardlib.base.journal import Count, Seconds
from petardlib.base.process import end_program, start_program
from petardlib.jobs.slot import Keep, LostTaskError
from petardlib.rules.positions import size_of

HANG_SECONDS = 60.0
"""How far a job may exceed twice its own time limit before it counts as hung."""

OPENED = 16
"""Positions that took at least 1 in ``OPENED`` of an unfinished job's nodes are opened."""


@dataclass(frozen=True)
class JobLimits:
    """What a job may spend, and its table in MB; a ``cold`` job starts with an empty table."""

    nodes: int | None
    seconds: float | None
    hash: int
    cold: bool = False

    def to_json(self) -> dict[str, bool | float]:
        """Only what is set."""
        limits: dict[str, bool | float] = {"hash": self.hash}
        if self.nodes is not None:
            limits["nodes"] = self.nodes
        if self.seconds is not None:
            limits["seconds"] = self.seconds
        return {**limits, "cold": True} if self.cold else limits

    def words(self) -> list[str]:
        """The limits as arguments for `petard solve`."""
        words = ["--threads", "1", "--hash", str(self.hash)]
        if self.nodes is not None:
            words += ["--nodes", str(self.nodes)]
        if self.seconds is not None:
            words += ["--time", str(self.seconds)]
        return words


Result = Literal["win", "loss", "unknown"]
Opened = dict[str, dict[str, tuple[Count | None, Count | None]]]
"""By line of moves, the proof and disproof numbers after each move there; null is infinite."""


class Answer(msgspec.Struct, omit_defaults=True, kw_only=True):
    """What a job has found out about its position, for the side to move."""

    result: Result
    nodes: Count
    s: Seconds
    move: str | None = None
    opened: Opened = {}

    @property
    def wins(self) -> bool | None:
        """Whether the side to move wins."""
        return {"win": True, "loss": False, "unknown": None}[self.result]


class Job(Answer, omit_defaults=True, kw_only=True):
    """A finished job: its position, by its rows with White to move, and what it could spend."""

    pos: str
    limit: dict[str, bool | float] = {}


class _Reply(msgspec.Struct):
    """A line of `petard solve --json`."""

    fen: str
    winner: Literal["first", "second", "unknown"]
    nodes: Count
    seconds: Seconds
    move: str | None = None
    opened: Opened = {}


class _Error(msgspec.Struct):
    error: str | None = None


class EngineKilledError(UserError):
    """A signal ended the engine."""


class Solver:
    """A running `petard solve`, which keeps its table from position to position."""

    def __init__(self, engine: str, limits: JobLimits, *words: str) -> None:
        """Start the process, with ``words`` as further arguments."""
        self.command = [engine, "solve", "--stdin", *limits.words(), *words, "--json", "--quiet"]
        # Its messages if it fails; a pipe that nobody reads could fill up.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        try:
            # Its own children end with it, so that nothing keeps its output open.
            self._process = start_program(self.command, self._errors)
        except OSError as error:
            self._errors.close()
            raise UserError(f"cannot start the engine '{engine}': {error.strerror}") from None
        assert self._process.stdin and self._process.stdout
        self._in: IO[bytes] = self._process.stdin
        # One line may come in many parts.
        self._out = io.BufferedReader(self._process.stdout)  # type: ignore[type-var]

    def ask(self, fen: str, timeout: float | None = None) -> str:
        """The JSON line that the engine writes about a position.

        An engine that is silent for ``timeout`` seconds is ended.
        """
        late = threading.Event()

        def give_up() -> None:
            late.set()
            end_program(self._process)

        timer = threading.Timer(timeout, give_up) if timeout is not None else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            with contextlib.suppress(OSError):
                self._in.write(fen.encode() + b"\n")
                self._in.flush()
            line = self._out.readline()
        finally:
            if timer:
                timer.cancel()
        if line.endswith(b"\n"):
            return line.decode(errors="replace")
        if late.is_set():
            raise UserError(
                f"'{' '.join(self.command)}' hangs at '{fen}': no answer within {timeout:g} s"
            )
        status = self._process.wait()
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace").strip().splitlines()
        words = words or [f"killed by signal {-status}" if status < 0 else f"exit status {status}"]
        kind = EngineKilledError if status < 0 else UserError
        raise kind(f"'{' '.join(self.command)}' fails at '{fen}': {words[0]}")

    def finish(self) -> None:
        """Let it exit by itself, which saves a table that is in a file."""
        with contextlib.suppress(OSError):
            self._in.close()
        self._process.wait()
        self.close()

    def close(self) -> None:
        """End the process."""
        end_program(self._process)
        with contextlib.suppress(OSError):
            self._in.close()
        self._out.close()
        self._errors.close()


class SolverCache:
    """A worker's solver: one at a time, replaced for other limits or another board."""

    def __init__(self) -> None:
        self._solver: Solver | None = None
        self._key: tuple[str, JobLimits, tuple[int, int]] | None = None

    def get(self, engine: str, limits: JobLimits, fen: str) -> Solver:
        """The solver for a job, with what it has learnt unless the job is ``cold``."""
        key = (engine, limits, size_of(fen))
        if self._solver is None or self._key != key or limits.cold:
            self.close()
            self._solver = Solver(engine, limits, "--opened", str(OPENED))
            self._key = key
        return self._solver

    def ask(self, engine: str, limits: JobLimits, fen: str, timeout: float | None = None) -> Answer:
        """The answer of `read_answer`; a solver that gives none is ended."""
        try:
            return read_answer(self.get(engine, limits, fen).ask(fen, timeout), fen)
        except EngineKilledError as error:
            self.close()
            raise LostTaskError(str(error)) from None
        except UserError:
            self.close()
            raise

    def close(self) -> None:
        """End the solver."""
        if self._solver is not None:
            self._solver.close()
            self._solver = None


@dataclass(frozen=True)
class SolveTask:
    """A position, by its rows with White to move, and what may be spent on it."""

    engine: str
    pos: str
    limits: JobLimits
    timeout: float | None = None
    """After how many seconds without an answer the engine counts as hung."""

    def run(self, keep: Keep) -> Job:
        """Do the job; returns the record for the ledger."""
        solvers = keep.get(SolverCache)
        fen, timeout = f"{self.pos} w", self.timeout
        if timeout is None and self.limits.seconds is not None:
            timeout = 2.0 * self.limits.seconds + HANG_SECONDS
        answer = solvers.ask(self.engine, self.limits, fen, timeout)
        return Job(
            pos=self.pos,
            result=answer.result,
            nodes=answer.nodes,
            s=answer.s,
            move=answer.move,
            opened=answer.opened,
            limit=self.limits.to_json(),
        )


def read_answer(line: str, fen: str) -> Answer:
    """What a line of `petard solve --json` says."""
    try:
        refusal = msgspec.json.decode(line, type=_Error).error
        if refusal is not None:
            raise UserError(f"the engine refuses '{fen}': {refusal}")
        reply = msgspec.json.decode(line, type=_Reply)
        if reply.winner == "unknown" and not reply.opened:
            raise ValueError("opened")
    except (ValueError, msgspec.DecodeError):
        raise UserError(
            f"the engine's answer to '{fen}' is not that of a `petard solve --stdin` that "
            f"supports --opened: {line.strip()[:200]!r}"
        ) from None
    if reply.fen.split()[:2] != fen.split()[:2]:
        raise UserError(f"the engine was asked about '{fen}' and answered '{reply.fen}'")
    results: dict[str, Result] = {"first": "win", "second": "loss", "unknown": "unknown"}
    result = results[reply.winner]
    return Answer(
        result=result,
        nodes=reply.nodes,
        s=reply.seconds,
        move=(reply.move or None) if result == "win" else None,
        opened=reply.opened if result == "unknown" else {},
    )
