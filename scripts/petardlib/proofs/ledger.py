"""The ledger of a proof by jobs: every finished job, one JSON line each.

What a job has proven holds for ever, so the ledger alone is the state of the search: the tree above
the jobs is rebuilt from it, after any stop and on any machine.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from petardlib.base.errors import UserError
from petardlib.base.journal import Journal
from petardlib.proofs.pntree import INFINITE, Numbers
from petardlib.rules.keys import board_at, key_of, moves_of
from petardlib.rules.positions import board_of, size_of

KIND = "solve-jobs"


def read_header(path: Path) -> dict[str, Any] | None:
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
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise UserError(f"{path} is not a ledger of solve_jobs.py; choose a different file")
    if header.get("version") != 1:
        raise UserError(f"{path} has version {header.get('version')}; this program reads 1")
    try:
        board_of(header["fen"])
    except (KeyError, AttributeError, UserError):
        raise UserError(f"{path} names no position in its first line") from None
    return header


def _number(value: object) -> int:
    """A count in a record."""
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


class Ledger:
    """All that jobs have found out about the positions below one."""

    def __init__(self, path: Path | None, fen: str) -> None:
        """Open or start the ledger of a position; a ledger of another one is refused."""
        self.size = size_of(fen)
        self.path = path
        header = {"kind": KIND, "version": 1, "board": "{}x{}".format(*self.size), "fen": fen}
        found = read_header(path) if path else None
        if found is not None:
            if found.get("board") != header["board"]:
                raise UserError(
                    f"{path} is the ledger of another board: {found.get('board')}, "
                    f"not {header['board']}; choose a different file"
                )
            if key_of(board_of(found["fen"])) != key_of(board_of(fen)):
                raise UserError(
                    f"{path} is the ledger of another position: {found['fen']}, not {fen}; "
                    "choose a different file"
                )
            header = found
        self.jobs: dict[str, dict[str, Any]] = {}
        """The most informative job for each position."""
        self.opened: dict[str, dict[str, Numbers]] = {}
        """The numbers after each move of the positions that unfinished jobs have opened."""
        self.split: set[str] = set()
        """Positions whose moves became leaves before any job had reported on them."""
        self.told: dict[str, tuple[bool, str]] = {}
        """Who wins a position according to an unfinished job above it, and that job's position."""
        self.count = self.unknown = self.nodes = 0
        self.seconds = 0.0
        self.journal = Journal(path, header, durable=True)
        self.journal.read(self._take)

    def _take(self, record: dict[str, Any]) -> None:
        if size_of(record["pos"]) != self.size:
            raise UserError(f"'{record['pos']}' is not a position on {self.size[0]}x{self.size[1]}")
        key = key_of(board_at(record["pos"]))
        if record["result"] == "split":
            self.split.add(key)
            return
        wins = {"win": True, "loss": False, "unknown": None}[record["result"]]
        seconds = record["s"]
        if not isinstance(record.get("move", ""), str):
            raise TypeError("move")
        if not (isinstance(seconds, int | float) and 0 <= seconds < math.inf):
            raise ValueError("s")
        self.count += 1
        self.nodes += _number(record["nodes"])
        self.seconds += seconds
        if wins is None:
            self.unknown += 1
            self._open(key, record)
        self._check(key, wins)
        if wins is not None or key not in self.jobs or self.wins(key) is None:
            self.jobs[key] = record

    def _open(self, key: str, record: dict[str, Any]) -> None:
        """Keep what an unfinished job knows: numbers, and who wins after some of the moves."""
        start = board_at(record["pos"])
        if "" not in record["opened"]:
            raise UserError(f"an unfinished job reports nothing about {record['pos']} w")
        for line, claimed in record["opened"].items():
            board = start.copy()
            try:
                board.push_line(line.split())
            except ValueError as error:
                raise UserError(f"a job plays {line} in {record['pos']} w: {error}") from None
            moves = moves_of(board)
            if claimed.keys() != moves.keys():
                wrong = ", ".join(sorted(claimed.keys() ^ moves.keys()))
                place = f"{record['pos']} w" + (f" after {line}" if line else "")
                raise UserError(f"a job does not know the moves of {place}: {wrong}")
            numbers: dict[str, Numbers] = {}
            for move, (proof, disproof) in claimed.items():
                # The job's numbers are for the side that moves, the child's for the other one.
                phi, delta = (INFINITE if n is None else _number(n) for n in (disproof, proof))
                child = moves[move]
                if child not in numbers or 0 in (phi, delta):
                    numbers[child] = phi, delta
                if 0 in (phi, delta):
                    self._check(child, phi == 0)
                    self.told.setdefault(child, (phi == 0, key))
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
        record = self.jobs.get(key)
        if record is not None and record["result"] != "unknown":
            return bool(record["result"] == "win")
        told = self.told.get(key)
        return told[0] if told else None

    def add_job(self, record: dict[str, Any]) -> None:
        """Add a finished job to the file."""
        self._take(record)
        self.journal.append(record)

    def add_split(self, key: str) -> None:
        """Add to the file that the moves of a position became leaves."""
        self.split.add(key)
        self.journal.append({"pos": key, "result": "split"})

    def close(self) -> None:
        self.journal.close()
