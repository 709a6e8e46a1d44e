"""What has been done, one JSON line each, so that a killed run can be resumed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Generic, NoReturn, TypeVar

import msgspec

from petardlib.base.errors import UserError

R = TypeVar("R")
Header = Mapping[str, object]
Count = Annotated[int, msgspec.Meta(ge=0)]
"""A number of things in a record."""
Seconds = Annotated[float, msgspec.Meta(ge=0)]
FAULTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What reading a record that is none may raise."""
OBSOLETE = ("referee",)
"""What headers of earlier versions have, and no run depends on any more."""


PROGRAMS = "programs"
"""In a header: which programs the engines are, by name. Earlier versions had no such entry."""


def decoder(kind: type[R]) -> Callable[[bytes], R]:
    """What reads the records of a journal that has one kind of them."""
    return msgspec.json.Decoder(kind).decode


def _line(record: object) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def _parse(line: bytes) -> Header | None:
    """The object in a line; None if it holds none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


class Journal(Generic[R]):
    """An append-only file whose first line says which run it belongs to.

    ``header`` is compared with the file's, if records follow it; the error names what differs. Only
    a file that begins with a header of this kind is ever changed: an unfinished last line, as a
    kill leaves it, is cut off. The file is locked while it is open. Records are not kept in memory,
    since a sequential test may have many thousands: iterate to read them. Each record of a
    ``durable`` journal is on the disk before the next one is added: it survives a crash of the
    machine, too.
    """

    def __init__(
        self,
        path: Path | None,
        header: Header,
        decode: Callable[[bytes], R],
        durable: bool = False,
    ) -> None:
        """Open or start the journal at ``path``; None uses a temporary file.

        ``decode`` makes a record of a line.
        """
        self.path = path
        self._decode = decode
        self.durable = durable and path is not None
        self.count = 0
        if path is None:
            self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
            self._write(header)
            return
        import portalocker

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

    def _open(self, header: Header) -> None:
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

    def _refuse(self, header: Header) -> NoReturn:
        raise UserError(
            f"{self.path} is not a journal of this kind ({header['kind']}); choose a different file"
        )

    def read(self, take: Callable[[R], object]) -> None:
        """Hand every record to ``take``; the error about a bad one names its line.

        The journal is closed if that fails.
        """
        try:
            for number, line in self._lines():
                with self._naming(number):
                    take(self._decode(line))
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[R]:
        """All records, in the order they were added."""
        for number, line in self._lines():
            with self._naming(number):
                record = self._decode(line)
            yield record

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        self._file.flush()
        self._file.seek(0)
        try:
            yield from islice(enumerate(self._file, start=1), 1, None)
        finally:
            self._file.seek(0, os.SEEK_END)

    @contextmanager
    def _naming(self, number: int) -> Iterator[None]:
        """Errors inside name the line."""
        where = f"{self.path}, line {number}"
        try:
            yield
        except UserError as error:
            raise UserError(f"{where}: {error}") from None
        except (*FAULTS, msgspec.DecodeError) as error:
            raise UserError(f"{where}: not a record ({error!r})") from None

    def _compare(self, before: Header, now: Header) -> None:
        found, wanted = dict(before), dict(now)
        self._compare_programs(found.pop(PROGRAMS, None), wanted.pop(PROGRAMS, None))
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

    def _compare_programs(self, before: object, now: object) -> None:
        if not isinstance(before, dict) or not isinstance(now, dict):
            return
        for name in before.keys() & now.keys():
            if before[name] != now[name]:
                raise UserError(
                    f"the program of '{name}' has changed since {self.path} was begun; choose a "
                    "different file (--resume, or --pgn)"
                )

    def _write(self, record: object) -> None:
        # One write call per record: a kill can leave at most one partial line, at the end.
        self._file.write(_line(record))
        self._file.flush()
        if self.durable:
            os.fsync(self._file.fileno())

    def append(self, record: R) -> None:
        """Add a record."""
        self._write(record)
        self.count += 1

    def close(self) -> None:
        """Flush to the disk and unlock."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
