"""The ledger of a proof by jobs: every finished job, one JSON line each.

What a job has proven holds for ever, so the ledger alone is the state of the search: the tree above
the jobs is rebuilt from it, after any stop and on any machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from petardlib.base.errors import UserError
from petardlib.base.journal import Journal
from petardlib.proofs.pntree import INFINITE, Numbers
from petardlib.proofs.solvejob import Job
from petardlib.rules.keys import board_at, key_of, moves_of
from petardlib.rules.positions import board_of, size_of

KIND: Literal["solve-jobs"] = "solve-jobs"


class Header(msgspec.Struct, kw_only=True):
    """The first line of a ledger."""

    kind: Literal["solve-jobs"] = KIND
    version: int = 1
    board: str
    fen: str


class Split(msgspec.Struct):
    """A position whose moves became leaves before any job had reported on it."""

    pos: str
    result: Literal["split"] = "split"


class _Result(msgspec.Struct):
    result: str


def read_record(line: bytes) -> Job | Split:
    """A record of a ledger."""
    if msgspec.json.decode(line, type=_Result).result == "split":
        return msgspec.json.decode(line, type=Split)
    return msgspec.json.decode(line, type=Job)


class _Kind(msgspec.Struct):
    kind: str
    version: object = None


def read_header(path: Path) -> Header | None:
    """The first line of a ledger; None if the file is missing or empty."""
    try:
        with path.open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    if not line.endswith(b"\n"):
        # Empty, or cut short by a kill during the very first write; `Journal` handles it.
        return None
    try:
        found = msgspec.json.decode(line, type=_Kind)
    # Of text that is not UTF-8, too.
    except ValueError:
        found = _Kind("")
    if found.kind != KIND:
        raise UserError(f"{path} is not a ledger of solve_jobs.py; choose a different file")
    if found.version != 1:
        raise UserError(f"{path} has version {found.version}; this program reads 1")
    try:
        header = msgspec.json.decode(line, type=Header)
        board_of(header.fen)
    except (ValueError, UserError):
        raise UserError(f"{path} names no position in its first line") from None
    return header


class Ledger:
    """All that jobs have found out about the positions below one."""

    def __init__(self, path: Path | None, fen: str) -> None:
        """Open or start the ledger of a position; a ledger of another one is refused."""
        self.size = size_of(fen)
        self.path = path
        header = Header(board="{}x{}".format(*self.size), fen=fen)
        found = read_header(path) if path else None
        if found is not None:
            if found.board != header.board:
                raise UserError(
                    f"{path} is the ledger of another board: {found.board}, "
                    f"not {header.board}; choose a different file"
                )
            if key_of(board_of(found.fen)) != key_of(board_of(fen)):
                raise UserError(
                    f"{path} is the ledger of another position: {found.fen}, not {fen}; "
                    "choose a different file"
                )
            header = found
        self.jobs: dict[str, Job] = {}
        """The most informative job for each position."""
        self.opened: dict[str, dict[str, Numbers]] = {}
        """The numbers after each move of the positions that unfinished jobs have opened."""
        self.split: set[str] = set()
        """Positions whose moves became leaves before any job had reported on them."""
        self.inferred: dict[str, tuple[bool, str]] = {}
        """Who wins a position according to an unfinished job above it, and that job's position."""
        self.count = self.unknown = self.nodes = 0
        self.seconds = 0.0
        self.journal = Journal(path, msgspec.to_builtins(header), read_record, durable=True)
        self.journal.read(self._take)

    def _take(self, record: Job | Split) -> None:
        if size_of(record.pos) != self.size:
            raise UserError(f"'{record.pos}' is not a position on {self.size[0]}x{self.size[1]}")
        key = key_of(board_at(record.pos))
        if isinstance(record, Split):
            self.split.add(key)
            return
        self.count += 1
        self.nodes += record.nodes
        self.seconds += record.s
        if record.wins is None:
            self.unknown += 1
            self._open(key, record)
        self._check(key, record.wins)
        if record.wins is not None or key not in self.jobs or self.wins(key) is None:
            self.jobs[key] = record

    def _open(self, key: str, record: Job) -> None:
        """Keep what an unfinished job knows: numbers, and who wins after some of the moves."""
        start = board_at(record.pos)
        if "" not in record.opened:
            raise UserError(f"an unfinished job reports nothing about {record.pos} w")
        for line, claimed in record.opened.items():
            board = start.copy()
            try:
                board.push_line(line.split())
            except ValueError as error:
                raise UserError(f"a job plays {line} in {record.pos} w: {error}") from None
            moves = moves_of(board)
            if claimed.keys() != moves.keys():
                wrong = ", ".join(sorted(claimed.keys() ^ moves.keys()))
                place = f"{record.pos} w" + (f" after {line}" if line else "")
                raise UserError(f"a job does not know the moves of {place}: {wrong}")
            numbers: dict[str, Numbers] = {}
            for move, (proof, disproof) in claimed.items():
                # The job's numbers are for the side that moves, the child's for the other one.
                phi, delta = (INFINITE if n is None else n for n in (disproof, proof))
                child = moves[move]
                if child not in numbers or 0 in (phi, delta):
                    numbers[child] = phi, delta
                if 0 in (phi, delta):
                    self._check(child, phi == 0)
                    self.inferred.setdefault(child, (phi == 0, key))
            opened = key_of(board)
            # A position's own job knows more about it than one above it.
            if not line or opened not in self.jobs:
                self.opened[opened] = numbers

    def _check(self, key: str, wins: bool | None) -> None:
        known = self.wins(key)
        if known is not None and wins is not None and known != wins:
            raise UserError(
                f"jobs contradict each other: {key} (White to move) is both won "
                "and lost; one of the engines is broken"
            )

    def wins(self, key: str) -> bool | None:
        """Whether the side to move wins, if a job has found out."""
        job = self.jobs.get(key)
        if job is not None and job.wins is not None:
            return job.wins
        inferred = self.inferred.get(key)
        return inferred[0] if inferred else None

    def add_job(self, job: Job) -> None:
        """Add a finished job to the file."""
        self._take(job)
        self.journal.append(job)

    def add_split(self, key: str) -> None:
        """Add to the file that the moves of a position became leaves."""
        self.split.add(key)
        self.journal.append(Split(key))

    def close(self) -> None:
        self.journal.close()
