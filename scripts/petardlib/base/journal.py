"""What has been done, one JSON line each, so that a killed run can be resumed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

import msgspec
import portalocker

from petardlib.base.errors import UserError

Record = dict[str, Any]
FAULTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What reading a record that is none may raise."""
OBSOLETE = ("referee",)
"""What headers of earlier versions have, and no run depends on any more."""


PROGRAMS = "programs"
"""In a header: which programs the engines are, by name. Earlier versions had no such entry."""


def _named(program: object) -> str:
    return ", ".join(map(str, program.values())) if isinstance(program, dict) else str(program)


def _line(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _parse(line: bytes) -> Record | None:
    """The record in a line; None if it holds none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


class Journal:
    """An append-only file whose first line says which run it belongs to.

    ``header`` is compared with the file's, if records follow it; the error names what differs. Only
    a file that begins with a header of this kind is ever changed: an unfinished last line, as a
    kill leaves it, is cut off. The file is locked while it is open. Records are not kept in memory,
    since a sequential test may have many thousands: iterate to read them. Each record of a
    ``durable`` journal is on the disk before the next one is added: it survives a crash of the
    machine, too.
    """

    def __init__(self, path: Path | None, header: Record, durable: bool = False) -> None:
        """Open or start the journal at ``path``; None uses a temporary file."""
        self.path = path
        self.durable = durable and path is not None
        self.count = 0
        if path is None:
            self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
            self._write(header)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
            portalocker.lock(self._file, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.LockException:
            raise UserError(f"{path} is in use by another run") from None
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        try:
            self._open(header)
        except BaseException:
            self._file.close()
            raise

    def _open(self, header: Record) -> None:
        """Continue from what the file holds; a file that is refused is not changed."""
        self._file.seek(0)
        first = self._file.readline()
        if not first.endswith(b"\n"):
            # Empty, or cut short by a kill during the very first write
            if not _line(header).startswith(first):
                self._refuse(header)
            self._file.truncate(0)
            self._write(header)
            return
        found = _parse(first)
        if found is None or found.get("kind") != header["kind"]:
            self._refuse(header)
        if not self._file.readline():
            # Of a run that failed before its first record: it binds no other.
            self._file.truncate(0)
            self._write(header)
            return
        self._file.seek(len(first))
        self._compare(found, header)
        good = len(first)
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            if _parse(line) is None:
                raise UserError(f"{self.path}, line {self.count + 2}: not a record")
            good += len(line)
            self.count += 1
        self._file.truncate(good)
        self._file.seek(0, os.SEEK_END)

    def _refuse(self, header: Record) -> NoReturn:
        raise UserError(
            f"{self.path} is not a journal of this kind ({header['kind']}); choose a different file"
        )

    def read(self, take: Callable[[Record], object]) -> None:
        """Hand every record to ``take``; the error about a bad one names its line.

        The journal is closed if that fails.
        """
        try:
            for number, record in enumerate(self, start=2):
                try:
                    take(record)
                except UserError as error:
                    raise UserError(f"{self.path}, line {number}: {error}") from None
                except (*FAULTS, msgspec.ValidationError) as error:
                    where = f"{self.path}, line {number}"
                    raise UserError(f"{where}: not a record ({error!r})") from None
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[Record]:
        """All records, in the order they were added."""
        self._file.flush()
        self._file.seek(0)
        try:
            for number, line in enumerate(self._file):
                if number:
                    yield json.loads(line)
        finally:
            self._file.seek(0, os.SEEK_END)

    def _compare(self, found: Record, wanted: Record) -> None:
        before, now = found.pop(PROGRAMS, None), dict(wanted.get(PROGRAMS, {}))
        found, wanted = dict(found), {key: wanted[key] for key in wanted if key != PROGRAMS}
        for name in now if isinstance(before, dict) else ():
            if name in before and before[name] != now[name]:
                raise UserError(
                    f"{self.path}: '{name}' is another program than the one that began this run "
                    f"({_named(before[name])}, now {_named(now[name])}); choose a different file"
                )
        differing = sorted(
            key
            for key in {*found, *wanted}
            if key not in OBSOLETE and found.get(key) != json.loads(json.dumps(wanted.get(key)))
        )
        if differing:
            raise UserError(
                f"{self.path} belongs to another run (different {', '.join(differing)}); "
                "choose a different file, or give the same command to resume"
            )

    def _write(self, record: Record) -> None:
        # One write call per record: a kill can leave at most one partial line, at the end.
        self._file.write(_line(record))
        self._file.flush()
        if self.durable:
            os.fsync(self._file.fileno())

    def append(self, record: Record) -> None:
        """Add a record."""
        self._write(record)
        self.count += 1

    def close(self) -> None:
        """Flush to the disk and unlock."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
