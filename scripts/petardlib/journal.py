"""What has been done, a JSON line each, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from .errors import UserError

Record = dict[str, Any]


class Journal:
    """An append-only file whose first line says which run it belongs to.

    ``header`` is compared with the file's; what differs is named in the error. A half-written last
    line, as a kill leaves it, is cut off. The file is locked while it is open. Records are not kept
    in memory, since a sequential test may have many thousands: iterate to read them. Each record of
    a ``durable`` journal is on the disk before the next one: it outlives the machine's fall, too.
    """

    def __init__(self, path: Path | None, header: Record, durable: bool = False) -> None:
        """Open or start the journal at ``path``; None uses a file that vanishes at the end."""
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
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{path} is in use by another run") from None
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        found = self._repair()
        if found is None:
            self._write(header)
        else:
            self._compare(found, header)

    def _repair(self) -> Record | None:
        """Count the records and cut off what is not whole; the header, if there is one."""
        self._file.seek(0)
        header: Record | None = None
        good = 0
        for line in self._file:
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not line.endswith(b"\n") or not isinstance(record, dict):
                if self._file.read(1):
                    raise UserError(f"{self.path}: what stands at byte {good} is not a record")
                break
            good += len(line)
            if header is None:
                header = record
            else:
                self.count += 1
        self._file.truncate(good)
        self._file.seek(0, os.SEEK_END)
        return header

    def __iter__(self) -> Iterator[Record]:
        """All records, in the order in which they were added."""
        self._file.flush()
        self._file.seek(0)
        try:
            for number, line in enumerate(self._file):
                if number:
                    yield json.loads(line)
        finally:
            self._file.seek(0, os.SEEK_END)

    def _compare(self, found: Record, wanted: Record) -> None:
        if found.get("kind") != wanted["kind"]:
            raise UserError(f"{self.path} is not a {wanted['kind']} journal; name another file")
        differing = sorted(
            key
            for key in {*found, *wanted}
            if found.get(key) != json.loads(json.dumps(wanted.get(key)))
        )
        if differing:
            raise UserError(
                f"{self.path} belongs to another run (it differs in: {', '.join(differing)}); "
                "name another file, or give the same command to resume"
            )

    def _write(self, record: Record) -> None:
        # One write call a record: a kill can leave at most one partial line, at the end.
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self._file.write(text.encode() + b"\n")
        self._file.flush()
        if self.durable:
            os.fsync(self._file.fileno())

    def append(self, record: Record) -> None:
        """Keep a record for good."""
        self._write(record)
        self.count += 1

    def close(self) -> None:
        """Write through to the disk and unlock."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
